"""Running claims: a fresh folder for every case, and nothing left of any."""

import os
from dataclasses import replace

import pytest

from harness.claims import Claim
from harness.conversation import Conversation, Limits
from harness.errors import ClaimgridError
from harness.judge import Case, judge_case
from harness.measure import Workspace, observe, workspace
from harness.observation import Said
from harness.occupants import Capabilities
from harness.runtimes.contract import Launch
from harness.vocabulary import Detail, Kind, Occupant, Outcome

posix = pytest.mark.skipif(os.name == "nt", reason="these occupants are made on POSIX systems only")

WRONG = Claim("fake", "wrong", Kind.CREATE, "wrong(name)", "file")
RENAME = Claim("fake", "wrong", Kind.CREATE, "wrong(name)", "file", "file")
EVERYDAY = (Occupant.FREE, Occupant.OWN, Occupant.FILE, Occupant.EMPTY_FILE)
ABLE = Capabilities()


@pytest.fixture
def space(tmp_path):
    with workspace(tmp_path) as made:
        yield made


@pytest.fixture
def seen(fake_argv, space):
    """What happens when a fake makes its claim."""

    def observed(fake, occupants=EVERYDAY, claim=WRONG, able=ABLE, limit=60.0):
        with Conversation(Launch(fake_argv(fake)), space.home, Limits(60.0, limit)) as talk:
            return observe(talk, claim, occupants, able, space)

    return observed


def judged(claim, observations):
    return {each.occupant: judge_case(claim, each) for each in observations}


def test_an_honest_claim_wins_a_free_name_and_refuses_the_rest(seen):
    refused = Case(Outcome.REFUSED, error="FileExistsError")
    assert judged(WRONG, seen("honest")) == {
        Occupant.FREE: Case(Outcome.WON),
        Occupant.OWN: refused,
        Occupant.FILE: refused,
        Occupant.EMPTY_FILE: refused,
    }


@pytest.mark.parametrize(
    ("claim", "missing"),
    [
        (replace(WRONG, makes="link"), Occupant.DANGLING_LINK),
        (replace(WRONG, makes="fifo"), Occupant.FIFO),
        (replace(WRONG, via="hard-link"), Occupant.HARD_LINK),
    ],
    ids=["symbolic links", "pipes", "hard links"],
)
def test_what_the_filesystem_cannot_hold_is_not_asked_of_any_claim(seen, claim, missing):
    able = Capabilities({missing: "not on this filesystem"})
    unavailable = Case(Outcome.UNAVAILABLE, reason="not on this filesystem")
    assert judged(claim, seen("honest", claim=claim, able=able)) == dict.fromkeys(EVERYDAY, unavailable)


def test_where_case_is_ignored_no_folder_is_used_twice(seen, space):
    # Some systems remember for a while that they found a name which was removed in another spelling.
    seen("honest")
    assert len(os.listdir(space.root)) > len(["home"])
    kept = set(os.listdir(space.root))
    seen("honest", able=Capabilities(ignores_case=True))
    seen("honest", able=Capabilities(ignores_case=True))
    assert set(os.listdir(space.root)) <= kept


def test_cases_are_told_in_the_order_asked(seen):
    order = (Occupant.FULL_DIR, Occupant.FREE, Occupant.FILE)
    assert [each.occupant for each in seen("honest", order)] == list(order)


def test_against_its_own_product_a_claim_is_made_twice(seen):
    (own,) = seen("honest", [Occupant.OWN])
    assert own.answer.said is Said.NO
    assert own.before.entries["name"].content.startswith(b"claimed by ")
    assert own.before == own.after


def test_a_claim_that_writes_over_its_own_product_is_seen_to(seen):
    (own,) = seen("always_overwrites", [Occupant.OWN])
    assert judge_case(WRONG, own) == Case(Outcome.OVERWROTE, Detail.TRUNCATED)


def test_whoever_claims_the_second_time_has_a_source_of_its_own(seen):
    (own,) = seen("renames", [Occupant.OWN], RENAME)
    assert sorted(own.before.entries) == ["name", "source-2"]
    assert judge_case(RENAME, own) == Case(Outcome.OVERWROTE, Detail.REPLACED)


def test_a_claim_that_did_not_win_has_no_product_of_its_own(seen):
    observations = seen("always_refuses", [Occupant.FREE, Occupant.OWN])
    assert judged(WRONG, observations) == {
        Occupant.FREE: Case(Outcome.FALSE_REFUSAL, error="EEXIST"),
        Occupant.OWN: Case(Outcome.UNAVAILABLE, reason="the claim did not win the free name"),
    }


def test_a_claim_that_only_says_that_it_won_has_no_product_of_its_own(seen):
    assert judged(WRONG, seen("says_yes_and_does_nothing", [Occupant.OWN])) == {
        Occupant.OWN: Case(Outcome.UNAVAILABLE, reason="the claim did not win the free name")
    }


def test_a_claim_that_crashes_the_first_time_has_crashed_against_its_own_product(seen):
    assert judged(WRONG, seen("exits", [Occupant.OWN])) == {Occupant.OWN: Case(Outcome.CRASHED, error="exit 7")}


