"""`afterword merge-driver %O %A %B %P`: what git calls to merge a file of the memory.

`cli.main` hands git's own call to `merge.driver` before any of this is loaded; this
command is the same for a person who types it, with `--help`.
"""

from __future__ import annotations

import sys

import click

from afterword.cli.frame import command
from afterword.merge import driver


@command("merge-driver", context_settings={"ignore_unknown_options": True})
@click.argument("base", type=click.UNPROCESSED)
@click.argument("ours", type=click.UNPROCESSED)
@click.argument("theirs", type=click.UNPROCESSED)
@click.argument("path", type=click.UNPROCESSED)
def merge_driver(base: str, ours: str, theirs: str, path: str) -> None:
    """Merge BASE, OURS and THEIRS into OURS; PATH is the file's own, from the top.

    git calls it as `merge-driver %O %A %B %P`. Exit 0: merged. 1: OURS holds markers
    where both sides contradict. 2: OURS is untouched, git's own merge has to do it.
    """
    sys.exit(driver.main((base, ours, theirs, path)))
