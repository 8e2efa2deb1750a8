"""Settings: each wrong value costs its own key, is said with file:line, and stops nothing."""

import time
from pathlib import Path

import pytest

from afterword.errors import ConfigError
from afterword.store import config, config_file
from scene import Scene, make_scene


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return make_scene(tmp_path)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("enabled: maybe\n", ".ai/config.yaml:1: enabled: must be true or false"),
        ("\nsession:\n  briefing_on_start: 3\n", ".ai/config.yaml:3: session."),
        ("briefing:\n  max_lines: 0\n", ".ai/config.yaml:2: briefing.max_lines"),
        ("briefing:\n  max_lines: many\n", ".ai/config.yaml:2: briefing.max_lines"),
        ("episode:\n  stranded_after: soon\n", ".ai/config.yaml:2: episode."),
        ("episode:\n  stranded_after: 0h\n", ".ai/config.yaml:2: episode."),
        ("session:\n  knowledge_on_stop: often\n", ".ai/config.yaml:2: session."),
        ("knowledge:\n  rule_paths: one\n", ".ai/config.yaml:2: knowledge."),
        ("review:\n  agents: 'yes'\n", ".ai/config.yaml:2: review.agents"),
        ("a: [unclosed\n", ".ai/config.yaml:"),
        ("- a\n- b\n", ".ai/config.yaml:1: settings are"),
        ("\tx: 1\n", ".ai/config.yaml:1"),
        ("a: 1\na: 2\n", ".ai/config.yaml:"),
        ("\0\0", ".ai/config.yaml:"),
        ("x: !!python/object/apply:os.system ['true']\n", ""),
        ("paths:\n  curated: ../x\n", "config.yaml:2: paths.curated"),
    ],
)
def test_what_is_wrong_is_said_and_the_default_holds(
    scene: Scene, text: str, problem: str
) -> None:
    scene.write(".ai/config.yaml", text)
    found = config.load(scene.store)
    assert found.settings == config.DEFAULTS
    assert any(problem in one for one in (*found.problems, *found.warnings))
    ran = scene.start("e1")
    assert "Episode e1" in ran.briefing
    if found.problems:
        assert "config.yaml" in ran.err
        assert len(scene.of("e1", "provider.event.failed")) == 1
        with pytest.raises(ConfigError, match=r"config\.yaml"):
            config_file.need(scene.store)


def test_unknown_keys_are_reported_and_ignored(scene: Scene) -> None:
    scene.write(".ai/config.yaml", "surprise: 1\nbriefing:\n  max_lines: 30\n  x: 2\n")
    found = config.load(scene.store)
    assert found["briefing.max_lines"] == 30
    assert found.problems == ()
    assert [line.split(": ")[1] for line in found.warnings] == [
        "surprise",
        "briefing.x",
    ]


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "session:\n", "{}\n"])
def test_nothing_said_is_the_default(scene: Scene, text: str) -> None:
    scene.write(".ai/config.yaml", text)
    found = config.load(scene.store)
    assert (found.settings, found.problems) == (config.DEFAULTS, ())


def test_12_19_absence_is_no_consent_and_a_switch_is_on() -> None:
    """Spec 8: switches are on unless exactly false, consents off unless exactly true."""
    for key in config.KEYS:
        if key.kind == "switch":
            assert key.default is True, key.name
        if key.kind == "consent":
            assert key.default is False, key.name
        assert key.doc
        assert key.why


@pytest.mark.parametrize("size", [2 << 20, 1 << 30])
def test_a_great_file_is_bounded(scene: Scene, size: int) -> None:
    path = scene.write(".ai/config.yaml", "enabled: true\n")
    with path.open("r+b") as file:
        file.truncate(size)
    began = time.monotonic()
    ran = scene.start("e1")
    assert "config.yaml" in ran.err
    assert time.monotonic() - began < 5


def test_a_changed_file_counts_at_once(scene: Scene) -> None:
    """DESIGN 3: the cache key is the file's status; one younger than 2 s is not trusted."""
    for lines in (30, 20, 30):
        scene.write(".ai/config.yaml", f"briefing:\n  max_lines: {lines}\n")
        scene.start("e1")
        assert config.load(scene.store)["briefing.max_lines"] == lines


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("30m", 1800), ("12h", 43200), ("14d", 1209600)]
)
def test_durations(text: str, seconds: float) -> None:
    assert config.duration(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "h", "12", "-1h", "1.5h", "0s", "1w", "１h", " 1h"]
)
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(ValueError, match="is not a duration"):
        config.duration(text)
