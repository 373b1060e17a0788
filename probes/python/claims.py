"""What Python offers for taking a name: every claim, beside its code.

`code` is the body of a function of `name`, `source`, `mine` and `data`. This text is compiled and this text is listed.
An OSError is "no", anything else is "yes". A *held* claim returns what has a `close()` that lets go.

Whether a build has a call is read off the code: every dotted name in it must be there, and every keyword argument must be known.

Left out on purpose: `os.renames`, which prunes the source's parents; `shutil.make_archive`, which makes another name than
the one it is given; `tempfile`, which picks the name itself.
"""

from typing import NamedTuple


class Claim(NamedTuple):
    """One entry of the catalogue, with the keys of the protocol's list."""

    id: str
    kind: str
    code: str
    makes: str
    source: "str | None" = None
    role: "str | None" = None
    via: "str | None" = None


CLAIMS: "list[Claim]" = []


def create(
    id: str,
    makes: str,
    code: str,
    source: "str | None" = None,
    role: "str | None" = None,
    via: "str | None" = None,
) -> None:
    """A claim that makes the name; `source` is laid out for it first."""
    CLAIMS.append(Claim(id, "create", code, makes, source, role, via))


def take(id: str, makes: str, code: str, thing: str = "file") -> None:
    """A claim on the `thing` called `name`: moved to `mine`, or deleted."""
    CLAIMS.append(Claim(id, "take", code, makes, thing))


def held(id: str, code: str) -> None:
    """A claim that lasts as long as what it returns stays open."""
    CLAIMS.append(Claim(id, "held", code, "file"))


def look(id: str, code: str) -> None:
    """No claim: it reads the name as a bystander would."""
    CLAIMS.append(Claim(id, "look", code, "nothing"))


def lines(*text: str) -> str:
    """Code of several lines."""
    return "\n".join(text)


def writing(opening: str, what: str = "data") -> str:
    """Code that opens the name, writes and closes."""
    return lines(f"with {opening} as file:", f"    file.write({what})")


# open, its twins, and what is built on it

for mode in ("x", "x+", "w", "w+", "a", "a+", "r+"):
    create("open/" + mode, "file", writing(f"open(name, {mode!r})"), role="overwrites" if mode == "w" else None)
for mode in ("xb", "x+b", "wb", "ab"):
    create("open/" + mode, "file", writing(f"open(name, {mode!r})", "data.encode()"))
create("io.open/x", "file", writing("io.open(name, 'x')"))
create("io.FileIO/x", "file", writing("io.FileIO(name, 'x')", "data.encode()"))
create("codecs.open/x", "file", writing("codecs.open(name, 'x', encoding='utf-8')"))
for module in ("gzip", "bz2", "lzma"):
    for mode in ("xt", "wt"):
        create(f"{module}.open/{mode}", "file", writing(f"{module}.open(name, {mode!r})"))
for mode in ("x", "w", "a"):
    create(
        "zipfile.ZipFile/" + mode,
        "file",
        lines(f"with zipfile.ZipFile(name, {mode!r}) as archive:", "    archive.writestr('data', data)"),
    )
for mode in ("x", "x:gz", "w"):
    create(
        "tarfile.open/" + mode,
        "file",
        lines(f"with tarfile.open(name, {mode!r}) as archive:", "    archive.add(source, arcname='data')"),
        source="file",
    )

# os.open: a flag says what it says only together with the others

for flags in (
    "O_CREAT+O_EXCL",
    "O_EXCL",
    "O_CREAT",
):
    expression = " | ".join("os." + flag for flag in flags.split("+"))
    create("os.open/" + flags, "file", f"os.close(os.open(name, {expression}))")
for flags in (
    "O_CREAT+O_EXCL+O_WRONLY",
    "O_CREAT+O_EXCL+O_RDWR",
    "O_CREAT+O_EXCL+O_WRONLY+O_TRUNC",
    "O_CREAT+O_EXCL+O_WRONLY+O_APPEND",
    "O_CREAT+O_EXCL+O_WRONLY+O_NOFOLLOW",
    "O_EXCL+O_WRONLY",
    "O_EXCL+O_RDWR",
    "O_CREAT+O_WRONLY",
    "O_CREAT+O_RDWR",
    "O_CREAT+O_WRONLY+O_TRUNC",
    "O_CREAT+O_WRONLY+O_APPEND",
    "O_CREAT+O_WRONLY+O_NOFOLLOW",
):
    expression = " | ".join("os." + flag for flag in flags.split("+"))
    create("os.open/" + flags, "file", writing(f"open(os.open(name, {expression}), 'w')"))
