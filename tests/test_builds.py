"""Builds: named by people, found, remembered and fetched."""

import json
import os
import shutil
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import pytest
from conftest import FAKES

from harness import builds
from harness.builds import Request, cached, fetch_build, identify, parse_request, resolve
from harness.environment import this_platform
from harness.errors import ClaimgridError, Exit
from harness.files import cache_folder
from harness.runtimes import RUNTIMES
from harness.runtimes.contract import Found


@dataclass
class Shelf:
    """A source whose builds are copies of fakes, by version."""

    NAME: ClassVar[str] = "shelf"
    stock: dict[str, str]
    asked: list[str] = field(default_factory=list)

    def versions(self, platform):
        self.asked.append("versions")
        return sorted(self.stock)

    def fetch(self, version, platform, folder):
        self.asked.append(version)
        shutil.copy(FAKES / f"{self.stock[version]}.py", self.program(folder, platform))

    def program(self, folder, platform):
        return folder / "honest.py"


@pytest.fixture
def told():
    return []


# What people write


@pytest.mark.parametrize(
    ("text", "request_"),
    [
        ("node", Request("node")),
        ("node@22", Request("node", "22")),
        ("node@20.11.1", Request("node", "20.11.1")),
        ("node=/opt/my node/bin/node", Request("node", program=Path("/opt/my node/bin/node").absolute())),
        ("node=/opt/a=b@c", Request("node", program=Path("/opt/a=b@c").absolute())),
        ("node=bin/node", Request("node", program=Path("bin/node").absolute())),
    ],
)
def test_a_request_is_a_name_a_version_or_a_program(text, request_):
    assert parse_request(text) == request_


@pytest.mark.parametrize("text", ["node", "node@22", "node=/opt/node"])
def test_a_request_is_printed_as_it_was_written(text):
    assert str(parse_request(text)) == text.replace("/opt/node", str(Path("/opt/node").absolute()))


@pytest.mark.parametrize("text", ["nodejs", "", "Node", "@22", "=/opt/node", "node:22"])
def test_a_runtime_that_does_not_exist_is_answered_with_those_that_do(text):
    with pytest.raises(ClaimgridError) as caught:
        parse_request(text)
    assert caught.value.code is Exit.USAGE
    assert all(name in caught.value.hint for name in RUNTIMES)


@pytest.mark.parametrize("text", ["node=", "node@22=/opt/node"])
def test_a_request_that_says_too_much_or_too_little_is_refused(text):
    with pytest.raises(ClaimgridError, match="is not a build"):
        parse_request(text)


# Asking a program what it is


def test_a_program_tells_its_version_and_claims(fake_runtime):
    build = identify("fake", fake_runtime("honest"))
    assert (build.id, build.platform, build.source) == ("fake@1.0.0", this_platform(), "given")
    assert [claim.id for claim in build.claims] == [
        "fake:open/x",
        "fake:open/w",
        "fake:exists/open",
        "fake:missing",
        "fake:wrong",
    ]
    assert build.unsupported == {"missing"}


def test_what_a_program_told_is_remembered(fake_runtime):
    found = fake_runtime("is_another_version_next_time")
    assert [identify("fake", found).version for _ in range(3)] == ["1.0.0", "1.0.0", "1.0.0"]


def test_a_program_that_was_changed_is_asked_again(fake_runtime, tmp_path):
    program = tmp_path / "is_another_version_next_time.py"
    program.write_text("one", encoding="utf-8")
    fake_runtime("honest")
    found = Found(program, "given", this_platform())
    first = identify("fake", found)
    program.write_text("another", encoding="utf-8")
    assert (first.version, identify("fake", found).version) == ("1.0.0", "1.0.1")


@pytest.mark.parametrize(
    "content", ["", "{", "null", "[]", "{}", '{"version": "1.0.0", "claims": [7]}', '{"version": 7, "claims": []}']
)
def test_a_memory_that_is_damaged_is_not_believed(fake_runtime, content):
    found = fake_runtime("honest")
    first = identify("fake", found)
    (memory,) = (cache_folder() / "identities").iterdir()
    memory.write_text(content, encoding="utf-8")
    assert identify("fake", found) == first


@pytest.mark.parametrize("fake", ["has_a_version_no_file_can_have", "lists_rubbish"])
def test_a_program_that_tells_nonsense_is_refused(fake_runtime, fake):
    with pytest.raises(ClaimgridError, match="lists no proper claims"):
        identify("fake", fake_runtime(fake))


