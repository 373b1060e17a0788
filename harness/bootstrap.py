"""Make `.venv` ready for `make`: from PyPI, or any index that pip is set up for; else from Debian's own packages.

Runs before anything is installed, so it uses nothing but the standard library: `python3 harness/bootstrap.py .venv`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)
SYSTEM_PYTHON = Path("/usr/bin/python3")
DEBIAN = {
    "click": "python3-click",
    "hatchling": "python3-hatchling",
    "hypothesis": "python3-hypothesis",
    "jinja2": "python3-jinja2",
    "jsonschema": "python3-jsonschema",
    "platformdirs": "python3-platformdirs",
    "psutil": "python3-psutil",
    "pytest": "python3-pytest",
    "rich": "python3-rich",
    "tabulate": "python3-tabulate",
    "xdist": "python3-pytest-xdist",
}
"""What has to be importable, and the Debian package that brings it."""

_PIP = ("-m", "pip", "--disable-pip-version-check", "--quiet")
# A machine without an index should find that out in seconds.
_IMPATIENT = ("--timeout", "5", "--retries", "0")
_INSTALL_SECONDS = 900


def main(target: Path) -> int:
    """Make the environment and say where its packages came from; 4 with the reason when there is no way."""
    why = _from_index(target)
    if why is None:
        return 0
    if not SYSTEM_PYTHON.exists() or shutil.which("dpkg-query") is None:
        return _fail(
            f"the package index cannot be used ({why}), and this is not Debian. Is it in reach? `pip config list` shows it."
        )
    return _from_debian(target, why)


def _from_index(target: Path) -> str | None:
    """Everything from pip's index, with the Python that runs this; else why not."""
    if sys.version_info < OLDEST:
        return f"Python {sys.version_info.major}.{sys.version_info.minor} is older than 3.11"
    outer = (
        _run(
            sys.executable, "-c", "import pip; assert int(pip.__version__.split('.')[0]) >= 23", capture=True
        ).returncode
        == 0
    )
    try:
        # The pip that is here already can install into another environment, which saves unpacking one there.
        venv.create(target, with_pip=not outer, clear=True)
    except (OSError, subprocess.CalledProcessError) as error:
        return f"no environment can be made: {error}"
    pip = (sys.executable, *_PIP, "--python", _python(target)) if outer else (_python(target), *_PIP)
    done = _run(*pip, "install", *_IMPATIENT, "--editable", f"{PROJECT}[test]", capture=True)
    if done.returncode == 0:
        print(f"claimgrid: .venv has Python {_version(_python(target))} and packages from pip's index")
        return None
    lines = [line.partition("ERROR: ")[2] for line in done.stderr.splitlines() if "ERROR: " in line]
    return lines[-1].strip().rstrip(".")[:120] if lines else f"pip ended with {done.returncode}"


def _from_debian(target: Path, why: str) -> int:
    """The system's Python with the system's packages; missing ones are installed where that needs no password."""
    missing = [
        package
        for module, package in DEBIAN.items()
        if _run(SYSTEM_PYTHON, "-c", f"import {module}", capture=True).returncode
    ]
    missing += ["python3-venv"] if _run(SYSTEM_PYTHON, "-c", "import ensurepip", capture=True).returncode else []
    if missing:
        install = ["apt-get", "install", "--yes", "--no-install-recommends", *missing]
        if os.geteuid() != 0:
            return _fail(f"the package index cannot be used ({why}); run `sudo {' '.join(install)}` and try again.")
        print(f"claimgrid: installing {' '.join(missing)}")
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        # Package lists may be missing or old; that shows only when an install fails.
        if _run("apt-get", *install[1:], env=quiet, capture=True).returncode:
            _run("apt-get", "update", env=quiet, capture=True)
            if done := _run("apt-get", *install[1:], env=quiet, capture=True).returncode:
                return _fail(f"apt-get ended with {done}; `{' '.join(install)}` shows why.")
    made = _run(SYSTEM_PYTHON, "-m", "venv", "--clear", "--system-site-packages", str(target), capture=True)
    python = _python(target)
    offline = ("--no-index", "--no-deps", "--no-build-isolation")
    if (
        made.returncode
        or (made := _run(python, *_PIP, "install", *offline, "--editable", str(PROJECT), capture=True)).returncode
    ):
        return _fail(f"the environment could not be made from Debian's packages:\n{made.stderr}")
    print(
        f"claimgrid: .venv has Python {_version(python)} and Debian's packages, since pip's index cannot be used ({why})"
    )
    return 0


def _run(*command: str | Path, capture: bool, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command],
        capture_output=capture,
        text=True,
        encoding="utf-8",
        errors="replace",
        env=env,
        timeout=_INSTALL_SECONDS,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def _python(target: Path) -> Path:
    return target / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _version(python: Path) -> str:
    return _run(python, "-c", "import platform; print(platform.python_version())", capture=True).stdout.strip()


def _fail(reason: str) -> int:
    print(f"claimgrid: {reason}", file=sys.stderr)
    return 4


if __name__ == "__main__":
    try:
        sys.exit(main(Path(sys.argv[1])))
    except KeyboardInterrupt:
        sys.exit(130)
