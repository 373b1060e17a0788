"""Builds: one version of a runtime on one platform, found on the machine, given by the user or fetched into the cache."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import wine
from harness.claims import Claim, claim_from_listing
from harness.conversation import Conversation, Limits
from harness.environment import this_platform
from harness.errors import ClaimgridError, Exit
from harness.files import cache_folder, move_new, not_kept, write_whole
from harness.probes import probe_digest, probes_folder
from harness.processes import OWN_MARK, kill_marked
from harness.runtimes import RUNTIMES
from harness.runtimes.contract import Found, Runtime, Source
from harness.scratch import scratch
from harness.versions import answers, asked_as, newest, sort_key

Tell = Callable[[str], None]
"""Takes one line about something that takes long or did not work."""


@dataclass(frozen=True, slots=True)
class Build:
    """A program that answered as a probe. `version` is what it reported; `unsupported` are the calls that it says it lacks."""

    runtime: str
    version: str
    platform: str
    source: str
    program: Path
    claims: tuple[Claim, ...]
    unsupported: frozenset[str]

    @property
    def id(self) -> str:
        """`<runtime>@<version>`, with the platform where it is not this machine's own."""
        suffix = "" if self.platform == this_platform() else f" on {self.platform}"
        return f"{self.runtime}@{self.version}{suffix}"

    @property
    def request(self) -> str:
        """What to write after `--runtime` to get this very build again."""
        if self.source == "given":
            return f"{self.runtime}={self.program}"
        return f"{self.runtime}@{asked_as(self.version, self.platform)}"


@dataclass(frozen=True, slots=True)
class Request:
    """What a person asked for: `node`, `node@22.3`, `cmd@wine` or `node=/path/to/node`."""

    runtime: str
    version: str = ""
    program: Path | None = None

    def __str__(self) -> str:
        if self.program:
            return f"{self.runtime}={self.program}"
        return f"{self.runtime}@{self.version}" if self.version else self.runtime


def parse_request(text: str) -> Request:
    """Raises ClaimgridError for a runtime that does not exist."""
    name, equals, program = text.partition("=")
    name, _, version = name.partition("@")
    if name not in RUNTIMES:
        raise ClaimgridError(f"There is no runtime called {name!r}.", f"Choose from {', '.join(RUNTIMES)}.")
    if (equals and not program) or (equals and version):
        raise ClaimgridError(f"{text!r} is not a build.", "Write NAME, NAME@VERSION or NAME=PATH.")
    return Request(name, version, Path(program).absolute() if equals else None)


def asked_platform(request: Request) -> tuple[str, str]:
    """The version and platform that are asked for: `22+wine` is a Windows build under Wine, and so is `wine` alone, of any version."""
    version, _, layer = request.version.partition("+")
    if "wine" in (version, layer) or version.startswith("wine-"):
        return "" if version == "wine" else version, wine.PLATFORM
    return request.version, this_platform()


def conversation(build: Build, home: Path, *, isolate: bool = False) -> Conversation:
    """The conversation with a build's probe, not started yet; it works in `home`."""
    return _conversation(RUNTIMES[build.runtime], build.program, build.platform, home, isolate=isolate)


def layers(platforms: Iterable[str]) -> contextlib.AbstractContextManager[object]:
    """What has to be up while builds of these platforms run: Wine's session, or nothing."""
    return wine.session() if any(platform.startswith("wine-") for platform in platforms) else contextlib.nullcontext()


def resolve(requests: Sequence[Request], tell: Tell, *, fetch: bool = True) -> list[Build]:
    """The builds that the requests name, each once, in order of runtime, platform and version.

    What cannot be had or does not start is told and left out. Without requests: everything found, plus the default versions.
    Raises ClaimgridError when nothing at all is left.
    """
    wanted = list(requests) or [Request(name) for name in RUNTIMES]
    found: list[tuple[str, Found]] = []
    for request in wanted:
        try:
            found.extend((request.runtime, candidate) for candidate in _candidates(request, tell, fetch))
        except ClaimgridError as error:
            if requests:
                raise
            tell(f"{request}: {error}")
    builds = {
        (build.runtime, build.platform, build.version): build for build in reversed(list(_identify_all(found, tell)))
    }
    if not builds:
        raise ClaimgridError(
            "None of these builds can be run here.", "`claimgrid builds` tells what there is.", Exit.NOT_RUN
        )
    order = list(RUNTIMES)
    return sorted(
        builds.values(), key=lambda build: (order.index(build.runtime), build.platform, sort_key(build.version))
    )