create(
    "os.open/O_TMPFILE+os.link",
    "file",
    lines(
        "fd = os.open(os.path.dirname(name), os.O_TMPFILE | os.O_WRONLY)",
        "with open(fd, 'w') as file:",
        "    file.write(data)",
        "    file.flush()",
        "    os.link(f'/proc/self/fd/{fd}', name, src_dir_fd=fd)",
    ),
    via="hard-link",
)

# Directories

create("os.mkdir", "empty-dir", "os.mkdir(name)")
create("os.makedirs", "empty-dir", "os.makedirs(name)")
create("os.makedirs/exist_ok", "empty-dir", "os.makedirs(name, exist_ok=True)")
create("Path.mkdir", "empty-dir", "Path(name).mkdir()")
create("Path.mkdir/exist_ok", "empty-dir", "Path(name).mkdir(exist_ok=True)")
create("Path.mkdir/parents", "empty-dir", "Path(name).mkdir(parents=True)")
create("Path.mkdir/parents+exist_ok", "empty-dir", "Path(name).mkdir(parents=True, exist_ok=True)")

# Files by pathlib

create("Path.open/x", "file", writing("Path(name).open('x')"))
create("Path.open/w", "file", writing("Path(name).open('w')"))
create("Path.touch", "file", "Path(name).touch()")
create("Path.touch/exist_ok=False", "file", "Path(name).touch(exist_ok=False)")
create("Path.write_text", "file", "Path(name).write_text(data)")
create("Path.write_bytes", "file", "Path(name).write_bytes(data.encode())")

# Moving something onto the name

for call in (
    "os.rename(source, name)",
    "os.replace(source, name)",
    "Path(source).rename(name)",
    "Path(source).replace(name)",
    "shutil.move(source, name)",
    "Path(source).move(name)",
):
    verb = call.replace("(source).", ".").partition("(")[0]
    for thing in ("file", "empty-dir", "full-dir", "link"):
        create(f"{verb}/{thing}", thing, call, source=thing)

# Links and special files

create("os.link", "file", "os.link(source, name)", source="file", via="hard-link")
create(
    "os.link/follow_symlinks=False",
    "file",
    "os.link(source, name, follow_symlinks=False)",
    source="file",
    via="hard-link",
)
create("os.symlink", "link", "os.symlink(source, name)", source="file")
create("Path.hardlink_to", "file", "Path(name).hardlink_to(source)", source="file", via="hard-link")
create("Path.link_to", "file", "Path(source).link_to(name)", source="file", via="hard-link")
create("Path.symlink_to", "link", "Path(name).symlink_to(source)", source="file")
create("os.mkfifo", "fifo", "os.mkfifo(name)")
create("os.mknod", "file", "os.mknod(name)")
create("os.mknod/S_IFIFO", "fifo", "os.mknod(name, stat.S_IFIFO | 0o600)")

# Copying something to the name

for verb in ("copyfile", "copy", "copy2"):
    create(f"shutil.{verb}", "file", f"shutil.{verb}(source, name)", source="file")
    create(
        f"shutil.{verb}/link+follow_symlinks=False",
        "link",
        f"shutil.{verb}(source, name, follow_symlinks=False)",
        source="link",
    )
create("shutil.copytree", "full-dir", "shutil.copytree(source, name)", source="full-dir")
create(
    "shutil.copytree/dirs_exist_ok", "full-dir", "shutil.copytree(source, name, dirs_exist_ok=True)", source="full-dir"
)
create("shutil.copytree/empty-dir", "empty-dir", "shutil.copytree(source, name)", source="empty-dir")
create("Path.copy/file", "file", "Path(source).copy(name)", source="file")
create("Path.copy/full-dir", "full-dir", "Path(source).copy(name)", source="full-dir")
create("Path.copy/link+follow_symlinks=False", "link", "Path(source).copy(name, follow_symlinks=False)", source="link")

