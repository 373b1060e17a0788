"""Encounters: files of pairs come back as they were written, and only from where they belong."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import HERE, cases

from harness.encounters import Encounter, Meeting, read_meeting, read_meetings, to_text, write_meeting
from harness.errors import ClaimgridError
from harness.judge import Case, Raced
from harness.schema import PAIRS
from harness.strict import checker
from harness.vocabulary import Outcome, RaceOutcome, Verdict

REFUSED = Case(Outcome.REFUSED, error="EEXIST")
PAIR = Encounter(
    "node:fs.writeFileSync/wx", "sh:mkdir", REFUSED, REFUSED, Raced(RaceOutcome.ONE_WINNER, unexplored=""), Verdict.SAFE
)
MEETING = Meeting(HERE, ("node", "22.1.0"), ("sh", "dash-0.5+coreutils-9.1"), (PAIR,))


def test_a_meeting_comes_back_from_its_file(tmp_path):
    path = write_meeting(MEETING, tmp_path)
    assert path == tmp_path / "linux-x64-ext4" / "pairs" / "node-22.1.0--sh-dash-0.5+coreutils-9.1.json"
    assert read_meeting(path) == MEETING
    assert read_meetings([tmp_path, tmp_path]) == [MEETING, MEETING]


@given(
    st.lists(
        st.builds(
            Encounter, st.just("node:a"), st.just("sh:b"), cases, cases, st.just(PAIR.raced), st.sampled_from(Verdict)
        )
    )
)
def test_every_file_that_is_written_keeps_to_the_schema(encounters):
    text = to_text(Meeting(HERE, ("node", "1"), ("sh", "2"), tuple(encounters)))
    assert checker(PAIRS, PAIRS)(json.loads(text)) == []


def test_the_order_of_encounters_does_not_show():
    other = Encounter("node:a", "sh:b", REFUSED, REFUSED, PAIR.raced, Verdict.SAFE)
    texts = {to_text(Meeting(HERE, MEETING.first, MEETING.second, pairs)) for pairs in ((PAIR, other), (other, PAIR))}
    assert len(texts) == 1


def test_a_file_in_the_wrong_place_is_refused(tmp_path):
    path = write_meeting(MEETING, tmp_path)
    moved = path.rename(path.with_name("node-23--sh-x.json"))
    with pytest.raises(ClaimgridError, match=r"its content belongs into linux-x64-ext4/pairs/node-22\.1\.0--sh"):
        read_meeting(moved)


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("one-winner", "no such word", "race"),
        ('"verdict":"safe"', '"verdict":"fine"', "verdict"),
        ("{", "[", "JSON|Expecting|delimiter"),
    ],
)
def test_a_broken_file_is_refused_with_the_place_in_it(tmp_path, old, new, place):
    path = write_meeting(MEETING, tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(ClaimgridError, match=place):
        read_meeting(path)
