"""The judge: on deeds done to real directories, and on literal cases."""

import contextlib
import os
import shutil
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.claims import Claim
from harness.judge import (
    NOT_RACED,
    Case,
    Controls,
    Judgement,
    Raced,
    Reason,
    compare,
    judge_case,
    judge_claim,
    judge_controls,
)
from harness.observation import Answer, Observation, Said
from harness.occupants import lay_source, occupy
from harness.vocabulary import EVERYDAY, WINNABLE, Detail, Kind, Occupant, Outcome, RaceOutcome, Verdict
from harness.witness import Entry, Snapshot, look, pin, unpin

posix = pytest.mark.skipif(os.name == "nt", reason="these occupants are made on POSIX systems only")

FILE = Claim("fake", "open/x", Kind.CREATE, "open(name, 'x')", "file")
YES = Answer(Said.YES)
NO = Answer(Said.NO, "EEXIST", exists=True)
HELD = Controls(free_name_won=True, overwrite_seen=True)


def judged(folder, claim, occupant, answer, deed=lambda folder: None):
    """The case that a deed in a real folder makes, when the runtime said this about it."""
    with contextlib.ExitStack() as stack:
        piped = occupy(folder, occupant, stack)
        if claim.source:
            lay_source(folder / "source", claim.source, 1)
        before = look(folder)
        stack.callback(unpin, pin(folder, before))
        deed(folder)
        return judge_case(claim, Observation(occupant, answer, before, look(folder), piped()))


def write(path, data=b"claimed\n", mode="wb"):
    with path.open(mode) as file:
        file.write(data)


# What was done to the name, in the deed's own words, and how a "yes" is judged then.


def replace_by_deleting(folder):
    (folder / "name").unlink()
    write(folder / "name")


def replace_by_renaming(folder):
    write(folder / "other")
    (folder / "other").replace(folder / "name")


def replace_with_the_same_bytes(folder):
    content = (folder / "name").read_bytes()
    (folder / "name").unlink()
    write(folder / "name", content)


def replace_with_a_directory(folder):
    (folder / "name").unlink()
    (folder / "name").mkdir()


def truncate(folder):
    write(folder / "name")


def empty(folder):
    os.truncate(folder / "name", 0)


def append(folder):
    write(folder / "name", mode="ab")


def write_over_the_beginning(folder):
    write(folder / "name", mode="r+b")


def remove(folder):
    (folder / "name").unlink()


def move_away(folder):
    (folder / "name").rename(folder / "elsewhere")


def change_the_mode(folder):
    (folder / "name").chmod(0o600)


def write_through_a_dangling_link(folder):
    write(folder / "target")


def write_inside_the_link(folder):
    write(folder / "name" / "new")


def write_to_the_pipe(folder):
    handle = os.open(folder / "name", os.O_WRONLY | os.O_NONBLOCK)
    os.write(handle, b"claimed\n")
    os.close(handle)


def leave_something_beside(folder):
    write(folder / "name.lock")


def empty_the_directory(folder):
    (folder / "name" / "inside").unlink()


