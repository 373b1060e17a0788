"""Logs of strace taken apart: excerpts as they were written, and a probe traced for real."""

import os
import shlex
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import strace
from harness.conversation import Limits, Request
from harness.errors import ClaimgridError
from harness.mechanism import notation, touches
from harness.observation import Said
from harness.processes import run
from harness.runtimes.contract import Launch
from harness.strace import Call, Filter, Pause, Traceable, parse

traced = pytest.mark.skipif(bool(strace.obstacle()), reason=strace.obstacle() or "nothing is in the way")
posix = pytest.mark.skipif(os.name == "nt", reason="strace is Linux's")

NODE = r"""
16028 1796083273.986535 epoll_pwait(10<anon_inode:[eventpoll]>,  <unfinished ...>
16038 1796083274.274659 openat(AT_FDCWD</w/home>, "/w/case1/name", O_WRONLY|O_CREAT|O_EXCL|O_TRUNC|O_CLOEXEC, 0666 <unfinished ...>
16019 1796083274.274729 epoll_pwait(15<anon_inode:[eventpoll]>,  <unfinished ...>
16038 1796083274.275097 <... openat resumed>) = -1 EEXIST (File exists)
16038 1796083274.275157 write(19<anon_inode:[eventfd]>, "\1\0\0\0\0\0\0\0", 8) = 8
16019 1796083274.275241 <... epoll_pwait resumed>[{events=EPOLLIN, data={u32=19, u64=19}}], 1024, -1, NULL, 8) = 1
""".lstrip()


def test_a_call_of_the_thread_pool_that_was_interrupted_by_other_threads_is_one_call():
    opened, woke, waited, still = parse(NODE)
    assert opened == Call(
        tracee=16038,
        began=1796083274.274659,
        name="openat",
        arguments=("AT_FDCWD</w/home>", '"/w/case1/name"', "O_WRONLY|O_CREAT|O_EXCL|O_TRUNC|O_CLOEXEC", "0666"),
        result="-1",
        error="EEXIST",
        given=("/w/case1/name",),
        paths=("/w/case1/name",),
    )
    assert (woke.name, woke.result, woke.descriptors) == ("write", "8", ("anon_inode:[eventfd]",))
    assert (waited.name, waited.began, waited.arguments[1]) == (
        "epoll_pwait",
        1796083274.274729,
        "[{events=EPOLLIN, data={u32=19, u64=19}}]",
    )
    assert (still.tracee, still.name, still.finished) == (16028, "epoll_pwait", False)


DOTNET = r"""
16544 1796083285.234614 <... read resumed>"{\"do\":\"claim\",\"name\":\"/w/case1/name\"}\n", 4096) = 37
16544 1796083285.235018 lstat("/w/case1/source", {st_mode=S_IFREG|0644, st_size=81, ...}) = 0
16549 1796083285.235100 mmap(0x7efef87f0000, 65536, PROT_NONE, MAP_SHARED|MAP_FIXED, 8</memfd:doublemapper>(deleted), 0x361000 <unfinished ...>
16544 1796083285.235174 lstat("/w/case1/name", 0x7fff22f72030) = -1 ENOENT (No such file or directory)
16544 1796083285.235240 rename("/w/case1/source", "/w/case1/name") = 0
16549 1796083285.235300 <... mmap resumed>) = 0x7efef87f0000
16544 1796083285.235504 read(25<pipe:[1281843]>,  <detached ...>
""".lstrip()


def test_what_began_before_the_log_did_is_passed_over_and_what_was_cut_off_has_no_result():
    calls = parse(DOTNET)
    assert [(call.name, call.result, call.error, call.paths) for call in calls] == [
        ("lstat", "0", "", ("/w/case1/source",)),
        ("lstat", "-1", "ENOENT", ("/w/case1/name",)),
        ("rename", "0", "", ("/w/case1/source", "/w/case1/name")),
        ("mmap", "0x7efef87f0000", "", ()),
        ("read", "", "", ()),
    ]
    assert calls[3].descriptors == ("/memfd:doublemapper",)
    assert calls[4].descriptors == ("pipe:[1281843]",)


