"""What is handed to a batch file arrives intact or is refused, and what the claims of cmd look like."""

import importlib.util
from collections import Counter

import pytest

from harness.probes import probes_folder


def module(name):
    spec = importlib.util.spec_from_file_location(f"cmd_{name}", probes_folder() / "cmd" / f"{name}.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


batch = module("batch")
claims = module("claims")
abilities = module("abilities")

PLAIN = r"C:\x"


@pytest.mark.parametrize(
    "name",
    [
        r"C:\a b",
        r"C:\a&b|c".replace("|", ""),
        r"C:\100%",
        r"C:\%PATH%",
        r"C:\a^b",
        r"C:\a!b!",
        r"C:\日本語\ソ表能",
        r"C:\it's (here) = ; , ~ @ # `",
        r"\\server\share\x",
        r"..\x",
    ],
)
def test_a_name_that_windows_allows_is_passed_as_it_is(name):
    assert batch.variables({"name": name}) == {"name": name}


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ('C:\\a"b', "'\"'"),
        ("C:\\a*", "'*'"),
        ("C:\\a?", "'?'"),
        ("C:\\a|b", "'|'"),
        ("C:\\a<b>", "'<'"),
        ("C:\\a\nb", "'\\n'"),
        ("C:\\a.", "dots at the end"),
        ("C:\\a \\b", "spaces"),
    ],
)
def test_a_name_that_windows_would_not_take_is_refused_with_the_reason(name, word):
    with pytest.raises(batch.Unpassable) as refused:
        batch.variables({"name": name})
    assert str(refused.value).startswith("name cannot be given to a batch file intact")
    assert word in str(refused.value)


def test_a_percent_sign_is_refused_where_it_would_not_arrive():
    with pytest.raises(batch.Unpassable, match="once more"):
        batch.variables({"name": r"C:\100%"}, percent_arrives=False)
    assert batch.variables({"name": PLAIN}, percent_arrives=False) == {"name": PLAIN}


@pytest.mark.parametrize("data", ["a & b", "a > b", "^", "%x%", '"quoted"', "(a)", "two\nlines"])
def test_data_that_echo_would_take_for_something_else_is_refused(data):
    with pytest.raises(batch.Unpassable, match="data cannot be given"):
        batch.variables({"data": data})


def test_the_last_line_end_of_data_is_left_to_echo():
    assert batch.variables({"data": "claimed by 7\n"}) == {"data": "claimed by 7"}


@pytest.mark.parametrize("framed", [batch.once, batch.rounds])
def test_a_batch_file_is_ascii_with_crlf_around_the_very_code_that_is_listed(framed):
    for claim in claims.CLAIMS:
        text = framed(claim.code).decode("ascii")
        assert claim.code.replace("\n", "\r\n") + "\r\n" in text
        assert text.count("\n") == text.count("\r\n")


def test_winning_and_losing_have_codes_of_their_own():
    # cmd ends with 0 or 1 when it could not even read the file.
    assert {batch.WON, batch.TAKEN}.isdisjoint({0, 1})


def test_cmd_is_told_nothing_that_would_need_quoting():
    assert batch.command(["cmd.exe"], "x.cmd") == ["cmd.exe", "/d", "/v:off", "/s", "/c", r".\x.cmd"]


def test_every_claim_has_an_id_of_its_own_and_a_way_to_lose():
    assert [id for id, count in Counter(claim.id for claim in claims.CLAIMS).items() if count > 1] == []
    assert [claim.id for claim in claims.CLAIMS if "goto taken" not in claim.code] == []


def test_there_is_one_control_of_each_role():
    assert Counter(claim.role for claim in claims.CLAIMS if claim.role) == {"overwrites": 1, "check-then-act": 1}


def test_what_is_judged_by_the_second_bar_needs_a_cmd_that_knows_it():
    assert [claim.id for claim in claims.CLAIMS if " || " in claim.code and "||" not in claim.needs] == []
    assert {need for claim in claims.CLAIMS for need in claim.needs} <= set(abilities.ABILITIES)
