"""The tree of axiom, used in place: real files of that system, laid out as it has them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from afterword.errors import AfterwordError
from afterword.install.adopt import attributes, axiom, detection
from afterword.install.environment import Environment
from afterword.store import config_file

from .scene import INSTALLER, TOOL, Scene, snapshot
from .test_adopt import majordomus

REAL = TOOL / "tests" / "fixtures" / "evolution"
EVOLUTION = ".omc/axiom/evolution"
FILES = {
    f"{EVOLUTION}/learning_queue.md": "learning_queue.2026-02-28.1e9ca11e.md",
    f"{EVOLUTION}/learning_queue_archive.md": (
        "learning_queue_archive.2026-03-02.bcae96a6.md"
    ),
    ".omc/axiom/reflection_log.md": "reflection_log.2026-02-27.a767be37.md",
    f"{EVOLUTION}/reflection_log_archive.md": (
        "reflection_log_archive.2026-03-02.bcae96a6.md"
    ),
    f"{EVOLUTION}/knowledge_base.md": "knowledge_base.2026-02-28.1e9ca11e.md",
    ".omc/axiom/active_context.md": "active_context.2026-02-27.50407270.md",
}
ENTRY = "---\nid: k-001\n---\n\n## Summary\n"
SETTINGS = {
    "paths.queue": f"{EVOLUTION}/learning_queue.md",
    "paths.queue_archive": f"{EVOLUTION}/learning_queue_archive.md",
    "paths.reflections": ".omc/axiom/reflection_log.md",
    "paths.reflections_archive": f"{EVOLUTION}/reflection_log_archive.md",
    "paths.knowledge_base": f"{EVOLUTION}/knowledge_base.md",
    "paths.entries": ".omc/knowledge",
    "paths.active_context": ".omc/axiom/active_context.md",
    "language": "zh",
}
SKILLS = ("ax-evolve", "ax-knowledge", "ax-reflect")


def lay_out(scene: Scene, *, crlf: bool = False) -> dict[str, bytes]:
    """A repository in which axiom has worked, committed; the bytes of its files."""
    texts = {shown: (REAL / name).read_bytes() for shown, name in FILES.items()}
    texts[".omc/knowledge/k-001-a.md"] = ENTRY.encode()
    if crlf:
        texts = {shown: text.replace(b"\n", b"\r\n") for shown, text in texts.items()}
    for shown, text in texts.items():
        scene.write(shown, text)
    scene.git("config", "core.autocrlf", "false")
    scene.commit()
    return texts


def changed(scene: Scene) -> dict[str, object]:
    """The settings of the repository that are not the defaults."""
    found = config_file.read(str(scene.root / ".ai/config.yaml"))
    assert (found.problems, found.warnings) == ((), ())
    return {
        key: value
        for key, value in found.settings.items()
        if value != config_file.DEFAULTS[key]
    }


def touched(scene: Scene) -> str:
    """What git sees in the adopted folders after it looked at every file again."""
    for path in (scene.root / ".omc").rglob("*.md"):
        path.touch()
    return scene.git("status", "--porcelain", "-uall", "--", ".omc")


def test_c29_n19_the_places_are_written_and_the_log_lies_one_level_up(
    scene: Scene,
) -> None:
    """C29, N19: archives where that system has them; everything else stays a default."""
    lay_out(scene)
    wiring = scene.install()
    assert changed(scene) == SETTINGS
    assert wiring.notes == ["the axiom tree in .omc/axiom is used in place"]


def test_nothing_of_the_tree_is_moved_and_the_undo_is_exact(scene: Scene) -> None:
    texts = lay_out(scene)
    before = scene.state()
    scene.install(hosts="all")
    assert touched(scene).splitlines() == [
        "?? .omc/axiom/.gitattributes",
        "?? .omc/knowledge/.gitattributes",
    ]
    for shown, text in texts.items():
        assert (scene.root / shown).read_bytes() == text
    job = scene.uninstall()
    assert (scene.state(), job.notes, job.refused) == (before, [], [])


def test_a_folder_made_for_attributes_goes_again(scene: Scene) -> None:
    """A tree without entry files, and one that has attributes of its own."""
    scene.write(".omc/axiom/reflection_log.md", "# Reflection Log\n")
    scene.write(".omc/axiom/.gitattributes", "*.md text")
    before = scene.state()
    scene.install()
    assert (scene.root / ".omc/knowledge/.gitattributes").exists()
    scene.uninstall()
    assert scene.state() == before


def test_a_clone_without_a_receipt_takes_the_attributes_out_too(scene: Scene) -> None:
    texts = lay_out(scene)
    scene.write(".omc/knowledge/.gitattributes", b"")
    scene.install()
    (scene.root / ".git/afterword-install.json").unlink()
    scene.uninstall()
    left = {name for name, kind in snapshot(scene.root).items() if kind[0] == "file"}
    assert {name for name in left if name.startswith(".omc")} == set(texts)
    scene.write(".omc/knowledge/.gitattributes", b"")
    scene.uninstall()
    assert (scene.root / ".omc/knowledge/.gitattributes").read_bytes() == b""


def test_the_merge_driver_serves_the_five_files_and_the_entries(scene: Scene) -> None:
    lay_out(scene)
    scene.install()
    governed = [*list(FILES)[:5], ".omc/knowledge/k-001-a.md"]
    other = [".omc/axiom/active_context.md", f"{EVOLUTION}/pattern_library.md"]
    said = scene.git("check-attr", "merge", "eol", "--", *governed, *other)
    assert said.splitlines() == [
        *(
            line
            for name in governed
            for line in (f"{name}: merge: afterword", f"{name}: eol: lf")
        ),
        *(
            line
            for name in other
            for line in (f"{name}: merge: unspecified", f"{name}: eol: unspecified")
        ),
    ]


@pytest.mark.parametrize("autocrlf", ["false", "true", "input"])
def test_files_with_crlf_stay_as_they_are(scene: Scene, autocrlf: str) -> None:
    """Line ends fixed to LF would make git rewrite every one of them."""
    texts = lay_out(scene, crlf=True)
    before = scene.state()
    scene.install()
    said = scene.git("check-attr", "merge", "text", "eol", "--", *texts)
    assert "merge: afterword" in said
    assert "eol: lf" not in said
    assert "text: set" not in said
    scene.git("config", "core.autocrlf", autocrlf)
    assert " M " not in touched(scene)
    scene.git("config", "core.autocrlf", "false")
    scene.git("checkout", "--", ".omc")
    for shown, text in texts.items():
        assert (scene.root / shown).read_bytes() == text
    scene.uninstall()
    assert scene.state() == before


ENDS = [
    (b"a\n", True, True),
    (b"a\n", False, True),
    (b"a\r\n", True, False),
    (b"a\r\n", False, False),
    (b"a\r\nb\n", True, False),
    (b"", True, True),
    (b"a\0\n", True, True),
    (b"a\0\r\n", True, False),
    (b"a\rb\n", True, False),
]


@pytest.mark.parametrize(("data", "tracked", "lf"), ENDS)
def test_one_verdict_about_line_ends_holds_for_the_whole_tree(
    scene: Scene, data: bytes, tracked: bool, lf: bool
) -> None:
    """As git holds them, else as they lie there; binary to git is looked at itself."""
    scene.git("config", "core.autocrlf", "false")
    scene.write(f"{EVOLUTION}/knowledge_base.md", b"x\n")
    scene.write(".omc/knowledge/k-1.md", data)
    if tracked:
        scene.commit()
    parts = attributes.parts(str(scene.root), axiom.GOVERNED)
    ends = " text eol=lf" if lf else ""
    assert [part.lines[-1 - lf] for part in parts] == [  # type: ignore[attr-defined]
        f"evolution/knowledge_base.md merge=afterword{ends}",
        f"*.md merge=afterword{ends}",
    ]


def test_a_second_install_changes_nothing(scene: Scene) -> None:
    lay_out(scene)
    scene.install()
    scene.commit()
    before = scene.state()
    wiring = scene.install()
    assert (scene.done, scene.state()) == ([], before)
    assert wiring.notes == ["the axiom tree in .omc/axiom is used in place"]


def test_temps_of_killed_writes_are_ignored_in_the_adopted_folders(
    scene: Scene,
) -> None:
    """Theirs are not ours to hide."""
    lay_out(scene)
    scene.install()
    scene.commit()
    for shown in (
        f"{EVOLUTION}/.learning_queue.md.7.00ff00ff.tmp",
        ".omc/axiom/.reflection_log.md.7.00ff00ff.orphan",
        ".omc/knowledge/.k-1-a.md.7.00ff00ff.tmp",
    ):
        scene.write(shown, "x")
    theirs = scene.write(f"{EVOLUTION}/.usage_metrics.json.tmp.0f1e", "x")
    assert scene.git("status", "--porcelain", "-uall").splitlines() == [
        f"?? {theirs.relative_to(scene.root)}"
    ]


def test_both_systems_are_adopted_in_one_go(scene: Scene) -> None:
    lay_out(scene)
    majordomus(scene)
    before = scene.state()
    wiring = scene.install()
    found = changed(scene)
    assert {name: found[name] for name in SETTINGS} == SETTINGS
    assert found["briefing.max_lines"] == 40
    told = [note for note in wiring.notes if note.endswith("is used in place")]
    assert told == [
        "the majordomus tree in .ai/repo is used in place",
        "the axiom tree in .omc/axiom is used in place",
    ]
    assert any("session.knowledge_on_compact" in note for note in wiring.notes)
    scene.uninstall()
    assert scene.state() == before


def test_a_planted_local_half_is_not_taken_over_with_an_axiom_tree(
    scene: Scene,
) -> None:
    """Only the other system that has such a folder can have made it."""
    lay_out(scene)
    scene.write(".ai/local/ledger/e1.jsonl", "{}\n")
    scene.git("add", "-f", ".ai/local")
    scene.install()
    assert not (scene.root / ".ai/local/ledger").exists()


def test_settings_that_exist_already_are_not_changed(scene: Scene) -> None:
    lay_out(scene)
    text = (
        "paths:\n"
        f"  queue: {EVOLUTION}/learning_queue.md\n"
        "  reflections: docs/log.md\n"
        "language: zh\n"
    )
    scene.write(".ai/config.yaml", text)
    wiring = scene.install()
    assert (scene.root / ".ai/config.yaml").read_text() == text
    assert wiring.notes[-1] == (
        ".ai/config.yaml: exists and stays as it is; set there yourself:"
        " paths.active_context: .omc/axiom/active_context.md,"
        f" paths.entries: .omc/knowledge,"
        f" paths.knowledge_base: {EVOLUTION}/knowledge_base.md,"
        " paths.reflections: .omc/axiom/reflection_log.md,"
        f" paths.reflections_archive: {EVOLUTION}/reflection_log_archive.md"
    )


TREES = [
    ({f"{EVOLUTION}/x": b""}, {}),
    ({".omc/axiom/reflection_log.md": b"# Reflection Log\n"}, {}),
    ({f"{EVOLUTION}/learning_queue.md": b"# Learning Queue\n\n## Pending\n"}, {}),
    (
        {f"{EVOLUTION}/learning_queue.md": "# 学习队列\n\n## 待处理\n".encode()},
        {"language": "zh"},
    ),
    (
        {".omc/axiom/active_context.md": "当前状态: IDLE\n".encode()},
        {"language": "zh"},
    ),
    ({".omc/axiom/reflection_log.md": "一".encode() + b"abcdefghij\n"}, {}),
    ({".omc/axiom/reflection_log.md": "反思".encode("gbk") + b"\0\xff\n"}, {}),
]


@pytest.mark.parametrize(("files", "more"), TREES)
def test_each_trace_of_the_system_is_seen_and_its_language_told(
    scene: Scene, files: dict[str, bytes], more: dict[str, str]
) -> None:
    """`language: zh` above one Chinese letter in ten; labels may be of either language."""
    scene.write(".omc/state.json", "{}")
    scene.write(".omc/axiom/readme.md", "x\n")
    assert detection.detect(str(scene.root)) is None
    for shown, data in files.items():
        scene.write(shown, data)
    found = detection.detect(str(scene.root))
    assert found is not None and found.systems == ("axiom",)
    assert found.settings == {
        **{key: value for key, value in SETTINGS.items() if key in PLACES},
        **more,
    }


PLACES = [f"paths.{key}" for key in (*axiom.PLACES, "active_context")]


def test_t1_8_f10_their_litter_is_named_and_not_removed(scene: Scene) -> None:
    """T1.8, T4.4, F10: locks that nothing reads any more, temps of dead processes."""
    lay_out(scene)
    litter = [
        ".omc/.usage_metrics.json.tmp.5e8f0c1a-1f2e-4c8f-9d53-0123456789ab",
        f"{EVOLUTION}/.archive.lock/lock.json",
        f"{EVOLUTION}/.evolve.lock",
        f"{EVOLUTION}/.learning_queue.md.tmp.5e8f0c1a",
        ".omc/knowledge/.k-001-a.md.tmp.5e8f0c1a",
    ]
    for shown in litter:
        scene.write(shown, "{}")
    wiring = scene.install()
    assert wiring.notes[1] == (
        ".omc/.usage_metrics.json.tmp.5e8f0c1a-1f2e-4c8f-9d53-0123456789ab,"
        f" {EVOLUTION}/.archive.lock, {EVOLUTION}/.evolve.lock and 2 more:"
        " left behind by axiom, read by nothing here; delete by hand"
    )
    assert all((scene.root / shown).exists() for shown in litter)


def test_k8_files_without_a_use_here_and_those_out_of_sight_are_named(
    scene: Scene,
) -> None:
    """K8: the pattern library is never written, let alone replaced."""
    lay_out(scene)
    patterns = scene.write(f"{EVOLUTION}/pattern_library.md", "# Patterns\n")
    scene.write(f"{EVOLUTION}/workflow_metrics.md", "x\n")
    ours = scene.write(".ai/repo/evolution/learning_queue.md", "# Queue\n")
    wiring = scene.install()
    assert wiring.notes[1:] == [
        f"{EVOLUTION}: afterword has no use for pattern_library.md,"
        " workflow_metrics.md; left as they are",
        ".ai/repo/evolution/learning_queue.md: exists too, and nothing reads it any more"
        f" where {EVOLUTION}/learning_queue.md is used; move over what it holds by hand",
    ]
    assert (patterns.read_text(), ours.read_text()) == ("# Patterns\n", "# Queue\n")


WIRED = [
    ('{"hooks": {"SessionEnd": [{"command": "node x/axiom/end.mjs"}]}}', True),
    ('{"command": "cat .omc/state.json"}', True),
    ('{"enabledPlugins": {"ultrapower@market": true}}', True),
    ('{"enabledPlugins": {"ultrapower@market": false}}', False),
    ('{"permissions": {"allow": ["Read(.omc/**)"]}}', False),
    ('{"command": "echo axiomatic"', True),
    ("\0\xff", False),
]


@pytest.mark.parametrize(("text", "told"), WIRED)
@pytest.mark.parametrize("shown", [".claude/hooks.json", ".codex/config.toml"])
def test_hooks_of_the_other_system_are_named(
    scene: Scene, shown: str, text: str, told: bool
) -> None:
    lay_out(scene)
    scene.write(shown, text)
    note = (
        f"{shown}: the hooks of axiom are still wired; take them out,"
        " or both systems write the same files"
    )
    found = detection.detect(str(scene.root))
    assert found is not None
    assert found.notes == ((note,) if told else ())


def test_our_own_hooks_are_not_taken_for_theirs(scene: Scene) -> None:
    lay_out(scene)
    scene.install(hosts="all")
    found = detection.detect(str(scene.root))
    assert found is not None and found.notes == ()


LINKS = [
    (".omc", "folder", f"{EVOLUTION}/learning_queue.md"),
    (".omc/axiom", "folder", f"{EVOLUTION}/learning_queue.md"),
    (".omc/knowledge", "folder", ".omc/knowledge"),
    (".omc/axiom/reflection_log.md", "file", ".omc/axiom/reflection_log.md"),
]


@pytest.mark.parametrize(("shown", "kind", "first"), LINKS)
def test_f9_a_tree_that_leads_out_of_the_repository_is_refused(
    scene: Scene, tmp_path: Path, shown: str, kind: str, first: str
) -> None:
    """F9: links are resolved, not looked for by `..`; nothing is written."""
    out = tmp_path / "out"
    (out / "axiom/evolution").mkdir(parents=True)
    (out / "evolution").mkdir()
    (out / "log.md").write_text("x\n")
    if shown.startswith(".omc/"):
        (scene.root / EVOLUTION).mkdir(parents=True)
    link = scene.root / shown
    if shown == ".omc/axiom":
        (scene.root / EVOLUTION).rmdir()
        link.rmdir()
    link.symlink_to(out / "log.md" if kind == "file" else out)
    before = scene.state()
    with pytest.raises(AfterwordError) as caught:
        scene.install()
    said = f"{first}: leads out of the repository, to {out}"
    assert caught.value.message.startswith(said)
    assert caught.value.message.endswith("; not adopted")
    assert "--no-adopt" in caught.value.hint
    assert scene.state() == before
    scene.install(adopt=False)
    assert changed(scene) == {}


def test_n12_their_skills_come_with_the_tree_alone(scene: Scene) -> None:
    """N12: `ax-evolve [--archive-queue]`, `ax-reflect`, `ax-knowledge [--filter] [--category]`."""
    folders = (".claude/skills", ".agents/skills")
    scene.install(hosts="all")
    for folder in folders:
        assert not [name for name in SKILLS if (scene.root / folder / name).exists()]
        assert (scene.root / folder / "evolve-queue/SKILL.md").exists()
        assert not (scene.root / folder / "adopted").exists()
    lay_out(scene)
    scene.install(hosts="all")
    for folder in folders:
        assert all(
            (scene.root / folder / name / "SKILL.md").exists() for name in SKILLS
        )
    scene.uninstall()
    assert not any((scene.root / folder).exists() for folder in folders)


def test_a_user_s_skills_of_these_names_are_never_overwritten(scene: Scene) -> None:
    lay_out(scene)
    names = ("ax-evolve", "learn", "reflect", "knowledge", "evolve-queue")
    for name in names:
        scene.write(f".claude/skills/{name}/SKILL.md", "mine\n")
    before = scene.state()
    wiring = scene.install()
    for name in names:
        shown = f".claude/skills/{name}/SKILL.md"
        assert (scene.root / shown).read_text() == "mine\n"
        assert f"{shown}: not afterword's file, left alone" in wiring.notes
    scene.uninstall()
    assert scene.state() == before


def test_a_local_install_hides_the_adopted_skills_too(scene: Scene) -> None:
    lay_out(scene)
    scene.install(scope="local")
    status = scene.git("status", "--porcelain", "-uall")
    assert "skills" not in status


def installer(scene: Scene, *words: str) -> subprocess.CompletedProcess[str]:
    return scene.run([sys.executable, str(INSTALLER), *words])


def test_it_says_what_to_commit_and_what_git_ignores(
    scene: Scene, real: Environment
) -> None:
    scene.write(".omc/axiom/reflection_log.md", "# Reflection Log\n")
    scene.write(".git/info/exclude", ".omc/\n")
    done = installer(scene, ".", "--adopt", "--env", real.path)
    assert done.returncode == 0, done.stderr
    assert (
        "install.py: note: git ignores .omc/axiom/, so it cannot be shared; an exception"
        " in .gitignore helps: !/.omc/axiom/\n"
        "install.py: next: commit .ai/, .omc/axiom/, .omc/knowledge/ and the agent's"
        " settings, so that colleagues have them too\n" in done.stderr
    )


def test_an_adopted_memory_is_read_where_it_lies(
    scene: Scene, real: Environment
) -> None:
    """From install.py through the project's shim to the files, and back without a trace."""
    texts = lay_out(scene)
    before = scene.state()
    done = installer(scene, ".", "--adopt", "--env", real.path)
    assert done.returncode == 0, done.stderr
    shim = str(scene.root / ".ai/bin/afterword")
    queue = scene.run([shim, "queue", "list", "--json"])
    assert len(queue.stdout.splitlines()) == 30, queue.stderr
    found = scene.run([shim, "knowledge", "--filter", "typescript"])
    assert "k-059" in found.stdout
    assert found.stdout.endswith("显示 1/62 条，使用无参数调用查看全部\n")
    log = scene.run([shim, "reflect", "list", "--json"])
    assert '"title"' in log.stdout and log.returncode == 0, log.stderr
    for shown, text in texts.items():
        assert (scene.root / shown).read_bytes() == text
    assert touched(scene).count("\n") == 2
    done = installer(scene, ".", "--uninstall", "--env", real.path)
    assert done.returncode == 0, done.stderr
    assert scene.state() == before


