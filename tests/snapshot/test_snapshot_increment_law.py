"""The law of the writer: what it writes is read back as the same fact, whatever the text.

Texts are drawn with a liking for what Markdown and increments give a meaning to, titles,
details and values in any script; and any bytes at all are read.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from afterword.snapshot import (
    increment,
    increment_normal,
    increment_shapes,
    increment_writing,
    words,
)
from afterword.snapshot.fact import Fact, Supersedes
from afterword.store import blocks, merge_markers

AT = "2026-04-23 10:20:30"
# What means something to a reader of lines.
MARKS = (
    "- * + 1. # ## ### #### ``` ~~~ ```py <!-- --> | > [DECISION] [FOO] [ ] [x] 【约束】 **"
    " __ : ： key: value: supersedes: 置信度： status: 验证状态: verified resolves: keep: \\"
    " \\[ \\: END none 无 — - = {{x}} <x> --- === ` [round: 1] [CONFLICT] [待验证] [LOCKED:"
    " 支付 超时 timeout high ——  <<<<<<< >>>>>>> ======="
)
PIECES = st.sampled_from(
    [*MARKS.split(), "\n", "\n\n", "  ", "    ", "\t", " - ", "\r\n"]
)
TEXT = st.one_of(
    st.lists(PIECES | st.text(max_size=6), max_size=14).map(" ".join),
    st.lists(PIECES | st.text(max_size=3), max_size=14).map("".join),
)
LINE = TEXT.map(lambda text: " ".join(text.split()))
PATH = st.text("abc/._-支 `:()→", min_size=1, max_size=12)
FACTS = st.builds(
    Fact,
    kind=st.sampled_from(words.TYPES),
    title=TEXT,
    body=TEXT.map(lambda text: tuple(text.splitlines())),
    part=st.sampled_from(["", *words.PARTS]),
    key=LINE,
    value=LINE,
    supersedes=st.lists(st.builds(Supersedes, LINE, LINE), max_size=2).map(tuple),
    resolves=LINE,
    keep=st.sampled_from(["", *words.KEEP]),
    after=st.lists(st.sampled_from(["e-0123456789", "e-abcdef0123"]), max_size=2).map(
        tuple
    ),
    confidence=st.sampled_from(words.CONFIDENCES),
    status=st.sampled_from(words.STATUSES),
    author=LINE,
    recorded=st.just(AT),
    files=st.lists(PATH, max_size=2).map(tuple),
    domains=st.lists(LINE, max_size=2).map(tuple),
)


def written(fact: Fact, language: str = "en") -> bytes:
    return increment_writing.write(
        fact, timestamp=AT, author=fact.author, language=language
    )


def is_sayable(fact: Fact) -> bool:
    """A title of nothing but `None` or the like says that there is nothing."""
    return not increment_shapes.is_nothing(fact.title)


@given(FACTS, st.sampled_from(["en", "zh"]))
def test_what_is_written_is_read_back_as_the_same_fact(
    fact: Fact, language: str
) -> None:
    given = increment_normal.in_order(fact)
    found = increment.read(written(given, language), "2026-04-23_x")
    assert found.is_readable, found.problems
    if is_sayable(given):
        assert [one.replaced(sources=()) for one in found.facts] == [given]


@given(FACTS)
def test_what_is_in_order_stays_as_it_is(fact: Fact) -> None:
    given = increment_normal.in_order(fact)
    assert increment_normal.in_order(given) == given


@given(TEXT, TEXT)
def test_d5_every_word_of_a_detail_stands_in_the_body(title: str, detail: str) -> None:
    fact = increment_normal.in_order(
        Fact(kind="decision", title=title, body=tuple(detail.splitlines()))
    )
    body = "".join("\n".join(fact.body).split())
    for word in detail.split():
        if any(char.isalnum() for char in word):
            said = word.strip("-*+#•·●.)、|>=_`~:：\\\u3000")
            assert "".join(said.split()) in body


def stands(body: tuple[str, ...]) -> None:
    """No heading, comment, open fence or mark of a merge is brought along."""
    data = "".join(f"{line}\n" for line in body).encode("utf-8", "surrogatepass")
    kinds = {kind for _, _, kind in blocks.lines(data, front=False)}
    assert kinds <= {blocks.TEXT, blocks.FENCE}
    assert not list(blocks.headings(data, front=False))
    assert blocks.unclosed(data, front=False) is None
    assert not merge_markers.first_line(data)
    assert not body or (body[0] == body[0].lstrip() and body[-1])


@given(TEXT)
def test_a_detail_can_stand_in_any_file_of_ours(detail: str) -> None:
    lines = tuple(detail.splitlines())
    stands(increment_normal.in_order(Fact(kind="decision", title="t", body=lines)).body)


@given(
    st.sampled_from(["Decisions", "Glossary", "L1 Structure Changes", "Notes", "Meta"]),
    st.lists(st.sampled_from(["- ", "### ", "[DECISION] ", "", "  - "]), min_size=8),
    st.lists(TEXT, max_size=8),
)
def test_whatever_is_read_can_stand_in_any_file_of_ours(
    section: str, begins: list[str], texts: list[str]
) -> None:
    lines = [begin + text for begin, text in zip(begins, texts, strict=False)]
    text = f"## {section}\n" + "\n".join(lines) + "\n"
    for fact in increment.read(text.encode("utf-8", "replace"), "x").facts:
        assert fact.title.strip()
        assert fact.title == " ".join(fact.title.splitlines())
        stands(fact.body)


@given(st.binary(max_size=200) | TEXT.map(lambda text: text.encode()))
def test_any_bytes_are_read_without_an_error(data: bytes) -> None:
    found = increment.read(data, "2026-04-23_x")
    assert found.is_readable or found.problems
    assert found.is_readable or not found.facts


@given(st.lists(TEXT, max_size=6), st.sampled_from(["\n", "\r\n", "\r"]))
def test_line_ends_and_a_bom_change_no_fact(texts: list[str], newline: str) -> None:
    lines = ["## Decisions", *(line for text in texts for line in text.splitlines())]
    plain = "\n".join(lines).replace("\r", " ").encode()
    other = b"\xef\xbb\xbf" + plain.replace(b"\n", newline.encode())
    found = [increment.read(data, "2026-04-23_x") for data in (plain, other)]
    ids = [[(fact.id, fact.body) for fact in one.facts] for one in found]
    assert ids[0] == ids[1]
    assert found[0].is_readable == found[1].is_readable