def test_a_program_that_does_not_start_is_refused_with_its_own_words(fake_runtime):
    with pytest.raises(ClaimgridError, match="a newer system library is needed") as caught:
        identify("fake", fake_runtime("refuses_to_start"))
    assert caught.value.code is Exit.NOT_RUN


# From requests to builds


def test_a_program_that_was_given_is_run(fake_runtime, told):
    program = fake_runtime("honest").program
    (build,) = resolve([Request("fake", program=program)], told.append)
    assert (build.id, build.source, told) == ("fake@1.0.0", "given", [])


def test_a_program_that_is_not_there_is_told(fake_runtime, tmp_path, told):
    fake_runtime("honest")
    with pytest.raises(ClaimgridError, match="nothing is not a program") as caught:
        resolve([Request("fake", program=tmp_path / "nothing")], told.append)
    assert caught.value.code is Exit.NOT_RUN


def test_builds_are_in_order_of_version_and_each_is_there_once(fake_runtime, told):
    programs = [fake_runtime(name).program for name in ("hangs", "honest", "always_refuses")]
    resolved = resolve([Request("fake", program=program) for program in programs], told.append)
    assert [(build.id, build.program.stem) for build in resolved] == [("fake@1.0.0", "honest"), ("fake@2.0.0", "hangs")]


def test_a_build_that_does_not_start_is_told_and_left_out(fake_runtime, told):
    programs = [fake_runtime(name).program for name in ("refuses_to_start", "honest")]
    assert [build.id for build in resolve([Request("fake", program=program) for program in programs], told.append)] == [
        "fake@1.0.0"
    ]
    assert len(told) == 1
    assert "a newer system library is needed" in told[0]


def test_when_nothing_is_left_to_run_that_is_the_end(fake_runtime, told):
    with pytest.raises(ClaimgridError, match="None of these builds can be run here") as caught:
        resolve([Request("fake", program=fake_runtime("refuses_to_start").program)], told.append)
    assert caught.value.code is Exit.NOT_RUN


def test_a_runtime_without_any_program_is_told(fake_runtime, told):
    fake_runtime("honest")
    with pytest.raises(ClaimgridError, match="No fake was found on this machine"):
        resolve([Request("fake")], told.append)


def test_what_is_found_on_the_machine_is_run(fake_runtime, told):
    found = fake_runtime("honest")
    fake_runtime("honest", find=lambda: iter([found]))
    assert [build.id for build in resolve([Request("fake")], told.append)] == ["fake@1.0.0"]


@pytest.mark.parametrize(("version", "there"), [("1", True), ("1.0.0", True), ("2", False)])
def test_what_is_found_answers_to_its_version(fake_runtime, told, version, there):
    found = fake_runtime("honest")
    fake_runtime("honest", find=lambda: iter([found]))
    if there:
        assert [build.id for build in resolve([Request("fake", version)], told.append)] == ["fake@1.0.0"]
    else:
        with pytest.raises(ClaimgridError, match="fake cannot be fetched"):
            resolve([Request("fake", version)], told.append)


# Fetching


def test_a_version_that_is_not_there_is_fetched_once(fake_runtime, told):
    shelf = Shelf({"1.0.0": "honest"})
    fake_runtime("honest", SOURCE=shelf)
    for _ in range(2):
        (build,) = resolve([Request("fake", "1")], told.append)
    assert (build.id, told, shelf.asked) == (
        "fake@1.0.0",
        [f"fetching fake@1.0.0 for {this_platform()}"],
        ["versions", "1.0.0"],
    )


def test_the_newest_that_answers_is_fetched(fake_runtime, told):
    shelf = Shelf(dict.fromkeys(["1.2.0", "1.10.0", "2.0.0"], "honest"))
    fake_runtime("honest", SOURCE=shelf)
    fetch_build(builds.RUNTIMES["fake"], "1", this_platform(), told.append)
    assert [version for version, _ in cached(builds.RUNTIMES["fake"])] == ["1.10.0"]


def test_defaults_are_fetched_and_a_source_out_of_reach_is_told_once(fake_runtime, told):
    class OutOfReach(Shelf):
        def versions(self, platform):
            raise ClaimgridError("npm view failed: offline.", "", Exit.NOT_RUN)

    found = fake_runtime("honest")
    fake_runtime("honest", SOURCE=OutOfReach({}), DEFAULTS=("1", "2", "3"), find=lambda: iter([found]))
    assert [build.id for build in resolve([Request("fake")], told.append)] == ["fake@1.0.0"]
    assert told == ["not run: fake@1, fake@2, fake@3: npm view failed: offline."]


