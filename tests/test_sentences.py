"""Every code has its sentence in both languages, and no text is there for nothing."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import history, sentences
from harness.judge import LOCKS_LATE, Case, Raced, Reason
from harness.mechanism import CHECK_THEN_ACT
from harness.sentences import LANGUAGES, catalogue
from harness.vocabulary import Detail, Kind, Occupant, Outcome, RaceOutcome, Verdict

HARNESS = Path(sentences.__file__).parent
TEMPLATES = HARNESS / "templates"


def source(*names):
    return "".join((HARNESS / name).read_text(encoding="utf-8") for name in names)


REASON_CODES = sorted(
    set(re.findall(r'Reason\(\s*"([a-z-]+)"', source("judge.py")))
    | set(re.findall(r'\(Verdict\.\w+, "([a-z-]+)"', source("judge.py")))
    # These stand in conditional expressions or behind a name.
    | {"two-winners", "two-winners-exclusive", "unsupported", "unavailable", LOCKS_LATE}
)
RACE_CODES = sorted(
    set(re.findall(r'RaceOutcome\.\w+, "([a-z-]+)"', source("rounds.py", "races.py")))
    | set(re.findall(r'reason="([a-z-]+)"', source("races.py", "racing.py")))
    | set(re.findall(r'"([a-z-]+)" if missed', source("racing.py")))
    | set(re.findall(r'TWO_WINNERS, "([a-z-]+)" if', source("rounds.py")))
    | {"budget", "crashed", "timed-out", "no-answer", LOCKS_LATE}
)
UNEXPLORED = sorted(set(re.findall(r'unexplored="([a-z-]+)"', source("racing.py", "judge.py"))) | {"not-asked"})
MECHANISMS = [
    "openat(O_CREAT|O_EXCL)", "openat(O_CREAT|O_TRUNC)", "mkdir", "linkat", "symlinkat", "mknodat", "renameat2(RENAME_NOREPLACE)",
    "rename", "unlink", "flock(LOCK_EX)", "flock(LOCK_SH)", CHECK_THEN_ACT, "NtCreateFile", None,
]  # fmt: skip


DISAGREED = "in the shared process: refused; in one of its own: timed-out"


def reasons():
    """A reason of every code with every parameter that could choose another sentence."""
    texts = ["", "budget", "unsupported", "unavailable", "contenders", "bystander", "pause", "not-asked", "unproved"]
    for code in REASON_CODES:
        for outcome in [None, *Outcome]:
            for text in texts:
                yield Reason(code, (Occupant.OWN,), outcome, None, text)


def made_by_the_judge(why):
    """Whether the judge makes a reason of this shape."""
    needs = {
        "took-taken": (Outcome.OVERWROTE, Outcome.FALSE_WIN, Outcome.DAMAGED),
        "took-other": (Outcome.OVERWROTE, Outcome.FALSE_WIN, Outcome.DAMAGED),
    }
    texts = {"no-winner": ("contenders", "bystander", "pause"), "unexplored": ("not-asked", "unproved")}
    return (why.outcome in needs.get(why.code, [why.outcome])) and why.text in texts.get(why.code, [why.text])


def everything(lang):
    """Every sentence that can be made of codes."""
    yield from (sentences.verdict_word(each, lang) for each in Verdict)
    yield from (sentences.verdict_meaning(each, lang) for each in Verdict)
    yield from (sentences.kind_word(each, lang) for each in Kind)
    yield from (sentences.occupant(each, lang) for each in Occupant)
    yield from (
        sentences.outcome(Case(outcome, detail, error, recognised=known, reason=why), lang)
        for outcome in Outcome
        for detail in [None, *Detail]
        for error, known in [("", True), ("EEXIST", True), ("EISDIR", False)]
        for why in ["", *sentences._OBSTACLES, DISAGREED, "node:x did not win the free name"]
    )
    yield from (sentences.reason(why, kind, lang) for why in reasons() if made_by_the_judge(why) for kind in Kind)
    yield from (
        sentences.race(Raced(outcome, why, explored, unexplored, pause), lang)
        for outcome in RaceOutcome
        for why in ["", *RACE_CODES]
        for explored in RaceOutcome
        for unexplored in ["", *UNEXPLORED]
        for pause in ["after access", "after access, before openat"]
    )
    yield from (sentences.mechanism(each, lang) for each in MECHANISMS)


def test_both_languages_have_the_same_keys_in_the_same_order_with_the_same_parts():
    first, second = (catalogue(lang) for lang in LANGUAGES)
    assert list(first) == list(second)
    parts = [{key: sorted(re.findall(r"\{\w*\}", text)) for key, text in each.items()} for each in (first, second)]
    assert parts[0] == parts[1]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_key_stands_twice_in_a_catalogue(lang):
    pairs = json.loads((TEMPLATES / f"{lang}.json").read_text(encoding="utf-8"), object_pairs_hook=list)
    assert len(dict(pairs)) == len(pairs)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_code_has_a_sentence_of_its_own_language(lang):
    for sentence in everything(lang):
        assert sentence
        assert not re.search(r"[{}]", sentence), sentence
        if lang == "ja":
            assert re.search("[ぁ-んァ-ヶ一-龠]", sentence), sentence


@pytest.mark.parametrize("code", REASON_CODES)
def test_no_reason_that_the_judge_makes_is_shown_as_its_bare_code(code):
    for why in reasons():
        if why.code == code and made_by_the_judge(why):
            assert sentences.reason(why, Kind.CREATE, "en") != code


@pytest.mark.parametrize("code", RACE_CODES)
def test_no_reason_of_a_race_is_shown_as_its_bare_code(code):
    assert sentences.race_reason(code, "en") != code


def test_the_judge_and_the_races_are_read_for_their_codes():
    assert {"took-taken", "took-other", "not-freed", "one-winner-by-luck", "free-not-won"} <= set(REASON_CODES)
    assert {"contenders", "bystander", "bystander-unmet", "unmet", "contradicted", "control-missed"} <= set(RACE_CODES)
    assert {"no-trace", "not-asked", "unproved"} <= set(UNEXPLORED)


ONE, TWO = ("1.0",), ("1.0", "2.0")
HISTORIES = (
    [],
    [(Verdict.SAFE, TWO)],
    [(Verdict.SAFE, ONE), (Verdict.RACY, ONE), (Verdict.SAFE, ONE)],
    [(Verdict.SAFE, ONE), (Verdict.RACY, TWO), (Verdict.SAFE, ONE)],
)


def test_every_text_is_used():
    asked = set()
    real = sentences.catalogue

    class Listening(dict):
        def __getitem__(self, key):
            asked.add(key)
            return super().__getitem__(key)

        def get(self, key, default=None):
            asked.add(key)
            return super().get(key, default)

    heard = Listening(real("en"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sentences, "catalogue", lambda lang: heard)
        for _ in everything("en"):
            pass
        sentences.reason(Reason("nobody-knows"), Kind.CREATE, "en")
        sentences.reason(Reason("not-freed", tuple(Occupant)), Kind.CREATE, "en")
        for shape in HISTORIES:
            history.told([history.Segment(verdict, versions) for verdict, versions in shape], "en")
    page = "".join(path.read_text(encoding="utf-8") for path in TEMPLATES.glob("report.*"))
    spoken = set(re.findall(r"""["']([a-z-]+\.[a-z.-]*)["']""", page))
    # A key that is put together in the page is known by its beginning.
    begun = tuple(key for key in spoken if key.endswith(".") and key.startswith("ui."))
    assert sorted(key for key in set(real("en")) - asked - spoken if not key.startswith(begun)) == []


def test_a_reason_names_what_was_taken_and_how():
    why = Reason("took-taken", (Occupant.OWN, Occupant.FILE), Outcome.OVERWROTE, Detail.APPENDED)
    assert sentences.reason(why, Kind.CREATE, "en") == (
        "Says yes although the name is taken (what the same call left and a file): "
        "its data was appended to the old content."
    )
    assert "追記" in sentences.reason(why, Kind.CREATE, "ja")


def test_a_race_tells_what_happened_why_and_at_which_moment():
    raced = Raced(RaceOutcome.ONE_WINNER, "", RaceOutcome.TWO_WINNERS, "", "after access, before openat(O_CREAT)")
    assert sentences.race(raced, "en") == (
        "Several came at the same time, and exactly one won every time. "
        "Held between its system calls while another claimed, both won: after access, before openat(O_CREAT)."
    )


def test_what_was_not_raced_is_not_said_to_be_unexplored_as_well():
    assert sentences.race(Raced(), "en") == "Not raced."


def test_a_refusal_that_no_test_for_exists_recognises_is_shown_as_such():
    assert sentences.said(Case(Outcome.REFUSED, error="EISDIR", recognised=False), "en") == (
        "no (EISDIR, which a test for “it exists” does not recognise)"
    )


def test_an_exclusive_creation_is_told_from_a_plain_one():
    assert sentences.mechanism("openat(O_CREAT|O_EXCL)", "en") != sentences.mechanism("openat(O_CREAT|O_TRUNC)", "en")


def test_what_the_harness_says_of_a_case_that_it_cannot_set_up_has_a_sentence():
    said = source("held.py", "judge.py", "measure.py", "occupants.py", "pairs.py", "wine.py")
    told = set(
        re.findall(
            r'obstacle="([^"]+)"|reason="([a-z ]+ here)"|NotImplementedError\("([^"]+)"\)|else "(Wine [^"]+)"', said
        )
    )
    assert {next(filter(None, each)) for each in told} == set(sentences._OBSTACLES)


def test_ways_of_running_that_disagree_are_told_in_the_reader_s_language():
    assert sentences.obstacle(DISAGREED, "en") == (
        "together with other calls: no, nothing changed; in a process of its own: nothing within the time limit, not judged"
    )
    assert "専用プロセス" in sentences.obstacle(DISAGREED, "ja")


def test_a_language_that_there_is_not_is_an_error():
    with pytest.raises(KeyError):
        catalogue("../en")


@given(st.builds(Reason, st.text(max_size=9), text=st.text(max_size=9)), st.sampled_from(LANGUAGES))
def test_any_reason_from_a_file_becomes_a_sentence(why, lang):
    assert isinstance(sentences.reason(why, Kind.CREATE, lang), str)


@given(st.text(max_size=30), st.sampled_from(LANGUAGES))
def test_any_mechanism_pause_and_obstacle_from_a_file_becomes_text(told, lang):
    assert sentences.mechanism(told, lang)
    assert isinstance(sentences.pause(told, lang), str)
    assert isinstance(sentences.obstacle(told, lang), str)


@given(st.text(max_size=30))
def test_what_results_call_unexplored_may_be_any_text(told):
    assert isinstance(sentences.race(Raced(RaceOutcome.ONE_WINNER, told, unexplored=told), "en"), str)