DEEDS = [
    (Occupant.FILE, replace_by_deleting, Detail.REPLACED),
    (Occupant.FILE, replace_by_renaming, Detail.REPLACED),
    (Occupant.FILE, replace_with_the_same_bytes, Detail.REPLACED),
    (Occupant.FILE, replace_with_a_directory, Detail.REPLACED),
    (Occupant.EMPTY_FILE, replace_with_the_same_bytes, Detail.REPLACED),
    (Occupant.FILE, truncate, Detail.TRUNCATED),
    (Occupant.FILE, empty, Detail.TRUNCATED),
    (Occupant.FILE, append, Detail.APPENDED),
    (Occupant.FILE, write_over_the_beginning, Detail.WRITTEN_INTO),
    (Occupant.EMPTY_FILE, append, Detail.WRITTEN_INTO),
    (Occupant.FILE, remove, Detail.REMOVED),
    (Occupant.FILE, move_away, Detail.REMOVED),
    (Occupant.EMPTY_DIR, write_inside_the_link, Detail.INSIDE_DIRECTORY),
    (Occupant.FULL_DIR, write_inside_the_link, Detail.INSIDE_DIRECTORY),
    (Occupant.FULL_DIR, empty_the_directory, Detail.INSIDE_DIRECTORY),
]
POSIX_DEEDS = [
    (Occupant.FILE, change_the_mode, Detail.MODE_CHANGED),
    (Occupant.HARD_LINK, truncate, Detail.TRUNCATED),
    (Occupant.HARD_LINK, replace_by_deleting, Detail.REPLACED),
    (Occupant.LINK_TO_FILE, truncate, Detail.FOLLOWED_LINK),
    (Occupant.LINK_TO_FILE, append, Detail.FOLLOWED_LINK),
    (Occupant.LINK_TO_FILE, replace_by_renaming, Detail.REPLACED),
    (Occupant.LINK_TO_DIR, write_inside_the_link, Detail.FOLLOWED_LINK),
    (Occupant.DANGLING_LINK, write_through_a_dangling_link, Detail.FOLLOWED_LINK),
    (Occupant.DANGLING_LINK, truncate, Detail.FOLLOWED_LINK),
    (Occupant.DANGLING_LINK, replace_by_deleting, Detail.REPLACED),
    (Occupant.FIFO, replace_by_deleting, Detail.REPLACED),
]


@pytest.mark.parametrize(("occupant", "deed", "detail"), DEEDS)
def test_a_yes_that_changed_the_occupant_overwrote_it(tmp_path, occupant, deed, detail):
    assert judged(tmp_path, FILE, occupant, YES, deed) == Case(Outcome.OVERWROTE, detail)


@posix
@pytest.mark.parametrize(("occupant", "deed", "detail"), POSIX_DEEDS)
def test_a_yes_that_changed_a_posix_occupant_overwrote_it(tmp_path, occupant, deed, detail):
    assert judged(tmp_path, FILE, occupant, YES, deed) == Case(Outcome.OVERWROTE, detail)


@pytest.mark.parametrize(("occupant", "deed", "detail"), DEEDS)
def test_a_no_that_changed_the_occupant_damaged_it(tmp_path, occupant, deed, detail):
    assert judged(tmp_path, FILE, occupant, NO, deed) == Case(Outcome.DAMAGED, detail, "EEXIST")


@posix
@pytest.mark.parametrize(("occupant", "deed", "detail"), POSIX_DEEDS)
def test_a_no_that_changed_a_posix_occupant_damaged_it(tmp_path, occupant, deed, detail):
    assert judged(tmp_path, FILE, occupant, NO, deed) == Case(Outcome.DAMAGED, detail, "EEXIST")


PORTABLE = (
    Occupant.FILE,
    Occupant.EMPTY_FILE,
    Occupant.READONLY_FILE,
    Occupant.EMPTY_DIR,
    Occupant.FULL_DIR,
    Occupant.HARD_LINK,
)


@pytest.mark.parametrize("occupant", PORTABLE)
def test_a_no_that_changed_nothing_is_a_refusal(tmp_path, occupant):
    assert judged(tmp_path, FILE, occupant, NO) == Case(Outcome.REFUSED, error="EEXIST")


@pytest.mark.parametrize("occupant", PORTABLE)
def test_a_yes_that_changed_nothing_is_a_false_win(tmp_path, occupant):
    assert judged(tmp_path, FILE, occupant, YES) == Case(Outcome.FALSE_WIN)


@posix
def test_a_yes_that_only_wrote_to_a_pipe_took_nothing(tmp_path):
    assert judged(tmp_path, FILE, Occupant.FIFO, YES, write_to_the_pipe) == Case(Outcome.FALSE_WIN, Detail.INTO_PIPE)


