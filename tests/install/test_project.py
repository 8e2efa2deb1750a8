"""Install, uninstall and everything between: H68, H69, H70, H63, H71."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from afterword.errors import AfterwordError
from afterword.host import every, named
from afterword.install import applying, project, receipt, tree
from afterword.store import config, config_file

from .scene import Scene, snapshot
from .test_settings import TEXTS

ALL = "claude-code,codex"


def test_h70_install_then_uninstall_leaves_the_very_tree(scene: Scene) -> None:
    """H70: also empty folders, git's configuration and its exclude file."""
    (scene.root / "empty").mkdir()
    before = scene.state()
    scene.install(hosts="all")
    assert scene.state() != before
    job = scene.uninstall()
    assert scene.state() == before
    assert job.refused == [] and job.notes == []


FILES = [
    "odd indentation",
    "byte order mark",
    "crlf",
    "one line",
    "empty file",
    "blank list",
]


@pytest.mark.parametrize("name", FILES)
def test_h70_settings_come_back_byte_for_byte(scene: Scene, name: str) -> None:
    """More texts, without files around them: test_settings.py."""
    data = TEXTS[name]
    path = scene.write(".claude/settings.json", data)
    path.chmod(0o640)
    before = scene.state()
    scene.install()
    assert path.read_bytes() != data
    assert path.stat().st_mode & 0o777 == 0o640
    scene.uninstall()
    assert scene.state() == before


@pytest.mark.parametrize("scope", ["project", "local"])
def test_h68_a_second_install_changes_nothing(scene: Scene, scope: str) -> None:
    scene.install(hosts="all", scope=scope)
    before = scene.state()
    wiring = scene.install(hosts="all", scope=scope)
    assert (wiring.plan.changes, wiring.config, scene.done) == ((), {}, [])
    assert scene.state() == before


def test_what_is_put_in_is_what_the_design_says(scene: Scene) -> None:
    scene.install(hosts=ALL)
    names = {name for name, entry in snapshot(scene.root).items() if entry[0] == "file"}
    skills = {name for name in names if "/skills/" in name}
    hooks = ["session-start", "stop", "pre-compact", "session-end"]
    assert names - skills == {
        ".ai/.gitignore",
        ".ai/bin/.gitattributes",
        ".ai/bin/afterword",
        ".ai/config.yaml",
        ".ai/local/.stamp",
        ".ai/repo/.gitattributes",
        ".ai/repo/knowledge/candidates/README.md",
        ".ai/repo/knowledge/curated/README.md",
        ".claude/hooks/.gitattributes",
        ".claude/settings.json",
        ".codex/hooks.json",
        ".codex/hooks/.gitattributes",
        *(f".claude/hooks/afterword-{event}" for event in hooks),
        *(f".codex/hooks/afterword-{event}" for event in hooks),
    }
    assert all(
        os.access(scene.root / name, os.X_OK)
        for name in names
        if "/afterword" in name and "skills" not in name
    )
    status = scene.git("status", "--porcelain", "--untracked-files=all")
    assert not [line for line in status.splitlines() if ".ai/local" in line]


def test_h3_h4_time_outs_are_explicit_and_in_the_hosts_unit(scene: Scene) -> None:
    """H3, H4: Codex clamps an end above 3 s and warns; seconds, not milliseconds."""
    scene.install(hosts=ALL)
    found = {}
    for host in every():
        hooks = json.loads((scene.root / host.settings).read_text())["hooks"]
        found[host.name] = {
            event: groups[0]["hooks"][0]["timeout"] for event, groups in hooks.items()
        }
    ten = {"SessionStart": 10, "Stop": 10, "PreCompact": 10}
    assert found == {
        "claude-code": {**ten, "SessionEnd": 10},
        "codex": {**ten, "SessionEnd": 3},
    }


