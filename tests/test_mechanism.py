"""From system calls to a mechanism: what decides, the call that takes the name or a look before it."""

import pytest

from harness.mechanism import (
    CHECK_THEN_ACT,
    Trace,
    is_exclusive,
    locks_late,
    mechanism,
    notation,
    touches,
    undecided,
)
from harness.observation import Said
from harness.strace import parse
from harness.vocabulary import Kind

NAME = "/w/name"
ABSENT, PRESENT, EXISTS = "-1 ENOENT (No such file or directory)", "0", "-1 EEXIST (File exists)"
FILE = "3</w/name>"


def trace(said, *calls):
    """A trace of calls that are written as `call = result`."""
    log = "".join(f"1 {number}.5 {call}\n" for number, call in enumerate(calls))
    return Trace((NAME,), said, tuple(parse(log)))


def opening(flags, result=FILE):
    return f'openat(AT_FDCWD</w/home>, "{NAME}", O_WRONLY|{flags}|O_CLOEXEC, 0666) = {result}'


def looking(result):
    return f'newfstatat(AT_FDCWD</w/home>, "{NAME}", 0x7ffd, AT_SYMLINK_NOFOLLOW) = {result}'


def making(call, result):
    return f'{call}("{NAME}", 0777) = {result}'


def moving(call, result):
    return f'{call}("/w/source", "{NAME}") = {result}'


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (opening("O_CREAT|O_EXCL|O_TRUNC"), "openat(O_CREAT|O_EXCL|O_TRUNC)"),
        (opening("O_APPEND|O_CREAT"), "openat(O_APPEND|O_CREAT)"),
        ('openat(AT_FDCWD</O_EXCL>, "/w/O_CREAT", O_RDONLY) = 3', "openat"),
        ('openat2(5</w>, "name", {flags=O_WRONLY|O_CREAT|O_EXCL, mode=0666}, 24) = 3', "openat2(O_CREAT|O_EXCL)"),
        ('creat("/w/name", 0666) = 3', "creat"),
        (making("mkdir", PRESENT), "mkdir"),
        (
            'renameat2(AT_FDCWD</w>, "source", AT_FDCWD</w>, "name", RENAME_NOREPLACE) = 0',
            "renameat2(RENAME_NOREPLACE)",
        ),
        ('unlinkat(AT_FDCWD</w>, "name", AT_REMOVEDIR) = 0', "unlinkat(AT_REMOVEDIR)"),
        ("flock(3</w/name>, LOCK_EX|LOCK_NB) = 0", "flock(LOCK_EX|LOCK_NB)"),
        ("fcntl(3</w/name>, F_SETLK, {l_type=F_WRLCK, l_whence=SEEK_SET, l_start=0, l_len=0}) = 0", "fcntl(F_SETLK)"),
    ],
)
def test_a_call_is_told_by_its_name_and_the_flags_that_matter(call, expected):
    assert notation(parse(f"1 1.5 {call}\n")[0]) == expected


@pytest.mark.parametrize(
    ("lock", "late"),
    [
        (f"flock({FILE}, LOCK_EX|LOCK_NB) = 0", True),
        (f"fcntl({FILE}, F_SETLK, {{l_type=F_WRLCK, l_whence=SEEK_SET, l_start=0, l_len=0}}) = 0", True),
        (f"flock({FILE}, LOCK_SH|LOCK_NB) = 0", False),
        ("flock(4</w/other>, LOCK_EX|LOCK_NB) = 0", False),
    ],
)
def test_an_exclusive_lock_on_a_name_that_was_just_made_comes_late(lock, late):
    win = trace(Said.YES, opening("O_CREAT|O_EXCL"), lock)
    assert locks_late(Kind.CREATE, win) is late
    assert locks_late(Kind.CREATE, trace(Said.YES, lock, opening("O_CREAT|O_EXCL"))) is False
    assert locks_late(Kind.HELD, win) is False