DASH = r"""
14721 1796078826.550042 execve("/usr/bin/sh", ["sh", "-c", "mkdir name; exec 5> file"], 0x7ffc346db160 /* 46 vars */) = 0
14721 1796078826.558219 chdir("/w d/\346\227\245\346\234\254 \"q\" <a,b>)(\\x") = 0
14721 1796078826.561226 vfork( <unfinished ...>
14722 1796078826.561342 execve("/usr/bin/mkdir", ["mkdir", "name"], 0x55d183dba3f8 /* 46 vars */ <unfinished ...>
14721 1796078826.561457 <... vfork resumed>) = 14722
14721 1796078826.561603 wait4(-1,  <unfinished ...>
14722 1796078826.561664 <... execve resumed>) = 0
14722 1796078826.584132 mkdir("name", 0777) = 0
14722 1796078826.584419 exit_group(0) = ?
14721 1796078826.584667 <... wait4 resumed>[{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL) = 14722
14721 1796078826.584699 --- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=14722, si_uid=0, si_status=0} ---
14721 1796078826.584801 openat(AT_FDCWD</w d/\346\227\245\346\234\254 \"q\" \74a,b\76)(\\x>, "file", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3</w d/\346\227\245\346\234\254 \"q\" \74a,b\76)(\\x/file>
14721 1796078826.585079 dup2(3</w d/\346\227\245\346\234\254 \"q\" \74a,b\76)(\\x/file>, 5) = 5</w d/\346\227\245\346\234\254 \"q\" \74a,b\76)(\\x/file>
14721 1796078826.592825 write(1</w d/\346\227\245\346\234\254 \"q\" \74a,b\76)(\\x/file>(deleted), "b\n", 2) = 2
14721 1796078826.593000 +++ exited with 0 +++
""".lstrip()

AWKWARD = '/w d/日本 "q" <a,b>)(\\x'


def test_paths_are_absolute_whatever_they_are_made_of_and_however_a_process_came_to_its_directory():
    calls = {(call.tracee, call.name): call for call in parse(DASH)}
    assert calls[14721, "chdir"].paths == (AWKWARD,)
    assert calls[14722, "mkdir"].given == ("name",)
    assert calls[14722, "mkdir"].paths == (f"{AWKWARD}/name",)
    assert calls[14721, "openat"].paths == (f"{AWKWARD}/file",)
    assert calls[14721, "dup2"].descriptors == (f"{AWKWARD}/file",)
    assert calls[14721, "write"].descriptors == (f"{AWKWARD}/file",)
    assert calls[14722, "exit_group"].result == "?"
    assert not calls[14722, "exit_group"].succeeded


WAYS = r"""
9102 1796084000.100000 statx(AT_FDCWD</w/home>, "/w/case1/name", AT_STATX_SYNC_AS_STAT|AT_SYMLINK_NOFOLLOW, STATX_ALL, {stx_mask=STATX_ALL|STATX_MNT_ID, stx_attributes=0, stx_mode=S_IFDIR|0755, stx_size=4096, ...}) = 0
9102 1796084000.100100 openat(4</w/case1>, "name", O_RDONLY|O_NOFOLLOW|O_CLOEXEC|O_DIRECTORY) = 23</w/case1/name>
9102 1796084000.100200 newfstatat(23</w/case1/name>, "", {st_mode=S_IFDIR|0755, st_size=4096, ...}, AT_EMPTY_PATH) = 0
9102 1796084000.100300 unlinkat(23</w/case1/name>, "inside", 0) = -1 ENOENT (No such file or directory) (DELAYED)
9102 1796084000.100400 linkat(AT_FDCWD</w/home>, "../case1/mine", 23</w/case1/name>, "x", 0) = 0 <0.000021>
9102 1796084000.100500 symlink("../elsewhere", "/w/case1/name") = 0
9102 1796084000.100600 openat2(AT_FDCWD</w/home>, "/w/case1/name", {flags=O_WRONLY|O_CREAT|O_EXCL, mode=0666, resolve=0}, 24) = 9</w/case1/name>
""".lstrip()