@posix
def test_a_no_that_wrote_to_a_pipe_did_damage(tmp_path):
    assert judged(tmp_path, FILE, Occupant.FIFO, NO, write_to_the_pipe) == Case(
        Outcome.DAMAGED, Detail.INTO_PIPE, "EEXIST"
    )


def test_a_yes_that_only_left_something_beside_the_name_took_nothing(tmp_path):
    assert judged(tmp_path, FILE, Occupant.FILE, YES, leave_something_beside) == Case(
        Outcome.FALSE_WIN, Detail.LEFT_BEHIND
    )


def test_a_no_that_left_something_beside_the_name_did_damage(tmp_path):
    assert judged(tmp_path, FILE, Occupant.FILE, NO, leave_something_beside) == Case(
        Outcome.DAMAGED, Detail.LEFT_BEHIND, "EEXIST"
    )


def test_a_folder_that_was_deleted_as_a_whole_is_damage(tmp_path):
    folder = tmp_path / "case"
    folder.mkdir()
    assert judged(folder, FILE, Occupant.FILE, NO, shutil.rmtree) == Case(Outcome.DAMAGED, Detail.REMOVED, "EEXIST")


def test_reading_the_occupant_is_no_change(tmp_path):
    def deed(folder):
        (folder / "name").read_bytes()
        os.utime(folder / "name", (0, 0))

    assert judged(tmp_path, FILE, Occupant.FILE, NO, deed) == Case(Outcome.REFUSED, error="EEXIST")


# A free name


def make(kind):
    def deed(folder):
        lay_source(folder / "name", kind, 1)

    return deed


@pytest.mark.parametrize("made", ["file", "empty-dir", "full-dir"])
def test_a_free_name_is_won_by_what_the_claim_makes(tmp_path, made):
    claim = Claim("fake", "make", Kind.CREATE, "make(name)", made)
    assert judged(tmp_path, claim, Occupant.FREE, YES, make(made)) == Case(Outcome.WON)


@posix
def test_a_free_name_is_won_by_a_link(tmp_path):
    claim = Claim("fake", "make", Kind.CREATE, "make(name)", "link")
    assert judged(tmp_path, claim, Occupant.FREE, YES, lambda folder: (folder / "name").symlink_to("x")) == Case(
        Outcome.WON
    )


@posix
def test_a_free_name_is_won_by_a_fifo(tmp_path):
    claim = Claim("fake", "make", Kind.CREATE, "make(name)", "fifo")
    assert judged(tmp_path, claim, Occupant.FREE, YES, lambda folder: os.mkfifo(folder / "name")) == Case(Outcome.WON)


def test_a_free_name_is_not_won_by_something_else(tmp_path):
    assert judged(tmp_path, FILE, Occupant.FREE, YES, make("empty-dir")) == Case(Outcome.FALSE_WIN, Detail.OTHER_TYPE)


def test_a_yes_that_made_nothing_of_a_free_name_is_a_false_win(tmp_path):
    assert judged(tmp_path, FILE, Occupant.FREE, YES) == Case(Outcome.FALSE_WIN)


def test_a_no_to_a_free_name_is_a_false_refusal(tmp_path):
    assert judged(tmp_path, FILE, Occupant.FREE, NO) == Case(Outcome.FALSE_REFUSAL, error="EEXIST")


def test_a_no_that_made_the_free_name_did_damage(tmp_path):
    assert judged(tmp_path, FILE, Occupant.FREE, NO, make("file")) == Case(
        Outcome.DAMAGED, Detail.LEFT_BEHIND, "EEXIST"
    )


# The claim's own source

RENAME = Claim("fake", "rename", Kind.CREATE, "rename(source, name)", "file", source="file")


def rename_source(folder):
    (folder / "source").replace(folder / "name")