def test_touches_are_calls_on_the_name_on_what_is_in_it_and_on_its_open_files():
    calls = parse(
        '1 1.5 stat("/w/name2", 0x7) = 0\n'
        '1 1.5 stat("/w", 0x7) = 0\n'
        '1 1.5 stat("/w/name", 0x7) = 0\n'
        '1 1.5 mkdir("/w/name/inside", 0777) = 0\n'
        '1 1.5 write(3</w/name>, "x", 1) = 1\n'
        "1 1.5 flock(3</w/name>, LOCK_EX) = 0\n"
        "1 1.5 fcntl(3</w/name>, F_SETLK, {l_type=F_WRLCK}) = 0\n"
        '1 1.5 link("/w/source", "/w/name") = 0\n'
        '1 1.5 symlink("/w/name", "/w/other") = 0\n'
    )
    assert [call.name for call in touches(calls, [NAME])] == ["stat", "mkdir", "write", "flock", "fcntl", "link"]


def test_what_happens_to_a_descriptor_alone_is_no_touch():
    calls = parse(
        "1 1.5 lseek(3</w/name>, 0, SEEK_CUR) = 0\n"
        "1 1.5 ioctl(3</w/name>, TCGETS, 0x7ffc) = -1 ENOTTY (Inappropriate ioctl for device)\n"
        "1 1.5 fcntl(3</w/name>, F_GETFL) = 0x8001 (flags O_WRONLY|O_LARGEFILE)\n"
        "1 1.5 dup2(3</w/name>, 1) = 1</w/name>\n"
    )
    assert touches(calls, [NAME]) == []


def test_a_relative_name_is_touched_where_it_does_not_show_what_it_is_relative_to():
    calls = parse('1 1.5 mkdir("name", 0777) = 0\n')
    assert touches(calls, [NAME]) == []
    assert len(touches(calls, [NAME, "name"])) == 1


EXCLUSIVE = "O_CREAT|O_EXCL"


@pytest.mark.parametrize(
    ("win", "again", "said", "expected"),
    [
        # fs.writeFileSync/wx
        ([opening(EXCLUSIVE)], [opening(EXCLUSIVE, EXISTS)], Said.NO, "openat(O_CREAT|O_EXCL)"),
        # fs.mkdirSync
        ([making("mkdir", PRESENT)], [making("mkdir", EXISTS)], Said.NO, "mkdir"),
        # fs.mkdirSync/recursive: it does not mind, and is unsafe rather than check-then-act
        ([making("mkdir", PRESENT)], [making("mkdir", EXISTS), looking(PRESENT)], Said.YES, "mkdir"),
        # fs.mkdirSync/recursive+returned-path: it looks after the call that decides
        ([making("mkdir", PRESENT)], [making("mkdir", EXISTS), looking(PRESENT)], Said.NO, "mkdir"),
        # fs.writeFileSync
        ([opening("O_CREAT|O_TRUNC")], [opening("O_CREAT|O_TRUNC")], Said.YES, "openat(O_CREAT|O_TRUNC)"),
        # mkdir -p: looks are harmless where nothing is refused
        ([looking(ABSENT), making("mkdir", PRESENT)], [looking(PRESENT)], Said.YES, "mkdir"),
        # fs.existsSync/writeFileSync
        ([looking(ABSENT), opening("O_CREAT|O_TRUNC")], [looking(PRESENT)], Said.NO, CHECK_THEN_ACT),
        # Path.exists/write_text with creat
        ([looking(ABSENT), making("creat", FILE)], [looking(PRESENT)], Said.NO, CHECK_THEN_ACT),
        # fs.renameSync/full-dir: refused by the system
        (
            [moving("rename", PRESENT)],
            [moving("rename", "-1 ENOTEMPTY (Directory not empty)")],
            Said.NO,
            "rename",
        ),
        # cp -n, which looks and then opens exclusively, and looks no further than that where the name is taken
        (
            [looking(ABSENT), opening(EXCLUSIVE)],
            [looking(PRESENT), opening(EXCLUSIVE, EXISTS)],
            Said.NO,
            "openat(O_CREAT|O_EXCL)",
        ),
        # mv -T: tries the exclusive call, then the other one, and both are refused
        (
            ['renameat2(5</w>, "source", 5</w>, "name", RENAME_NOREPLACE) = 0'],
            [
                f'renameat2(5</w>, "source", 5</w>, "name", RENAME_NOREPLACE) = {EXISTS}',
                'renameat(5</w>, "source", 5</w>, "name") = -1 ENOTEMPTY (Directory not empty)',
            ],
            Said.NO,
            "renameat2(RENAME_NOREPLACE)",
        ),
        # ln: linkat
        (
            [f'linkat(AT_FDCWD</w>, "source", AT_FDCWD</w>, "name", 0) = {PRESENT}'],
            [f'linkat(AT_FDCWD</w>, "source", AT_FDCWD</w>, "name", 0) = {EXISTS}'],
            Said.NO,
            "linkat",
        ),
        # writeFileSync to a place of one's own, then link: the open there takes nothing
        (
            ['open("/w/mine", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3</w/mine>', moving("link", PRESENT)],
            [moving("link", EXISTS)],
            Said.NO,
            "link",
        ),
        # taken by a call that strace does not see
        ([looking(ABSENT)], [looking(PRESENT)], Said.NO, None),
    ],
)
def test_the_mechanism_of_a_create_claim_shows_in_a_win_and_a_refusal(win, again, said, expected):
    assert mechanism(Kind.CREATE, trace(Said.YES, *win), trace(said, *again)) == expected


