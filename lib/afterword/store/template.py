"""The one shape of front matter that the program itself writes, and its fast reader.

Part of a hook's path, so no YAML library: a fixed template, which the tests read
again with two strict parsers (spec/episodes 4.4, DESIGN 13). Any other shape is
the business of `store.frontmatter`. Imports `store.jsonline` only.
"""

from __future__ import annotations

from afterword.store import jsonline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    Scalar = str | int | float | bool
    Mapping = dict[str, Scalar | list[Scalar]]
    Value = Scalar | list[Scalar] | list[dict[str, Scalar]] | Mapping

_FENCE = "---\n"
_BOM = b"\xef\xbb\xbf"
# What YAML takes for a line break or refuses to hold in a quoted scalar.
_BREAKS = dict.fromkeys([*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029], " ")
_FLAT = {**_BREAKS, 0xFFFE: "\ufffd", 0xFFFF: "\ufffd"}
_BODY = {code: new for code, new in _FLAT.items() if code not in (0x09, 0x0A)}

_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_DIGITS = frozenset("0123456789")
_BARE = _LETTERS | _DIGITS | frozenset("._/:@+-=,~")
_KEY = _LETTERS | _DIGITS | frozenset("_-")
# Words that YAML 1.1 or 1.2 reads as something else than text.
_RESERVED = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null"])
# Letters that occur in YAML's numbers and time stamps; any other letter rules those out.
_NUMBERISH = frozenset("eExXoObBtTzZ")


class Plain(str):
    """Text written without quotes where YAML reads it back as the same text, else quoted.

    For ids, references, class names and dates; a plain `str` is always quoted.
    """

    __slots__ = ()


def flat(text: str) -> str:
    """The text as a quoted scalar keeps it: each control or line break is one space."""
    return jsonline.clean(text).translate(_FLAT)