def test_a_source_that_was_moved_to_a_free_name_is_part_of_winning(tmp_path):
    assert judged(tmp_path, RENAME, Occupant.FREE, YES, rename_source) == Case(Outcome.WON)


def test_a_source_that_was_moved_over_the_occupant_replaced_it(tmp_path):
    assert judged(tmp_path, RENAME, Occupant.FILE, YES, rename_source) == Case(Outcome.OVERWROTE, Detail.REPLACED)


def test_a_source_that_was_left_alone_after_a_no_is_a_refusal(tmp_path):
    assert judged(tmp_path, RENAME, Occupant.FILE, NO) == Case(Outcome.REFUSED, error="EEXIST")


def test_a_no_that_lost_the_source_did_damage(tmp_path):
    case = judged(tmp_path, RENAME, Occupant.FILE, NO, lambda folder: (folder / "source").unlink())
    assert case == Case(Outcome.DAMAGED, Detail.SOURCE_LOST, "EEXIST")


def test_a_yes_that_only_lost_the_source_took_nothing(tmp_path):
    case = judged(tmp_path, RENAME, Occupant.FILE, YES, lambda folder: (folder / "source").unlink())
    assert case == Case(Outcome.FALSE_WIN)


def test_a_source_moved_into_the_directory_is_seen_there(tmp_path):
    case = judged(
        tmp_path, RENAME, Occupant.EMPTY_DIR, YES, lambda folder: shutil.move(folder / "source", folder / "name")
    )
    assert case == Case(Outcome.OVERWROTE, Detail.INSIDE_DIRECTORY)


@posix
@pytest.mark.parametrize("shape", ["file", "empty-dir", "full-dir", "link"])
def test_every_shape_of_source_may_be_used_up_by_winning(tmp_path, shape):
    claim = Claim("fake", "rename", Kind.CREATE, "rename(source, name)", shape, source=shape)
    assert judged(tmp_path, claim, Occupant.FREE, YES, rename_source) == Case(Outcome.WON)


# Answers that are none


@pytest.mark.parametrize(
    ("said", "outcome"),
    [(Said.TIMED_OUT, Outcome.TIMED_OUT), (Said.NO_ANSWER, Outcome.NO_ANSWER), (Said.UNSUPPORTED, Outcome.UNSUPPORTED)],
)
def test_what_is_no_answer_is_judged_as_just_that_whatever_it_did(tmp_path, said, outcome):
    assert judged(tmp_path, FILE, Occupant.FILE, Answer(said, message="…"), truncate) == Case(outcome)


def test_a_crash_keeps_how_it_ended(tmp_path):
    assert judged(tmp_path, FILE, Occupant.FILE, Answer(Said.CRASHED, "signal 6")) == Case(
        Outcome.CRASHED, error="signal 6"
    )


def test_a_case_that_could_not_be_set_up_is_unavailable():
    seen = Observation(Occupant.FIFO, obstacle="Windows has no FIFOs in directories")
    assert judge_case(FILE, seen) == Case(Outcome.UNAVAILABLE, reason="Windows has no FIFOs in directories")


@pytest.mark.parametrize(("exists", "recognised"), [(True, True), (None, True), (False, False)])
def test_a_refusal_that_no_test_for_existence_recognises_is_marked(tmp_path, exists, recognised):
    answer = Answer(Said.NO, "EISDIR", "0x80070050", exists)
    expected = Case(Outcome.REFUSED, error="EISDIR", code="0x80070050", recognised=recognised)
    assert judged(tmp_path, FILE, Occupant.EMPTY_DIR, answer) == expected


def test_standard_error_is_evidence_and_no_verdict(tmp_path):
    quiet = Observation(Occupant.FILE, NO)
    loud = Observation(Occupant.FILE, NO, stderr="fatal: everything failed")
    assert judge_case(FILE, quiet) == judge_case(FILE, loud)


# Comparing

