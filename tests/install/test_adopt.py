"""The tree of majordomus, used in place (spec/episodes 8)."""

from __future__ import annotations

from pathlib import Path

import pytest

from afterword.install import policy, project
from afterword.install.adopt import detection, local_half, unset
from afterword.store import config_file

from .scene import Scene, snapshot

POLICY = """\
# the seed's settings
session:
  briefing_on_start: false   # said twice
  briefing_budget_lines: 40
  knowledge_on_end: true
  knowledge_on_compact: maybe
  checkpoint_on_compact: true
  stranded_after: "6h"
  freshness:
    fresh_minutes: 720
    stale_minutes: 1440
  record_sections:
    - What
    - Why
knowledge:
  candidates_max_files: 12
  candidate_max_age_minutes: 20160
ledger: {retention_max_lines: 5000}
? odd
"""


def majordomus(scene: Scene) -> None:
    """A repository in which majordomus has worked."""
    scene.write(".ai/repo/policy.yaml", POLICY)
    scene.write(
        ".ai/repo/sessions/20260101T000000Z--s1--main--abcdef0--0123456789abcdef.md",
        "x",
    )
    scene.write(".ai/repo/knowledge/candidates/README.md", "theirs\n")
    scene.write(".ai/local/state/ledger.jsonl", '{"event":"session.closed"}\n')


def test_known_settings_are_carried_over_and_the_rest_is_listed(scene: Scene) -> None:
    majordomus(scene)
    wiring = scene.install()
    found = config_file.read(str(scene.root / ".ai/config.yaml"))
    changed = {
        key: value
        for key, value in found.settings.items()
        if value != config_file.DEFAULTS[key]
    }
    assert (found.problems, found.warnings) == ((), ())
    assert changed == {
        "session.briefing_on_start": False,
        "briefing.max_lines": 40,
        "episode.stranded_after": "6h",
        "knowledge.stale_after": "1440m",
        "knowledge.candidates_max_files": 12,
        "knowledge.candidate_max_age": "20160m",
    }
    where = ".ai/repo/policy.yaml"
    assert wiring.notes == [
        "the majordomus tree in .ai/repo is used in place",
        f"{where}:6: session.knowledge_on_compact: 'maybe' cannot be used, the default holds",
        f"{where}:19: not understood, not carried over",
        f"{where}: not carried over, afterword has no such setting:"
        " session.checkpoint_on_compact, session.freshness.fresh_minutes,"
        " session.record_sections, ledger",
    ]


def test_nothing_is_moved_and_the_undo_is_exact(scene: Scene) -> None:
    majordomus(scene)
    before = scene.state()
    scene.install()
    old = {name: entry for name, entry in before.items() if not name.startswith(".git")}
    now = snapshot(scene.root)
    assert {name: now[name] for name in old} == old
    assert (scene.root / ".ai/local/.stamp").exists()
    scene.uninstall()
    assert scene.state() == before


def test_an_uninstall_says_that_the_other_system_s_files_stay(scene: Scene) -> None:
    """Their records lie beside our READMEs, their state and cache beside our stamp."""
    majordomus(scene)
    scene.write(".ai/repo/knowledge/curated/k1.md", "theirs\n")
    scene.write(".ai/local/cache/index", "theirs\n")
    before = scene.state()
    scene.install()
    assert (scene.root / ".ai/repo/knowledge/curated/README.md").exists()
    scene.uninstall()
    assert scene.state() == before
    assert scene.done[-1] == (
        "remove afterword's own files in .ai/local; not its own, kept: cache, state"
    )


def test_an_adopted_local_half_is_this_worktree_s_own(scene: Scene) -> None:
    majordomus(scene)
    scene.install()
    assert (scene.root / ".ai/local/.stamp").read_bytes() == (
        scene.root / ".git/afterword-stamp"
    ).read_bytes()
    assert (scene.root / ".ai/local/state/ledger.jsonl").exists()


def test_without_adoption_its_settings_are_not_read(scene: Scene) -> None:
    majordomus(scene)
    wiring = project.prepare(scene.wish(adopt=False), lambda _: True)
    assert wiring.adoption is None
    refused = project.prepare(scene.wish(), lambda _: False)
    assert refused.adoption is None
    assert not [note for note in wiring.notes if "majordomus" in note]