def newest_build(runtime: str, tell: Tell, *, fetch: bool = True) -> Build:
    """The newest build of a runtime; one of this platform where there is any. Raises ClaimgridError when there is none."""
    builds = resolve([Request(runtime)], tell, fetch=fetch)
    return max(builds, key=lambda build: (build.platform == this_platform(), sort_key(build.version)))


def installed(runtime: Runtime) -> Iterator[Found]:
    """Everything that needs no fetching: on the machine and in the cache."""
    yield from runtime.find()
    yield from (found for _, found in cached(runtime))


def cached(runtime: Runtime) -> list[tuple[str, Found]]:
    """The versions in the cache, oldest first, by the number they were fetched under."""
    if runtime.SOURCE is None:
        return []
    entries = []
    for platform_folder in sorted((cache_folder() / "builds").glob("*")):
        for folder in (platform_folder / runtime.NAME).glob("[!.]*"):
            program = runtime.SOURCE.program(folder, platform_folder.name)
            if program.exists():
                entries.append((folder.name, Found(program, runtime.SOURCE.NAME, platform_folder.name)))
    return sorted(entries, key=lambda entry: (entry[1].platform, sort_key(entry[0])))


def fetch_build(runtime: Runtime, asked: str, platform: str, tell: Tell, offered: Sequence[str] = ()) -> Found:
    """Fetch the newest version that answers to `asked` into the cache, unless it is there. Raises ClaimgridError when it cannot.

    `offered` are the versions there are, if they were asked for already.
    """
    source = runtime.SOURCE
    if source is None:
        raise ClaimgridError(
            f"{runtime.NAME} cannot be fetched.", f"Install it, or use {runtime.NAME}=PATH.", Exit.NOT_RUN
        )
    version = newest(list(offered) or source.versions(platform), asked)
    if version is None:
        raise ClaimgridError(
            f"No {runtime.NAME}@{asked} is offered for {platform}.",
            "`claimgrid builds` lists the versions.",
            Exit.NOT_RUN,
        )
    target = cache_folder() / "builds" / platform / runtime.NAME / version
    if not source.program(target, platform).exists():
        tell(f"fetching {runtime.NAME}@{version} for {platform}")
        _fetch_aside(source, version, platform, target)
    return Found(source.program(target, platform), source.NAME, platform)