def test_damage_behind_a_no_is_seen(seen):
    assert judged(WRONG, seen("says_no_and_truncates", [Occupant.FILE])) == {
        Occupant.FILE: Case(Outcome.DAMAGED, Detail.TRUNCATED, "FileExistsError")
    }


def test_what_cannot_be_set_up_is_told_with_its_reason_and_not_asked(seen):
    able = Capabilities({Occupant.FIFO: "no FIFOs here"})
    free, fifo = seen("honest", [Occupant.FREE, Occupant.FIFO], able=able)
    assert (free.answer.said, fifo.answer, fifo.obstacle) == (Said.YES, None, "no FIFOs here")


@posix
def test_an_occupant_that_fails_after_all_is_told_with_its_reason(seen):
    (junction,) = seen("honest", [Occupant.JUNCTION])
    assert (junction.answer, junction.obstacle) == (None, "only Windows makes junctions")


def test_a_claim_that_deletes_its_folder_is_judged_and_the_rest_goes_on(seen):
    observations = seen("deletes_the_folder", [Occupant.FREE, Occupant.FILE, Occupant.EMPTY_FILE])
    removed = Case(Outcome.DAMAGED, Detail.REMOVED, "ENOENT", recognised=False)
    assert judged(WRONG, observations) == {
        Occupant.FREE: Case(Outcome.FALSE_REFUSAL, error="ENOENT", recognised=False),
        Occupant.FILE: removed,
        Occupant.EMPTY_FILE: removed,
    }


def test_silence_is_charged_to_its_case_alone(seen):
    observations = (
        seen("hangs_on_a_fifo", [Occupant.FREE, Occupant.FIFO, Occupant.FILE], limit=60.0) if os.name == "posix" else []
    )
    outcomes = {occupant: case.outcome for occupant, case in judged(WRONG, observations).items()}
    assert outcomes == {Occupant.FREE: Outcome.WON, Occupant.FIFO: Outcome.TIMED_OUT, Occupant.FILE: Outcome.REFUSED}


def test_a_claim_that_a_dying_probe_made_on_the_side_is_made_again_in_a_fresh_folder(seen):
    observations = seen("answers_late", [Occupant.FREE, Occupant.OWN, Occupant.FILE])
    assert judged(WRONG, observations) == {
        Occupant.FREE: Case(Outcome.NO_ANSWER),
        Occupant.OWN: Case(Outcome.REFUSED, error="FileExistsError"),
        Occupant.FILE: Case(Outcome.REFUSED, error="FileExistsError"),
    }


def test_a_claim_that_never_answers_times_out_everywhere(seen):
    outcomes = [
        case.outcome for case in judged(WRONG, seen("hangs", [Occupant.FREE, Occupant.FILE], limit=0.5)).values()
    ]
    assert outcomes == [Outcome.TIMED_OUT, Outcome.TIMED_OUT]


def test_what_a_dying_probe_said_on_standard_error_is_kept(seen):
    (file,) = seen("exits", [Occupant.FILE])
    assert file.stderr.splitlines() == ["fatal: out of luck"]


def test_no_case_sees_what_another_left(seen):
    for _ in range(3):
        for each in seen("always_overwrites", (Occupant.FREE, Occupant.FILE, Occupant.FULL_DIR)):
            expected = {Occupant.FREE: [], Occupant.FILE: ["name"], Occupant.FULL_DIR: ["name", "name/inside"]}
            assert sorted(each.before.entries) == expected[each.occupant]


# The workspace


def test_a_workspace_is_gone_at_the_end_with_everything_in_it(tmp_path):
    with workspace(tmp_path) as space:
        (space.fresh().folder / "left").touch()
        assert [path.name for path in tmp_path.iterdir()] == [space.root.name]
    assert list(tmp_path.iterdir()) == []


def test_a_workspace_is_gone_even_when_the_run_broke_off(tmp_path):
    with pytest.raises(KeyboardInterrupt), workspace(tmp_path):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_used_again_only_when_it_is_empty(space):
    place = space.fresh()
    (place.folder / "left").mkdir()
    (place.folder / "left" / "inside").touch()
    space.clear(place)
    again = space.fresh()
    assert again == place
    assert list(again.folder.iterdir()) == []


def test_a_folder_that_went_away_is_not_used_again(space):
    place = space.fresh()
    place.folder.rmdir()
    space.clear(place)
    assert space.fresh().folder != place.folder


def test_a_folder_that_cannot_be_emptied_is_not_used_again(space, monkeypatch):
    place = space.fresh()
    (place.folder / "stays").touch()
    monkeypatch.setattr("harness.measure.remove", lambda path: False)
    space.clear(place)
    assert space.fresh().folder != place.folder


def test_no_two_claims_have_the_same_number(tmp_path):
    space = Workspace(tmp_path)
    numbers = [space.number() for _ in range(100)]
    assert len(set(numbers)) == 100


def test_a_place_that_cannot_be_worked_in_is_the_users_trouble(tmp_path):
    with pytest.raises(ClaimgridError, match="cannot be worked in"), workspace(tmp_path / "nothing"):
        pass
