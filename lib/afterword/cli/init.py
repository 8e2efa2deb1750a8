"""`afterword init`: create `.ai/` in a repository, overwriting nothing."""

from __future__ import annotations

from afterword.cli.frame import Frame, command, pass_frame
from afterword.store import layout


@command("init")
@pass_frame
def init(frame: Frame) -> None:
    """Create the .ai/ tree in this repository; what exists is left as it is."""
    from afterword.install import tree

    root = layout.repository(frame.start).root
    created = tree.create(root)
    if frame.json:
        frame.emit({"root": root, "created": created})
        return
    for path in created:
        frame.out(f"created {path}")
    if not created:
        frame.say("all of .ai/ is there already: nothing created")
