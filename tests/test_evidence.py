"""Evidence beside the results: what was said, for a person to look at."""

import json
from pathlib import Path

from harness.evidence import describe_snapshot, evidence_of, write_evidence
from harness.observation import Answer, Observation, Said
from harness.vocabulary import Occupant
from harness.witness import Entry, Snapshot

QUIET = Observation(Occupant.FREE, Answer(Said.YES))
LOUD = Observation(Occupant.FILE, Answer(Said.CRASHED, message="killed by signal 6"), stderr="e" * 3000)


def test_only_what_was_said_is_kept():
    assert evidence_of([QUIET, LOUD]) == {"file": {"message": "killed by signal 6", "stderr": "e" * 2000}}


def test_a_case_that_was_not_set_up_said_nothing():
    assert evidence_of([Observation(Occupant.FIFO, obstacle="no FIFOs here")]) == {}


def test_evidence_is_kept_apart_from_the_results(tmp_path):
    seen = {"node:a": {"file": {"message": "größer"}}}
    path = write_evidence(tmp_path, Path("linux-x64-ext4", "node-20.json"), seen, {"node:a"})
    assert path == tmp_path / "evidence" / "linux-x64-ext4" / "node-20.json"
    assert json.loads(path.read_text(encoding="utf-8")) == {
        "schema": 1,
        "claims": {"node:a": {"file": {"message": "größer"}}},
    }


def test_evidence_of_what_was_not_seen_anew_stays_as_long_as_its_claim_does(tmp_path):
    place = Path("linux-x64-ext4", "node-20.json")
    write_evidence(tmp_path, place, {"node:a": {"file": 1}, "node:b": {"file": 2}, "node:c": {"file": 3}}, "node:c")
    path = write_evidence(tmp_path, place, {"node:a": {"race": 4}}, {"node:a", "node:b"})
    assert json.loads(path.read_bytes())["claims"] == {"node:a": {"file": 1, "race": 4}, "node:b": {"file": 2}}


def test_evidence_that_cannot_be_read_is_replaced(tmp_path):
    place = Path("linux-x64-ext4", "node-20.json")
    path = tmp_path / "evidence" / place
    path.parent.mkdir(parents=True)
    path.write_text("{", encoding="utf-8")
    write_evidence(tmp_path, place, {"node:a": {"file": 1}}, {"node:a"})
    assert json.loads(path.read_bytes())["claims"] == {"node:a": {"file": 1}}


def test_a_snapshot_is_described_name_by_name():
    snapshot = Snapshot(
        {
            "name": Entry("file", (1, 5), 0o644, b"x" * 70),
            "link": Entry("link", (1, 6), 0o777, target="name"),
            "dir": Entry("dir", (1, 7), 0o755),
        }
    )
    assert describe_snapshot(snapshot) == [
        "dir: dir, inode 7, mode 0755",
        "link: link, inode 6, mode 0777, to 'name'",
        f"name: file, inode 5, mode 0644, 70 bytes {b'x' * 60!r}…",
    ]


def test_an_empty_snapshot_is_nothing():
    assert describe_snapshot(Snapshot({})) == ["nothing"]


def test_a_snapshot_that_is_not_whole_says_so():
    assert describe_snapshot(Snapshot({}, whole=False)) == ["nothing", "… and more than could be looked at"]
