"""HEAD as it may be written down: a branch name that looks like a secret is withheld.

The ledger's envelope, open files and session records all take the name from here.
Part of a hook's path: standard library only.
"""

from afterword.store.git.head import GitPlace, Head, read_head

WITHHELD = "(withheld)"
# A shorter part of a name, or one without a digit, is no token of any known shape.
_SHORTEST = 16


def read(place: GitPlace) -> Head:
    """HEAD, its branch replaced by `WITHHELD` where the name looks like a secret."""
    found = read_head(place)
    if found.branch and _may_hold_a_token(found.branch):
        from afterword.store import secrets

        if secrets.is_doubtful(found.branch):
            return found.replace(branch=WITHHELD)
    return found


def _may_hold_a_token(branch: str) -> bool:
    """Whether the slow look is worth it: on most branches it is not."""
    return any(
        len(part) >= _SHORTEST and any(char.isdigit() for char in part)
        for part in branch.split("/")
    )