# Written elsewhere first, so that whoever sees the name sees all of it

created = ("with open(mine, 'x') as file:", "    file.write(data)")
create(
    "open/x+os.link",
    "file",
    lines(*created, "try:", "    os.link(mine, name)", "finally:", "    os.unlink(mine)"),
    via="hard-link",
)
for verb in ("os.rename", "os.replace"):
    create(
        "open/x+" + verb,
        "file",
        lines(*created, "try:", f"    {verb}(mine, name)", "except OSError:", "    os.unlink(mine)", "    raise"),
    )

# Looked first, then made

for test in ("os.path.exists(name)", "os.path.lexists(name)", "os.path.isfile(name)", "os.access(name, os.F_OK)"):
    call = test.partition("(")[0]
    create(
        call + "/open",
        "file",
        lines(f"if {test}:", "    raise FileExistsError(name)", writing("open(name, 'w')")),
        role="check-then-act" if call == "os.path.exists" else None,
    )
create(
    "Path.exists/write_text",
    "file",
    lines("if Path(name).exists():", "    raise FileExistsError(name)", "Path(name).write_text(data)"),
)
create(
    "os.path.exists/os.makedirs+exist_ok",
    "empty-dir",
    lines("if os.path.exists(name):", "    raise FileExistsError(name)", "os.makedirs(name, exist_ok=True)"),
)
create(
    "os.path.exists/os.rename",
    "file",
    lines("if os.path.exists(name):", "    raise FileExistsError(name)", "os.rename(source, name)"),
    source="file",
)
create(
    "os.path.exists/shutil.move",
    "file",
    lines("if os.path.exists(name):", "    raise FileExistsError(name)", "shutil.move(source, name)"),
    source="file",
)
create(
    "os.stat/open",
    "file",
    lines(
        "try:",
        "    os.stat(name)",
        "except FileNotFoundError:",
        "    with open(name, 'w') as file:",
        "        file.write(data)",
        "else:",
        "    raise FileExistsError(name)",
    ),
)

# One of several gets the thing called `name`

for call in (
    "os.rename(name, mine)",
    "os.replace(name, mine)",
    "Path(name).rename(mine)",
    "Path(name).replace(mine)",
    "shutil.move(name, mine)",
    "Path(name).move(mine)",
):
    verb = call.replace("(name).", ".").partition("(")[0]
    for thing in ("file", "full-dir"):
        take(f"{verb}/take-{thing}", "moved", call, thing)
take("os.unlink", "gone", "os.unlink(name)")
take("os.remove", "gone", "os.remove(name)")
take(
    "os.remove/suppress",
    "gone",
    lines("with contextlib.suppress(FileNotFoundError):", "    os.remove(name)"),
)
take("os.path.exists/os.remove", "gone", lines("if os.path.exists(name):", "    os.remove(name)"))
take("Path.unlink", "gone", "Path(name).unlink()")
take("Path.unlink/missing_ok", "gone", "Path(name).unlink(missing_ok=True)")
take("os.rmdir", "gone", "os.rmdir(name)", "empty-dir")
take("Path.rmdir", "gone", "Path(name).rmdir()", "empty-dir")
take("shutil.rmtree", "gone", "shutil.rmtree(name)", "full-dir")
take("shutil.rmtree/ignore_errors", "gone", "shutil.rmtree(name, ignore_errors=True)", "full-dir")

# Locked while open

for lock in (
    "fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)",
    "fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)",
    "os.lockf(file.fileno(), os.F_TLOCK, 0)",
    "msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)",
):
    for mode in ("a", "w"):
        held(
            "{}/{}".format(lock.partition("(")[0], mode),
            lines(f"file = open(name, {mode!r})", lock, "return file"),
        )
held(
    "os.open/O_CREAT+O_WRONLY+O_EXLOCK+O_NONBLOCK",
    "return open(os.open(name, os.O_CREAT | os.O_WRONLY | os.O_EXLOCK | os.O_NONBLOCK), 'w')",
)

look("open/r", lines("with open(name, 'rb') as file:", "    file.read()"))