def test_a_path_belongs_to_the_directory_that_is_given_with_it():
    assert [(call.name, call.paths, call.descriptors) for call in parse(WAYS)] == [
        ("statx", ("/w/case1/name",), ()),
        ("openat", ("/w/case1/name",), ("/w/case1",)),
        ("newfstatat", (), ("/w/case1/name",)),
        ("unlinkat", ("/w/case1/name/inside",), ("/w/case1/name",)),
        ("linkat", ("/w/case1/mine", "/w/case1/name/x"), ("/w/case1/name",)),
        ("symlink", ("/w/case1/name",), ()),
        ("openat2", ("/w/case1/name",), ()),
    ]


def test_delays_and_durations_are_no_part_of_a_result():
    calls = parse(WAYS)
    assert [call.delayed for call in calls] == [False, False, False, True, False, False, False]
    assert (calls[3].result, calls[3].error) == ("-1", "ENOENT")
    assert (calls[4].result, calls[4].error) == ("0", "")


PYTHON = r"""
8801 1796084001.000000 getcwd("/w/home", 4096) = 8
8801 1796084001.000100 open("name", O_WRONLY|O_CREAT|O_EXCL|O_CLOEXEC, 0666) = 3
8801 1796084001.000200 fchdir(7</w/case1>) = 0
8801 1796084001.000300 mkdir("name", 0777) = -1 EEXIST (File exists)
8801 1796084001.000400 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD, child_tidptr=0x7fb98e825a10) = 8802
8802 1796084001.000500 rmdir("name") = 0
8801 1796084001.000600 unlink(0x7fb98e825a10) = -1 EFAULT (Bad address)
8801 1796084001.000700 access("na
""".strip()


def test_a_relative_path_belongs_to_the_current_directory_of_its_process():
    calls = parse(PYTHON, "/w/home")
    assert [call.paths for call in calls if call.name in ("open", "mkdir", "rmdir")] == [
        ("/w/home/name",),
        ("/w/case1/name",),
        ("/w/case1/name",),
    ]


def test_a_pointer_that_was_not_read_is_no_path_and_a_line_that_is_not_all_there_is_no_call():
    assert [(call.name, call.paths) for call in parse(PYTHON)][-1] == ("unlink", ())


def test_process_numbers_may_stand_in_brackets_and_other_talk_is_passed_over():
    assert parse('strace: Process 12 attached\n\n[pid 7] 1.5 mkdir("/w/name", 0777) = 0\n5.5 close(3) = 0\n') == [
        Call(7, 1.5, "mkdir", ('"/w/name"', "0777"), "0", given=("/w/name",), paths=("/w/name",))
    ]


def escaped(path, brackets):
    """A path as strace prints it."""
    return "".join(
        f"\\{byte:o}"
        if byte > 126 or byte < 32 or (brackets and byte in b"<>")
        else {34: '\\"', 92: "\\\\"}.get(byte, chr(byte))
        for byte in path.encode()
    )


# A number that is followed by a digit is printed with three.
names = st.text(st.characters(blacklist_characters="\0/", blacklist_categories=("Cs", "Nd")), min_size=1).filter(
    lambda name: name not in (".", "..")
)


@given(names, names)
def test_any_name_comes_out_of_quotes_and_brackets_as_it_went_in(folder, name):
    line = f'1 1.5 openat(5</{escaped(folder, True)}>, "{escaped(name, False)}", O_RDONLY) = 6\n'
    (call,) = parse(line)
    assert (call.paths, call.descriptors) == ((f"/{folder}/{name}",), (f"/{folder}",))