@pytest.mark.parametrize("data", [b'{"a": 1,}', b'{"a": ', b"[]", b'{"hooks": []}'])
def test_h69_settings_that_do_not_parse_stop_their_host_alone(
    scene: Scene, data: bytes
) -> None:
    """H69: untouched, named with file:line, and nothing of that host half done."""
    path = scene.write(".claude/settings.json", data)
    wiring = scene.install(hosts=ALL)
    assert path.read_bytes() == data
    assert not (scene.root / ".claude/hooks").exists()
    assert not (scene.root / ".claude/skills").exists()
    assert (scene.root / ".codex/hooks.json").exists()
    assert [str(error).split(":")[:2] for error in wiring.refused] == [
        [".claude/settings.json", "1"]
    ]


def test_h69_with_no_other_host_nothing_is_written(scene: Scene) -> None:
    scene.write(".claude/settings.json", b'{"a": 1,}')
    before = scene.state()
    with pytest.raises(
        AfterwordError, match=r"\.claude/settings\.json:1: not valid JSON"
    ):
        scene.install()
    assert scene.state() == before


def test_119_every_provider_draws_its_boundary(scene: Scene) -> None:
    """119_every_provider_draws_its_boundary: each host by its own file and form.

    Where the seed refused a configured file with 15, ours are merged into it.
    """
    for host in every():
        scene.write(host.settings, '{"mine": 1}\n')
    scene.install(hosts="all")
    for host in every():
        settings = json.loads((scene.root / host.settings).read_text())
        assert settings["mine"] == 1
        assert list(settings["hooks"]) == [
            "SessionStart",
            "Stop",
            "PreCompact",
            "SessionEnd",
        ]
        for event, name in host.wired.items():
            shim = scene.root / host.hooks_folder / f"afterword-{event}"
            assert f"--host {host.name}" in shim.read_text()
            assert f"afterword-{event}" in json.dumps(settings["hooks"][name])


# -- changed since ---------------------------------------------------------------


def test_changes_made_since_survive_the_uninstall(scene: Scene) -> None:
    path = scene.write(".claude/settings.json", TEXTS["two blanks"])
    scene.install()
    text = path.read_text().replace('"model": "x"', '"model": "y"')
    path.write_text(text)
    scene.uninstall()
    assert path.read_bytes() == TEXTS["two blanks"].replace(b'"x"', b'"y"')


def test_a_reinstall_after_a_change_still_undoes_exactly(scene: Scene) -> None:
    path = scene.write(".claude/settings.json", TEXTS["two blanks"])
    scene.install()
    value = json.loads(path.read_text())
    del value["hooks"]["Stop"]
    value["later"] = True
    path.write_text(json.dumps(value, indent=2))
    scene.install()
    assert "Stop" in json.loads(path.read_text())["hooks"]
    scene.uninstall()
    assert json.loads(path.read_text()) == {
        "model": "x",
        "env": {"A": "1"},
        "later": True,
    }


def test_edited_files_stay_and_it_is_said(scene: Scene) -> None:
    scene.install()
    settings = scene.root / ".ai/config.yaml"
    settings.write_text("enabled: false\n")
    hook = scene.root / ".claude/hooks/afterword-stop"
    hook.write_text(hook.read_text() + "# mine\n")
    job = scene.uninstall()
    assert settings.read_text() == "enabled: false\n"
    assert hook.read_text().endswith("# mine\n")
    assert job.notes == [
        ".claude/hooks/afterword-stop: stays, it was edited; delete it by hand",
        ".ai/config.yaml: stays, it was edited",
    ]


def test_the_memory_stays_whole(scene: Scene) -> None:
    """Records, ledger and what keeps them out of git's sight."""
    scene.install()
    record = scene.write(".ai/repo/knowledge/candidates/e1-0123456789ab.md", "---\n")
    ledger = scene.write(".ai/local/ledger/e1.jsonl", "{}\n")
    scene.uninstall()
    assert record.exists() and ledger.exists()
    # It names a command that is gone.
    assert not (scene.root / ".ai/repo/knowledge/candidates/README.md").exists()
    assert (scene.root / ".ai/.gitignore").exists()
    assert not (scene.root / ".ai/repo/knowledge/curated").exists()
    assert "ledger" not in scene.git("status", "--porcelain", "--untracked-files=all")
    stamp = (scene.root / ".ai/local/.stamp").read_bytes()
    wiring = scene.install()
    assert (scene.root / ".ai/local/.stamp").read_bytes() == stamp
    assert ledger.exists() and wiring.notes == []


