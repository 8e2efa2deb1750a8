"""HAZARDS D: repositories of every shape, and states that git may be in."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from scene import EVENTS, GIT_ENV, Scene, command, make_scene, stated


def session(scene: Scene, episode: str = "e1", **more: object) -> str:
    """A whole session with a decision; the text of its one candidate of that decision."""
    scene.start(episode)
    scene.decide(episode, f"Kept in {episode}")
    scene.stop(episode)
    scene.compact(episode)
    scene.end(episode)
    return next(t for t in scene.candidates.values() if f"Kept in {episode}" in t)


def test_h38_no_commit_yet(tmp_path: Path) -> None:
    scene = make_scene(tmp_path, commit=False)
    assert "no commit yet" in scene.start("e0").briefing
    session(scene)
    assert {line["head"] for line in scene.lines("e1")} == {None}
    assert {line["branch"] for line in scene.lines("e1")} == {"main"}


def test_h38_the_first_commit_is_made_in_the_episode(tmp_path: Path) -> None:
    scene = make_scene(tmp_path, commit=False)
    scene.start("e1")
    sha = scene.commit("First\n\nFact: born", **{"docs/adr/1.md": "x\n"})
    scene.end("e1")
    assert f"commit:{sha}" in next(iter(scene.candidates.values()))


def test_h38_a_shallow_clone(scene: Scene, tmp_path: Path) -> None:
    for number in range(3):
        scene.commit(f"c{number}")
    scene.git(
        "clone", "-q", "--depth", "1", f"file://{scene.root}", str(tmp_path / "s")
    )
    other = Scene(tmp_path / "s", tmp_path / "home")
    assert "Kept in e1" in session(other)


def test_h39_a_detached_head_is_null_not_a_word(scene: Scene) -> None:
    scene.git("checkout", "-q", "--detach")
    assert "no branch (detached HEAD)" in scene.start("e0").briefing
    session(scene)
    assert {line["branch"] for line in scene.lines("e1")} == {None}
    assert "HEAD" not in scene.records["e1"].replace("head:", "")


def conflict(scene: Scene) -> None:
    scene.commit("base", **{"f.txt": "base\n"})
    scene.git("checkout", "-q", "-b", "side")
    scene.commit("side", **{"f.txt": "side\n"})
    scene.git("checkout", "-q", "main")
    scene.commit("main", **{"f.txt": "main\n"})


@pytest.mark.parametrize(
    ("begin", "abort"),
    [
        (("merge", "side"), ("merge", "--abort")),
        (("rebase", "side"), ("rebase", "--abort")),
        (("cherry-pick", "side"), ("cherry-pick", "--abort")),
        (("bisect", "start"), ("bisect", "reset")),
        (("revert", "--no-edit", "HEAD~1"), ("revert", "--abort")),
    ],
)
def test_h39_in_the_middle_of_something(
    scene: Scene, begin: tuple[str, ...], abort: tuple[str, ...]
) -> None:
    """The real states, not their markers: only the ledger grows, then all is made up for."""
    conflict(scene)
    scene.start("e1")
    scene.decide("e1", "Kept")
    scene.git(*begin, check=False)
    for event in EVENTS[1:]:
        scene.hook(event, stated(event, "e1", reason="other"), strict=False)
    scene.start("e2", strict=False)
    assert scene.candidates == {}
    assert scene.records == {}
    scene.git(*abort)
    scene.start("e3")
    assert len(scene.candidates) == 1
    assert not scene.is_open("e1")


def test_h40_a_worktree_has_a_ledger_of_its_own(scene: Scene, tmp_path: Path) -> None:
    scene.commit("memory")
    side = tmp_path / "side"
    scene.git("worktree", "add", "-q", "-b", "side", str(side))
    other = Scene(side, tmp_path / "home")
    other._index = lambda: b""  # type: ignore[method-assign] its index lies elsewhere
    scene.start("e1")
    session(other, "e2")
    assert not (scene.local / "ledger/e2.jsonl").exists()
    assert scene.is_open("e1")
    refused = subprocess.run(
        ["git", "worktree", "remove", str(side)],
        cwd=scene.root,
        env={**scene.env, **GIT_ENV},
        capture_output=True,
        check=False,
    )
    assert refused.returncode != 0, "git keeps what nobody committed"
    other.commit("what it learned")
    scene.git("worktree", "remove", str(side))
    scene.git("merge", "-q", "side")
    assert any("Kept in e2" in text for text in scene.candidates.values())


def test_h41_a_submodule_without_a_memory_belongs_to_its_superproject(
    scene: Scene, tmp_path: Path
) -> None:
    (tmp_path / "lib").mkdir()
    other = make_scene(tmp_path / "lib")
    other.git("rm", "-q", "-r", "-f", ".ai")
    other.git("commit", "-q", "-m", "no memory")
    scene.git(
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        str(other.root),
        "sub",
    )
    scene.commit("submodule")
    (scene.root / "vendor/nested").mkdir(parents=True)
    scene.git("init", "-q", cwd=scene.root / "vendor/nested")
    (scene.root / "src/deep").mkdir(parents=True)
    for folder in ("sub", "vendor/nested", "src/deep", "vendor"):
        call = command("stop", None)
        payload = stated("stop", f"in-{folder.replace('/', '-')}")
        scene.hook("stop", payload, call=call, cwd=scene.root / folder, strict=False)
        assert scene.names(f"in-{folder.replace('/', '-')}").count("round.ended") == 1
        assert not (scene.root / folder / ".ai").exists()
    scene.hook("stop", stated("stop", "rooted"), cwd=scene.root / "sub", strict=False)
    assert scene.names("rooted").count("round.ended") == 1


def test_h41_a_nested_repository_with_a_memory_has_its_own(scene: Scene) -> None:
    nested = scene.root / "vendor/nested"
    (nested / ".ai").mkdir(parents=True)
    scene.git("init", "-q", cwd=nested)
    scene.hook(
        "stop",
        stated("stop", "e1", cwd=str(nested)),
        call=command("stop", None),
        strict=False,
    )
    assert (nested / ".ai/local/ledger/e1.jsonl").is_file()
    assert not scene.ledger("e1").exists()


def test_h41_outside_any_repository_nothing_happens(
    scene: Scene, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    (outside / ".ai").mkdir(parents=True)
    for event in EVENTS:
        ran = scene.hook(
            event,
            stated(event, "e1", cwd=str(outside)),
            call=command(event, None),
            cwd=outside,
        )
        assert (ran.out, ran.err) == ("", "")
    assert list((outside / ".ai").iterdir()) == []


def test_h41_a_bare_repository_is_none(scene: Scene, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    scene.git("clone", "-q", "--bare", str(scene.root), str(bare))
    (bare / ".ai").mkdir()
    ran = scene.hook("stop", stated("stop", "e1"), call=command("stop", bare), cwd=bare)
    assert ran.out == ""
    assert not (bare / ".ai/local").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="not on this system: changing owners")
def test_h41_a_repository_of_somebody_else(scene: Scene) -> None:
    """git refuses what another user owns (safe.directory); the episode closes all the same."""
    scene.start("e1")
    scene.decide("e1", "Kept")
    for path in (scene.root, scene.root / ".git"):
        os.chown(path, 12345, 12345)
    try:
        ran = scene.hook(
            "session-end", stated("session-end", "e1", reason="other"), strict=False
        )
    finally:
        for path in (scene.root, scene.root / ".git"):
            os.chown(path, 0, 0)
    assert ran.out == ""
    if scene.is_open("e1"):
        scene.start("e2")
    assert not scene.is_open("e1")
    assert len(scene.candidates) == 1


@pytest.mark.parametrize(
    "damage", ["HEAD", "objects", "refs", "index", "config", "logs"]
)
def test_a_damaged_repository(scene: Scene, damage: str) -> None:
    """git cannot read it: said, logged, and the rest goes on."""
    scene.start("e1")
    scene.decide("e1", "Kept")
    scene.commit("x")
    path = scene.root / ".git" / damage
    away = scene.root / ".git" / f"{damage}-away"
    path.rename(away)
    if damage in ("HEAD", "config", "index"):
        path.write_bytes(b"\0\xff garbage" * 100)
    for event in ("stop", "pre-compact", "session-end", "session-start"):
        scene_hook_any(scene, event, "e1")
    path.unlink() if path.is_file() else None
    away.rename(path)
    scene.start("e2")
    scene.end("e1")
    assert len(scene.candidates) == 1
    scene.check_ledgers()


def scene_hook_any(scene: Scene, event: str, episode: str) -> None:
    scene.hook(event, stated(event, episode, reason="other"), strict=False)


@pytest.mark.parametrize(
    "name",
    ["feature/a-b", "ünï/代码", "a'b\"c", "x" * 200, "$(touch$IFS;x)"],
)
def test_branch_names(scene: Scene, name: str) -> None:
    scene.git("checkout", "-q", "-b", name)
    session(scene)
    assert {line["branch"] for line in scene.lines("e1")} == {name}
    text = scene.start("e2").briefing
    assert "Candidates awaiting review on this branch: 1" in text


def test_a_sha256_repository(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "home").mkdir()
    scene = Scene(root, tmp_path / "home")
    scene.git("init", "-q", "-b", "main", "--object-format=sha256")
    scene.write(".ai/.gitignore", "local/\n")
    scene.commit("First")
    scene.start("e1")
    sha = scene.commit("x\n\nFact: long names", **{"docs/adr/1.md": "x"})
    scene.end("e1")
    assert len(sha) == 64
    assert f"commit:{sha}" in next(iter(scene.candidates.values()))


def test_packed_refs(scene: Scene) -> None:
    scene.git("pack-refs", "--all")
    scene.git("gc", "-q")
    session(scene)
    assert {len(line["head"]) for line in scene.lines("e1")} == {40}


def test_h46_what_git_takes_away_is_survived(scene: Scene) -> None:
    """git clean -fdx takes the local half; the next event makes a new one and goes on."""
    scene.start("e1")
    scene.decide("e1", "Committed")
    scene.compact("e1")
    scene.commit("memory")
    scene.git("clean", "-q", "-fdx")
    assert not scene.local.exists()
    for event in EVENTS[1:]:
        scene.hook(event, stated(event, "e1", reason="other"))
    scene.start("e2")
    scene.decide("e2", "Later")
    scene.git("stash", "-q", "-u")
    scene.end("e2")
    assert any("Later" in text for text in scene.candidates.values())


def test_h48_the_briefing_follows_the_branch(scene: Scene) -> None:
    session(scene)
    scene.commit("memory")
    scene.git("checkout", "-q", "-b", "old", "HEAD~1")
    assert "No candidate awaits review" in scene.start("e2").briefing
    scene.git("checkout", "-q", "main")
    assert "awaiting review on this branch: 1" in scene.start("e3").briefing


def test_hostile_local_configuration_runs_nothing(scene: Scene, tmp_path: Path) -> None:
    """A repository's own git configuration names programs; a hook's git runs none of them."""
    mark = tmp_path / "pwned"
    script = tmp_path / "run.sh"
    script.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    script.chmod(0o755)
    scene.start("e1")
    scene.decide("e1", "Kept")
    scene.commit("x\n\nFact: y", **{"docs/adr/1.md": "x"})
    for key in (
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "core.hooksPath",
        "diff.external",
        "pager.log",
        "gpg.program",
        "filter.x.clean",
        "filter.x.smudge",
        "alias.log",
        "alias.rev-list",
        "core.alternateRefsCommand",
        "uploadpack.packObjectsHook",
        "log.showSignature",
    ):
        value = "true" if key.endswith("Signature") else str(script)
        scene.git("config", "--local", key, value)
    scene.write(".gitattributes", "* filter=x diff=x\n")
    for event in EVENTS:
        scene.hook(event, stated(event, "e1", reason="other"), strict=False)
    assert not mark.exists()
    assert len(scene.candidates) == 2


def test_the_index_and_the_stash_are_never_touched(scene: Scene) -> None:
    scene.write("staged.txt", "staged\n")
    scene.git("add", "staged.txt")
    scene.write("README.md", "changed\n")
    before = scene.git("diff", "--cached"), scene.git("diff")
    scene.start("e1", strict=False)
    scene.decide("e1", "Kept")
    for event in EVENTS:
        scene.hook(event, stated(event, "e1", reason="other"), strict=False)
    assert (scene.git("diff", "--cached"), scene.git("diff")) == before
    lines = scene.git("status", "--porcelain").splitlines()
    assert lines == [" M README.md", "A  staged.txt", "?? .ai/repo/"]
    assert json.loads(scene.ledger("e1").read_text().splitlines()[0])
