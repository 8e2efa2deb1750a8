"""How single lines of an increment are shaped: sections, tags, labels, dates, paths.

Every spelling of spec/snapshot.md 3 and 4 and what people make of it by hand: both
languages, full-width marks, arrows of three kinds. Pure look-ups on one line of text;
imports `words` only.
"""

from __future__ import annotations

import datetime
import re

from afterword.snapshot import words
from afterword.store.blocks import Record

META, AFFECTED, CHANGES, EVIDENCE = "meta", "affected", "changes", "evidence"
_ROLES = {
    META: "meta metadata 元数据 元信息",
    AFFECTED: "affected files|affected file|files|关联文件|影响文件|受影响文件|受影响的文件|涉及文件",
    CHANGES: "changes|变更|变更内容|改动|修改内容|文件变更",
    EVIDENCE: "evidence|证据|依据|佐证",
}
# Headings that people write, beside those of `words.HEADINGS` (which target files share).
_TYPED = {
    words.OVERVIEW: "project|description|概述|概览|项目简介|模块概述",
    words.ARCHITECTURE: "architecture changes|architecture notes|architectural impact|"
    "l1 structure|l1 structure layer|structure changes|架构变更|架构变化|结构变更|流程|模块|"
    "状态机|entry points|data flow|flow",
    words.DECISION: "decision|new decisions|decisions made|design decisions|"
    "technical decisions|conventions|决定|设计决策|技术决策|决策记录",
    words.CONSTRAINT: "constraint|new constraints|key constraints|rules|business rules|"
    "约束条件|限制|规则",
    words.EXTERNAL: "external dependency|external systems|external apis|external api|"
    "external types|dependencies|外部系统|外部接口|依赖",
    words.CONFIG: "configuration|configurations|config changes|settings|配置项|配置变更",
    words.BUSINESS: "business rules and context|business knowledge|业务场景|业务知识|业务规则",
    words.GLOSSARY: "terms|terminology|glossary terms|名词解释|词汇表|名词",
    words.LESSON: "lessons|lessons learned|facts|经验|教训|经验教训",
}
SECTIONS = {
    name: role
    for role, names in (*_ROLES.items(), *_TYPED.items())
    for name in (names.split("|") if "|" in names else names.split())
}
_PARTS = {"流程": "flow", "模块": "module", "状态机": "state-machine", "入口": ""}
_PARTS |= {
    "data flow": "flow",
    "states": "state-machine",
    "state machine": "state-machine",
}
# What a part of `L1 Structure Changes` says became of what it lists (4.3, deviation 4).
ADDED, CHANGED, REMOVED = "added", "changed", "removed"
_BECAME = {
    ADDED: "added new 新增 添加 增加",
    CHANGED: "changed modified updated 变更 修改 更新 改动",
    REMOVED: "removed deleted 删除 移除 已删除 已移除",
}
_STATES = {name: state for state, text in _BECAME.items() for name in text.split()}

_TAGS = {
    words.DECISION: "decisions 决策 决定",
    words.CONSTRAINT: "constraints 约束 限制",
    words.ARCHITECTURE: "arch structure 架构 结构",
    words.EXTERNAL: "externals 外部 外部依赖",
    words.CONFIG: "configuration 配置",
    words.BUSINESS: "业务",
    words.GLOSSARY: "term 术语 名词",
    words.OVERVIEW: "project 概述 概览",
    words.LESSON: "lessons fact memory 经验 教训",
}
_TAG_OF = {name: kind for kind, text in _TAGS.items() for name in text.split()}

_CONFIDENCES = {"高": words.HIGH, "中": words.MEDIUM, "低": words.LOW}
_CONFIDENCES |= {name: name for name in words.CONFIDENCES} | {"med": words.MEDIUM}
_STATUSES = {
    "未验证": words.UNVERIFIED,
    "待验证": words.UNVERIFIED,
    "已验证": words.VERIFIED,
    "有异议": words.CHALLENGED,
    "有争议": words.CHALLENGED,
    "受质疑": words.CHALLENGED,
    "已解决": words.RESOLVED,
} | {name: name for name in words.STATUSES}