def test_settings_that_exist_already_are_not_changed(scene: Scene) -> None:
    majordomus(scene)
    scene.write(".ai/config.yaml", "enabled: true\n")
    wiring = scene.install()
    assert (scene.root / ".ai/config.yaml").read_text() == "enabled: true\n"
    assert wiring.notes[-1] == (
        ".ai/config.yaml: exists and stays as it is; set there yourself:"
        " briefing.max_lines: 40, episode.stranded_after: 6h,"
        " knowledge.candidates_max_files: 12, knowledge.stale_after: 1440m,"
        " session.briefing_on_start: false"
    )


@pytest.mark.parametrize(
    "text",
    [
        "briefing:\n  max_lines: 40  # theirs\nsession: {}\n",
        "\ufeffbriefing.max_lines: 40\r\nx: [1, 2]\n",
        "briefing:\n  max_lines: '40'\n",
    ],
)
def test_settings_that_stand_there_already_are_not_asked_for(
    scene: Scene, text: str
) -> None:
    scene.write(".ai/config.yaml", text)
    carried = {"briefing.max_lines": 40, "session.knowledge_on_end": True}
    assert unset.unset(str(scene.root), carried) == []
    assert unset.unset(str(scene.root), {"briefing.max_lines": 41}) == [
        "briefing.max_lines: 41"
    ]


def test_durations_are_compared_by_what_they_mean(scene: Scene) -> None:
    scene.write(".ai/config.yaml", "knowledge:\n  stale_after: 1d\n")
    assert unset.unset(str(scene.root), {"knowledge.stale_after": "1440m"}) == []


def test_adopting_again_asks_for_nothing(scene: Scene) -> None:
    majordomus(scene)
    scene.install()
    again = scene.install()
    assert scene.done == []
    assert not [note for note in again.notes if "set there yourself" in note]


def test_adopting_after_an_install_writes_the_settings_then(scene: Scene) -> None:
    scene.install()
    scene.write(".ai/repo/policy.yaml", "session:\n  briefing_on_start: false\n")
    scene.install()
    text = (scene.root / ".ai/config.yaml").read_text()
    assert "\nsession:\n  briefing_on_start: false" in text
    before = scene.state()
    scene.install()
    assert scene.state() == before


def test_hooks_of_the_other_system_are_named(scene: Scene) -> None:
    majordomus(scene)
    scene.write(
        ".claude/settings.json", '{"x": ".claude/hooks/majordomus-session-end"}'
    )
    wiring = scene.install()
    assert wiring.notes[-1] == (
        ".claude/settings.json: the hooks of majordomus are still wired; take them out,"
        " or both systems derive candidates"
    )


@pytest.mark.parametrize(
    "shown",
    [
        ".ai/repo/policy.yaml",
        ".ai/local/state/ledger.jsonl",
        ".ai/repo/sessions/20260101T000000Z--s1--main.md",
    ],
)
def test_each_trace_of_the_system_is_seen(scene: Scene, shown: str) -> None:
    assert detection.detect(str(scene.root)) is None
    scene.install()
    assert detection.detect(str(scene.root)) is None
    scene.write(shown, "")
    found = detection.detect(str(scene.root))
    assert found is not None and found.systems == ("majordomus",)


POLICIES = [
    ("a: 1", [("a", "1", 1)], []),
    ("a:\n  b: 'x # y' # z\n", [("a.b", "x # y", 2)], []),
    ("a:\n  - x\n  - y\nb: 2\n", [("a", "", 1), ("b", "2", 4)], []),
    (
        "---\na:\n    b:\n      c: 1\n    d: 2\n",
        [("a.b.c", "1", 4), ("a.d", "2", 5)],
        [],
    ),
    ("- x\n", [], [1]),
    ("a\n\tb: 1\n", [], [1, 2]),
    ("a: |\n  text\n", [("a", "|", 1)], [2]),
    ("", [], []),
]


@pytest.mark.parametrize(("text", "values", "unread"), POLICIES)
def test_the_plain_form_is_read_and_nothing_is_guessed(
    text: str, values: list[policy.Value], unread: list[int]
) -> None:
    assert policy.read(text) == (values, unread)


def test_a_local_half_that_leads_elsewhere_is_not_claimed(
    scene: Scene, tmp_path: Path
) -> None:
    (scene.root / ".ai").mkdir()
    (scene.root / ".ai/local").symlink_to(tmp_path)
    git = str(scene.root / ".git")
    assert local_half.claim(str(scene.root), git) == []
    assert not (scene.root / ".git/afterword-stamp").exists()
