"""A hundred thousand damaged answers: none is a fault of ours, and none is taken for a refusal that no probe can have meant."""

import json
import random
import re
from collections import Counter

import pytest

from harness.answers import answer_to, parse
from harness.observation import Answer, Said

LINES = 100_000
WANTED = 7

VALID = [
    {"id": WANTED, "said": "yes"},
    {"id": WANTED, "said": "no", "error": "EEXIST", "exists": True, "message": "file already exists, open '/tmp/日本/name'"},
    {"id": WANTED, "said": "no", "error": "IOException", "code": "0x80070050", "exists": False, "message": ""},
    {"id": WANTED, "said": "no", "error": "exit 1"},
    {"id": WANTED, "said": "unsupported", "message": "fs.cpSync is not there"},
    {"id": WANTED, "said": "timed-out"},
    {"id": WANTED, "fault": "no such claim"},
    {"id": WANTED + 1, "said": "no", "error": "EEXIST", "exists": True},
    {"protocol": 1, "runtime": "node", "version": "22.1.0"},
    {"claims": [{"id": "fs.openSync/wx", "kind": "create", "code": "no", "source": None, "supported": True}]},
    {"id": WANTED, "clock": 81234.567},
    {"id": WANTED, "rounds": [[1, 81300.002, 81300.021], [0, 81300.401, 81300.423]], "errors": {"EEXIST": 1}},
    {"id": WANTED, "ready": True},
]  # fmt: skip
LINES_OF_PROBES = [
    json.dumps(answer, ensure_ascii=ascii, separators=separators).encode()
    for answer in VALID
    for ascii in (True, False)
    for separators in ((",", ":"), (", ", ": "))
]
WRONG = [
    "NaN", "Infinity", "-Infinity", "1e999", "-0", "0.0", "7.0", "7e0", "07", "9" * 400, "9" * 5000, "1" + "0" * 30,
    '"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"no"', '"NO"', '"no "', '"yes"', "true", "false", "null", "[]", "{}",
    '["no"]', '{"said":"no"}', "[" * 50 + "]" * 50, "[" * 3000, "[" * 3000 + "]" * 3000, '{"a":' * 2000 + "1" + "}" * 2000, "'no'",
    "undefined", "", '"',
]  # fmt: skip
NOISE = [
    b"\xef\xbb\xbf", b"\xff\xfe", b"\x00", b"\r", b"\r\r", b"\x1b[31m", b"\xed\xa0\x80", b"\xc3", b"\xff", b"//", b"no", b'"no"', b",",
    b'{"id":7,"said":"no"', b'"said":"no",', b'"id":7,', b"}", b"{", b"Overwrite it? [y/n] ", "ｎｏ".encode(), b"\xe2\x80\xae",
]  # fmt: skip


def cut(line, dice):
    start, end = sorted((dice.randrange(len(line) + 1), dice.randrange(len(line) + 1)))
    return dice.choice((line[:end], line[start:], line[start:end], line[:start] + line[end:]))


def run_together(line, dice):
    return line + dice.choice((b"", b" ", b"\r", b",")) + dice.choice(LINES_OF_PROBES)


def interleave(line, dice):
    """Two writers on one pipe."""
    other, at = dice.choice(LINES_OF_PROBES), dice.randrange(len(line) + 1)
    return line[:at] + other[dice.randrange(len(other) + 1) :] + line[at:]


def swap_a_value(line, dice):
    values = list(re.finditer(rb':\s*("[^"]*"|[\w.+-]+|\[\])', line))
    if not values:
        return line
    chosen = dice.choice(values)
    return line[: chosen.start(1)] + dice.choice(WRONG).encode("utf-8", "surrogatepass") + line[chosen.end(1) :]


def swap_a_number(line, dice):
    return re.sub(rb'"id":\s*\d+', b'"id":%d' % dice.choice((0, 1, -7, 6, 8, 70, 77, 7)), line)


def double_a_key(line, dice):
    more = dice.choice(
        (b'"id":7,', b'"id":8,', b'"said":"no",', b'"said":"yes",', b'"\\u0073aid":"no",', b'"fault":"x",')
    )
    return b"{" + more + line[1:] if dice.random() < 0.5 else line[:-1] + b"," + more[:-1] + b"}"


def put_noise(line, dice):
    at = dice.choice((0, len(line), dice.randrange(len(line) + 1)))
    return line[:at] + dice.choice(NOISE) + line[at:]


