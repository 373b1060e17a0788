"""What only Windows has, driven by a kernel that only notes what is asked of it."""

import ctypes
import os
import sys
from pathlib import Path

import pytest

from harness import scratch, windows


class Kernel:
    """Answers as kernel32 would; `calls` are the names of what was called, with what the handles were."""

    def __init__(self, **answers):
        self.calls = []
        self.answers = answers

    def __getattr__(self, name):
        def call(*arguments):
            self.calls.append(
                (name, *(each.value if isinstance(each, ctypes.c_void_p) else each for each in arguments))
            )
            answer = self.answers.get(name, 1)
            return answer(*arguments) if callable(answer) else answer

        return call

    @property
    def names(self):
        return [name for name, *_ in self.calls]


def test_a_job_ends_with_its_maker_and_takes_processes_by_their_handles():
    flags = []

    def set_information(handle, which, limits, size):
        flags.append((which, ctypes.cast(limits, ctypes.POINTER(windows._Limits)).contents.flags, size))
        return 1

    kernel = Kernel(CreateJobObjectW=77, SetInformationJobObject=set_information)
    job = windows.Job(kernel)
    assert job.take(1234)
    assert flags == [(9, 0x2000, 144 if ctypes.sizeof(ctypes.c_void_p) == 8 else 112)]
    assert kernel.calls[-1] == ("AssignProcessToJobObject", 77, 1234)
    job.end()
    job.end()
    assert kernel.names[-2:] == ["TerminateJobObject", "CloseHandle"]
    assert kernel.names.count("CloseHandle") == 1


def test_streams_beside_the_content_are_found_and_the_search_is_closed():
    names = iter([("::$DATA", 3), (":hidden:$DATA", 7), (":a:$DATA", 1)])

    def fill(data):
        found = next(names, None)
        if found is None:
            return 0
        stream = ctypes.cast(data, ctypes.POINTER(windows._Stream)).contents
        stream.name, stream.size = found
        return 5

    kernel = Kernel(
        FindFirstStreamW=lambda path, level, data, flags: fill(data), FindNextStreamW=lambda search, data: fill(data)
    )
    assert windows.streams("C:\\x", kernel) == [(":a:$DATA", 1), (":hidden:$DATA", 7)]
    assert kernel.calls[-1] == ("FindClose", 5)


@pytest.mark.parametrize("nothing", [None, -1, ctypes.c_void_p(-1).value])
def test_where_there_are_no_streams_there_is_nothing_to_close(nothing):
    kernel = Kernel(FindFirstStreamW=nothing)
    assert windows.streams("C:\\x", kernel) == []
    assert kernel.names == ["FindFirstStreamW"]


def test_the_filesystem_is_asked_of_the_volume_that_the_folder_is_on():
    def volume(folder, buffer, size):
        buffer.value = "\\\\server\\share\\"
        return 1

    def information(root, *more):
        assert root.value == "\\\\server\\share\\"
        more[-2].value = "ReFS"
        return 1

    kernel = Kernel(GetVolumePathNameW=volume, GetVolumeInformationW=information, GetDriveTypeW=3)
    assert windows.volume_filesystem(Path("x"), kernel) == "ReFS"
    assert windows.volume_filesystem(Path("x"), Kernel(GetVolumePathNameW=0)) == ""
    assert windows.volume_filesystem(Path("x"), Kernel(GetVolumePathNameW=volume, GetVolumeInformationW=0)) == ""


def test_a_share_is_not_taken_for_the_disk_of_its_server():
    kernel = Kernel(GetDriveTypeW=4)
    assert windows.volume_filesystem(Path("x"), kernel) == "SMB"
    assert "GetVolumeInformationW" not in kernel.names


@pytest.mark.parametrize("answers", [{"CreateJobObjectW": None}, {"SetInformationJobObject": 0}])
def test_a_process_is_not_started_without_a_job_that_ends_it(answers):
    kernel = Kernel(**{"CreateJobObjectW": 77, **answers})
    with pytest.raises(OSError, match="job object"):
        windows.Job(kernel)
    assert ("CloseHandle" in kernel.names) == (answers.get("CreateJobObjectW", 77) is not None)


def test_a_batch_file_gets_every_word_in_quotes_and_a_program_its_words():
    assert windows.command_line(["node.exe", "a b", "&"]) == ["node.exe", "a b", "&"]
    line = windows.command_line([r"C:\Program Files (x86)\npm.CMD", "install", r"C:\R&D", "日本語"], r"C:\cmd.exe")
    assert line == r'"C:\cmd.exe" /d /v:off /s /c ""C:\Program Files (x86)\npm.CMD" "install" "C:\R&D" "日本語""'


@pytest.mark.parametrize("word", ['a"b', "%PATH%", "a\nb"])
def test_what_a_batch_file_would_get_changed_is_refused(word):
    with pytest.raises(OSError, match="as it is"):
        windows.command_line(["x.bat", word])


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("node@22", '"node@22"'),
        ("node:fs.openSync/wx", "node:fs.openSync/wx"),
        ("cmd:redirect/>", '"cmd:redirect/>"'),
        ("cmd:mkdir/||", '"cmd:mkdir/||"'),
        ("C:\\a b\\", '"C:\\a b\\\\"'),
        ('say "x"', '"say \\"x\\""'),
        ("", '""'),
    ],
)
def test_a_word_to_paste_on_windows_is_in_quotes_when_a_shell_would_see_more_in_it(word, shown):
    assert windows.quoted_word(word) == shown


@pytest.mark.skipif(os.name == "nt", reason="there the real thing is tested")
def test_what_something_holds_is_tried_again_on_windows_then_left_and_told(tmp_path, monkeypatch, capsys):
    tried = []
    monkeypatch.setattr(scratch.sys, "platform", "win32")
    monkeypatch.setattr(scratch, "_PATIENCE_SECONDS", 0.3)
    monkeypatch.setattr(scratch, "_PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(scratch, "remove_tree", lambda folder: tried.append(folder) and False)
    folder = tmp_path / "held"
    folder.mkdir()
    scratch._remove(folder, os.open(tmp_path / "lock", os.O_CREAT | os.O_RDWR))
    assert len(tried) > 3
    assert f"left behind: {folder}" in capsys.readouterr().err


def test_nothing_of_windows_is_loaded_elsewhere():
    if sys.platform != "win32":
        with pytest.raises(AttributeError):
            windows.kernel32()