def test_places_that_moved_since_are_cleared_too(scene: Scene) -> None:
    scene.install()
    scene.write(".ai/config.yaml", "paths:\n  candidates: notes\n")
    scene.uninstall()
    assert [path.name for path in (scene.root / ".ai").iterdir()] == ["config.yaml"]


def test_caches_and_locks_are_no_memory(scene: Scene) -> None:
    before = scene.state()
    scene.install()
    scene.write(".ai/local/cache/config.json", "{}")
    scene.write(".ai/local/locks/compile.lock", "")
    scene.uninstall()
    assert scene.state() == before


def test_h70_uninstall_when_the_scripts_are_gone_already(scene: Scene) -> None:
    scene.write(".claude/settings.json", TEXTS["crlf"])
    before = scene.state()
    scene.install()
    shutil.rmtree(scene.root / ".claude/hooks")
    shutil.rmtree(scene.root / ".ai")
    scene.uninstall()
    assert scene.state() == before


def test_h70_uninstall_twice_and_without_an_install(scene: Scene) -> None:
    scene.write(".claude/settings.json", '{"a": 1}')
    before = scene.state()
    scene.uninstall()
    assert (scene.state(), scene.done) == (before, [])
    scene.install()
    scene.uninstall()
    scene.uninstall()
    assert (scene.state(), scene.done) == (before, [])


def test_h70_uninstall_by_another_copy_of_the_tool(scene: Scene) -> None:
    """`rm -rf` of the tool first: another checkout takes out what it put in."""
    before = scene.state()
    scene.install()
    shutil.rmtree(scene.tool)
    shutil.rmtree(scene.env)
    scene.uninstall()
    assert scene.state() == before


def test_a_colleague_uninstalls_what_came_through_git(scene: Scene) -> None:
    """No receipt in this clone: what is ours is known by its marks."""
    scene.write("code.py", "1\n")
    scene.write(".claude/settings.json", '{\n  "model": "x"\n}\n')
    scene.commit()
    first = snapshot(scene.root)
    scene.install(hosts="all")
    scene.commit()
    copy = scene.root.parent / "copy"
    scene.git("clone", "-q", str(scene.root), str(copy))
    clone = Scene(copy, scene.home, scene.env, scene.tool)
    clone.uninstall()
    assert snapshot(copy) == first


def test_edited_settings_of_another_clone_lose_our_entries_only(scene: Scene) -> None:
    scene.write(".claude/settings.json", TEXTS["several groups"])
    scene.install()
    (scene.root / ".git" / receipt.NAME).unlink()
    scene.uninstall()
    assert (scene.root / ".claude/settings.json").read_bytes() == TEXTS[
        "several groups"
    ]


# -- foreign files ------------------------------------------------------------------


def test_foreign_files_in_our_places_are_left_alone(scene: Scene) -> None:
    texts = {
        ".claude/hooks/afterword-stop": "#!/bin/sh\necho mine\n",
        ".ai/bin/afterword": "#!/bin/sh\necho mine\n",
        ".ai/config.yaml": "enabled: false\n",
        ".ai/.gitignore": "x\n",
        ".ai/repo/knowledge/candidates/README.md": "mine\n",
        ".claude/hooks/.gitattributes": "*.sh text",
        ".claude/skills/record/SKILL.md": "mine\n",
    }
    for shown, text in texts.items():
        scene.write(shown, text)
    before = scene.state()
    wiring = scene.install()
    for shown, text in texts.items():
        assert (scene.root / shown).read_text().startswith(text)
    left = "not afterword's file, left alone"
    assert wiring.notes == [
        f".ai/bin/afterword: {left}; move it away to have the hook",
        f".claude/hooks/afterword-stop: {left}; move it away to have the hook",
        f".claude/skills/record/SKILL.md: {left}",
    ]
    scene.uninstall()
    assert scene.state() == before


