"""Letting go of a name that was taken: the natural removal of what a claim makes, in the words of its runtime. Pure.

Results do not tell what a claim makes. Its digest does: it was made over that, too, and fits one combination only.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from types import MappingProxyType

from harness.claims import MAKES, ROLES, SOURCES, Claim
from harness.results import ClaimResult
from harness.vocabulary import Kind


def as_listed(claim_id: str, measured: ClaimResult) -> Claim | None:
    """The claim as its probe listed it when it was measured, with what it makes; None where the digest fits nothing that is known."""
    runtime, _, call = claim_id.partition(":")
    for makes, source, role in product(MAKES, (None, *SOURCES), (None, *ROLES)):
        claim = Claim(runtime, call, measured.kind, measured.code, makes, source, role)
        if claim.digest == measured.digest:
            return claim
    return None


def release_of(claim: Claim) -> str | None:
    """Code that lets go of what a *create* claim made; None for other kinds, and where no removal is known.

    A directory with something in it is moved away first: while it is emptied in place, others could take its name.
    """
    if claim.kind is not Kind.CREATE:
        return None
    return _RELEASES.get(_idiom(claim), {}).get("file" if claim.makes in ("link", "fifo") else claim.makes)


def _idiom(claim: Claim) -> str:
    """A key of the table: the runtime, and for JavaScript the module and the way of waiting."""
    if claim.runtime not in ("node", "bun", "deno"):
        return claim.runtime
    if claim.call.startswith("Deno."):
        return "Deno.Sync" if "Sync" in claim.call else "Deno"
    if "await " in claim.code:
        return "fs.promises"
    return "fs callback" if "done" in claim.code else "fs.Sync"


_RELEASES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "fs.Sync": {
            "file": "fs.unlinkSync(name)",
            "empty-dir": "fs.rmdirSync(name)",
            "full-dir": "fs.renameSync(name, mine); fs.rmSync(mine, {recursive: true})",
        },
        "fs callback": {
            "file": "fs.unlink(name, done)",
            "empty-dir": "fs.rmdir(name, done)",
            "full-dir": "fs.rename(name, mine, (err) => err ? done(err) : fs.rm(mine, {recursive: true}, done))",
        },
        "fs.promises": {
            "file": "await fs.promises.unlink(name)",
            "empty-dir": "await fs.promises.rmdir(name)",
            "full-dir": "await fs.promises.rename(name, mine); await fs.promises.rm(mine, {recursive: true})",
        },
        "Deno.Sync": {
            "file": "Deno.removeSync(name)",
            "empty-dir": "Deno.removeSync(name)",
            "full-dir": "Deno.renameSync(name, mine); Deno.removeSync(mine, {recursive: true})",
        },
        "Deno": {
            "file": "await Deno.remove(name)",
            "empty-dir": "await Deno.remove(name)",
            "full-dir": "await Deno.rename(name, mine); await Deno.remove(mine, {recursive: true})",
        },
        "python": {
            "file": "os.unlink(name)",
            "empty-dir": "os.rmdir(name)",
            "full-dir": "os.rename(name, mine); shutil.rmtree(mine)",
        },
        "dotnet": {
            "file": "File.Delete(name);",
            "empty-dir": "Directory.Delete(name);",
            "full-dir": "Directory.Move(name, mine); Directory.Delete(mine, recursive: true);",
        },
        "powershell": {
            "file": "[IO.File]::Delete($name)",
            "empty-dir": "[IO.Directory]::Delete($name)",
            "full-dir": "[IO.Directory]::Move($name, $mine); [IO.Directory]::Delete($mine, $true)",
        },
        "cmd": {
            "file": 'del "%name%"',
            "empty-dir": 'rmdir "%name%"',
            "full-dir": 'move "%name%" "%mine%" && rmdir /s /q "%mine%"',
        },
        "sh": {
            "file": 'rm "$name"',
            "empty-dir": 'rmdir "$name"',
            "full-dir": 'mv "$name" "$mine" && rm -r "$mine"',
        },
    }
)
