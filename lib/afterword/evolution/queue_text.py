"""The text of new queue items and of a new queue, in the shape of era L1.

Whatever a given text holds, the item made of it begins no other item and no section, ends
where it should, and leaves nothing open. Pure; imports `store` and `evolution.words`.
"""

from __future__ import annotations

from afterword.evolution import words
from afterword.model import Model
from afterword.store import blocks, jsonline, safe_text

# Headings in a content that are lowered: those of an item's level and above would end it.
_ABOVE = 3


class New(Model):
    """An item to be added. All but `content` is one line each; `added` is `YYYY-MM-DD`.

    `metadata` is `key=value, key=value`, left out when empty.
    """

    identity: str
    title: str
    priority: str
    source: str
    added: str
    content: str
    metadata: str = ""


def block(new: New, language: str, newline: bytes = b"\n") -> bytes:
    """The item's bytes, labels in `language`, without an empty line behind."""
    head = (
        f"### {new.identity}: {_title(new.title)}",
        _line("priority", new.priority, language),
        _line("source", new.source, language),
        _line("status", words.PENDING, language),
        _line("added", new.added, language),
    )
    first, rest, _ = _parted(new.content)
    content = _line("content", "", language).encode() + first + b"\n" + rest
    raw = "".join(line + "\n" for line in head).encode() + content
    if metadata := safe_text.one_line(new.metadata):
        raw += _line("metadata", metadata, language).encode() + b"\n"
    return blocks.with_newline(raw, newline)


def lowered(content: str) -> int:
    """How many headings of a content are made level 4."""
    return _parted(content)[2]


def _title(text: str) -> str:
    """One line; marks at its end that would only close the heading get closed themselves."""
    title = safe_text.one_line(text)
    last = title.rpartition(" ")[2]
    return f"{title} #" if last and not last.strip("#") else title


def _line(name: str, value: str, language: str) -> str:
    return f"- {words.written(name, language)}: {safe_text.one_line(value)}".rstrip()


def _parted(content: str) -> tuple[bytes, bytes, int]:
    """What stands behind the label, the lines below it, and how many headings were lowered.

    The lines below are indented by two, which makes none of them a field; a fence or a
    comment that the text opens is closed. A text that begins with one begins below.
    """
    raw = blocks.with_newline(jsonline.clean(content).encode(), b"\n").strip(b"\n")
    first, _, rest = raw.partition(b"\n")
    if any(kind != blocks.TEXT for _, _, kind in blocks.lines(first, front=False)):
        first, rest = b"", raw
    lines = rest.split(b"\n") if rest else []
    below = b"".join(b"  " + line + b"\n" if line else b"\n" for line in lines)
    below, count = blocks.lowered(below, _ABOVE)
    return b" " + first if first else b"", blocks.finished(below, b"\n"), count


def template(language: str) -> bytes:
    """The head of a new queue."""
    return _TEMPLATES[language].encode()


_TEMPLATES = {
    words.EN: """\
# Learning queue

What this project has still to learn. `afterword learn` puts an item below, `afterword
evolve` turns it into an entry of the knowledge base. One item is one block:

```
### LQ-001: what there is to learn, in a line
- Priority: P0 to P3
- Source: session, error, pattern or manual
- Status: pending, processing or done
- Added: YYYY-MM-DD
- Content: the knowledge itself; further lines begin with two spaces
- Metadata: key=value, key=value
```

## Priorities
- P0: without it the work breaks
- P1: without it the work is slow
- P2: worth having
- P3: when there is time

## Pending
""",
    words.ZH: """\
# 学习队列

本项目还要学习的内容。`afterword learn` 在下方加入条目，`afterword evolve` 把条目
转为知识库条目。每个条目是一个块：

```
### LQ-001: 用一行说明要学什么
- 优先级: P0 到 P3
- 来源类型: session、error、pattern 或 manual
- 状态: pending、processing 或 done
- 添加时间: YYYY-MM-DD
- 内容: 知识本身；后续行以两个空格开头
- 元数据: key=value, key=value
```

## 优先级
- P0: 缺了它工作无法进行
- P1: 缺了它工作变慢
- P2: 有了更好
- P3: 有空再说

## 待处理队列
""",
}