def quoted(text: str) -> str:
    r"""A YAML double-quoted scalar of `flat(text)`; only `\` and `"` are escaped."""
    return '"' + flat(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def render(fields: list[tuple[str, Value]], body: str = "") -> bytes:
    """The file: front matter in the given order, a blank line, the body with LF ends.

    Controls in the body but newline and tab become spaces; an empty body leaves the
    front matter alone. Raises `ValueError` for a key outside `[A-Za-z0-9_-]`.
    """
    front = [line + "\n" for key, value in fields for line in lines(key, value)]
    head = _FENCE + "".join(front) + _FENCE
    return (head + _finished(body)).encode()


def _finished(body: str) -> str:
    text = jsonline.clean(body).replace("\r\n", "\n").replace("\r", "\n")
    text = text.translate(_BODY).strip("\n")
    return f"\n{text}\n" if text.strip() else ""


def lines(key: str, value: Value) -> list[str]:
    """One key and its value as the lines of the template, without line ends."""
    name = _checked(key)
    if isinstance(value, dict):
        return [f"{name}:", *_mapping(value)] if value else [f"{name}: {{}}"]
    if isinstance(value, list):
        return [f"{name}:", *_items(value)] if value else [f"{name}: []"]
    return [f"{name}: {scalar(value)}"]


def _mapping(values: Mapping) -> list[str]:
    return ["  " + line for key, one in values.items() for line in lines(key, one)]


def _items(values: list[Scalar] | list[dict[str, Scalar]]) -> list[str]:
    lines = []
    for value in values:
        if isinstance(value, dict):
            pairs = [f"{_checked(key)}: {scalar(one)}" for key, one in value.items()]
            lines += [
                f"  {'  ' if at else '- '}{pair}" for at, pair in enumerate(pairs)
            ]
        else:
            lines.append(f"  - {scalar(value)}")
    return lines


def _checked(key: str) -> str:
    if not _is_key(key):
        raise ValueError(f"not a front-matter key: {key[:40]!r}")
    return key


def _is_key(key: str) -> bool:
    if key[:1] not in _LETTERS or key.lower() in _RESERVED:
        return False
    return _KEY.issuperset(key)


def scalar(value: Scalar) -> str:
    """One value as the template writes it: bare where that is safe and asked for, else quoted."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(
        value, float
    ):  # never with an exponent, which YAML 1.1 takes for text
        return _decimal(value)
    return str(value) if isinstance(value, Plain) and is_bare(value) else quoted(value)


def _decimal(value: float) -> str:
    """At most six digits behind the point, at least one."""
    whole, _, rest = f"{value:.6f}".partition(".")
    return f"{whole}.{rest.rstrip('0') or '0'}"


def is_bare(text: str) -> bool:
    """Whether YAML 1.1 and 1.2 read the text without quotes as the same text.

    A calendar date counts as text: both of our readers give it back as such.
    """
    if not text or not _BARE.issuperset(text) or text[-1] == ":":
        return False
    if text[0] in _LETTERS:
        return text.lower() not in _RESERVED
    if text[0] == ".":  # a path; `.5` and `.inf` are numbers
        return "/" in text
    return text[0] in _DIGITS and (_is_word(text) or _is_date(text))


def _is_word(text: str) -> bool:
    """Begins with a digit, yet is neither number nor time stamp (a sha, an id, a file name)."""
    if text[0] == "0" and text[1:2] in ("x", "X", "o", "O", "b", "B"):
        return False
    head, _, rest = text.partition("-")
    if "-" in rest and len(head) != 4:  # two dashes, yet no year before them
        return True
    return not _LETTERS.isdisjoint(set(text) - _NUMBERISH)


def _is_date(text: str) -> bool:
    if len(text) != 10 or text[4] != "-" or text[7] != "-":
        return False
    digits = text[:4] + text[5:7] + text[8:]
    if not _DIGITS.issuperset(digits):
        return False
    year, month, day = int(digits[:4]), int(digits[4:6]), int(digits[6:])
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    return year > 0 and 0 < month <= 12 and 0 < day <= days[month - 1]


def quick_fields(data: bytes) -> dict[str, Value] | None:
    """The front matter of a file that `render` wrote; `None` when it has any other shape.

    CRLF and a byte order mark are accepted. `None` does not mean damaged: ask
    `store.frontmatter`.
    """
    span = front_span(data)
    if span is None:
        return None
    try:
        text = data[span[0] : span[1]].replace(b"\r\n", b"\n").decode()
        return _Reader(text.split("\n")[:-1]).fields()
    except (UnicodeDecodeError, _OtherShapeError):
        return None


def any_fields(data: bytes) -> dict[str, Value] | None:
    """`quick_fields`, else what the strict reader makes of the shape a person gave it.

    `None` when there is no front matter or none that can be read. The strict reader,
    with its YAML library, is loaded only then.
    """
    found = quick_fields(data)
    if found is not None or front_span(data) is None:
        return found
    from afterword.errors import AfterwordError

    try:
        from afterword.store import frontmatter

        parsed: dict[str, Value] = frontmatter.parse(data, "front matter")
    except (AfterwordError, ImportError):
        return None
    return parsed or None


def body(data: bytes) -> bytes:
    """What stands below the front matter, the blank line after it left out; all if there is none."""
    span = front_span(data)
    rest = data[span[2] :] if span else data
    for blank in (b"\r\n", b"\n"):
        if span and rest.startswith(blank):
            return rest[len(blank) :]
    return rest


def front_span(data: bytes) -> tuple[int, int, int] | None:
    """Start and end of the front matter's lines, and where the body begins; or `None`."""
    start = len(_BOM) if data.startswith(_BOM) else 0
    first = data.find(b"\n", start) + 1
    if not first or data[start:first].rstrip() != b"---":
        return None
    at = data.find(b"\n---", first - 1)
    while at >= 0:
        end = data.find(b"\n", at + 1)
        after = end + 1 if end >= 0 else len(data)
        if data[at + 1 : after].rstrip() == b"---":
            return first, at + 1, after
        at = data.find(b"\n---", at + 1)
    return None


class _OtherShapeError(Exception):
    """The file is not of the template."""


class _Reader:
    """Reads the lines of one front matter, from the first to the last, without looking back."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0

    def fields(self) -> dict[str, Value]:
        found: dict[str, Value] = {}
        while self._at < len(self._lines):
            key, rest = self._pair("")
            if key in found:
                raise _OtherShapeError
            found[key] = _read(rest) if rest else self._block()
        return found

    def _peek(self, indent: str) -> bool:
        """Whether the next line exists and begins with exactly this indent."""
        if self._at >= len(self._lines):
            return False
        line = self._lines[self._at]
        return line.startswith(indent) and line[len(indent) : len(indent) + 1] != " "

    def _pair(self, indent: str) -> tuple[str, str]:
        if not self._peek(indent):
            raise _OtherShapeError
        line = self._lines[self._at][len(indent) :]
        self._at += 1
        return _split(line)

    def _block(self) -> Value:
        if self._peek("  - "):
            return self._list("  ")
        found: Mapping = {}
        while self._peek("  "):
            key, rest = self._pair("  ")
            if key in found:
                raise _OtherShapeError
            found[key] = _read_word(rest) if rest else self._words()
        if not found:
            raise _OtherShapeError
        return found

    def _words(self) -> list[Scalar]:
        found = self._list("    ")
        if not found or isinstance(found[0], dict):
            raise _OtherShapeError
        return found

    def _list(self, indent: str) -> list[Scalar] | list[dict[str, Scalar]]:
        found: list[object] = []
        while self._peek(indent + "- "):
            item = self._lines[self._at][len(indent) + 2 :]
            self._at += 1
            is_map = not item.startswith('"') and ": " in item
            found.append(
                self._map(item, indent + "  ") if is_map else _read_scalar(item)
            )
        if len({isinstance(one, dict) for one in found}) > 1:
            raise _OtherShapeError
        return found  # type: ignore[return-value]

    def _map(self, first: str, indent: str) -> dict[str, Scalar]:
        key, rest = _split(first)
        found = {key: _read_scalar(rest)}
        while self._peek(indent) and not self._peek(indent + "- "):
            key, rest = self._pair(indent)
            if key in found:
                raise _OtherShapeError
            found[key] = _read_scalar(rest)
        return found


def _split(line: str) -> tuple[str, str]:
    """Key and the text of its value, which is empty when a block follows."""
    key, colon, rest = line.partition(":")
    if not colon or not _is_key(key) or (rest and (rest[0] != " " or rest == " ")):
        raise _OtherShapeError
    return key, rest[1:]


def _read(text: str) -> Value:
    return {} if text == "{}" else _read_word(text)


def _read_word(text: str) -> Scalar | list[Scalar]:
    return [] if text == "[]" else _read_scalar(text)


def _read_scalar(text: str) -> Scalar:
    if text[:1] == '"':
        return _unquoted(text)
    if text in ("true", "false"):
        return text == "true"
    if text == "0" or (text.isdigit() and text[0] != "0" and len(text) < 19):
        return int(text) if text.isascii() else _other()
    whole, point, rest = text.partition(".")
    if point and whole.isdigit() and rest.isdigit() and len(text) < 19:
        value = float(text) if text.isascii() else 0.0
        return value if _decimal(value) == text else _other()
    return text if is_bare(text) else _other()


def _other() -> NoReturn:
    raise _OtherShapeError


def _unquoted(text: str) -> str:
    if len(text) < 2 or text[-1] != '"' or flat(text) != text:
        raise _OtherShapeError
    pieces = text[1:-1].split("\\\\")
    for piece in pieces:
        bare = piece.replace('\\"', "")
        if '"' in bare or "\\" in bare:
            raise _OtherShapeError
    return "\\".join(piece.replace('\\"', '"') for piece in pieces)
