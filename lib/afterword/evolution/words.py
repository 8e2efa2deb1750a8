"""The words of evolution files: labels, states and headings, in every spelling seen.

English and Chinese, as spec/evolution.md section 1 lists them from five weeks of real
files. Data and plain look-ups; imports nothing, for every module of this room reads it.
"""

EN, ZH = "en", "zh"

PENDING, PROCESSING, DONE, OTHER = "pending", "processing", "done", "other"
# Text of a status field, whole and as it stands, to its state; any other text is OTHER.
_STATES = {
    "pending": PENDING,
    "processing": PROCESSING,
    "in-progress": PROCESSING,
    "done": DONE,
}

# What a field is called: our name for it, and its label in new text of each language.
WRITTEN = {
    "priority": {EN: "Priority", ZH: "优先级"},
    "source": {EN: "Source", ZH: "来源类型"},
    "status": {EN: "Status", ZH: "状态"},
    "added": {EN: "Added", ZH: "添加时间"},
    "processed": {EN: "Processed", ZH: "处理时间"},
    "content": {EN: "Content", ZH: "内容"},
    "metadata": {EN: "Metadata", ZH: "元数据"},
    "product": {EN: "Product", ZH: "知识产出"},
    "confidence": {EN: "Confidence", ZH: "置信度"},
    "category": {EN: "Category", ZH: "分类"},
    "created": {EN: "Created", ZH: "创建时间"},
    "title": {EN: "Title", ZH: "标题"},
}
# Further labels of the same fields, and those that no rule of ours reads. Case-folded.
_FURTHER = {
    "来源": "source",
    "source type": "source",
    "sourcetype": "source",
    "state": "status",
    "created at": "created",
    "date": "added",
    "processed at": "processed",
    "description": "content",
    "meta": "metadata",
    "knowledge": "product",
    "products": "product",
    "类别": "category",
    **dict.fromkeys(
        (
            "结果 验证 归档时间 归档项目 模式 发现 问题 解决 知识点 成功模式 应用场景"
            " 根因 正确流程 影响范围 解决方案 适用场景 代码位置 最后验证 标签 references"
            " tags occurrences"
        ).split(),
        "",
    ),
}
_LABELS = {
    **_FURTHER,
    **{
        label.casefold(): name
        for name, labels in WRITTEN.items()
        for label in labels.values()
    },
}

# Headings of level 1 or 2 below which new items go (spec/evolution.md 1.1). Case-folded.
PENDING_HEADINGS = frozenset(
    (
        *(
            "待处理队列",
            "待处理学习素材",
            "待处理素材",
            "待处理条目",
            "待处理",
            "待学习",
        ),
        *("pending", "pending queue", "pending items", "queue", "to learn"),
    )
)

# Bytes of a file that tell its language: its head and a hundred items.
_ENOUGH = 1 << 16


def state(text: str) -> str:
    """The state that a status field's text names; `OTHER` for any text but the known."""
    return _STATES.get(text, OTHER)


def field(label: str) -> "str | None":
    """Our name of a labelled field, "" for one that no rule reads, None for no known label."""
    return _LABELS.get(label.strip().casefold())


def means_pending(heading: str) -> bool:
    """Whether new items go below a heading with this text, marks and counts apart."""
    name = heading.partition("(")[0].partition("（")[0].rstrip(" \t:：")
    while name and not name[0].isalnum():
        name = name[1:]
    return name.casefold() in PENDING_HEADINGS


def written(name: str, language: str) -> str:
    """The label of a field in new text."""
    return WRITTEN[name][language]


def language_of(text: bytes, fallback: str) -> str:
    """The language of a file's own labels, as it begins; `fallback` where it has none."""
    text = text[:_ENOUGH]
    counts = dict.fromkeys((EN, ZH), 0)
    for name in ("status", "priority", "content", "confidence", "category"):
        for language in counts:
            label = WRITTEN[name][language].encode()
            counts[language] += sum(
                text.count(mark + label)
                for mark in (b"- ", b"* ", b"# ", b"\n", b"\r", b"**")
            )
    if counts[EN] == counts[ZH]:
        return fallback
    return EN if counts[EN] > counts[ZH] else ZH