def test_a_shim_of_ours_that_was_changed_is_written_anew(scene: Scene) -> None:
    scene.install()
    hook = scene.root / ".claude/hooks/afterword-stop"
    text = hook.read_text()
    hook.write_text(text.replace("exec", "echo"))
    hook.chmod(0o600)
    wiring = scene.install()
    assert hook.read_text() == text
    assert os.access(hook, os.X_OK)
    assert wiring.notes == [".claude/hooks/afterword-stop: was changed, written anew"]


def test_a_lost_executable_bit_is_given_back(scene: Scene) -> None:
    scene.install()
    hook = scene.root / ".claude/hooks/afterword-stop"
    hook.chmod(0o644)
    scene.install()
    assert scene.done == ["change .claude/hooks/afterword-stop"]
    scene.git("config", "core.fileMode", "false")
    hook.chmod(0o644)
    scene.install()
    assert scene.done == []


def test_an_edited_skill_is_kept_and_an_untouched_one_renewed(
    scene: Scene, tmp_path: Path
) -> None:
    checkout = tmp_path / "checkout"
    skill = checkout / "skills" / "record" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("one\n")
    (checkout / "skills" / "review" / "notes").mkdir(parents=True)
    scene.install(home=str(checkout))
    copied = scene.root / ".claude/skills/record/SKILL.md"
    skill.write_text("two\n")
    scene.install(home=str(checkout))
    assert copied.read_text().startswith(
        "two\n<!-- afterword: copied by install.py, sha256 "
    )
    copied.write_text(copied.read_text().replace("two", "mine"))
    wiring = scene.install(home=str(checkout))
    assert wiring.notes == [".claude/skills/record/SKILL.md: edited here, left alone"]
    scene.uninstall()
    assert copied.read_text().startswith("mine\n")


# -- symlinks, read-only files, other kinds of files (H63) ------------------------------


def test_settings_behind_a_symlink_in_the_repository_are_edited_there(
    scene: Scene,
) -> None:
    target = scene.write("dot/settings.json", '{\n  "a": 1\n}\n')
    (scene.root / ".claude").mkdir()
    link = scene.root / ".claude/settings.json"
    link.symlink_to("../dot/settings.json")
    before = scene.state()
    scene.install()
    assert link.is_symlink()
    assert "hooks" in json.loads(target.read_text())
    scene.uninstall()
    assert scene.state() == before


def replaced(scene: Scene, shown: str, kind: str) -> None:
    """Put something else in the place of a file."""
    path = scene.root / shown
    path.parent.mkdir(parents=True, exist_ok=True)
    victim = scene.home / "victim"
    victim.write_text("{}")
    if kind == "symlink out":
        path.symlink_to(victim)
    elif kind == "dangling symlink":
        path.symlink_to(scene.root / "nothing")
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "folder out":
        path.parent.rmdir()
        path.parent.symlink_to(scene.home)
    elif kind == "read-only":
        path.write_text("{}")
        path.chmod(0o444)


KINDS = {
    "symlink out": "{shown}: leads out of {root}, to {home}/victim; not changed",
    "dangling symlink": "{shown}: a symlink to nothing ({root}/nothing); not changed",
    "fifo": "{shown}: not a regular file; not changed",
    "folder": "{shown}: not a regular file; not changed",
    "folder out": (
        ".claude/hooks/.gitattributes: leads out of {root},"
        " to {home}/hooks/.gitattributes; not changed"
    ),
    "read-only": "{shown}: read-only; not changed",
}