# Numbers, emoji and marks before the name of a section.
_LEAD = re.compile(
    r"^(?:[\W\d_]|[一二三四五六七八九十]+[、.．]|第[一二三四五六七八九十]+)+"
)
_APART = re.compile(r"[/／|｜&()（）\[\]—–]|\s-\s")
# A tag in brackets; one that a link or a reference begins with is none.
_ROUND = re.compile(
    r"\[(?:round|entry|轮次|第)\s*[:：#]?[^\[\]\n]{0,40}\]\s*", re.IGNORECASE
)
_TAG = re.compile(r"(?:\[([^\[\]\n]{1,40})\]|【([^【】\n]{1,40})】)(?![(\[])")
_SHOUTED = re.compile(r"[A-Z][A-Z0-9]*(?:[ _/-][A-Z0-9]+)*")
_BULLET = re.compile(
    r"([ \t]*)(?:[-*+•·●]|\d{1,3}[.)](?=[ \t])|\d{1,3}、)(?:[ \t]+|(?<=[、•·●]))"
)
_RULE = re.compile(
    r"[ \t]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|={3,})\Z"
)
_LABEL = re.compile(
    r"(?:\*\*|__|`)?([^:：*`]{1,40}?)(?:\*\*|__|`)?\s*(\\*)[:：](?!//)(?:\*\*|__)?\s*(.*)\Z",
    re.DOTALL,
)
_FIRST_WORD = re.compile(r"[^\s()（），,。；;、|/]+")
_COMMENT = re.compile(r"[(（][^()（）]*[)）]")
_DATE = re.compile(
    r"(?<!\d)(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})(?!\d)日?"
    r"(?:[T ,_]*(\d{1,2})[:：](\d{2})(?:[:：](\d{2}))?)?"
)
_COMPACT = re.compile(
    r"(?<!\d)(\d{4})(\d{2})(\d{2})(?:[-_T]?(\d{2})(\d{2})(\d{2}))?(?!\d)"
)
_CLOCK = re.compile(r"_commit-(\d{2})(\d{2})(\d{2})(?:-\d+)?\Z")
_ARROW = re.compile(r"\s*(?:→|⇒|->|=>|—>|-->)\s*")
_TICKED = re.compile(r"(`+)(.+?)(?<!`)\1(?!`)")
_BETWEEN = re.compile(r"\s*[,，、;；]\s*")
_LINE_OF_FILE = re.compile(r":\d+(?:[-:]\d+)?\Z|#L\d+(?:-L?\d+)?\Z")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.@+~*?{}\[\]-]+")
_NOTHING = frozenset(
    "none n/a na nil nothing null - -- — – … ... 无 暂无 没有 不适用 空 (none) (无) （无）"
    " [none]".split()
) | {"none yet", "(none yet)", "not applicable", "no changes", "no new decisions"}
_PLACEHOLDER = re.compile(r"(?:`?\{\{.*\}\}`?|<[^<>]*>)\Z")
_NO_PATH = frozenset("general project global all 全局 通用 项目".split())


def role_of(heading: str) -> str:
    """What a section's heading says it holds: META and the like, a type, or ""."""
    for name in _names(heading):
        role = words.type_of_heading(name) or SECTIONS.get(name.casefold(), "")
        if role:
            return role
    return ""


def _names(heading: str) -> list[str]:
    """The ways to read a heading: whole, without its number, each of its two languages."""
    whole = heading.strip().strip("*_ ").rstrip(":：").strip()
    bare = _LEAD.sub("", whole).strip()
    parts = [part.strip() for part in _APART.split(bare)]
    return [name for name in (whole, bare, *parts) if name]


def part_of(heading: str) -> str:
    """The part of Architecture that a heading or label names, "" for none."""
    bare = heading.strip().strip("*_ ").rstrip(":：").strip()
    return words.part_of_heading(bare) or _PARTS.get(bare.casefold(), "")


def state_of(heading: str) -> str:
    """Whether a heading or mark says added, changed or removed; "" where it does not."""
    return _STATES.get(heading.strip().strip("*_:： ").casefold(), "")


def is_nothing(text: str) -> bool:
    """Whether a line says that there is nothing, or is a template's that nobody filled."""
    bare = text.strip().strip("*_").rstrip(".。").strip()
    return bare.casefold() in _NOTHING or not bare or is_placeholder(bare)


def is_placeholder(text: str) -> bool:
    """Whether a text is a template's `{{...}}` or `<...>`."""
    return bool(_PLACEHOLDER.match(text.strip()))


def indent(line: str) -> int:
    """The width of the white space before a line, a tab up to the next place of four."""
    lead = line[: len(line) - len(line.lstrip(" \t"))]
    return len(lead.expandtabs(4))


def bullet(line: str) -> str | None:
    """The text of a list item, `-`, `*`, `1.` or `•`; None for any other line."""
    if _RULE.match(line):
        return None
    found = _BULLET.match(line)
    if found:
        return line[found.end() :].strip()
    return "" if line.strip() in ("-", "*", "+") else None


