"""JSON in one line, for the ledger, caches and hook payloads.

Uses the C parts of the standard library's json only: `import json` pulls in `re`
and costs a hook 0.75 of a bare interpreter (ARCHITECTURE.md, "What a hook may
import"). Falls back to `json` where those parts are missing.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def first_wins(pairs: "list[tuple[str, Any]]") -> "dict[str, Any]":
    """The first of a doubled key counts: old ledgers carry `event` twice (spec/episodes 12.7)."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        found.setdefault(key, value)
    return found


def _refuse_constant(name: str) -> "Any":
    raise ValueError(f"{name} is not JSON")


def _refuse_value(value: object) -> "Any":
    raise TypeError(f"{type(value).__name__} is not JSON")


class _Context:
    """What the C scanner reads its settings from."""

    strict = False
    object_hook = None
    object_pairs_hook = staticmethod(first_wins)
    parse_float = float
    parse_int = int
    parse_constant = staticmethod(_refuse_constant)
    memo: "dict[str, str]" = {}  # noqa: RUF012 the scanner wants an attribute; it is never shared


_BLANK = " \t\r\n"

try:
    from _json import encode_basestring as _quote
    from _json import make_encoder as _make_encoder
    from _json import make_scanner as _make_scanner
except ImportError:  # an interpreter without the C parts
    import json

    def loads(text: str) -> "Any":
        return json.loads(
            text, object_pairs_hook=first_wins, parse_constant=_refuse_constant
        )

    def dumps(value: object) -> str:
        return json.dumps(
            value, ensure_ascii=False, separators=(",", ":"), allow_nan=False
        )

else:
    _scan = _make_scanner(_Context)  # type: ignore[arg-type]
    _encode = _make_encoder(
        None, _refuse_value, _quote, None, ":", ",", False, False, False
    )

    def loads(text: str) -> "Any":
        """One JSON value, the first of a doubled key; `ValueError` for anything else."""
        start = len(text) - len(text.lstrip(_BLANK))
        try:
            value, end = _scan(text, start)
        except StopIteration as error:
            raise ValueError(f"no JSON value at character {error.value}") from None
        except (
            SystemError
        ):  # the C scanner found an error and no json.decoder to name it
            raise ValueError("not JSON, or cut short") from None
        except RecursionError:
            raise ValueError("JSON nested too deeply") from None
        if text[end:].strip(_BLANK):
            raise ValueError(f"more than one JSON value, at character {end}")
        return value

    def dumps(value: object) -> str:
        """The value in one line without spaces, non-ASCII text kept, keys in given order."""
        return "".join(_encode(value, 0))


def clean(text: str) -> str:
    """The text with lone surrogates replaced, so that it can be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def to_line(value: object) -> bytes:
    """One line of a JSONL file, its newline included, always valid UTF-8."""
    return clean(dumps(value)).encode() + b"\n"