@pytest.mark.parametrize("kind", KINDS)
def test_h63_settings_that_are_no_file_of_the_project_are_refused(
    scene: Scene, kind: str
) -> None:
    """H63: a symlink out, dangling, a FIFO (no hang): refused, nothing of the host done."""
    shown = ".claude/settings.json"
    replaced(scene, shown, kind)
    before = scene.state()
    with pytest.raises(AfterwordError) as caught:
        scene.install()
    message = KINDS[kind].format(shown=shown, root=scene.root, home=scene.home)
    assert caught.value.message == message
    assert scene.state() == before
    assert (scene.home / "victim").read_text() == "{}"


@pytest.mark.parametrize(
    "shown", [".ai/config.yaml", ".ai/bin/afterword", ".ai/.gitignore"]
)
@pytest.mark.parametrize("kind", ["symlink out", "dangling symlink"])
def test_h63_symlinks_in_the_place_of_our_files_are_left_alone(
    scene: Scene, shown: str, kind: str
) -> None:
    replaced(scene, shown, kind)
    wiring = scene.install()
    assert f"{shown}: a symlink, left alone" in wiring.notes
    assert (scene.root / shown).is_symlink()
    assert (scene.home / "victim").read_text() == "{}"
    assert not (scene.root / "nothing").exists()


def test_h63_a_memory_folder_that_leads_out_stops_the_install(scene: Scene) -> None:
    (scene.root / ".ai").symlink_to(scene.home)
    with pytest.raises(AfterwordError, match="a symlink to "):
        scene.install()
    assert list(scene.home.iterdir()) == []


# -- killed, in parallel --------------------------------------------------------------