def test_n19_what_is_written_goes_to_the_adopted_files(
    scene: Scene, real: Environment
) -> None:
    """N19, C29, T2.5: through the shim, in the files' language, archives where they were."""
    texts = lay_out(scene)
    installer(scene, ".", "--adopt", "--env", real.path)
    scene.commit()
    shim = str(scene.root / ".ai/bin/afterword")
    assert scene.run([shim, "learn", "制表符丢失"]).returncode == 0
    done = scene.run([shim, "evolve"])
    assert "[归档] learning_queue: 已移动 21 条 done 条目" in done.stderr
    done = scene.run([shim, "reflect", "add"], stdin="### ✅ 做得好的\n- 测试先行\n")
    assert done.returncode == 0, done.stderr
    assert "[归档] reflection_log: 已移动" in done.stderr
    entries = list((scene.root / ".omc/knowledge").glob("k-*-lq-031-*.md"))
    assert len(entries) == 1
    changed = scene.git("status", "--porcelain", "-uall").splitlines()
    assert sorted(changed) == [
        f" M {EVOLUTION}/knowledge_base.md",
        f" M {EVOLUTION}/learning_queue.md",
        f" M {EVOLUTION}/learning_queue_archive.md",
        f" M {EVOLUTION}/reflection_log_archive.md",
        " M .omc/axiom/reflection_log.md",
        f"?? {entries[0].relative_to(scene.root)}",
    ]
    archive = (scene.root / EVOLUTION / "learning_queue_archive.md").read_bytes()
    assert archive.startswith(texts[f"{EVOLUTION}/learning_queue_archive.md"])
    assert "状态: done" in (scene.root / EVOLUTION / "learning_queue.md").read_text()