@given(st.text())
def test_no_text_at_all_is_too_odd_to_be_taken_apart(text):
    parse(f"1 1.5 {text}\n1 2.5 openat({text}\n2 2.5 <... openat resumed>{text}\n")


# ---- For real


def test_where_nothing_can_be_traced_one_sentence_says_so(monkeypatch):
    monkeypatch.setattr(strace.shutil, "which", lambda name: None)
    strace.obstacle.cache_clear()
    try:
        assert strace.obstacle().endswith(".")
    finally:
        strace.obstacle.cache_clear()


def test_strace_that_may_not_trace_is_an_obstacle_with_its_own_words(monkeypatch, tmp_path):
    denied = tmp_path / "strace"
    denied.write_text(
        "#!/bin/sh\necho 'strace: test_ptrace_get_syscall_info: PTRACE_TRACEME: Operation not permitted' >&2\nexit 1\n",
        encoding="utf-8",
    )
    denied.chmod(0o755)
    monkeypatch.setattr(strace.shutil, "which", lambda name: str(denied))
    monkeypatch.setattr(strace.sys, "platform", "linux")
    strace.obstacle.cache_clear()
    try:
        if os.name == "posix":
            assert "PTRACE_TRACEME: Operation not permitted" in strace.obstacle()
    finally:
        strace.obstacle.cache_clear()


@pytest.fixture(params=["attached", "started"])
def probe(request, fake_argv, tmp_path):
    """An honest fake that can be traced, in both ways of coming under strace."""
    attach = request.param == "attached"
    if attach and not strace.may_attach():
        pytest.skip("running processes may not be traced here")
    talk = Traceable(Launch(fake_argv("honest")), tmp_path / "home", Limits(60, 60), attachable=attach)
    with talk:
        yield talk


def request(number, folder, call="open/x"):
    return Request(number, call, folder / "name", folder / "source", folder / "mine", f"claimed by {number}\n")


@traced
def test_the_calls_of_a_claim_are_in_the_log_when_its_answer_is_there(probe, tmp_path):
    folder = tmp_path / '日本 "q" <a,b>)(\\x'
    folder.mkdir()
    log = tmp_path / "log"
    with probe.traced(log, Filter()):
        (reply,) = probe.claims([request(1, folder)])
    assert reply.answer.said is Said.YES
    made = touches(parse(log.read_text(encoding="utf-8")), [str(folder / "name")])
    assert notation(made[0]) == "openat(O_CREAT|O_EXCL)"
    assert made[0].succeeded


@traced
def test_a_probe_goes_on_as_usual_after_it_was_traced(probe, tmp_path):
    plain = probe.launch
    with probe.traced(tmp_path / "log", Filter()):
        list(probe.claims([request(1, tmp_path)]))
    (reply,) = probe.claims([request(2, tmp_path)])
    assert reply.answer.said is Said.NO
    assert probe.launch is plain


@traced
def test_a_pause_lasts_until_it_is_over(probe, tmp_path):
    log = tmp_path / "log"
    with probe.traced(log, Filter(["openat", "close"], [str(tmp_path / "name")]), Pause(["openat"], 0.3, 1)):
        list(probe.claims([request(1, tmp_path)]))
    opened, closed = parse(log.read_text(encoding="utf-8"))[:2]
    assert (opened.name, opened.delayed, closed.name, closed.delayed) == ("openat", True, "close", False)
    assert closed.began - opened.began >= 0.3


@traced
def test_a_process_that_is_gone_cannot_be_attached_to(tmp_path):
    script = shlex.join([sys.executable, "-c", "import os; print(os.getpid())"])
    gone = int(run(shlex.split(script), limit=60).stdout)
    with pytest.raises(ClaimgridError, match="cannot attach"):
        strace._Attached(gone, [strace._program(), "-f", "-o", str(tmp_path / "log")])