A, B = Entry("file", (1, 1), 0o644, b"a"), Entry("file", (1, 2), 0o644, b"b")
snapshots = st.dictionaries(st.sampled_from(["name", "source", "target", "name/inside"]), st.sampled_from([A, B])).map(
    Snapshot
)


def test_a_comparison_tells_added_from_removed_from_altered():
    change = compare(Snapshot({"name": A, "gone": A, "same": B}), Snapshot({"name": B, "new": B, "same": B}))
    assert (change.added, change.removed, change.altered) == ({"new": B}, {"gone": A}, {"name": (A, B)})


@given(snapshots)
def test_a_snapshot_compared_with_itself_shows_no_change(snapshot):
    assert not compare(snapshot, snapshot)


@given(snapshots, snapshots)
def test_looking_from_the_other_side_swaps_added_and_removed(first, second):
    there, back = compare(first, second), compare(second, first)
    assert (there.added, there.removed) == (back.removed, back.added)
    assert {path: pair[::-1] for path, pair in there.altered.items()} == back.altered


@given(snapshots, snapshots, st.sampled_from(Occupant), st.sampled_from(Said))
def test_only_a_no_over_an_untouched_directory_is_ever_a_refusal(before, after, occupant, said):
    case = judge_case(FILE, Observation(occupant, Answer(said), before, after))
    if case.outcome is Outcome.REFUSED:
        assert said is Said.NO or case.detail is Detail.WAITED or occupant is Occupant.OUTSIDER
        assert before.entries == after.entries


@given(snapshots, snapshots, st.sampled_from(Occupant), st.sampled_from(Said))
def test_only_a_yes_to_a_free_name_is_ever_a_win(before, after, occupant, said):
    case = judge_case(FILE, Observation(occupant, Answer(said), before, after))
    if case.outcome is Outcome.WON:
        assert said is Said.YES
        assert occupant in WINNABLE
        assert "name" in after.entries


# What all cases add up to

CLEAN = {Occupant.FREE: Case(Outcome.WON), Occupant.OWN: Case(Outcome.REFUSED), Occupant.FILE: Case(Outcome.REFUSED)}


def raced(outcome):
    """Raced with this outcome, and explored as far as that goes."""
    return NOT_RACED if outcome is RaceOutcome.NOT_RUN else Raced(outcome, unexplored="no-trace")


def verdict_of(cases, race=RaceOutcome.NOT_RUN, controls=HELD):
    return judge_claim(Kind.CREATE, {**CLEAN, **cases}, controls, raced(race))


def test_a_clean_claim_that_was_not_raced_refuses_and_is_not_called_safe():
    assert verdict_of({}) == Judgement(Verdict.REFUSES, Reason("not-raced"))


@pytest.mark.parametrize(
    ("race", "judgement"),
    [
        (RaceOutcome.ONE_WINNER, Judgement(Verdict.SAFE, Reason("one-winner"))),
        (RaceOutcome.TWO_WINNERS, Judgement(Verdict.RACY, Reason("two-winners"))),
        (RaceOutcome.NEVER_MET, Judgement(Verdict.INDETERMINATE, Reason("never-met"))),
    ],
)
def test_a_race_decides_over_a_clean_claim(race, judgement):
    assert verdict_of({}, race) == judgement


@pytest.mark.parametrize("occupant", sorted(EVERYDAY))
@pytest.mark.parametrize("outcome", [Outcome.OVERWROTE, Outcome.FALSE_WIN, Outcome.DAMAGED])
def test_harm_to_an_everyday_occupant_is_unsafe(occupant, outcome):
    expected = Judgement(Verdict.UNSAFE, Reason("took-taken", (occupant,), outcome))
    assert verdict_of({occupant: Case(outcome)}) == expected