REMOVE = f'unlink("{NAME}") = '
GONE = "-1 ENOENT (No such file or directory)"


@pytest.mark.parametrize(
    ("win", "again", "said", "expected"),
    [
        (['rename("/w/name", "/w/mine") = 0'], [f'rename("/w/name", "/w/mine") = {GONE}'], Said.NO, "rename"),
        # rm -f
        ([REMOVE + "0"], [REMOVE + GONE], Said.YES, "unlink"),
        # shutil.rmtree: the name itself goes last
        (
            [
                looking(PRESENT),
                'unlinkat(3</w/name>, "inside", 0) = 0',
                f'rmdir("{NAME}") = 0',
            ],
            [looking(ABSENT), f'rmdir("{NAME}") = {GONE}'],
            Said.NO,
            "rmdir",
        ),
    ],
)
def test_the_mechanism_of_a_take_claim_is_the_call_that_removes_the_name(win, again, said, expected):
    assert mechanism(Kind.TAKE, trace(Said.YES, *win), trace(said, *again)) == expected


def test_the_mechanism_of_a_held_claim_is_its_lock_and_not_the_file_it_made_for_it():
    lock = "flock(3</w/name>, LOCK_EX|LOCK_NB) = "
    win = trace(Said.YES, opening("O_CREAT|O_APPEND"), lock + "0")
    again = trace(Said.NO, opening("O_CREAT|O_APPEND"), lock + "-1 EAGAIN (Resource temporarily unavailable)")
    assert mechanism(Kind.HELD, win, again) == "flock(LOCK_EX|LOCK_NB)"


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        # FileStream/CreateNew+FileShare.None in .NET
        ([opening(EXCLUSIVE), "flock(3</w/name>, LOCK_EX|LOCK_NB) = 0"], "openat(O_CREAT|O_EXCL)"),
        # FileStream.Lock in .NET, where every open takes a shared lock
        (
            [
                opening("O_CREAT"),
                "flock(3</w/name>, LOCK_SH|LOCK_NB) = 0",
                "fcntl(3</w/name>, F_SETLK, {l_type=F_WRLCK, l_whence=SEEK_SET, l_start=0, l_len=1}) = 0",
            ],
            "fcntl(F_SETLK)",
        ),
    ],
)
def test_the_mechanism_of_a_held_claim_is_the_first_call_that_excludes_anybody(calls, expected):
    refused = [calls[-1].replace("= 0", "= -1 EAGAIN (Resource temporarily unavailable)")]
    if expected.startswith("openat"):
        refused = [opening(EXCLUSIVE, EXISTS)]
    assert mechanism(Kind.HELD, trace(Said.YES, *calls), trace(Said.NO, *refused)) == expected


