"""The words of increments and snapshots: types, sections, labels, in every spelling seen.

English and Chinese, from spec/snapshot.md sections 3, 4, 7 and the seed. Format marks
are the seed's bytes. Data and plain look-ups; imports nothing but the room's siblings'
needs, so every module of this room may read it.
"""

# Types of facts (4.4): the four of the seed, those its sections require, and `lesson`
# for what persons promoted. A fact of no known type is kept as `uncategorized`.
DECISION, CONSTRAINT, ARCHITECTURE, EXTERNAL = (
    "decision",
    "constraint",
    "architecture",
    "external",
)
CONFIG, BUSINESS, GLOSSARY, OVERVIEW = "config", "business", "glossary", "overview"
LESSON, UNCATEGORIZED = "lesson", "uncategorized"
TYPES = (
    OVERVIEW,
    ARCHITECTURE,
    DECISION,
    CONSTRAINT,
    EXTERNAL,
    CONFIG,
    BUSINESS,
    GLOSSARY,
    LESSON,
    UNCATEGORIZED,
)
# What `increment add --type` takes.
GIVEN_TYPES = (
    DECISION,
    CONSTRAINT,
    ARCHITECTURE,
    EXTERNAL,
    CONFIG,
    BUSINESS,
    GLOSSARY,
    OVERVIEW,
)
# Types that claim something, so that two of them can contradict (L027-L029).
CLAIMS = frozenset((DECISION, CONSTRAINT, ARCHITECTURE))
# Types whose labelled fields are replaced by newer text, the old kept as `(was ...)`.
FIELDED = frozenset((CONFIG, EXTERNAL))

# The sections of a target file in their order (7.1), each with the type it holds.
SECTIONS = {
    "Project Overview": OVERVIEW,
    "Architecture": ARCHITECTURE,
    "Key Decisions": DECISION,
    "Constraints": CONSTRAINT,
    "External Dependencies": EXTERNAL,
    "Config Index": CONFIG,
    "Business Context": BUSINESS,
    "Glossary": GLOSSARY,
    "Lessons and Facts": LESSON,
    "Uncategorized": UNCATEGORIZED,
}
SECTION_OF = {kind: heading for heading, kind in SECTIONS.items()}
# A module's first section is called otherwise (7.2).
MODULE_OVERVIEW = "Module Overview"
CONFLICT_LOG = "Conflict Log"
PENDING = "Pending Verification"
PENDING_HEADING = "Pending Verification (low confidence knowledge, needs confirmation)"
# Parts of the Architecture section, in order; "" stands before them.
PARTS = {"flow": "Flows", "module": "Modules", "state-machine": "State Machines"}

HIGH, MEDIUM, LOW = "high", "medium", "low"
CONFIDENCES = (LOW, MEDIUM, HIGH)  # by rank
UNVERIFIED, CHALLENGED, RESOLVED, VERIFIED = (
    "unverified",
    "challenged",
    "resolved",
    "verified",
)
STATUSES = (UNVERIFIED, CHALLENGED, RESOLVED, VERIFIED)  # by rank

KEEP_OLD, KEEP_NEW, KEEP_BOTH = "old", "new", "both"
KEEP = (KEEP_OLD, KEEP_NEW, KEEP_BOTH)
PENDING_RESOLUTION = "pending_resolution"

# The seed's bytes.
SNAPSHOT_TITLE = "AI Context Snapshot"
MODULE_TITLE = "Module Knowledge: "
UNCONFIRMED = "[待验证]"
CONFLICT = "[CONFLICT]"
STATE_LABEL, HANDLING_LABEL = "状态", "处理"

# Headings of an increment's sections (4.2, 4.3), case-folded, to the type they hold.
HEADINGS = {
    "project overview": OVERVIEW,
    "overview": OVERVIEW,
    "module overview": OVERVIEW,
    "项目概述": OVERVIEW,
    "项目概览": OVERVIEW,
    "architecture": ARCHITECTURE,
    "architecture impact": ARCHITECTURE,
    "l1 structure changes": ARCHITECTURE,
    "架构": ARCHITECTURE,
    "架构影响": ARCHITECTURE,
    "flows": ARCHITECTURE,
    "modules": ARCHITECTURE,
    "state machines": ARCHITECTURE,
    "decisions": DECISION,
    "key decisions": DECISION,
    "决策": DECISION,
    "关键决策": DECISION,
    "constraints": CONSTRAINT,
    "约束": CONSTRAINT,
    "external dependencies": EXTERNAL,
    "external": EXTERNAL,
    "外部依赖": EXTERNAL,
    "config": CONFIG,
    "config index": CONFIG,
    "配置": CONFIG,
    "配置索引": CONFIG,
    "business context": BUSINESS,
    "business": BUSINESS,
    "业务": BUSINESS,
    "业务上下文": BUSINESS,
    "业务背景": BUSINESS,
    "glossary": GLOSSARY,
    "术语": GLOSSARY,
    "术语表": GLOSSARY,
    "lessons and facts": LESSON,
    "uncategorized": UNCATEGORIZED,
}
# Tags as `[TYPE]` (3, 4.4), case-folded.
TAGS = {kind: kind for kind in TYPES} | {"l1": ARCHITECTURE}


def type_of_heading(text: str) -> str:
    """The type that a section's heading names, "" for none."""
    bare = text.strip().rstrip(":：").strip().casefold()
    return HEADINGS.get(bare, "")


def part_of_heading(text: str) -> str:
    """The part of Architecture that a heading names (`flow`, ...), "" for none."""
    bare = text.strip().casefold()
    return next(
        (part for part, name in PARTS.items() if bare in (part, name.casefold())), ""
    )


def type_of_tag(text: str) -> str:
    """The type of a tag's text without brackets; `uncategorized` for an unknown one."""
    return TAGS.get(text.strip().casefold(), UNCATEGORIZED)


# Labels of an increment's lines, case-folded, to what the field is called here.
LABELS = {
    "author": "author",
    "作者": "author",
    "timestamp": "timestamp",
    "时间": "timestamp",
    "时间戳": "timestamp",
    "trigger": "trigger",
    "触发": "trigger",
    "confidence": "confidence",
    "置信度": "confidence",
    "domain": "domain",
    "领域": "domain",
    "source": "source",
    "来源": "source",
    "reason": "reason",
    "原因": "reason",
    "detail": "detail",
    "详情": "detail",
    "file": "file",
    "files": "file",
    "关联文件": "file",
    "文件": "file",
    "status": "status",
    "验证状态": "status",
    "verified by": "verifier",
    "验证人": "verifier",
    "key": "key",
    "value": "value",
    "supersedes": "supersedes",
    "取代": "supersedes",
    "resolves": "resolves",
    "keep": "keep",
    "after": "after",
    "part": "part",
    "recorded": "recorded",
}


def field_of(label: str) -> str:
    """What a label names here (`author`, `key`, ...), "" for a label that is only text."""
    return LABELS.get(label.strip().strip("*`").strip().casefold(), "")
