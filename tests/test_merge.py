"""Merging: order-free, grouping-free, idempotent, and never better than its worst part."""

from dataclasses import replace
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import HERE, build, cases, claim, claims, controls

from harness.judge import Case, Controls
from harness.merge import Disagreement, Merged, Part, merge, outcome_badness, worse_build, worse_claim
from harness.vocabulary import Occupant, Outcome, RaceOutcome, Verdict

SAFE, UNSAFE, REFUSES = Verdict.SAFE, Verdict.UNSAFE, Verdict.REFUSES

results = st.builds(
    lambda found, held, privileged, catalogue: replace(
        build("1.0.0", {}),
        claims=MappingProxyType(found),
        controls=held,
        environment=replace(HERE, privileged=privileged),
        catalogue=catalogue,
    ),
    st.dictionaries(st.sampled_from(["node:a", "node:b"]), claims, max_size=2),
    controls,
    st.booleans(),
    st.sampled_from(["cafe", "beef"]),
)
parts = st.builds(Part, st.sampled_from(["A", "B", "C"]), results)
several = st.lists(parts, min_size=1, max_size=4)


def with_cases(found):
    return replace(claim(SAFE), cases=MappingProxyType(found))


@given(several.flatmap(lambda found: st.tuples(st.just(found), st.permutations(found))))
def test_the_order_of_the_files_does_not_show(orders):
    assert merge(orders[0]) == merge(orders[1])


@given(several, several)
def test_what_was_merged_in_groups_comes_to_the_same(first, second):
    (one,), (other,) = merge(first), merge(second)
    assert merge(first + second) == merge([*one.parts, *other.parts])
    assert merge(first + second)[0].result == worse_build(one.result, other.result)


@given(several)
def test_files_read_twice_count_once(found):
    assert merge(found + found) == merge(found)


@given(results)
def test_copies_of_a_file_say_what_it_says(result):
    (merged,) = merge([Part("A", result), Part("B", result)])
    assert (merged.result, merged.sources, merged.disagreements) == (result, ("A", "B"), ())


@given(results, results, results)
def test_the_worse_of_builds_is_a_join(one, other, third):
    assert worse_build(one, other) == worse_build(other, one)
    assert worse_build(one, one) == one
    assert worse_build(worse_build(one, other), third) == worse_build(one, worse_build(other, third))


@given(several)
def test_a_merged_claim_is_never_better_than_in_any_file(found):
    (merged,) = merge(found)
    for part in found:
        for claim_id, one in part.result.claims.items():
            whole = merged.result.claims[claim_id]
            assert whole.verdict.badness >= one.verdict.badness
            assert all(
                outcome_badness(whole.cases[occupant].outcome) >= outcome_badness(case.outcome)
                for occupant, case in one.cases.items()
            )


@given(several)
def test_a_merged_verdict_was_given_by_some_file(found):
    (merged,) = merge(found)
    for claim_id, whole in merged.result.claims.items():
        given_by = [part.result.claims[claim_id] for part in found if claim_id in part.result.claims]
        assert any((each.judgement, each.code) == (whole.judgement, whole.code) for each in given_by)


@given(st.lists(cases, min_size=1, max_size=4))
def test_a_merged_case_is_one_that_was_seen(seen):
    whole = with_cases({Occupant.FILE: seen[0]})
    for each in seen[1:]:
        whole = worse_claim(whole, with_cases({Occupant.FILE: each}))
    assert whole.cases[Occupant.FILE] in seen


def test_builds_that_differ_in_platform_filesystem_runtime_or_version_stay_apart():
    found = [
        build("1.0.0", {"node:a": SAFE}),
        build("2.0.0", {"node:a": SAFE}),
        build("1.0.0", {"bun:a": SAFE}, runtime="bun"),
        build("1.0.0", {"node:a": SAFE}, environment=replace(HERE, filesystem="tmpfs")),
        build("1.0.0", {"node:a": SAFE}, environment=replace(HERE, platform="wine-x64")),
    ]
    merged = merge(Part(str(number), result) for number, result in enumerate(found))
    assert sorted(one.sources for one in merged) == [("0",), ("1",), ("2",), ("3",), ("4",)]


def test_a_claim_that_files_differ_about_is_shown_with_what_each_says():
    one = build("1.0.0", {"node:a": SAFE, "node:b": SAFE, "node:c": SAFE})
    other = build("1.0.0", {"node:a": UNSAFE, "node:b": SAFE})
    merged = merge([Part("B", other), Part("A", one)])
    assert merged == [
        Merged(
            build("1.0.0", {"node:a": UNSAFE, "node:b": SAFE, "node:c": SAFE}),
            (Part("A", one), Part("B", other)),
            (Disagreement("node:a", (("A", SAFE), ("B", UNSAFE)), ()),),
        )
    ]


def test_a_case_that_files_differ_about_is_named_though_the_verdicts_agree():
    one = replace(
        build("1.0.0", {}), claims=MappingProxyType({"node:a": with_cases({Occupant.FIFO: Case(Outcome.REFUSED)})})
    )
    other = replace(
        one,
        claims=MappingProxyType(
            {"node:a": with_cases({Occupant.FIFO: Case(Outcome.DAMAGED), Occupant.FREE: Case(Outcome.WON)})}
        ),
    )
    (merged,) = merge([Part("A", one), Part("B", other)])
    assert merged.disagreements == (Disagreement("node:a", (("A", SAFE), ("B", SAFE)), (Occupant.FIFO,)),)
    assert merged.result.claims["node:a"].cases == {
        Occupant.FREE: Case(Outcome.WON),
        Occupant.FIFO: Case(Outcome.DAMAGED),
    }


@pytest.mark.parametrize("nothing", [Outcome.NOT_RUN, Outcome.UNAVAILABLE])
def test_what_one_machine_could_not_try_contradicts_nobody(nothing):
    one = replace(build("1.0.0", {}), claims=MappingProxyType({"node:a": with_cases({Occupant.FIFO: Case(nothing)})}))
    other = replace(one, claims=MappingProxyType({"node:a": with_cases({Occupant.FIFO: Case(Outcome.REFUSED)})}))
    (merged,) = merge([Part("A", one), Part("B", other)])
    assert (merged.disagreements, merged.result) == ((), other)


def test_a_race_that_was_not_run_somewhere_is_no_race_that_was_won():
    raced = replace(claim(SAFE), raced=replace(claim(SAFE).raced, outcome=RaceOutcome.ONE_WINNER))
    assert worse_claim(raced, claim(SAFE)).raced.outcome is RaceOutcome.NOT_RUN


def test_a_control_that_failed_anywhere_failed():
    one = replace(build("1.0.0", {}), controls=Controls(True, True, None))
    other = replace(build("1.0.0", {}), controls=Controls(True, False, True))
    assert worse_build(one, other).controls == Controls(True, False, None)
