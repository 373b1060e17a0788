"""The runtimes that claimgrid knows: one adapter module each, all with the names of `contract.Runtime`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from harness.runtimes import bun, cmd, deno, dotnet, node, powershell, python, sh
from harness.runtimes.contract import Runtime

RUNTIMES: Mapping[str, Runtime] = MappingProxyType(
    {adapter.NAME: adapter for adapter in (node, bun, deno, powershell, dotnet, cmd, python, sh)}
)
"""By name, in the order in which they are printed."""
