"""Every setting: key, default, what it does and why, in one table.

`load` gives a hook the settings from a cache without parsing YAML; reading the file
itself is `config_file`'s. docs/configuration.md is generated from the table. Part
of a hook's path: standard library only.
"""

import os

from afterword.errors import UnsafePath
from afterword.model import TYPE_CHECKING, Model
from afterword.store import atomic, file_key, jsonline, stamp
from afterword.store.layout import BESIDE, OPTIONAL, PATHS, Store, confine, is_file

if TYPE_CHECKING:
    from typing import Any

NAME = "config.yaml"


class Key(Model):
    """One setting. `kind` is switch, consent, count, duration, choice, list or path.

    A switch is on unless it is exactly `false`; a consent is off unless it is
    exactly `true`, because absence is not consent (spec/episodes 8).
    """

    name: str
    kind: str
    default: "Any"
    doc: str
    why: str
    choices: "tuple[str, ...]" = ()


_PLACES = {
    "queue": "The file of the learning queue, from the repository's top.",
    "queue_archive": "The queue's archive; by default beside the queue.",
    "reflections": "The file of the reflection log, from the repository's top.",
    "reflections_archive": "The reflections' archive; by default beside the log.",
    "knowledge_base": "The file of the knowledge base's index, from the repository's top.",
    "entries": "The folder of knowledge-base entries; by default beside the index.",
    "increments": "The folder of increments; those compiled lie in its archive/.",
    "snapshot": "The file of the compiled snapshot, from the repository's top.",
    "snapshot_history": "What left the snapshot for its size; by default in archive/ beside it.",
    "modules": "The folder of modules: one folder each, and their registry _index.md.",
    "active_context": "The active_context.md of an adopted memory, read for its flags only.",
}

