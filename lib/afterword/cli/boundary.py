"""The one place where a command's failure becomes a message and an exit code.

Expected errors, usage errors, a full disk, Ctrl-C and everything else (CLI.md, "Exit
codes"); with `--json` a failure is one object on stdout. Commands raise and know
nothing of this.
"""

from __future__ import annotations

import errno
import io
import os
import sys
import tempfile
import traceback
from collections.abc import Sequence

import click

from afterword import __version__
from afterword.cli import table, wording
from afterword.cli.frame import Frame, visible, write
from afterword.errors import AfterwordError
from afterword.lifecycle import failure
from afterword.store import jsonline, layout, stamp

DONE, REFUSED, USAGE, UNEXPECTED, INTERRUPTED = 0, 1, 2, 3, 130

# What a disk says when it is the disk's fault and not ours.
_DISK = {
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EFBIG,
    errno.EROFS,
    errno.EACCES,
    errno.EPERM,
    errno.EIO,
}


def run(arguments: Sequence[str]) -> int:
    """Run one command; its exit code."""
    _speak_utf8()
    frame = Frame()
    try:
        code = _run(list(arguments), frame)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _drop_stdout()
        return DONE  # the reader has seen what it wanted to see
    except BaseException as error:
        code = _failed(error, frame, arguments)
        _flush_or_drop()
        return code


def _flush_or_drop() -> None:
    """What a full disk would not take has been told; the interpreter must not try again."""
    try:
        sys.stdout.flush()
    except OSError:
        _drop_stdout()


def _run(arguments: list[str], frame: Frame) -> int:
    try:
        if "_AFTERWORD_COMPLETE" in os.environ:  # a shell asks what could be typed
            table.root.main(arguments, prog_name="afterword")
        with table.root.make_context("afterword", arguments, obj=frame) as context:
            table.root.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else DONE
    return DONE


def _speak_utf8() -> None:
    """Both streams in UTF-8 with plain newlines, whatever the locale says."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace", newline="\n")


def _drop_stdout() -> None:
    """Nobody reads it: what is buffered goes nowhere, also at the interpreter's end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _failed(error: BaseException, frame: Frame, arguments: Sequence[str]) -> int:
    shown = _describe(error)
    if shown is None:
        shown = _unexpected(error, frame)
    code, name, message, hint = shown
    message, hint = frame.typed(message), frame.typed(hint)
    if frame.json or _asks_for_json(arguments):
        _show_json(name, message, hint)
    elif isinstance(error, click.exceptions.NoArgsIsHelpError):
        write(frame.typed(error.format_message()).encode() + b"\n")
    else:
        _show(message, hint)
    return code


def _describe(error: BaseException) -> tuple[int, str, str, str] | None:
    """Exit code, short name, message and hint; None for what nobody expected."""
    if isinstance(error, AfterwordError):
        return error.exit_code, error.code, error.message, error.hint
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return USAGE, "usage", "Missing command", _usage_hint(error)
    if isinstance(error, click.UsageError):
        return USAGE, "usage", wording.of(error), _usage_hint(error)
    if isinstance(error, click.ClickException):
        return error.exit_code, "refused", error.format_message(), ""
    if isinstance(error, KeyboardInterrupt | click.Abort):
        return INTERRUPTED, "interrupted", "interrupted", ""
    if isinstance(error, OSError) and error.errno in _DISK:
        where = f"{error.filename}: " if error.filename else ""
        hint = "nothing was half written; make room or mend the rights, then repeat"
        return REFUSED, "disk", f"{where}{error.strerror}", hint
    return None


def _usage_hint(error: click.UsageError) -> str:
    path = error.ctx.command_path if error.ctx else "afterword"
    return f"see: {path} --help"


def _unexpected(error: BaseException, frame: Frame) -> tuple[int, str, str, str]:
    """One line, and the traceback in a log whose path it names."""
    text = "".join(traceback.format_exception(error))
    path = _log(text, frame)
    kind = type(error).__name__
    message = f"unexpected {kind}: {' '.join(str(error).split())[:200]} (log: {path})"
    return UNEXPECTED, "unexpected", message, ""


def _log(text: str, frame: Frame) -> str:
    """Keep a traceback in the store's log, else in a file of its own; its path."""
    what = f"afterword {__version__}, command"
    try:
        store = layout.find(frame.repo or os.getcwd())
        if store is not None and stamp.ours(store):
            failure.keep(store, what, text)
            return store.local_path(failure.LOG_NAME)
    except (
        Exception
    ):  # what failed may fail here as well; a file of its own can take it
        text += traceback.format_exc()
    try:
        descriptor, path = tempfile.mkstemp(prefix="afterword-", suffix=".log")
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
            file.write(f"{what}\n{text}")
    except OSError as error:
        return f"none could be written: {error.strerror}"
    return path


def _asks_for_json(arguments: Sequence[str]) -> bool:
    """Whether `--json` was typed, for failures before the options were read."""
    words = list(arguments)
    end = words.index("--") if "--" in words else len(words)
    return "--json" in words[:end]


def _show_json(name: str, message: str, hint: str) -> None:
    value = {"error": {"code": name, "message": message, "hint": hint}}
    try:
        write(jsonline.to_line(value))
        sys.stdout.flush()
    except OSError:
        _show(message, hint)  # nobody takes it; the exit code says it as well


def _show(message: str, hint: str) -> None:
    _tell(visible(f"afterword: {message}\n" + (f"{hint}\n" if hint else "")))


def _tell(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        _drop_stdout()