@pytest.mark.parametrize("occupant", [occupant for occupant in Occupant if occupant not in {*EVERYDAY, *WINNABLE}])
def test_harm_to_any_other_occupant_is_conditional(occupant):
    case = Case(Outcome.OVERWROTE, Detail.FOLLOWED_LINK)
    expected = Judgement(
        Verdict.CONDITIONAL, Reason("took-other", (occupant,), Outcome.OVERWROTE, Detail.FOLLOWED_LINK)
    )
    assert verdict_of({occupant: case}) == expected


@pytest.mark.parametrize("outcome", [Outcome.CRASHED, Outcome.TIMED_OUT, Outcome.NO_ANSWER, Outcome.DISAGREED])
@pytest.mark.parametrize("occupant", [Occupant.FREE, Occupant.OWN, Occupant.DANGLING_LINK])
def test_a_case_without_a_valid_answer_is_indeterminate(occupant, outcome):
    expected = Judgement(Verdict.INDETERMINATE, Reason("no-valid-answer", (occupant,), outcome))
    assert verdict_of({occupant: Case(outcome)}) == expected


def test_a_crash_does_not_excuse_what_was_overwritten_elsewhere():
    cases = {Occupant.FILE: Case(Outcome.OVERWROTE, Detail.TRUNCATED), Occupant.FULL_DIR: Case(Outcome.CRASHED)}
    assert verdict_of(cases).verdict is Verdict.UNSAFE


def test_a_race_with_two_winners_does_not_excuse_what_was_overwritten():
    assert verdict_of({Occupant.OWN: Case(Outcome.OVERWROTE)}, RaceOutcome.TWO_WINNERS).verdict is Verdict.UNSAFE


@pytest.mark.parametrize(
    "answer", [Answer(Said.NO, "EPERM"), Answer(Said.NO, "PermissionError", "EPERM"), Answer(Said.NO, "ENOSYS")]
)
def test_what_the_filesystem_cannot_do_is_unavailable_and_no_refusal(tmp_path, answer):
    case = judged(tmp_path, FILE, Occupant.FREE, answer)
    assert case.outcome is Outcome.UNAVAILABLE
    assert verdict_of({Occupant.FREE: case}) == Judgement(Verdict.NOT_RUN, Reason("unavailable"))
    harmed = {Occupant.FREE: case, Occupant.FILE: Case(Outcome.OVERWROTE, Detail.TRUNCATED)}
    assert verdict_of(harmed).verdict is Verdict.UNSAFE


def test_a_taken_name_that_may_not_be_touched_is_refused(tmp_path):
    assert judged(tmp_path, FILE, Occupant.FILE, Answer(Said.NO, "EPERM")).outcome is Outcome.REFUSED


@pytest.mark.parametrize("outcome", [Outcome.FALSE_REFUSAL, Outcome.FALSE_WIN, Outcome.DAMAGED])
def test_a_claim_that_does_not_win_a_free_name_is_indeterminate(outcome):
    expected = Judgement(Verdict.INDETERMINATE, Reason("free-not-won", (Occupant.FREE,), outcome))
    assert verdict_of({Occupant.FREE: Case(outcome)}) == expected


@pytest.mark.parametrize("outcome", [Outcome.UNAVAILABLE, Outcome.NOT_RUN])
def test_a_claim_that_was_not_tried_against_its_own_product_is_indeterminate(outcome):
    expected = Judgement(Verdict.INDETERMINATE, Reason("own-not-tried", (Occupant.OWN,), outcome))
    assert verdict_of({Occupant.OWN: Case(outcome)}) == expected


@pytest.mark.parametrize(
    "controls", [Controls(), Controls(True, False), Controls(False, True), Controls(True, None), Controls(None, True)]
)
def test_without_both_controls_nothing_is_concluded(controls):
    assert verdict_of({}, controls=controls) == Judgement(Verdict.INDETERMINATE, Reason("control-failed"))


def test_a_claim_that_its_build_lacks_is_unsupported_even_when_a_control_failed():
    cases = {Occupant.FREE: Case(Outcome.UNSUPPORTED), Occupant.FIFO: Case(Outcome.UNAVAILABLE)}
    assert judge_claim(Kind.CREATE, cases, Controls()) == Judgement(Verdict.UNSUPPORTED, Reason("unsupported"))