def flip_a_byte(line, dice):
    if not line:
        return line
    at = dice.randrange(len(line))
    return line[:at] + bytes([dice.randrange(256)]) + line[at + 1 :]


def in_another_encoding(line, dice):
    return line.decode("utf-8", "replace").encode(
        dice.choice(("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "latin-1", "cp932")), "replace"
    )


def wrap(line, dice):
    return dice.choice((b"[%s]", b'{"id":7,"said":%s}', b'"%s"', b'{"answer":%s}', b" \t%s \t")) % line


DAMAGES = (
    cut, run_together, interleave, swap_a_value, swap_a_number, double_a_key, put_noise, flip_a_byte, in_another_encoding, wrap,
)  # fmt: skip


def damaged_lines():
    dice = random.Random(2026)
    for _ in range(LINES):
        line = dice.choice(LINES_OF_PROBES)
        for _ in range(dice.choice((1, 1, 1, 2, 3))):
            line = dice.choice(DAMAGES)(line, dice)
        yield line.replace(b"\n", b"")


def answered(line):
    received = parse(line)
    return Answer(Said.NO_ANSWER, message=received) if isinstance(received, str) else answer_to(WANTED, received)


def meant(line, word):
    """Whether a probe can have meant this word for this request, by a reading of its own: the members of one object, one by one."""
    text = line.decode("utf-8").removeprefix("\ufeff").strip(" \t\r")
    members, end = [], 1
    decoder = json.JSONDecoder()
    if text[0] != "{":
        return False
    while text[end:].strip(" \t\r") != "}":
        key, end = decoder.raw_decode(text, len(text) - len(text[end:].lstrip(" \t\r,")))
        end = text.index(":", end) + 1
        value, end = decoder.raw_decode(text, len(text) - len(text[end:].lstrip(" \t\r")))
        members.append((key, value))
    keys = [key for key, _ in members]
    told = dict(members)
    return (
        len(set(keys)) == len(keys)
        and "fault" not in told
        and repr(told.get("id")) == str(WANTED)
        and told.get("said") == word
        and told.get("exists") in (None, True, False)
        and all(not isinstance(told.get(key), list | dict | bool) for key in ("error", "code", "message"))
    )


def test_no_damaged_line_is_a_fault_of_ours_or_an_answer_that_nobody_gave():
    seen = Counter()
    for line in damaged_lines():
        answer = answered(line)
        seen[answer.said] += 1
        if answer.said is not Said.NO_ANSWER:
            assert meant(line, answer.said), line
        # Whatever is kept of it can be written into any file.
        assert len((answer.error + answer.code + answer.message).encode("utf-8")) < 10_000
    # The damage is neither so heavy nor so light that nothing is tried.
    assert seen.total() == LINES
    assert all(seen[said] > 200 for said in (Said.YES, Said.NO, Said.UNSUPPORTED, Said.TIMED_OUT))
    assert seen[Said.NO_ANSWER] > LINES / 2


@pytest.mark.parametrize("line", LINES_OF_PROBES)
def test_an_undamaged_line_is_what_it_says(line):
    told = json.loads(line)
    expected = told.get("said", "no-answer") if told.get("id") == WANTED else "no-answer"
    assert answered(line).said == expected


@pytest.mark.parametrize(
    "line",
    [
        b'{"id":7,"id":8,"said":"no"}',
        b'{"id":8,"id":7,"said":"no"}',
        b'{"id":7,"said":"yes","said":"no"}',
        b'{"id":7.0,"said":"no"}',
        b'{"id":true,"said":"no"}',
        b'{"id":7,"said":"no","exists":1}',
        b'{"id":7,"said":"no","error":{"code":"EEXIST"}}',
        b'{"id":7,"said":"no","error":NaN}',
        b'{"id":7,"said":["no"]}',
        '{"id":7,"said":"no"}'.encode("utf-16"),
        b'{"id":7,"said":"no","message":"\xed\xa0\x80"}',
        b'{"id":7,"said":"no","x":' + b"[" * 100_000,
    ],
)
def test_what_only_resembles_a_refusal_is_none(line):
    assert answered(line).said is Said.NO_ANSWER


def test_a_mark_of_the_byte_order_is_no_damage():
    assert answered(b'\xef\xbb\xbf{"id":7,"said":"no"}\r') == Answer(Said.NO)
