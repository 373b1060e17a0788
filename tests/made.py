"""Literal results and how to make many of them, for the tests of everything that works on results."""

from dataclasses import replace
from types import MappingProxyType

from hypothesis import strategies as st

from harness.environment import Environment
from harness.judge import Case, Controls, Judgement, Raced, Reason
from harness.results import BuildResult, ClaimResult
from harness.vocabulary import Detail, Kind, Occupant, Outcome, RaceOutcome, Verdict

HERE = Environment("linux-x64", "ext4", "Debian GNU/Linux 12", False)
HELD = Controls(True, True, None)


def claim(verdict, digest="0123456789ab"):
    """A claim about which only the verdict matters."""
    return ClaimResult(
        Kind.CREATE, "fs.call(name)", digest, Judgement(verdict, Reason("not-raced")), MappingProxyType({})
    )


def build(version, verdicts, runtime="node", environment=HERE, **more):
    """A build whose claims have these verdicts by their ids."""
    claims = MappingProxyType({claim_id: claim(verdict) for claim_id, verdict in verdicts.items()})
    return BuildResult(environment, runtime, version, "npm", "cafe", HELD, claims, **more)


REFUSED, TAKEN = Case(Outcome.REFUSED), Case(Outcome.OVERWROTE, Detail.TRUNCATED)
ONE_WINNER, TWO_WINNERS = Raced(RaceOutcome.ONE_WINNER), Raced(RaceOutcome.TWO_WINNERS)


def measured(verdict, raced=None, over=REFUSED):
    """A claim whose cases and race fit its verdict."""
    cases = {Occupant.FREE: Case(Outcome.WON), Occupant.OWN: over, Occupant.FILE: over}
    return replace(claim(verdict), cases=MappingProxyType(cases), raced=raced or Raced())


text = st.text("ab:/é日 \n\"'\\", max_size=6)
cases = st.builds(
    Case,
    st.sampled_from(Outcome),
    detail=st.none() | st.sampled_from(Detail),
    error=text,
    code=text,
    recognised=st.booleans(),
    reason=text,
)
reasons = st.builds(
    Reason,
    text,
    st.lists(st.sampled_from(Occupant), max_size=3).map(tuple),
    st.none() | st.sampled_from(Outcome),
    st.none() | st.sampled_from(Detail),
    text,
)
raced = st.builds(Raced, st.sampled_from(RaceOutcome), text, st.sampled_from(RaceOutcome), text, text)
claims = st.builds(
    ClaimResult,
    st.sampled_from(Kind),
    text,
    text,
    st.builds(Judgement, st.sampled_from(Verdict), reasons),
    st.dictionaries(st.sampled_from(Occupant), cases, max_size=3).map(MappingProxyType),
    raced,
    st.none() | text,
)
controls = st.builds(Controls, *[st.none() | st.booleans()] * 3)
environments = st.builds(Environment, text, text, text, st.booleans())
builds = st.builds(
    BuildResult,
    environments,
    text,
    text,
    text,
    text,
    controls,
    st.dictionaries(text, claims, max_size=3).map(MappingProxyType),
    text,
)

versions = st.sampled_from(["12.22.12", "18.20.8", "20.11.1", "20.20.2", "22.0.0-nightly", "22.0.0", "26.1.0"])
calls = st.builds(
    "{}{}".format, st.sampled_from(["fs.mkdir", "fs.open", "fs.cp"]), st.sampled_from(["", "/wx", "/w", "/a+b"])
)
some_builds = st.lists(
    st.builds(
        build,
        versions,
        st.dictionaries(calls.map("node:{}".format), st.sampled_from(Verdict), max_size=6),
        environment=st.sampled_from([HERE, Environment("windows-x64", "ntfs", "Windows 11", True)]),
    ),
    max_size=6,
    unique_by=lambda each: (each.version, each.environment),
)