KEYS: "tuple[Key, ...]" = (
    Key(
        name="enabled",
        kind="switch",
        default=True,
        doc="Whether the hooks do anything in this repository.",
        why="One place to switch the memory off without unwiring every agent.",
    ),
    Key(
        name="session.briefing_on_start",
        kind="switch",
        default=True,
        doc="Whether an episode's start prints the briefing to the agent.",
        why="The next worker must not have to remember to ask.",
    ),
    Key(
        name="session.knowledge_on_compact",
        kind="switch",
        default=True,
        doc="Whether a compaction derives candidates.",
        why="The episode may never end cleanly; its evidence is there now.",
    ),
    Key(
        name="session.knowledge_on_end",
        kind="switch",
        default=True,
        doc="Whether closing an episode derives candidates.",
        why="Evidence that nobody derives stays on one machine.",
    ),
    Key(
        name="session.knowledge_on_stop",
        kind="choice",
        default="auto",
        choices=("auto", "true", "false"),
        doc="Whether a Stop derives candidates; auto: on hosts that may end without SessionEnd.",
        why="Some hosts never fire SessionEnd; on the others a derivation per answer is waste.",
    ),
    Key(
        name="episode.stranded_after",
        kind="duration",
        default="12h",
        doc="How long an episode may be silent before a start closes it as interrupted.",
        why="Closing a live episode is the costly mistake; a host known to be dead is not waited for.",
    ),
    Key(
        name="briefing.max_lines",
        kind="count",
        default=60,
        doc="How many lines a briefing may have.",
        why="It is paid for in every episode.",
    ),
    Key(
        name="briefing.max_characters",
        kind="count",
        default=9500,
        doc="How many characters a briefing may have, 9,500 at most.",
        why="One host replaces more than 10,000 characters by a preview.",
    ),
    Key(
        name="knowledge.rule_paths",
        kind="list",
        default=(
            ".ai/repo/rules",
            ".ai/repo/adrs",
            "docs/adr",
            "docs/adrs",
            "docs/decisions",
            ".claude/rules",
            "AGENTS.md",
            "CLAUDE.md",
        ),
        doc="Folders and files whose commits are evidence: candidates refer to them.",
        why="Rules and decision records are what knowledge is checked against.",
    ),
    Key(
        name="knowledge.candidates_max_files",
        kind="count",
        default=40,
        doc="How many candidates may await review before doctor warns.",
        why="The queue is measured, never emptied by a machine.",
    ),
    Key(
        name="knowledge.candidate_max_age",
        kind="duration",
        default="14d",
        doc="How old a candidate may grow before doctor warns.",
        why="What is older was ignored, not reviewed.",
    ),
    Key(
        name="knowledge.stale_after",
        kind="duration",
        default="48h",
        doc="How long a closed episode may stay without a derivation before doctor fails.",
        why="A writer that stopped must not look healthy.",
    ),
    Key(
        name="language",
        kind="choice",
        default="en",
        choices=("en", "zh"),
        doc="The language of notices and of new text in a file that has none yet.",
        why="A team that writes its memory in Chinese is answered in Chinese.",
    ),
    Key(
        name="session.evolve_on_end",
        kind="switch",
        default=True,
        doc="Whether an episode's end evolves queue items and moves old ones to the archives.",
        why="A queue that nobody works on grows until nobody reads it.",
    ),
    Key(
        name="evolve.max_per_session",
        kind="count",
        default=3,
        doc="How many queue items one episode's end evolves at most.",
        why="An end has little time; the next one goes on.",
    ),
    Key(
        name="evolve.time_limit",
        kind="duration",
        default="30s",
        doc="How long evolving at an episode's end may take, within what the agent grants.",
        why="No end waits for a disk that hangs.",
    ),
    Key(
        name="queue.keep_done",
        kind="count",
        default=10,
        doc="How many done items stay in the queue; more, and the oldest go to the archive.",
        why="What needs attention stays in sight.",
    ),
    Key(
        name="reflections.keep",
        kind="count",
        default=10,
        doc="How many dated reflections stay in the log; more, and the oldest go to the archive.",
        why="One or two iterations of work are looked back on; the rest is history.",
    ),
    Key(
        name="archive.warn_lines",
        kind="count",
        default=5000,
        doc="Above how many lines of an archive its size is mentioned.",
        why="Archives are never cut by a machine, so a person should know.",
    ),
    Key(
        name="compile.on_stop",
        kind="switch",
        default=True,
        doc="Whether a Stop compiles the waiting increments when that is due.",
        why="A snapshot that waits for somebody to think of it is out of date.",
    ),
    Key(
        name="compile.after_rounds",
        kind="count",
        default=10,
        doc="After how many rounds with an increment waiting a compile is due.",
        why="What was learned ten answers ago should be in the picture.",
    ),
    Key(
        name="compile.after_increments",
        kind="count",
        default=5,
        doc="How many waiting increments make a compile due at once.",
        why="A handful of changes is worth a new picture, however few the rounds.",
    ),
    Key(
        name="compile.branches",
        kind="list",
        default=(),
        doc="The branches on which tracked files are compiled; none named: all of them.",
        why="A team may want one branch alone to rewrite the snapshot.",
    ),
    Key(
        name="snapshot.max_lines",
        kind="count",
        default=200,
        doc="Below how many lines a snapshot or a module's knowledge is kept.",
        why="It is read at every start; what is superseded or resolved moves to the history.",
    ),
    Key(
        name="ledger.max_closed_files",
        kind="count",
        default=1000,
        doc="How many ledger files of closed episodes may lie side by side before the oldest are joined by month.",
        why="Bounds the number of files; nothing is removed.",
    ),
    Key(
        name="review.agents",
        kind="consent",
        default=False,
        doc="Whether promote, reject and conflict resolve may be run by an agent.",
        why="They are acts of a person; absence is not consent.",
    ),
    *(
        Key(
            name=f"paths.{name}",
            kind="path",
            default="" if name in BESIDE else path,
            doc=_PLACES.get(name, f"Where {name} lie, from the repository's top."),
            why="A repository that already has such a tree is adopted in place.",
        )
        for name, path in (*PATHS.items(), *((name, "") for name in OPTIONAL))
    ),
)

DEFAULTS: "dict[str, Any]" = {key.name: key.default for key in KEYS}
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


class Config(Model):
    """The settings in force, defaults filled in, and what was wrong with the file.

    `problems` are `file:line: message` texts; with one of them the key concerned
    has its default.
    """

    settings: "dict[str, Any]"
    problems: "tuple[str, ...]" = ()
    warnings: "tuple[str, ...]" = ()

    def __getitem__(self, name: str) -> "Any":
        return self.settings[name]

    def seconds(self, name: str) -> float:
        """A duration's value."""
        return duration(self.settings[name])

    def paths(self) -> "dict[str, str]":
        """The tracked places by key of `layout.PATHS`; one lies beside another where unset."""
        found: dict[str, str] = {}
        for name in (*PATHS, *OPTIONAL):
            path = self.settings[f"paths.{name}"]
            if not path and name in BESIDE:
                folder = found[BESIDE[name]].rpartition("/")[0]
                own = PATHS[name][PATHS[BESIDE[name]].rindex("/") + 1 :]
                path = f"{folder}/{own}" if folder else own
            found[name] = path
        return found


def duration(text: str) -> float:
    """Seconds of `90s`, `30m`, `12h` or `14d`; `ValueError` for anything else."""
    number, unit = text[:-1], text[-1:]
    if (
        unit not in UNITS
        or not (number.isascii() and number.isdigit())
        or int(number) == 0
    ):
        raise ValueError(f"{text!r} is not a duration such as 90s, 30m, 12h or 14d")
    return float(int(number) * UNITS[unit])