def test_a_claim_for_which_nothing_could_be_set_up_was_not_run():
    cases = {Occupant.FREE: Case(Outcome.UNAVAILABLE), Occupant.OWN: Case(Outcome.UNAVAILABLE)}
    assert judge_claim(Kind.CREATE, cases, HELD) == Judgement(Verdict.NOT_RUN, Reason("unavailable"))


def test_a_claim_without_cases_was_not_run():
    assert judge_claim(Kind.CREATE, {}, HELD) == Judgement(Verdict.NOT_RUN, Reason("not-run"))


some_cases = st.dictionaries(st.sampled_from(Occupant), st.sampled_from(Outcome).map(Case)).map(
    lambda cases: {**CLEAN, **cases}
)
bad_outcomes = st.sampled_from([outcome for outcome in Outcome if outcome.harmful])


@given(some_cases, st.sampled_from(Occupant), bad_outcomes, st.sampled_from(RaceOutcome))
def test_a_claim_is_never_better_when_one_more_occupant_is_harmed(cases, occupant, outcome, race):
    before = judge_claim(Kind.CREATE, cases, HELD, raced(race)).verdict
    after = judge_claim(Kind.CREATE, {**cases, occupant: Case(outcome)}, HELD, raced(race)).verdict
    if not cases.get(occupant, Case(Outcome.NOT_RUN)).outcome.broken:
        assert after.badness >= before.badness


@given(some_cases, st.sampled_from(Occupant), st.sampled_from([outcome for outcome in Outcome if outcome.broken]))
def test_a_claim_is_never_better_when_a_clean_case_goes_without_an_answer(cases, occupant, outcome):
    if cases.get(occupant, Case(Outcome.REFUSED)).outcome in (Outcome.REFUSED, Outcome.WON):
        before = judge_claim(Kind.CREATE, cases, HELD).verdict
        after = judge_claim(Kind.CREATE, {**cases, occupant: Case(outcome)}, HELD).verdict
        assert after.badness >= before.badness


@given(some_cases, st.sampled_from(RaceOutcome))
def test_only_a_won_race_earns_safe(cases, race):
    if judge_claim(Kind.CREATE, cases, HELD, raced(race)).verdict is Verdict.SAFE:
        assert race is RaceOutcome.ONE_WINNER


@given(some_cases, st.sampled_from(RaceOutcome))
def test_a_verdict_does_not_depend_on_the_order_of_the_cases(cases, race):
    backwards = dict(reversed(cases.items()))
    assert (
        judge_claim(Kind.CREATE, cases, HELD, raced(race)).verdict
        is judge_claim(Kind.CREATE, backwards, HELD, raced(race)).verdict
    )


# Controls

CONTROL = Claim("fake", "open/w", Kind.CREATE, "open(name, 'w')", "file", role="overwrites")


def controls_of(**cases):
    named = {Occupant(name.replace("_", "-")): Case(outcome) for name, outcome in cases.items()}
    return judge_controls([FILE, CONTROL], {CONTROL.id: MappingProxyType(named)})


def test_controls_hold_when_a_free_name_was_won_and_an_overwrite_was_seen():
    assert controls_of(free=Outcome.WON, file=Outcome.OVERWROTE) == Controls(True, True)


def test_controls_fail_when_the_overwrite_was_not_seen():
    assert controls_of(free=Outcome.WON, file=Outcome.REFUSED) == Controls(True, False)


def test_controls_fail_when_the_free_name_was_not_won():
    assert controls_of(free=Outcome.CRASHED, file=Outcome.OVERWROTE) == Controls(False, True)


def test_a_batch_without_a_claim_known_to_overwrite_has_no_controls():
    assert judge_controls([FILE], {}) == Controls()
