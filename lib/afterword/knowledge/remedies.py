"""What to do about each fault of a record: the words that follow a finding.

One table, so that `knowledge check`, doctor and the acts of review say the same.
"""

from __future__ import annotations

from collections.abc import Callable

from afterword.knowledge.shelf import CURATED, Shelved


def of(code: str, one: Shelved) -> str:
    """What to type or edit for a fault with that code in this file; never empty."""
    return _REMEDIES.get(code, _mend)(one)


def _promote(one: Shelved) -> str:
    return f"afterword knowledge promote {one.stem} < EVIDENCE"


def _again(one: Shelved) -> str:
    """A curated record that was edited needs a person once more."""
    return f"; then: {_promote(one)}" if one.shelf == CURATED else ""


def _mend(one: Shelved) -> str:
    return f"mend {one.path} by hand, or take git's: git checkout -- {one.path}"


def _markers(one: Shelved) -> str:
    return (
        f"edit {one.path}: delete the side that does not hold, and the marker lines"
        f" themselves; then: git add {one.path}{_again(one)}"
    )


def _promoted(one: Shelved) -> str:
    return (
        f"stand behind it as it is now: {_promote(one)}"
        f" (or take git's: git checkout -- {one.path})"
    )


def _status(one: Shelved) -> str:
    if one.shelf == CURATED:
        return f"mv {one.path} to the candidates, then: {_promote(one)}"
    return f"write `status: candidate` in {one.path}, then: {_promote(one)}"


def _secret(one: Shelved) -> str:
    return f"revoke it, and take it out of {one.path}{_again(one)}"


def _transcript(one: Shelved) -> str:
    return f"say it in your own words in {one.path}{_again(one)}"


def _duplicate(_: Shelved) -> str:
    return "compare the files, and delete the one that is wrong"


def _reference(one: Shelved) -> str:
    return f"mend the reference in {one.path}, or restore what it names"


_REMEDIES: dict[str, Callable[[Shelved], str]] = {
    "merge_markers": _markers,
    "promoted": _promoted,
    "status": _status,
    "secret": _secret,
    "transcript": _transcript,
    "duplicate_id": _duplicate,
    "reference": _reference,
}
