"""`.ai/config.yaml`: values that cannot be used, unknown keys, and what is switched off."""

from __future__ import annotations

from collections.abc import Iterator

from afterword.doctor.scene import Scene
from afterword.finding import ERROR, INFO, WARNING, Finding
from afterword.store.config import NAME

PATH = f".ai/{NAME}"
_SWITCHES = (
    "session.briefing_on_start",
    "session.knowledge_on_compact",
    "session.knowledge_on_end",
)


def check(scene: Scene) -> Iterator[Finding]:
    """Problems are errors, because commands stop at them; unknown keys are warnings."""
    for problem in scene.config.problems:
        yield _placed(problem, ERROR, "config", f"mend {PATH}")
    for warning in scene.config.warnings:
        fix = f"take the key out of {PATH}, or mend its name (docs/configuration.md)"
        yield _placed(warning, WARNING, "unknown-key", fix)
    if scene.config["enabled"] is False:
        yield Finding(
            severity=WARNING,
            code="disabled",
            path=PATH,
            message="enabled is false: every hook in this repository does nothing",
            fix=f"set enabled: true in {PATH}",
        )
    for name in _SWITCHES:
        if scene.config[name] is False:
            yield Finding(
                severity=INFO,
                code="switched-off",
                path=PATH,
                message=f"{name} is false",
                fix=f"take {name} out of {PATH} to have it again",
            )


def _placed(text: str, severity: str, code: str, fix: str) -> Finding:
    """`path:line: message` as a finding with its place."""
    path, line, message = PATH, None, text
    head, _, rest = text.partition(": ")
    place, colon, number = head.rpartition(":")
    if colon and number.isdigit():
        path, line, message = place, int(number), rest
    return Finding(
        severity=severity, code=code, path=path, line=line, message=message, fix=fix
    )