def load(store: Store) -> Config:
    """The settings for a hook: from the cache, else from the file; never raises for its content."""
    path = os.path.join(store.ai, NAME)
    try:
        status = os.stat(path)
    except OSError:
        return Config(settings=dict(DEFAULTS))
    key = file_key.of(status)
    cached = _from_cache(store, key) if stamp.ours(store) else None
    if cached is None:
        cached = _from_file(path)
        # A local half that is not ours yet may be a symlink that a clone brought along.
        if file_key.is_settled(key) and stamp.ours(store):
            _to_cache(store, key, cached)
    return _checked(store, cached)


def peek(store: Store) -> Config:
    """The settings from the file itself, for those who may write nothing, not even a cache."""
    path = os.path.join(store.ai, NAME)
    if not os.path.lexists(path):
        return Config(settings=dict(DEFAULTS))
    return _checked(store, _from_file(path))


def _cache_path(store: Store) -> str:
    return store.local_path("cache", "config.json")


def _from_cache(store: Store, key: "list[int]") -> "Config | None":
    try:
        data = atomic.read(_cache_path(store), limit=1 << 20)
        values = jsonline.loads(data.decode()) if data else None
    except (ValueError, OSError, UnsafePath):
        return None
    if not isinstance(values, dict) or values.get("key") != key:
        return None
    settings = values.get("settings")
    if not isinstance(settings, dict) or settings.keys() != DEFAULTS.keys():
        return None
    return Config(
        settings=settings,
        problems=tuple(values.get("problems", ())),
        warnings=tuple(values.get("warnings", ())),
    )


def _to_cache(store: Store, key: "list[int]", config: Config) -> None:
    values = {
        "key": key,
        "settings": config.settings,
        "problems": list(config.problems),
        "warnings": list(config.warnings),
    }
    try:
        atomic.write(_cache_path(store), jsonline.to_line(values), durable=False)
    except OSError:
        return  # a cache that cannot be written is only slow


def _from_file(path: str) -> Config:
    from afterword.store import cold

    cold.enable()
    try:
        from afterword.store import config_file
    except ImportError as error:
        problem = f"{NAME}: cannot be read, the environment lacks {error.name}: run install.py again"
        return Config(settings=dict(DEFAULTS), problems=(problem,))
    return config_file.read(path)


def _checked(store: Store, config: Config) -> Config:
    """The settings with every path confined again: a cache is not trusted with paths."""
    settings, problems = dict(config.settings), list(config.problems)
    for name in (*PATHS, *OPTIONAL):
        key = f"paths.{name}"
        try:
            # What lies in a default place is no matter of the settings: whoever reads
            # or writes there asks `Store.tracked`, which refuses a link out of here.
            if settings[key] != DEFAULTS[key]:
                _named_well(name, settings[key])
                _confined(store, settings[key])
        except UnsafePath as error:
            problems.append(f"{_where(store, name)}: {key}: {error.message}")
            settings[key] = DEFAULTS[key]
    return Config(settings=settings, problems=tuple(problems), warnings=config.warnings)


def _named_well(name: str, path: str) -> None:
    """`UnsafePath` for a file's place that is no Markdown file, or a folder's without a name."""
    if is_file(name) and not path.casefold().endswith(".md"):
        raise UnsafePath(f"{path or repr(path)}: must be the path of a .md file")
    if not path:
        raise UnsafePath("'': must be a path from the repository's top")


def _confined(store: Store, path: str) -> None:
    """`UnsafePath` in plain words for a path that the tracked half may not have."""
    if path.startswith(("/", "~")) or path[1:2] == ":":
        raise UnsafePath(f"{path}: an absolute path, not one from the repository's top")
    if ".." in path.split("/"):
        raise UnsafePath(f"{path}: leads out of the repository")
    parts = [part for part in path.casefold().split("/") if part != "."]
    if parts[:2] == [".ai", "local"]:
        raise UnsafePath(f"{path}: git ignores .ai/local, and records are for the team")
    confine(store.root, path)


def _where(store: Store, name: str) -> str:
    """`.ai/config.yaml:LINE` of a key of `paths`; found by looking, for a message only."""
    where = f".ai/{NAME}"
    try:
        data = atomic.read(os.path.join(store.ai, NAME), limit=1 << 20) or b""
    except (OSError, UnsafePath):
        return where
    inside = False
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        if line[:1].strip() and line[0] != "#":
            inside = line.startswith("paths:")
        if inside and line.strip().startswith((f"{name}:", f"paths: {{{name}:")):
            return f"{where}:{number}"
    return where
