"""The detail of an increment, from stdin: read whole, and never waited for without end.

Used by `increment add`.
"""

from __future__ import annotations

from collections.abc import Iterator

from afterword.cli import acting
from afterword.cli.frame import Frame
from afterword.errors import AfterwordError, UsageError
from afterword.knowledge.review_text import MAX_BYTES
from afterword.snapshot import increment_body
from afterword.store import stdin

GIVE_FILE = "give it a file: afterword increment add ... < FILE"
# The options of what a detail may look like it says.
_OPTIONS = {
    "key": "--key",
    "value": "--value",
    "supersedes": "--supersedes",
    "resolves": "--resolves",
    "confidence": "--confidence",
    "author": "--author",
    "file": "--file",
    "part": "--part",
}


def read(frame: Frame) -> str:
    """The text on stdin without secrets, "" where there is none; nothing is waited for long."""
    try:
        data = stdin.read_text(0, MAX_BYTES)
    except TimeoutError:
        raise AfterwordError(
            "stdin: began and did not end, so nothing was added", hint=GIVE_FILE
        ) from None
    if data is None:
        frame.say("stdin: is open and nothing comes, so it is added without a detail")
        return ""
    if len(data) > MAX_BYTES:
        raise UsageError(
            f"stdin: is longer than {MAX_BYTES} bytes",
            hint="keep the long text in a file of its own, and name it with --file",
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"stdin: is not UTF-8 from byte {error.start} on",
            hint="convert it, such as: iconv -f GBK -t UTF-8 FILE | afterword increment add ...",
        ) from error
    return acting.text(frame, "stdin", text) if text.strip() else ""


def kept_as_text(text: str) -> Iterator[str]:
    """What is said of a detail that looks as if it gave a field."""
    lines = increment_body.Body(text.splitlines()).lines
    for field in increment_body.Fields(lines).values:
        option = _OPTIONS.get(field)
        give = f"; to give it, use {option}" if option else ""
        yield f"stdin: `{field}:` is kept as text{give}"
