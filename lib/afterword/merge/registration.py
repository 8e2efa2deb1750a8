"""How git comes to call the driver: the keys of a clone's configuration.

The driver's line is POSIX shell and holds for ever: it finds the tool at each merge
and hands the file to git's own merge where the tool does not do it. Pure.
"""

from __future__ import annotations

NAME = "afterword"
ATTRIBUTES = "merge=afterword text eol=lf"
# git hands %O %A %B as plain names and %P quoted. Exit 0 and 1 of the tool count, 1
# only with markers in the file: an interpreter that fails to start also exits 1, and git
# would then keep our side and drop theirs without a word.
DRIVER = (
    "t=$(git config --local --get afterword.tool);"
    ' if [ -x "$t" ]; then "$t" merge-driver %O %A %B %P; s=$?;'
    " [ $s -eq 0 ] && exit 0;"
    " [ $s -eq 1 ] && grep -q '^<<<<<<<' %A && exit 1; fi;"
    " git merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B || exit 1"
)


def describe_registration(tool: str) -> dict[str, str]:
    """The keys and values that install writes: where the tool is, how git calls it.

    `recursive` keeps the driver from merging ancestors that never existed.
    """
    return {
        "afterword.tool": tool,
        f"merge.{NAME}.name": "afterword: merges the records of the project's memory",
        f"merge.{NAME}.driver": DRIVER,
        f"merge.{NAME}.recursive": "binary",
    }
