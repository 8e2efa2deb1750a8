"""The sections of a reflection by their headings, in every spelling seen.

English and Chinese, with and without emoji, numbers and a second name in parentheses
(spec/evolution.md 1.3). Data and one look-up; imports `re` only.
"""

from __future__ import annotations

import re

# The three that a reflection is about (T2.1), the counters, and all others.
WELL, IMPROVE, LEARNED = "well", "improve", "learned"
COUNTERS, OTHER = "counters", "other"
CORE = frozenset((WELL, IMPROVE, LEARNED))

_SPELLINGS = {
    WELL: (
        "做得好的",
        "做得好",
        "做得好的地方",
        "成功模式",
        "what went well",
        "went well",
    ),
    IMPROVE: (
        "待改进",
        "待改进的",
        "可以改进的",
        "需要改进的",
        "可以改进的地方",
        "需要改进的地方",
        "改进点",
        "what could improve",
        "what could be improved",
        "what to improve",
        "areas for improvement",
    ),
    LEARNED: (
        "学到了什么",
        "新知识",
        "关键学习",
        "经验提取",
        "learnings",
        "key learnings",
        "what was learned",
        "what i learned",
        "what we learned",
        "new knowledge",
        "new patterns",
    ),
    COUNTERS: ("本次会话统计", "会话统计", "quick stats", "session stats", "stats"),
    OTHER: (
        "关键决策",
        "经验提取 → 学习队列",
        "下一步行动",
        "待办事项",
        "行动项",
        "指标对比",
        "里程碑",
        "action items",
        "key decisions",
        "next steps",
        "milestones",
    ),
}
_NAMES = {text: name for name, texts in _SPELLINGS.items() for text in texts}
_MOST = 100  # no name is longer, and a line of any length costs no more
# Emoji, question marks of a broken encoding, bullets; then `1.` or `2)`.
_LEAD = re.compile(r"[\W_]*(?:\d{1,2}[.)、][\W_]*)?")
_SECOND = re.compile(r"(?P<first>.*?)[ \t]*[(（](?P<second>[^()（）]*)[)）]\Z")


def name_of(text: str) -> str:
    """The section that a heading's text names; "" for any text that is not known whole.

    A second name in parentheses has to be one as well: other text there is content.
    """
    if len(text) > _MOST:
        return ""
    bare = text[_lead(text) :].strip().rstrip(":：").rstrip().casefold()
    found = _SECOND.match(bare)
    if found is None:
        return _NAMES.get(bare, "")
    first, second = _NAMES.get(found["first"], ""), _NAMES.get(found["second"], "")
    return first if second else ""


def _lead(text: str) -> int:
    found = _LEAD.match(text)
    return found.end() if found else 0