def test_a_second_run_completes_a_killed_one(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed before a step, early or late: the next run completes, the undo is exact."""
    scene.write(".claude/settings.json", TEXTS["two blanks"])
    before = scene.state()
    total = len(scene.plan(hosts=ALL).plan.changes)
    for stop in (*range(0, total - 2, 4), total - 2, total - 1):
        steps = iter(range(total))
        real = applying.apply

        def apply(change: object, steps=steps, stop=stop, real=real) -> None:
            if next(steps) == stop:
                raise KeyboardInterrupt
            real(change)

        monkeypatch.setattr(applying, "apply", apply)
        with pytest.raises(KeyboardInterrupt):
            scene.install(hosts=ALL)
        monkeypatch.setattr(applying, "apply", real)
        if stop % 8:
            scene.install(hosts=ALL)
            assert scene.plan(hosts=ALL).plan.changes == ()
        scene.uninstall()
        assert scene.state() == before


def test_temps_of_killed_installs_are_swept(scene: Scene) -> None:
    scene.write(".claude/settings.json", "{}")
    dead = scene.write(".claude/.settings.json.999999999.0a1b2c3d.tmp", "{")
    alive = scene.write(f".claude/.settings.json.{os.getpid()}.0a1b2c3d.tmp", "{")
    scene.install()
    assert not dead.exists()
    assert alive.exists()


def test_a_file_that_another_program_changes_meanwhile_is_not_overwritten(
    scene: Scene,
) -> None:
    path = scene.write(".claude/settings.json", "{}")
    wiring = scene.plan()
    path.write_text('{"new": 1}')
    with pytest.raises(AfterwordError) as caught:
        project.carry_out(wiring)
    assert str(caught.value) == (
        ".claude/settings.json: was changed by another program just now\nrun the same command again"
    )
    assert path.read_text() == '{"new": 1}'
    scene.install()
    assert json.loads(path.read_text())["new"] == 1


# -- scopes ----------------------------------------------------------------------------


def test_local_scope_uses_the_local_settings_and_hides_what_it_puts_in(
    scene: Scene,
) -> None:
    before = scene.state()
    scene.install(scope="local")
    assert (scene.root / ".claude/settings.local.json").exists()
    assert not (scene.root / ".claude/settings.json").exists()
    status = scene.git("status", "--porcelain", "--untracked-files=all").splitlines()
    assert {line[3:].split("/")[0] for line in status} == {".ai"}
    scene.uninstall()
    assert scene.state() == before


def test_codex_has_no_local_settings(scene: Scene) -> None:
    wiring = scene.install(scope="local", hosts="codex")
    assert wiring.notes == [
        "Codex has no settings for one machine only: .codex/hooks.json is used"
    ]
    assert (scene.root / ".codex/hooks.json").exists()


@pytest.mark.parametrize(
    ("first", "second"), [("project", "local"), ("local", "project")]
)
def test_h71_a_project_is_not_wired_twice(
    scene: Scene, first: str, second: str
) -> None:
    """H71: two entries would run each hook twice."""
    scene.install(scope=first)
    before = scene.state()
    wiring = scene.install(scope=second)
    name = (
        ".claude/settings.json" if first == "project" else ".claude/settings.local.json"
    )
    assert wiring.notes == [f"Claude Code is wired by {name} already: it stays there"]
    assert scene.state() == before


def test_user_scope_wires_the_home_directory(scene: Scene) -> None:
    settings = scene.home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_bytes(TEXTS["tabs"])
    before, home = scene.state(), snapshot(scene.home)
    scene.install(scope="user", hosts=ALL)
    assert not (scene.root / ".claude").exists()
    assert (scene.root / ".ai/config.yaml").exists()
    assert (scene.home / ".claude/hooks/afterword-stop").exists()
    assert (scene.home / ".codex/hooks.json").exists()
    scene.uninstall()
    assert (scene.state(), snapshot(scene.home)) == (before, home)


def test_user_scope_stays_while_it_serves_another_project(
    make_scene: Callable[..., Scene], tmp_path: Path
) -> None:
    one = make_scene("one")
    home = snapshot(one.home)
    two = Scene(tmp_path / "two", one.home, one.env, one.tool)
    two.root.mkdir()
    two.git("init", "-q")
    one.install(scope="user")
    two.install(scope="user")
    job = one.uninstall()
    assert job.notes == [
        f"the hooks in your home directory stay, they serve {two.root} as well;"
        " --scope user --uninstall takes them out"
    ]
    assert (one.home / ".claude/hooks/afterword-stop").exists()
    two.uninstall()
    assert snapshot(one.home) == home


def test_user_scope_asked_for_by_name_goes_at_once(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    moved = tmp_path / "moved config"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(moved))
    moved.mkdir()
    home = snapshot(scene.home)
    scene.install(scope="user")
    command = json.loads((moved / "settings.json").read_text())["hooks"]["Stop"]
    assert "${CLAUDE_CONFIG_DIR:-$HOME/.claude}" in command[0]["hooks"][0]["command"]
    assert (moved / "hooks/afterword-stop").exists()
    scene.uninstall(scope="user")
    assert (snapshot(scene.home), list(moved.iterdir())) == (home, [])


# -- hosts ----------------------------------------------------------------------------


def test_by_default_the_agents_whose_folder_exists_are_wired(scene: Scene) -> None:
    assert [host.name for host in scene.plan().hosts] == ["claude-code"]
    (scene.root / ".codex").mkdir()
    assert [host.name for host in scene.plan().hosts] == ["codex"]
    (scene.root / ".claude").mkdir()
    assert [host.name for host in scene.plan().hosts] == ["claude-code", "codex"]


def test_an_unknown_host_is_named_with_those_that_are_known(scene: Scene) -> None:
    with pytest.raises(AfterwordError) as caught:
        scene.plan(hosts="claude-code,emacs")
    assert str(caught.value) == (
        "--host emacs: not an agent that can be wired; known: claude-code, codex\n"
        "type: --host claude-code, several names with commas between, or --host all"
    )
    assert caught.value.exit_code == 2


def test_one_of_two_hosts_can_be_taken_out(scene: Scene) -> None:
    scene.install(hosts="claude-code")
    before = scene.state()
    scene.install(hosts="codex")
    scene.uninstall(hosts="codex")
    after = scene.state()
    assert after == before
    scene.uninstall(hosts="claude-code")
    assert not (scene.root / ".ai").exists()


# -- the tree -------------------------------------------------------------------------


def test_init_creates_the_tree_and_never_overwrites(scene: Scene) -> None:
    scene.write(".ai/.gitignore", "mine\n")
    created = tree.create(str(scene.root))
    assert created == [
        ".ai/config.yaml",
        ".ai/bin/afterword",
        ".ai/bin/.gitattributes",
        ".ai/repo/.gitattributes",
        ".ai/repo/knowledge/candidates/README.md",
        ".ai/repo/knowledge/curated/README.md",
    ]
    assert (scene.root / ".ai/.gitignore").read_text() == "mine\n"
    assert tree.plan_tree(str(scene.root)) == []


def test_records_that_lie_elsewhere_get_no_second_folder(scene: Scene) -> None:
    scene.write(".ai/config.yaml", "paths:\n  candidates: notes/candidates\n")
    tree.create(str(scene.root))
    assert not (scene.root / ".ai/repo/knowledge").exists()


def test_the_settings_file_names_every_key_with_its_default(tmp_path: Path) -> None:
    """As created it says nothing; with every comment mark gone it says the defaults."""
    text = tree.config_text({})
    path = tmp_path / "config.yaml"
    path.write_text(text)
    assert config_file.read(str(path)) == config.Config(settings=dict(config.DEFAULTS))
    head, _, body = text.partition("\n\n")
    assert all(line.startswith("#") for line in head.splitlines())
    path.write_text(body.replace("# ", "", 1).replace("\n# ", "\n"))
    found = config_file.read(str(path))
    assert (found.problems, found.warnings) == ((), ())
    plain = {
        key: list(v) if isinstance(v, tuple) else v for key, v in found.settings.items()
    }
    wanted = {
        key: list(v) if isinstance(v, tuple) else v
        for key, v in config.DEFAULTS.items()
    }
    assert plain == wanted
    names = [
        line.split(":")[0].lstrip("# ") for line in body.splitlines() if ":" in line
    ]
    assert {key.name.rpartition(".")[2] for key in config.KEYS} <= set(names)


def test_attributes_keep_shims_and_records_whole(scene: Scene) -> None:
    scene.install()
    paths = [
        ".ai/repo/knowledge/curated/x.md",
        ".ai/repo/a.json",
        ".claude/hooks/afterword-stop",
    ]
    said = scene.git("check-attr", "merge", "eol", "--", *paths, ".ai/bin/afterword")
    assert said.splitlines() == [
        f"{paths[0]}: merge: afterword",
        f"{paths[0]}: eol: lf",
        f"{paths[1]}: merge: afterword",
        f"{paths[1]}: eol: lf",
        f"{paths[2]}: merge: unspecified",
        f"{paths[2]}: eol: lf",
        ".ai/bin/afterword: merge: unspecified",
        ".ai/bin/afterword: eol: lf",
    ]


def test_litter_of_ours_is_out_of_git_s_sight(scene: Scene) -> None:
    scene.install()
    scene.write(".ai/repo/.snapshot.md.12.0a1b2c3d.tmp", "")
    scene.write(".ai/repo/knowledge/curated/.x.md.12.0a1b2c3d.orphan", "")
    scene.write(".ai/local-0a1b2c3d/x", "")
    status = scene.git("status", "--porcelain", "--untracked-files=all")
    assert not [line for line in status.splitlines() if "0a1b2c3d" in line]


def test_a_foreign_local_half_is_moved_aside_and_comes_back(scene: Scene) -> None:
    scene.write(".ai/local/ledger/planted.jsonl", "{}")
    scene.git("add", "-f", ".ai")
    before = scene.state()
    wiring = scene.install()
    assert len(wiring.notes) == 1
    assert wiring.notes[0].startswith(
        ".ai/local was not made by this worktree: moved to local-"
    )
    assert not (scene.root / ".ai/local/ledger").exists()
    scene.uninstall()
    assert scene.state() == before


def test_needs_of_hosts_are_words_to_type() -> None:
    assert "/hooks" in named("codex").needs