def test_without_fetching_what_is_in_the_cache_is_run(fake_runtime, told):
    shelf = Shelf({"1.0.0": "honest"})
    fake_runtime("honest", SOURCE=shelf, DEFAULTS=("1",))
    resolve([Request("fake")], told.append)
    shelf.asked.clear()
    assert [build.id for build in resolve([Request("fake")], told.append, fetch=False)] == ["fake@1.0.0"]
    assert shelf.asked == []


def test_without_fetching_what_is_not_there_is_told(fake_runtime, told):
    fake_runtime("honest", SOURCE=Shelf({"1.0.0": "honest"}))
    with pytest.raises(ClaimgridError, match="fake@1 is not on this machine"):
        resolve([Request("fake", "1")], told.append, fetch=False)


def test_a_version_that_is_not_offered_is_told(fake_runtime, told):
    fake_runtime("honest", SOURCE=Shelf({"1.0.0": "honest"}))
    with pytest.raises(ClaimgridError, match="No fake@9 is offered"):
        fetch_build(builds.RUNTIMES["fake"], "9", this_platform(), told.append)


def test_a_fetch_that_breaks_off_leaves_nothing_behind(fake_runtime, told):
    class Torn(Shelf):
        def fetch(self, version, platform, folder):
            (folder / "half").touch()
            raise OSError(28, "No space left on device")

    fake_runtime("honest", SOURCE=Torn({"1.0.0": "honest"}))
    with pytest.raises(ClaimgridError, match="cannot be kept"):
        fetch_build(builds.RUNTIMES["fake"], "1", this_platform(), told.append)
    assert [path for path in (cache_folder() / "builds").rglob("*") if path.is_file()] == []
    assert cached(builds.RUNTIMES["fake"]) == []


def test_a_fetch_that_was_killed_before_is_done_again(fake_runtime, told):
    fake_runtime("honest", SOURCE=Shelf({"1.0.0": "honest"}))
    (cache_folder() / "builds" / this_platform() / "fake" / "1.0.0").mkdir(parents=True)
    found = fetch_build(builds.RUNTIMES["fake"], "1", this_platform(), told.append)
    assert identify("fake", found).version == "1.0.0"


def test_two_that_fetch_the_same_at_the_same_time_both_have_it(fake_runtime, told):
    both = threading.Barrier(2, timeout=60)

    class Slow(Shelf):
        def fetch(self, version, platform, folder):
            super().fetch(version, platform, folder)
            both.wait()

    fake_runtime("honest", SOURCE=Slow({"1.0.0": "honest"}))
    found = []

    def fetch():
        found.append(fetch_build(builds.RUNTIMES["fake"], "1", this_platform(), told.append))

    threads = [threading.Thread(target=fetch) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2
    assert found[0] == found[1]
    assert found[0].program.exists()
    assert len(list(found[0].program.parent.parent.iterdir())) == 1


# Every runtime


@pytest.mark.parametrize("name", RUNTIMES)
def test_every_adapter_has_the_names_of_the_contract(name):
    runtime = RUNTIMES[name]
    assert name == runtime.NAME
    assert runtime.START_SECONDS > 0
    assert runtime.CASE_SECONDS > 0
    assert isinstance(runtime.PER_CASE, bool)
    assert all(isinstance(version, str) for version in runtime.DEFAULTS)
    assert runtime.SOURCE is not None or not runtime.DEFAULTS


@pytest.mark.parametrize("name", RUNTIMES)
def test_every_adapter_names_files_that_are_there(name):
    from harness.probes import probes_folder

    assert RUNTIMES[name].PROBE
    assert [file for file in RUNTIMES[name].PROBE if not (probes_folder() / file).is_file()] == []


@pytest.mark.parametrize("name", RUNTIMES)
def test_every_adapter_finds_programs_without_starting_any(name, monkeypatch):
    def refuse(*arguments, **more):
        raise AssertionError("started a process")

    monkeypatch.setattr("subprocess.Popen.__init__", refuse)
    for found in RUNTIMES[name].find():
        assert found.program.is_absolute()
        assert os.access(found.program, os.X_OK)


def test_an_identity_is_kept_as_plain_json(fake_runtime):
    identify("fake", fake_runtime("honest"))
    (memory,) = (cache_folder() / "identities").iterdir()
    assert json.loads(memory.read_text(encoding="utf-8"))["version"] == "1.0.0"