def _fetch_aside(source: Source, version: str, platform: str, target: Path) -> None:
    """Fetch beside the target and rename: an entry in the cache is whole, and of two that fetch the same the first wins."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with scratch("fetch", target.parent) as folder:
            aside = folder / version
            aside.mkdir()
            source.fetch(version, platform, aside)
            with contextlib.suppress(FileExistsError):
                return move_new(aside, target)
            for part in aside.iterdir():
                with contextlib.suppress(FileExistsError):
                    # What is there already was put there whole by somebody else, just now or with other probes.
                    move_new(part, target / part.name)
    except OSError as error:
        raise not_kept(target, error) from error


def identify(name: str, found: Found) -> Build:
    """Ask a program for its version and claims; the answer is remembered for as long as program and probe stay the same.

    Raises ClaimgridError when it does not start.
    """
    runtime = RUNTIMES[name]
    memory = _memory(runtime, found)
    # What a shell calls may change while the shell stays the same; and such probes are quick to ask.
    if memory.exists() and not runtime.PER_CASE:
        try:
            return _build(name, found, json.loads(memory.read_text(encoding="utf-8")))
        except (ValueError, KeyError, TypeError, AttributeError, OSError):
            pass
    with (
        layers([found.platform]),
        scratch("home") as home,
        _conversation(runtime, found.program, found.platform, home / "home") as talk,
    ):
        told = {"version": talk.ask("hello").get("version"), "claims": talk.ask("list").get("claims")}
    try:
        build = _build(name, found, told)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ClaimgridError(f"{found.program} lists no proper claims: {error}.", "", Exit.FAULT) from error
    write_whole(memory, json.dumps(told, ensure_ascii=False))
    return build


def forget(build: Build) -> None:
    """Ask anew the next time: the program is a front for another one that changed."""
    _memory(RUNTIMES[build.runtime], Found(build.program, build.source, build.platform)).unlink(missing_ok=True)


def _candidates(request: Request, tell: Tell, fetch: bool) -> Iterable[Found]:
    runtime = RUNTIMES[request.runtime]
    if request.program is not None:
        if not request.program.is_file():
            raise ClaimgridError(
                f"{request.program} is not a program.", "Give the path of one after the = sign.", Exit.NOT_RUN
            )
        return [Found(request.program, "given", this_platform())]
    if request.version:
        return _of_version(runtime, request, tell, fetch)
    here = list(runtime.find())
    if fetch:
        here.extend(_defaults(runtime, tell))
    else:
        here.extend(found for _, found in cached(runtime))
    if not here:
        raise ClaimgridError(
            f"No {runtime.NAME} was found on this machine.",
            "`claimgrid builds` tells where it was looked for.",
            Exit.NOT_RUN,
        )
    return here


def _of_version(runtime: Runtime, request: Request, tell: Tell, fetch: bool) -> list[Found]:
    """Every build at hand that answers to the version, or else a fetched one."""
    asked, platform = asked_platform(request)
    here = [found for _, found in _of_platform(cached(runtime), platform, asked)][-1:]
    for found in runtime.find():
        if found.platform == platform and (not asked or answers(identify(runtime.NAME, found).version, asked)):
            here.append(found)
    if here:
        return here
    if not fetch:
        raise ClaimgridError(
            f"{request} is not on this machine.", f"`claimgrid fetch {request}` may get it.", Exit.NOT_RUN
        )
    return [fetch_build(runtime, asked, platform, tell)]


def _defaults(runtime: Runtime, tell: Tell) -> Iterator[Found]:
    """A build for each default version: from the cache, so that a second run asks no registry, or else fetched."""
    platform = this_platform()
    here = {asked: _of_platform(cached(runtime), platform, asked) for asked in runtime.DEFAULTS}
    yield from (entries[-1][1] for entries in here.values() if entries)
    missing = [asked for asked, entries in here.items() if not entries]
    if not missing or runtime.SOURCE is None:
        return
    try:
        offered = runtime.SOURCE.versions(platform)
    except ClaimgridError as error:
        tell(f"not run: {', '.join(f'{runtime.NAME}@{asked}' for asked in missing)}: {error}")
        return
    for asked in missing:
        try:
            yield fetch_build(runtime, asked, platform, tell, offered)
        except ClaimgridError as error:
            tell(f"not run: {runtime.NAME}@{asked}: {error}")


def _of_platform(entries: Sequence[tuple[str, Found]], platform: str, asked: str) -> list[tuple[str, Found]]:
    return [
        (version, found)
        for version, found in entries
        if found.platform == platform and (not asked or answers(version, asked))
    ]


def _identify_all(found: Sequence[tuple[str, Found]], tell: Tell) -> Iterator[Build]:
    """Identify side by side: the time goes into waiting for programs to start."""

    def one(entry: tuple[str, Found]) -> Build | str:
        try:
            return identify(*entry)
        except ClaimgridError as error:
            return str(error)

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        try:
            identified = list(pool.map(one, found))
        except KeyboardInterrupt:
            # Nobody is interrupted but us; the others wait for programs that may never answer, as long as those run.
            pool.shutdown(wait=False, cancel_futures=True)
            kill_marked(OWN_MARK)
            raise
    for build in identified:
        if isinstance(build, Build):
            yield build
        else:
            tell(f"not run: {build}")


def _build(name: str, found: Found, told: Any) -> Build:
    version = told["version"]
    if (
        not isinstance(version, str)
        or not version
        or any(sign in version for sign in "/\\:\0")
        or version.startswith(".")
    ):
        raise ValueError(f"version is {version!r}")
    return Build(
        runtime=name,
        version=version,
        platform=found.platform,
        source=found.source,
        program=found.program,
        claims=tuple(claim_from_listing(name, entry) for entry in told["claims"]),
        unsupported=frozenset(entry["id"] for entry in told["claims"] if not entry["supported"]),
    )


def _conversation(runtime: Runtime, program: Path, platform: str, home: Path, *, isolate: bool = False) -> Conversation:
    launch = runtime.launch(program, platform, probes_folder())
    if platform.startswith("wine-"):
        launch = wine.under_wine(launch)
    return Conversation(
        launch, home, Limits(runtime.START_SECONDS, runtime.CASE_SECONDS), per_case=runtime.PER_CASE, isolate=isolate
    )


def _memory(runtime: Runtime, found: Found) -> Path:
    status = found.program.stat()
    parts = [
        runtime.NAME,
        str(found.program.resolve()),
        found.platform,
        status.st_size,
        status.st_mtime_ns,
        probe_digest(runtime.PROBE),
    ]
    key = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]
    return cache_folder() / "identities" / f"{key}.json"
