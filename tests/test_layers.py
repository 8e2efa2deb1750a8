"""Who may import whom (DESIGN 4), and what a hook loads (DESIGN 13)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scene import EVENTS, TOOL, Scene, as_json, make_scene, stated

# Each costs a hook more than it may: typing 1.8 bare interpreters, json 1.6, ...
HEAVY = {
    "typing",
    "dataclasses",
    "re",
    "json",
    "pathlib",
    "subprocess",
    "datetime",
    "enum",
    "functools",
    "collections",
    "contextlib",
    "hashlib",
    "traceback",
    "logging",
    "tempfile",
    "shutil",
    "inspect",
    "ast",
    "socket",
    "random",
}
REPORT = """
import sys
path, event = sys.argv[1], sys.argv[2]
sys.argv = [path, *sys.argv[3:]]
sys.path.insert(0, path.rpartition("/hooks/")[0] + "/lib")
from afterword import hook
hook.run(event, sys.argv[1:])
print(" ".join(sorted(sys.modules)), file=sys.stderr)
for name, module in sorted(sys.modules.items()):
    print("FILE", name, getattr(module, "__file__", None) or "", file=sys.stderr)
"""


def test_the_layers_hold() -> None:
    """The contracts stand in pyproject.toml."""
    program = Path(sys.executable).parent / "lint-imports"
    done = subprocess.run(
        [str(program), "--no-cache"],
        cwd=TOOL,
        env={**os.environ, "PYTHONPATH": str(TOOL / "lib"), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr


def loaded(scene: Scene, event: str) -> dict[str, str]:
    """The modules in memory at the end of a hook, with their files."""
    words = ["-I", "-S", "-X", "utf8", "-c", REPORT, str(TOOL / "hooks" / event), event]
    done = subprocess.run(
        [sys.executable, *words, "--root", str(scene.root), "--host", "claude-code"],
        input=as_json(stated(event, "e1", source="startup", reason="other")),
        env=scene.env,
        cwd=scene.root,
        capture_output=True,
        check=True,
    )
    found = {}
    for line in done.stderr.decode().splitlines():
        if line.startswith("FILE "):
            name, _, path = line[5:].partition(" ")
            found[name] = path
    assert "afterword.hook" in found
    return found


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("state", ["nothing new", "evidence"])
def test_a_hook_loads_the_standard_library_only_and_nothing_heavy(
    tmp_path: Path, event: str, state: str
) -> None:
    scene = make_scene(tmp_path)
    scene.start("e1")
    scene.compact("e1")
    if state == "evidence":
        scene.decide("e1", "Kept")
        scene.commit("x\n\nFact: y", **{"docs/adr/1.md": "x"})
    found = loaded(scene, event)
    library = os.path.dirname(os.__file__)
    foreign = {
        name: path
        for name, path in found.items()
        if path
        and not path.startswith((library, str(TOOL / "lib/afterword")))
        and name != "__main__"
    }
    assert foreign == {}
    assert HEAVY & set(found) == set()


def test_stop_loads_little_of_our_own(tmp_path: Path) -> None:
    """A Stop comes after every answer: derivation, records and git stay unread."""
    scene = make_scene(tmp_path)
    scene.start("e1")
    loaded(
        scene, "stop"
    )  # git is asked about `.ai/local` once for each state of the index
    found = loaded(scene, "stop")
    for name in (
        "afterword.knowledge.derive",
        "afterword.knowledge.derivation",
        "afterword.episode.session_record",
        "afterword.store.git.program",
        "afterword.store.secrets",
        "afterword.briefing",
    ):
        assert name not in found


@pytest.mark.parametrize("event", ["session-start", "session-end"])
def test_queue_and_log_with_nothing_to_do_are_not_read(
    tmp_path: Path, event: str
) -> None:
    """DESIGN 7: that there is nothing to do is decided from cached counts."""
    import time

    scene = make_scene(tmp_path)
    folder = ".ai/repo/evolution"
    item = "### LQ-001: t\n- Status: done\n\n"
    scene.write(f"{folder}/learning_queue.md", f"# Queue\n\n## Pending\n\n{item}")
    scene.write(
        f"{folder}/reflection_log.md", "## Reflection - 2026-03-01\n\nx\n\n---\n"
    )
    time.sleep(2.1)
    scene.start("e1")
    found = loaded(scene, event)
    assert HEAVY & set(found) == set()
    assert "afterword.evolution.overview" in found
    ours = {name for name in found if name.startswith("afterword.evolution.")}
    assert ours <= {
        f"afterword.evolution.{n}" for n in ("overview", "notices", "words")
    }
    assert "afterword.store.blocks" not in found


@pytest.mark.parametrize("event", EVENTS)
def test_a_cached_configuration_is_read_without_yaml(
    tmp_path: Path, event: str
) -> None:
    import time

    scene = make_scene(tmp_path)
    scene.write(".ai/config.yaml", "briefing:\n  max_lines: 30\n")
    scene.start("e1")
    time.sleep(2.1)
    scene.start("e1")
    found = loaded(scene, event)
    assert "ruamel.yaml" not in found
    assert "pydantic" not in found


@pytest.mark.skipif(
    sys.version_info < (3, 11), reason="not on this system: Python 3.11"
)
def test_the_code_compiles_for_every_supported_python() -> None:
    import ast

    for path in (TOOL / "lib").rglob("*.py"):
        ast.parse(path.read_text(), feature_version=(3, 10))
    assert True