def is_ordered(line: str) -> bool:
    """Whether a list item has a number."""
    return line.lstrip(" \t")[:1].isdigit()


def is_rule(line: str) -> bool:
    """Whether a line only separates: `---`, `***`, `===`."""
    return bool(_RULE.match(line))


def is_locked(line: str) -> bool:
    """Whether it is the mark of a buffer that a commit is emptying (spec 3)."""
    return line.startswith("[LOCKED")


class Tagged(Record):
    """A line's `[TYPE]` and what follows it; `tag` is as written, `kind` "" if unknown."""

    __slots__ = ("kind", "rest", "tag")
    tag: str
    kind: str
    rest: str

    def __init__(self, tag: str, kind: str, rest: str) -> None:
        self._set(tag=tag, kind=kind, rest=rest)


def tagged(text: str) -> Tagged | None:
    """The type tag that a line begins with, after `[round: N]` if there is one.

    A tag is a known type in brackets, or an unknown word in capitals; a round without a
    tag has the tag "".
    """
    bare = text.strip()
    marks = "**" if bare.startswith("**") else ""
    inner = bare[len(marks) :]
    if inner[:1] not in ("[", "【"):
        return None
    turn = _ROUND.match(inner)
    inner = inner[turn.end() :] if turn else inner
    found = _TAG.match(inner)
    tag = (found[1] or found[2]).strip() if found else ""
    kind = _kind_of(tag)
    if not kind and not (
        _SHOUTED.fullmatch(tag) and len(tag) > 1 and not state_of(tag)
    ):
        return Tagged("", "", _after_tag(inner, marks)) if turn else None
    if _is_mark(tag):
        return Tagged("", "", _after_tag(inner, marks)) if turn else None
    assert found is not None  # a tag was read from it
    return Tagged(tag, kind, _after_tag(inner[found.end() :], marks))


def _kind_of(tag: str) -> str:
    name = tag.strip().casefold()
    return words.TAGS.get(name, "") or _TAG_OF.get(name, "")


def _is_mark(tag: str) -> bool:
    """Marks of the snapshot that are no types: `[CONFLICT]`, `[LOCKED:...]`."""
    return tag.casefold() in ("conflict", "promotion candidate", "x")


def _after_tag(text: str, marks: str) -> str:
    rest = text.strip()
    if marks and rest.startswith(marks):
        rest = rest[len(marks) :]
    elif marks and rest.endswith(marks):
        rest = rest[: -len(marks)]
    return rest.lstrip(":： \t").strip()


class Label(Record):
    """`label: value` of a line: the label as written, its field here or "", the value.

    `escapes` backslashes stood before the colon: then it is text (`increment_writing`).
    """

    __slots__ = ("escapes", "field", "name", "value")
    name: str
    field: str
    value: str
    escapes: int

    def __init__(self, name: str, field: str, value: str, escapes: int) -> None:
        self._set(name=name, field=field, value=value, escapes=escapes)


_FIELDS = {
    "作者": "author",
    "记录时间": "timestamp",
    "日期": "date",
    "date": "date",
    "recorded at": "timestamp",
    "触发方式": "trigger",
    "可信度": "confidence",
    "模块": "module",
    "module": "module",
    "affected files": "file",
    "affected_files": "file",
    "关联": "file",
    "相关文件": "file",
    "状态": "status",
    "verification": "status",
    "verification status": "status",
    "validation status": "status",
    "键": "key",
    "值": "value",
    "replaces": "supersedes",
    "替代": "supersedes",
}


def label(text: str) -> Label | None:
    """The label of a line and its value; None where no colon follows a few words."""
    found = _LABEL.match(text.strip())
    if not found:
        return None
    name = found[1].strip()
    field = words.field_of(name) or _FIELDS.get(name.casefold(), "")
    return Label(name, field, found[3].strip(), len(found[2]))


def confidence(value: str) -> str:
    """The confidence that a value names first, before any comment; "" for none or several."""
    return _first_of(value, _CONFIDENCES)


def status(value: str) -> str:
    """The status that a value names first; "" for none or several (a template's list)."""
    return _first_of(value, _STATUSES)


def _first_of(value: str, known: dict[str, str]) -> str:
    said = _FIRST_WORD.findall(_COMMENT.sub(" ", value).casefold())
    found = [
        known[word]
        for word in (word.strip("*_`{}[].!") for word in said)
        if word in known
    ]
    first = said[0].strip("*_`{}[].!") if said else ""
    return known.get(first, "") if len(set(found)) == 1 else ""