@pytest.mark.parametrize("crlf", [False, True])
def test_branches_of_an_adopted_tree_merge_by_the_driver(
    scene: Scene, real: Environment, crlf: bool
) -> None:
    """Both sides added to one place, which git's own merge would call a conflict."""
    lay_out(scene, crlf=crlf)
    installer(scene, ".", "--adopt", "--env", real.path)
    scene.commit()
    shim = str(scene.root / ".ai/bin/afterword")
    scene.git("checkout", "-q", "-b", "other")
    scene.run([shim, "learn", "theirs"])
    scene.commit()
    scene.git("checkout", "-q", "main")
    scene.run([shim, "learn", "ours"])
    scene.commit()
    scene.git("merge", "-q", "-m", "both", "other")
    listed = scene.run([shim, "queue", "list", "--status", "pending"]).stdout
    assert ("ours" in listed, "theirs" in listed) == (True, True)
    merged = (scene.root / EVOLUTION / "learning_queue.md").read_bytes()
    assert merged.count(b"\r\n") == (merged.count(b"\n") if crlf else 0)
    assert scene.git("status", "--porcelain") == ""


# afterword adopt ------------------------------------------------------------------------


def test_the_command_adopts_both_trees_and_says_what_is_left_to_install(
    scene: Scene, real: Environment
) -> None:
    texts = lay_out(scene)
    scene.write(".ai/repo/policy.yaml", "session:\n  stranded_after: 6h\n")
    done = scene.run([real.command, "adopt"])
    assert done.returncode == 0, done.stderr
    assert "created .omc/axiom/.gitattributes\n" in done.stdout
    assert done.stderr.splitlines() == [
        "run install.py for this project: it adds the skills of axiom",
        "the majordomus tree in .ai/repo is used in place",
        "the axiom tree in .omc/axiom is used in place",
    ]
    assert changed(scene) == {**SETTINGS, "episode.stranded_after": "6h"}
    for shown, text in texts.items():
        assert (scene.root / shown).read_bytes() == text
    again = scene.run([real.command, "adopt"])
    assert (again.returncode, again.stdout) == (0, "")
    assert again.stderr.splitlines() == [
        "the majordomus tree in .ai/repo is used in place already, nothing to do",
        "the axiom tree in .omc/axiom is used in place already, nothing to do",
    ]


def test_the_command_adopts_the_tree_that_is_named_alone(
    scene: Scene, real: Environment
) -> None:
    lay_out(scene)
    scene.write(".ai/repo/policy.yaml", "session:\n  stranded_after: 6h\n")
    done = scene.run([real.command, "adopt", ".omc/axiom", "--json"])
    assert '"system":"axiom","where":".omc/axiom"' in done.stdout
    assert changed(scene) == SETTINGS
