"""The tree `.ai-context/`, used in place: with modules and English, without and Chinese."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from afterword.errors import AfterwordError
from afterword.install.adopt import attributes, context, detection
from afterword.store import config_file

from .scene import TOOL, Scene, snapshot
from .test_adopt import majordomus
from .test_axiom import SETTINGS as AXIOM
from .test_axiom import changed
from .test_axiom import lay_out as axiom_tree

REAL = TOOL / "tests" / "fixtures" / "context"
PATHS = {
    "paths.increments": ".ai-context/increments",
    "paths.snapshot": ".ai-context/snapshot.md",
    "paths.snapshot_history": ".ai-context/archive/decisions-history.md",
    "paths.modules": ".ai-context/modules",
}
CARRIED = {
    "snapshot.max_lines": 180,
    "compile.after_rounds": 12,
    "compile.after_increments": 6,
}
USED = "the context tree in .ai-context is used in place"
OTHERS = (
    "version, project.name, project.description, project.tech_stack,"
    " knowledge.buffer.flush_threshold_soft, knowledge.buffer.flush_threshold_hard,"
    " knowledge.buffer.compact_threshold, knowledge.buffer.max_buffer_size,"
    " knowledge.categories, knowledge.categories.description,"
    " knowledge.snapshot.archive_threshold, evolve.increments_soft,"
    " evolve.time_minutes, modules, modules.path, modules.role, external_types"
)
SKILLS = ("lore-evolve", "lore-modularize")


def lay_out(scene: Scene, tree: str = "en", *, crlf: bool = False) -> dict[str, bytes]:
    """A repository in which that system has worked, committed; the bytes of its files."""
    texts = {
        f".ai-context/{path.relative_to(REAL / tree)}": path.read_bytes()
        for path in sorted((REAL / tree).rglob("*"))
        if path.is_file()
    }
    if crlf:
        texts = {shown: text.replace(b"\n", b"\r\n") for shown, text in texts.items()}
    for shown, text in texts.items():
        scene.write(shown, text)
    scene.git("config", "core.autocrlf", "false")
    scene.commit()
    return texts


def notes_of(scene: Scene) -> list[str]:
    found = detection.detect(str(scene.root))
    assert found is not None
    return list(found.notes)


def test_places_and_known_settings_are_carried_over_and_the_rest_is_told(
    scene: Scene,
) -> None:
    """Spec 5: the limit and the two hard thresholds have a name here, nothing else has."""
    lay_out(scene)
    wiring = scene.install()
    assert changed(scene) == {**PATHS, **CARRIED}
    assert wiring.notes == [
        USED,
        f".ai-context/config.yaml: not carried over, afterword has no such setting: {OTHERS}",
        ".ai-context/buffer.md: holds 2 raw entries, and nothing here reads a buffer;"
        " make an increment of it, with the day as its date:"
        " mv .ai-context/buffer.md .ai-context/increments/YYYY-MM-DD_buffer.md",
        ".ai-context: afterword has no use for constraints.md, specs, .last-flush-time;"
        " left as they are",
    ]


def test_a_chinese_tree_is_answered_in_chinese(scene: Scene) -> None:
    """Labels and marks of the format are Chinese in every tree; here the text is."""
    lay_out(scene, "zh")
    wiring = scene.install()
    assert changed(scene) == {**PATHS, "language": "zh"}
    assert wiring.notes == [
        USED,
        ".ai-context/config.yaml: not carried over, afterword has no such setting: version",
    ]


@pytest.mark.parametrize("tree", ["en", "zh"])
def test_nothing_of_the_tree_is_moved_and_the_undo_is_exact(
    scene: Scene, tree: str
) -> None:
    texts = lay_out(scene, tree)
    before = scene.state()
    scene.install(hosts="all")
    said = scene.git("status", "--porcelain", "-uall", "--", ".ai-context")
    assert said.splitlines() == ["?? .ai-context/.gitattributes"]
    for shown, text in texts.items():
        assert (scene.root / shown).read_bytes() == text
    job = scene.uninstall()
    assert (scene.state(), job.notes, job.refused) == (before, [], [])


def test_a_second_install_changes_nothing(scene: Scene) -> None:
    lay_out(scene)
    scene.install()
    scene.commit()
    before = scene.state()
    wiring = scene.install()
    assert (scene.done, scene.state()) == ([], before)
    assert USED in wiring.notes
    assert not [note for note in wiring.notes if "set there yourself" in note]


def test_the_merge_driver_serves_what_is_compiled_and_what_it_is_compiled_from(
    scene: Scene,
) -> None:
    texts = lay_out(scene)
    scene.install()
    served = [
        ".ai-context/snapshot.md",
        ".ai-context/archive/decisions-history.md",
        ".ai-context/increments/2026-05-06_label-cache.md",
        ".ai-context/increments/archive/2026-04-02_first-scan.md",
        ".ai-context/modules/_index.md",
        ".ai-context/modules/order/knowledge.md",
        ".ai-context/modules/order/cross-refs.md",
        ".ai-context/modules/order/progress.md",
        ".ai-context/modules/order/increments/x.md",
        ".ai-context/modules/order/increments/archive/2026-05-02_order-states.md",
        ".ai-context/modules/order/archive/decisions-history.md",
    ]
    other = [
        shown
        for shown in texts
        if shown not in served
        and "increments" not in shown
        and "knowledge" not in shown
    ]
    assert ".ai-context/modules/order/specs/index.md" in other
    said = scene.git("check-attr", "merge", "eol", "--", *served, *other)
    assert said.splitlines() == [
        *(
            line
            for name in served
            for line in (f"{name}: merge: afterword", f"{name}: eol: lf")
        ),
        *(
            line
            for name in other
            for line in (f"{name}: merge: unspecified", f"{name}: eol: unspecified")
        ),
    ]


def test_files_with_crlf_stay_as_they_are(scene: Scene) -> None:
    texts = lay_out(scene, crlf=True)
    scene.install()
    said = scene.git("check-attr", "merge", "text", "eol", "--", *texts)
    assert "merge: afterword" in said
    assert "eol: lf" not in said
    assert "text: set" not in said
    parts = attributes.parts(str(scene.root), context.GOVERNED)
    assert "snapshot.md merge=afterword" in parts[0].lines  # type: ignore[attr-defined]


def test_temps_of_killed_writes_are_ignored_in_the_adopted_folder(scene: Scene) -> None:
    lay_out(scene)
    scene.install()
    scene.commit()
    scene.write(".ai-context/modules/order/.knowledge.md.7.00ff00ff.tmp", "x")
    scene.write(".ai-context/.snapshot.md.7.00ff00ff.orphan", "x")
    assert scene.git("status", "--porcelain", "-uall") == ""


def test_it_is_adopted_beside_the_trees_of_other_systems(scene: Scene) -> None:
    """One memory may hold three of them; each keeps its places and its skills."""
    axiom_tree(scene)
    lay_out(scene)
    majordomus(scene)
    before = scene.state()
    wiring = scene.install(hosts="claude-code")
    found = changed(scene)
    wanted = {**AXIOM, **PATHS, **CARRIED, "briefing.max_lines": 40}
    assert {name: found[name] for name in wanted} == wanted
    told = [note for note in wiring.notes if note.endswith("is used in place")]
    assert told == [
        "the majordomus tree in .ai/repo is used in place",
        "the axiom tree in .omc/axiom is used in place",
        USED,
    ]
    skills = {path.name for path in (scene.root / ".claude/skills").iterdir()}
    assert skills >= {*SKILLS, "ax-evolve", "compile-snapshot", "increment"}
    scene.uninstall()
    assert scene.state() == before


def test_l001_its_skills_are_installed_under_the_names_its_users_know(
    scene: Scene,
) -> None:
    """L001: only where such a tree is adopted; and a skill of theirs is left alone."""
    scene.install(hosts="claude-code", adopt=False)
    folder = scene.root / ".claude/skills"
    assert not [name for name in SKILLS if (folder / name).exists()]
    lay_out(scene)
    theirs = scene.write(".claude/skills/lore-evolve/SKILL.md", "Read every file.\n")
    scene.write(".claude/skills/lore-digest/SKILL.md", "Empty the buffer.\n")
    wiring = scene.install(hosts="claude-code")
    assert theirs.read_text() == "Read every file.\n"
    assert "modules discover" in (folder / "lore-modularize/SKILL.md").read_text()
    assert (
        ".claude/skills/lore-evolve/SKILL.md: not afterword's file, left alone"
        in wiring.notes
    )
    assert (
        ".claude/skills: lore-digest, lore-evolve of that system edit the same files by"
        " hand; move away those whose work the program does, lore-evolve and"
        " lore-modularize first"
    ) in wiring.notes


def test_our_own_skills_are_not_taken_for_theirs(scene: Scene) -> None:
    lay_out(scene, "zh")
    scene.install(hosts="all")
    assert notes_of(scene) == [
        ".ai-context/config.yaml: not carried over, afterword has no such setting: version"
    ]


BUFFERS = [
    ("", None),
    ("# Buffer\n\n> Raw entries.\n> Emptied.\n", None),
    ("[LOCKED:commit at 2026-05-01 10:00:00]\n", None),
    ("[round: 1] [DECISION] x\n  - Detail: y\n", "one raw entry"),
    ("\ufeff[entry: 1] [DECISION] x\r\n[round: 2] [EXTERNAL] y\r\n", "2 raw entries"),
]


@pytest.mark.parametrize(("text", "held"), BUFFERS)
def test_entries_of_a_buffer_are_told_and_stay_there(
    scene: Scene, text: str, held: str | None
) -> None:
    """An empty buffer has four lines of its own or none (spec 3); D6: they count for nothing."""
    path = scene.write(".ai-context/buffer.md", text.encode())
    notes = notes_of(scene)
    scene.install()
    assert path.read_bytes() == text.encode()
    assert len(notes) == (held is not None)
    assert held is None or f": holds {held}, and nothing here" in notes[0]


WIRED = [
    ('{"hooks": {"Stop": [{"command": "bash .lore-hooks/stop-flush.sh"}]}}', True),
    ('{"permissions": {"allow": ["Bash(.lore-hooks/*)"]}}', False),
    ("\0\xff", False),
]


@pytest.mark.parametrize(("text", "told"), WIRED)
def test_hooks_of_that_system_are_named_with_what_to_do(
    scene: Scene, text: str, told: bool
) -> None:
    lay_out(scene, "zh")
    settings = scene.write(".claude/settings.json", text.encode("latin-1"))
    scene.write(".lore-hooks/stop-flush.sh", "exit 0\n")
    wanted = (
        ".claude/settings.json: still calls the hooks in .lore-hooks, which ask the agent"
        " to edit the same files; take their groups out by hand"
        if told
        else ".lore-hooks: hooks of that system, which no agent's settings here call;"
        " delete them by hand"
    )
    assert notes_of(scene)[1:] == [wanted]
    assert settings.read_bytes() == text.encode("latin-1")


def test_our_hooks_are_wired_beside_theirs_which_stay(scene: Scene) -> None:
    """Ours never refuse an edit, so the guard of theirs goes on as it did."""
    lay_out(scene, "zh")
    command = {"type": "command", "command": "bash .lore-hooks/stop-flush.sh"}
    group = {"hooks": [command]}
    text = json.dumps({"hooks": {"Stop": [group]}}, indent=2) + "\n"
    settings = scene.write(".claude/settings.json", text)
    scene.install(hosts="claude-code")
    assert group in json.loads(settings.read_text())["hooks"]["Stop"]
    scene.uninstall()
    assert settings.read_text() == text


@pytest.mark.parametrize("shown", ["CLAUDE.md", "AGENTS.md"])
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<!-- LORE_INJECT_START -->\n", True),
        ("Write every decision to .ai-context/buffer.md.\n", True),
        ("Read .ai-context/snapshot.md first.\n", False),
    ],
)
def test_instructions_that_send_agents_to_the_buffer_are_named(
    scene: Scene, shown: str, text: str, told: bool
) -> None:
    lay_out(scene, "zh")
    path = scene.write(shown, text)
    wanted = (
        f"{shown}: tells agents to write .ai-context/buffer.md, which nothing here reads;"
        " let it say: .ai/bin/afterword increment add"
    )
    assert (wanted in notes_of(scene)) is told
    assert path.read_text() == text


SETTINGS = [
    ("knowledge:\n  snapshot:\n    max_lines: 150\n", {"snapshot.max_lines": 150}, ""),
    ('knowledge.snapshot.max_lines: "99"\r\n', {"snapshot.max_lines": 99}, ""),
    (
        "knowledge:\n  snapshot:\n    max_lines: many\n",
        {},
        ".ai-context/config.yaml:3: knowledge.snapshot.max_lines: 'many' cannot be used,"
        " the default holds",
    ),
    (
        "evolve:\n  round_threshold_hard: 0\n",
        {},
        ".ai-context/config.yaml:2: evolve.round_threshold_hard: '0' cannot be used,"
        " the default holds",
    ),
    ("? odd\n", {}, ".ai-context/config.yaml:1: not understood, not carried over"),
    ("\0\xff", {}, ".ai-context/config.yaml:1: not understood, not carried over"),
]


@pytest.mark.parametrize(("text", "settings", "note"), SETTINGS)
def test_l020_the_settings_are_read_whatever_they_hold(
    scene: Scene, text: str, settings: dict[str, int], note: str
) -> None:
    """L020: config.yaml is read, once, at the adoption; from then on ours counts."""
    scene.write(".ai-context/config.yaml", text.encode("latin-1"))
    found = detection.detect(str(scene.root))
    assert found is not None
    assert found.settings == {**PATHS, **settings}
    assert list(found.notes) == ([note] if note else [])


TRACES = [
    ".ai-context/snapshot.md",
    ".ai-context/config.yaml",
    ".ai-context/buffer.md",
    ".ai-context/increments/.gitkeep",
    ".ai-context/modules/_index.md",
]


@pytest.mark.parametrize("shown", TRACES)
def test_each_trace_of_the_system_is_seen(scene: Scene, shown: str) -> None:
    scene.write(".ai-context/readme.md", "x\n")
    assert detection.detect(str(scene.root)) is None
    scene.write(shown, b"")
    found = detection.detect(str(scene.root))
    assert found is not None
    assert (found.systems, found.settings, found.notes) == (("context",), PATHS, ())


LINKS = [
    (".ai-context", "folder", ".ai-context/increments"),
    (".ai-context/increments", "folder", ".ai-context/increments"),
    (".ai-context/snapshot.md", "file", ".ai-context/snapshot.md"),
    (".ai-context/archive", "folder", ".ai-context/archive/decisions-history.md"),
    (".ai-context/modules", "folder", ".ai-context/modules"),
]


@pytest.mark.parametrize(("shown", "kind", "first"), LINKS)
def test_a_tree_that_leads_out_of_the_repository_is_refused(
    scene: Scene, tmp_path: Path, shown: str, kind: str, first: str
) -> None:
    out = tmp_path / "out"
    (out / "increments").mkdir(parents=True)
    (out / "log.md").write_text("x\n")
    if shown != ".ai-context":
        scene.write(".ai-context/config.yaml", "version: '0.1'\n")
    (scene.root / shown).symlink_to(out / "log.md" if kind == "file" else out)
    before = scene.state()
    with pytest.raises(AfterwordError) as caught:
        scene.install()
    assert caught.value.message.startswith(f"{first}: leads out of the repository, to ")
    assert caught.value.message.endswith("; not adopted")
    assert "--no-adopt" in caught.value.hint
    assert scene.state() == before


def test_files_of_ours_that_nothing_reads_any_more_are_named(scene: Scene) -> None:
    lay_out(scene, "zh")
    ours = scene.write(".ai/repo/snapshot.md", "# AI Context Snapshot\n")
    assert notes_of(scene)[1:] == [
        ".ai/repo/snapshot.md: exists too, and nothing reads it any more where"
        " .ai-context/snapshot.md is used; move over what it holds by hand"
    ]
    scene.install()
    assert ours.read_text() == "# AI Context Snapshot\n"


def test_settings_that_exist_already_are_not_changed(scene: Scene) -> None:
    lay_out(scene)
    text = "paths:\n  snapshot: .ai-context/snapshot.md\nsnapshot:\n  max_lines: 180\n"
    scene.write(".ai/config.yaml", text)
    wiring = scene.install()
    assert (scene.root / ".ai/config.yaml").read_text() == text
    assert wiring.notes[-1] == (
        ".ai/config.yaml: exists and stays as it is; set there yourself:"
        " compile.after_increments: 6, compile.after_rounds: 12,"
        " paths.increments: .ai-context/increments, paths.modules: .ai-context/modules"
    )
    found = config_file.read(str(scene.root / ".ai/config.yaml")).paths()
    assert found["snapshot_history"] == ".ai-context/archive/decisions-history.md"


def test_without_adoption_the_tree_is_left_alone(scene: Scene) -> None:
    lay_out(scene)
    before = snapshot(scene.root / ".ai-context")
    wiring = scene.install(adopt=False)
    assert (changed(scene), wiring.notes) == ({}, [])
    assert snapshot(scene.root / ".ai-context") == before