def has_comment(value: str) -> bool:
    """Whether a value says more than its first word, which is then worth keeping."""
    return len(_FIRST_WORD.findall(value)) > 1


def names(value: str) -> tuple[str, ...]:
    """The names of a list of them, without marks and remarks: the domains of a Meta."""
    bare = _COMMENT.sub("", value)
    found = (
        name.strip().strip("`\"'[]*").strip() for name in re.split(r"[,，、;；]", bare)
    )
    return tuple(dict.fromkeys(name for name in found if name and not is_nothing(name)))


def moment(text: str) -> str:
    """The first date of a text as `YYYY-MM-DD`, with ` HH:MM:SS` where a time follows it."""
    found = _DATE.search(text) or _COMPACT.search(text)
    if not found:
        return ""
    numbers = [int(one) if one else 0 for one in found.groups()]
    try:
        at = datetime.datetime(*numbers)  # type: ignore[arg-type]  # six numbers
    except ValueError:
        return ""
    return at.isoformat(" ") if found[4] else at.date().isoformat()


def moment_of_name(stem: str) -> str:
    """The moment in a file's name (4.1), the time of a commit or an emergency included."""
    date = moment(stem)
    clock = _CLOCK.search(stem)
    at = ":".join(clock.groups()) if clock else ""
    return moment(f"{date} {at}") or date if date and at else date


class Affected(Record):
    """A line of Affected Files: its paths, and the types behind its arrow."""

    __slots__ = ("kinds", "paths")
    paths: tuple[str, ...]
    kinds: tuple[str, ...]

    def __init__(self, paths: tuple[str, ...], kinds: tuple[str, ...]) -> None:
        self._set(paths=paths, kinds=kinds)


def affected(text: str) -> Affected:
    """`path -> TYPE (note)` as paths and types; a sentence has no paths (deviation 2)."""
    named, *behind = _ARROW.split(text.strip(), maxsplit=1)
    said = re.split(r"[\s/|,，、\[\]()（）]+", behind[0]) if behind else []
    kinds = tuple(dict.fromkeys(filter(None, map(_kind_of, said))))
    return Affected(paths(named)[0], kinds)


def changed_paths(text: str) -> tuple[str, ...]:
    """The paths in front of a line of Changes."""
    ticked = [path_of(found[2]) for found in _TICKED.finditer(text)]
    if not ticked:
        ticked = list(
            paths(text.partition(": ")[0].partition("：")[0], is_strict=True)[0]
        )
    return tuple(dict.fromkeys(path for path in ticked if path and _is_path(path)))


def paths(text: str, *, is_strict: bool = False) -> tuple[tuple[str, ...], bool]:
    """The paths of a list of them, and whether it is nothing else.

    A path in backticks is one whatever it holds; a bare word is one unless `is_strict`
    asks for a slash or a dot.
    """
    found = [path_of(one[2]) for one in _TICKED.finditer(text)]
    rest = _COMMENT.sub(" ", _TICKED.sub(" ", text))
    is_whole = True
    for piece in _BETWEEN.split(rest.strip()):
        word = piece.strip().strip("\"'“”")
        if not word or word.casefold() in _NO_PATH or is_nothing(word):
            continue
        if _is_bare_path(word, is_strict):
            found.append(path_of(word))
        else:
            is_whole = False
    kept = [path for path in found if path and path.casefold() not in _NO_PATH]
    return tuple(dict.fromkeys(kept)), is_whole


def _is_bare_path(word: str, is_strict: bool) -> bool:
    if any(char.isspace() for char in word) or "://" in word:
        return False
    if _is_path(word):
        return True
    return not is_strict and bool(_PLAIN_NAME.fullmatch(word))


def _is_path(word: str) -> bool:
    """Whether a text has the marks of a path: a slash, or a dot within."""
    return "/" in word or "\\" in word or "." in word.strip(".")


def path_of(text: str) -> str:
    """A path as it is compared with others: no `./`, no line number, `/` between parts."""
    path = _LINE_OF_FILE.sub("", " ".join(text.split()))
    if "\\" in path and "/" not in path:
        path = path.replace("\\", "/")
    while path.startswith("./"):
        path = path[2:]
    return path


def single_kind(text: str, lines: list[Affected]) -> str:
    """The type that Affected Files gives the one file which a line mentions (4.4)."""
    named = [one for one in lines if any(path in text for path in one.paths)]
    kinds = {kind for one in named for kind in one.kinds}
    mentioned = {path for one in named for path in one.paths if path in text}
    return kinds.pop() if len(kinds) == 1 and len(mentioned) == 1 else ""
