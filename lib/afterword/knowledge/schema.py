"""The shape that a record's front matter must have, as pydantic models.

Records come from other people's branches and editors, so whatever a command reads is
validated here; the closed sets stand in `knowledge.record`. Commands only, never on
a hook's path.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictStr,
    ValidationError,
)

from afterword.knowledge import record
from afterword.model import Model

_DATE = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])")
_TAG = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_HASH = re.compile(r"[0-9a-f]{64}")


class Problem(Model):
    """One thing that is wrong with a record: the finding's code, its words, the key it stands at."""

    code: str
    message: str
    key: str = ""


def _matches(pattern: re.Pattern[str]) -> AfterValidator:
    def check(text: str) -> str:
        if not pattern.fullmatch(text):
            raise ValueError
        return text

    return AfterValidator(check)


def _one_of(*words: str) -> AfterValidator:
    def check(text: str) -> str:
        if text not in words:
            raise ValueError
        return text

    return AfterValidator(check)


def _filled(text: str) -> str:
    if not text.strip():
        raise ValueError
    return text


def _identity(text: str) -> str:
    if not record.is_id(text):
        raise ValueError
    return text


Text = Annotated[StrictStr, AfterValidator(_filled)]
Identity = Annotated[StrictStr, AfterValidator(_identity)]
Tag = Annotated[StrictStr, _matches(_TAG)]


class _Closed(BaseModel):
    """A key that is not named here is an error, not a surprise."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Provenance(_Closed):
    """Where a record comes from; `derived_from` are `<kind>:<identity>` references."""

    origin: Annotated[StrictStr, _one_of(*record.ORIGINS)]
    derived_from: list[StrictStr] = []


class Relation(_Closed):
    """What a record says of something else; `target` is a reference too."""

    type: Annotated[StrictStr, _one_of(*record.RELATIONS)]
    target: StrictStr


class Record(_Closed):
    """The front matter of `knowledge/v1`, keys as in the file but for `schema` and `class`."""

    schema_: Annotated[StrictStr, _one_of(record.SCHEMA)] = Field(alias="schema")
    id: Identity
    kind: Annotated[StrictStr, _one_of(record.KIND)]
    class_: Annotated[StrictStr, _one_of(*record.CLASSES)] = Field(alias="class")
    title: Text
    description: Text
    status: Annotated[StrictStr, _one_of(*record.STATUSES)]
    superseded_by: Identity | None = None
    epistemics: Annotated[StrictStr, _one_of(*record.EPISTEMICS)]
    date: Annotated[StrictStr, _matches(_DATE)]
    tags: list[Tag] = []
    provenance: Provenance | None = None
    promoted: Annotated[StrictStr, _matches(_HASH)] | None = None
    relations: list[Relation] = []


_WANTED = {
    "schema": f"must be {record.SCHEMA}",
    "id": "must match [A-Za-z0-9][A-Za-z0-9._-]{0,127}",
    "kind": f"must be {record.KIND}",
    "class": f"must be one of {', '.join(record.CLASSES)}",
    "title": "must be a text that is not empty",
    "description": "must be a text that is not empty",
    "status": f"must be one of {', '.join(record.STATUSES)}",
    "superseded_by": "must be the id of a record",
    "epistemics": f"must be one of {', '.join(record.EPISTEMICS)}",
    "date": "must be YYYY-MM-DD",
    "tags": "must be a list of words such as decision or port-8080",
    "provenance": f"must hold origin, one of {', '.join(record.ORIGINS)}, and derived_from, a list",
    "promoted": "must be the 64 hex digits that promote wrote",
    "relations": f"must be a list of type, one of {', '.join(record.RELATIONS)}, and target",
}
_CODES = {"relations": "relation"}


def validate(fields: Mapping[str, Any]) -> tuple[Record | None, tuple[Problem, ...]]:
    """The record, or None and everything that is wrong with its front matter, in file order."""
    try:
        return Record.model_validate(dict(fields)), ()
    except ValidationError as error:
        found = [
            _problem(entry["loc"], entry["type"], fields) for entry in error.errors()
        ]
    return None, tuple({(one.code, one.message): one for one in found}.values())


def _problem(
    place: tuple[int | str, ...], kind: str, fields: Mapping[str, Any]
) -> Problem:
    key = str(place[0])
    if kind == "extra_forbidden":
        name = ".".join(str(part) for part in place)
        return Problem(
            code="unknown_key", message=f"{name}: not a key of a record", key=key
        )
    code = _CODES.get(key, key)
    if kind == "missing" and len(place) == 1:
        return Problem(code=code, message=f"{key} is missing: {_WANTED[key]}")
    return Problem(
        code=code,
        message=f"{key} {_WANTED[key]}, not {_shown(fields.get(key))}",
        key=key,
    )


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