def test_letting_go_of_a_lock_takes_nothing():
    win = trace(
        Said.YES,
        "fcntl(3</w/name>, F_SETLK, {l_type=F_UNLCK, l_whence=SEEK_SET, l_start=0, l_len=0}) = 0",
        "flock(3</w/name>, LOCK_UN) = 0",
        opening(EXCLUSIVE),
    )
    assert mechanism(Kind.HELD, win, trace(Said.NO, opening(EXCLUSIVE, EXISTS))) == "openat(O_CREAT|O_EXCL)"


LOOKED = trace(Said.NO, looking(PRESENT))


@pytest.mark.parametrize(
    ("act", "late", "expected"),
    [
        # fs.existsSync/writeFileSync+wx: the look is harmless
        (opening(EXCLUSIVE), Said.NO, "openat(O_CREAT|O_EXCL)"),
        # fs.existsSync/mkdirSync+recursive: the refusal of mkdir counts for nothing
        (making("mkdir", PRESENT), Said.YES, CHECK_THEN_ACT),
        (making("mkdir", PRESENT), Said.NO, "mkdir"),
        # File.Move/overwrite=false in .NET: lstat, then rename
        (moving("rename", PRESENT), Said.YES, CHECK_THEN_ACT),
        # fs.existsSync/renameSync+full-dir
        (moving("rename", PRESENT), Said.NO, "rename"),
        # it was not tried
        (opening(EXCLUSIVE), None, None),
    ],
)
def test_after_a_look_it_counts_what_a_claim_says_when_the_name_was_taken_meanwhile(act, late, expected):
    win = trace(Said.YES, looking(ABSENT), looking(ABSENT), act)
    assert undecided(Kind.CREATE, win, LOOKED) == 2
    assert mechanism(Kind.CREATE, win, LOOKED, late) == expected


def test_nothing_is_undecided_where_the_act_itself_was_refused_or_excludes_nobody():
    win = trace(Said.YES, looking(ABSENT), opening(EXCLUSIVE))
    assert undecided(Kind.CREATE, win, trace(Said.NO, looking(PRESENT), opening(EXCLUSIVE, EXISTS))) is None
    assert undecided(Kind.CREATE, trace(Said.YES, looking(ABSENT), opening("O_CREAT|O_TRUNC")), LOOKED) is None
    assert undecided(Kind.CREATE, win, trace(Said.YES, looking(PRESENT))) is None
    assert undecided(Kind.CREATE, trace(Said.YES, looking(ABSENT)), LOOKED) is None


def test_there_is_no_pause_before_the_first_touch():
    assert undecided(Kind.CREATE, trace(Said.YES, opening(EXCLUSIVE)), trace(Said.NO)) is None


@pytest.mark.parametrize(
    ("kind", "word", "expected"),
    [
        (Kind.CREATE, "openat(O_CREAT|O_EXCL|O_TRUNC)", True),
        (Kind.CREATE, "openat(O_CREAT|O_TRUNC)", False),
        (Kind.CREATE, "openat(O_EXCL)", False),
        (Kind.CREATE, "creat", False),
        (Kind.CREATE, "mkdir", True),
        (Kind.CREATE, "symlinkat", True),
        (Kind.CREATE, "mknodat", True),
        (Kind.CREATE, "rename", None),
        (Kind.CREATE, "renameat2(RENAME_NOREPLACE)", True),
        (Kind.CREATE, "renameat2(RENAME_EXCHANGE)", None),
        (Kind.TAKE, "rename", True),
        (Kind.TAKE, "unlinkat(AT_REMOVEDIR)", True),
        (Kind.HELD, "flock(LOCK_EX|LOCK_NB)", True),
        (Kind.HELD, "flock(LOCK_NB|LOCK_SH)", False),
    ],
)
def test_what_only_one_can_succeed_with(kind, word, expected):
    assert is_exclusive(kind, word) is expected
