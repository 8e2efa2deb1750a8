"""Whether a reflection says nothing: headings, counters and placeholders only (T2.1, C7).

What is not known for a placeholder is content, and a structure that is not known is
never empty. Pure; imports `evolution.reflection` and `evolution.reflection_sections`.
"""

from __future__ import annotations

import re

from afterword.evolution.reflection import R5
from afterword.evolution.reflection_sections import CORE, COUNTERS, name_of

_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(?P<text>.*?)(?:[ \t]#+)?[ \t]*\Z")
_LABEL = re.compile(r"(?P<marks>\*\*|__)(?P<text>[^*_]+)(?P=marks)[:：]?\Z")
_RULE = re.compile(r"([-*_])(?:[ \t]*\1){2,}\Z")
_BULLET = re.compile(
    r"(?:(?:[-*+•]|\d{1,3}[.)])(?:[ \t]+|\Z))*(?:\[[ xX]?\](?:[ \t]+|\Z))?"
)
# `- Duration: ~0 min`, `- **任务完成**: 0/0`, `- **回滚**: 0 次`
_COUNTER = re.compile(
    r"(?:\*\*)?[^:：*|\d]{1,40}(?:\*\*)?[:：](?:\*\*)?[ \t]*"
    r"[~≈]?\d+(?:\.\d+)?(?:[ \t]*/[ \t]*\d+)?[ \t]*"
    r"(?:%|ms|s|sec|seconds?|min|minutes?|h|hours?|次|个|条|秒|分钟|小时)?\Z",
    re.I,
)
_MOST = 200  # a longer line is no placeholder, and costs no search for one
_AROUND = " \t*_()（）[]【】.。"
_NOTHING = frozenset("无 暂无 没有 空 待补充 none nothing n/a nil tbd – — …".split())
# `无新知识条目（本次为纯发布流程，无新 bug 或架构发现）`, `（无新 Action Items，系统 IDLE）`:
# clause by clause, for behind another comma may stand what was found.
_NOTHING_NEW = re.compile(
    r"无新[ \t]*(?:知识|学习|LQ)?[ \t]*(?:条目|知识|Action Items?|待办)?"
    r"(?:[（(，,；;]+[ \t]*(?:系统 IDLE|所有待办已清零|本次为纯\w{1,20}|无新 ?[\w ]{1,20}))*",
    re.I,
)


def is_empty(raw: bytes, kind: str) -> bool:
    """Whether a person finds nothing to keep in a reflection's bytes.

    At least one core section has to be there: a block without any has a structure that
    this program does not know (R4 of spec/evolution.md 2.3). A pasted report is kept.
    """
    if kind == R5:
        return False
    section, seen = "", set()
    for line in (
        _without_comments(raw)
        .decode("utf-8", "replace")
        .replace("\r", "\n")
        .split("\n")[1:]
    ):
        name = _section(line)
        if name:
            section = name
            seen.add(name)
        elif not _says_nothing(line, section):
            return False
    return not CORE.isdisjoint(seen)


def _without_comments(raw: bytes) -> bytes:
    """The bytes without HTML comments, also those over several lines (R6); an open one stays."""
    kept, at = [], 0
    while (start := raw.find(b"<!--", at)) >= 0:
        end = raw.find(b"-->", start + 2)  # `<!-->` is a whole comment
        if end < 0:
            break
        kept.append(raw[at:start])
        at = end + 3
    return b"".join([*kept, raw[at:]])


def _section(line: str) -> str:
    """The section that a line begins, as a heading or as a bold label."""
    if len(line) > _MOST:
        return ""
    found = _HEADING.match(line) or _LABEL.match(line.strip())
    return name_of(found["text"]) if found else ""


def _says_nothing(line: str, section: str) -> bool:
    """Whether a line is blank, a rule, a placeholder or, among counters, a counter (R2, R6)."""
    text = line.strip()
    if not text:
        return True
    if len(text) > _MOST:
        return False
    if _RULE.match(text):
        return True
    said = text[_BULLET.match(text).end() :]  # type: ignore[union-attr]  # it matches ""
    if section == COUNTERS and _COUNTER.match(said):
        return True
    bare = said.strip(_AROUND)
    return not bare or bare.casefold() in _NOTHING or bool(_NOTHING_NEW.fullmatch(bare))
