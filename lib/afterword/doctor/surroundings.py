"""The environment: variables that change what hooks and commands do, or seem to."""

from __future__ import annotations

from collections.abc import Iterator

from afterword.doctor.scene import Scene
from afterword.finding import INFO, WARNING, Finding

PREFIX = "AFTERWORD_"
_READ = {
    "AFTERWORD_DISABLE": "",
    "AFTERWORD_EPISODE": "",
    "AFTERWORD_NOW": "the clock of afterword stands still at that time",
    "AFTERWORD_DRY_RUN": "hooks say what they would do and do nothing",
}


def check(scene: Scene) -> Iterator[Finding]:
    """Variables of our name: off switches, test switches, and those that nothing reads."""
    for name in sorted(scene.environment):
        if not name.startswith(PREFIX):
            continue
        value = scene.environment[name]
        if name not in _READ:
            yield Finding(
                severity=WARNING,
                code="unread-variable",
                message=f"{name} is set, but nothing reads it: the memory of {scene.store.root} is in its .ai/",
                fix=f"unset {name}; to move the records, set paths: in .ai/config.yaml",
            )
        elif name == "AFTERWORD_DISABLE":
            yield _disabled(value)
        elif _READ[name]:
            yield Finding(
                severity=WARNING,
                code="test-switch",
                message=f"{name} is set: {_READ[name]}",
                fix=f"unset {name}",
            )


def _disabled(value: str) -> Finding:
    if value == "1":
        return Finding(
            severity=WARNING,
            code="disabled",
            message="AFTERWORD_DISABLE=1 is set: every hook started from here does nothing",
            fix="unset AFTERWORD_DISABLE",
        )
    return Finding(
        severity=INFO,
        code="not-disabled",
        message=f"AFTERWORD_DISABLE is {value!r}; only 1 switches the hooks off",
    )
