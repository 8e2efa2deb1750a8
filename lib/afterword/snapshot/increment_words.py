"""What people write in increments beside the words that target files share with them.

Names of sections, parts, tags, labels, confidences, in both languages (spec/snapshot.md 3,
4.2-4.4, and what is written by hand). Data only; imports `words`.
"""

from __future__ import annotations

from afterword.snapshot import words

META, AFFECTED, CHANGES, EVIDENCE = "meta", "affected", "changes", "evidence"
ADDED, CHANGED, REMOVED = "added", "changed", "removed"


def _by_name(names_of: dict[str, str]) -> dict[str, str]:
    """Each name of a list, its names parted by `|`, to what it is a name of."""
    return {
        name.strip(): meant
        for meant, names in names_of.items()
        for name in names.split("|")
    }


# Sections by heading, case-folded: what they hold, beside `words.HEADINGS`.
SECTIONS = _by_name(
    {
        META: "meta|metadata|元数据|元信息",
        AFFECTED: "affected files|affected file|affected_files|files|关联文件|影响文件|"
        "受影响文件|受影响的文件|涉及文件",
        CHANGES: "changes|变更|变更内容|改动|修改内容|文件变更",
        EVIDENCE: "evidence|证据|依据|佐证",
        words.OVERVIEW: "project|description|概述|概览|项目简介|模块概述",
        words.ARCHITECTURE: "architecture changes|architecture notes|"
        "architectural impact|l1 structure|l1 structure layer|structure changes|flow|"
        "data flow|entry points|架构变更|架构变化|结构变更|流程|模块|状态机|入口",
        words.DECISION: "decision|new decisions|decisions made|design decisions|"
        "technical decisions|conventions|决定|设计决策|技术决策|决策记录",
        words.CONSTRAINT: "constraint|new constraints|key constraints|rules|"
        "business rules|约束条件|限制|规则|业务规则",
        words.EXTERNAL: "external dependency|external systems|external apis|"
        "external api|external types|dependencies|外部系统|外部接口|依赖",
        words.CONFIG: "configuration|configurations|config changes|settings|配置项|"
        "配置变更",
        words.BUSINESS: "business knowledge|业务场景|业务知识",
        words.GLOSSARY: "terms|terminology|名词解释|词汇表|名词",
        words.LESSON: "lessons|lessons learned|facts|经验|教训|经验教训",
    }
)
# Parts of Architecture, beside `words.PARTS`.
PARTS = _by_name(
    {
        "flow": "流程|data flow",
        "module": "模块",
        "state-machine": "状态机|states|state machine",
    }
)
# What a scan of the code says became of what it lists (4.3, deviation 4).
STATES = _by_name(
    {
        ADDED: "added|new|新增|添加|增加",
        CHANGED: "changed|modified|updated|变更|修改|更新|改动",
        REMOVED: "removed|deleted|删除|移除|已删除|已移除",
    }
)
# Tags, beside `words.TAGS`.
TAGS = _by_name(
    {
        words.DECISION: "decisions|决策|决定",
        words.CONSTRAINT: "constraints|约束|限制",
        words.ARCHITECTURE: "arch|structure|架构|结构",
        words.EXTERNAL: "externals|外部|外部依赖",
        words.CONFIG: "configuration|配置",
        words.BUSINESS: "业务",
        words.GLOSSARY: "term|术语|名词",
        words.OVERVIEW: "project|概述|概览",
        words.LESSON: "lessons|fact|memory|经验|教训",
    }
)
# Labels, beside `words.LABELS`. `date` and `module` count in a Meta only.
LABELS = _by_name(
    {
        "author": "作者",
        "timestamp": "记录时间|recorded at",
        "date": "日期|date",
        "trigger": "触发方式",
        "confidence": "可信度",
        "module": "模块|module",
        "file": "affected files|affected_files|关联|相关文件",
        "status": "状态|verification|verification status|validation status",
        "key": "键",
        "value": "值",
        "supersedes": "replaces|替代",
    }
)
CONFIDENCES = {name: name for name in words.CONFIDENCES} | _by_name(
    {words.HIGH: "高", words.MEDIUM: "中|med", words.LOW: "低"}
)
STATUSES = {name: name for name in words.STATUSES} | _by_name(
    {
        words.UNVERIFIED: "未验证|待验证",
        words.VERIFIED: "已验证",
        words.CHALLENGED: "有异议|有争议|受质疑",
        words.RESOLVED: "已解决",
    }
)
# Lines that say that there is nothing to say.
NOTHING = frozenset(
    "none|n/a|na|nil|nothing|null|none yet|not applicable|no changes|"
    "no decisions|no new decisions|no constraints|no new constraints|-|--|"
    "—|–|…|...|无|暂无|没有|不适用|空|(none)|(none yet)|(无)|（无）|[none]".split("|")
)
# What stands for the whole project where a path is asked for.
NO_PATH = frozenset("general project global all 全局 通用 项目".split())
