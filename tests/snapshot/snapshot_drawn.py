"""Facts, targets and files as hypothesis draws them, for the laws of documents."""

from __future__ import annotations

from hypothesis import strategies as st

from afterword.snapshot import fold, words
from afterword.snapshot.fact import Fact, Supersedes
from afterword.snapshot.folded import Target

# Words that meet the marks of the formats, in both scripts.
PIECES = st.sampled_from(
    [
        *("retry", "timeout", "3 s", "5 s", "支付", "超时", "a|b", "`code`", "**x**"),
        *("[CONFLICT]", "[待验证]", "<!--", "-->", "--", "#", "# h", "```", "> q"),
        *("- ", "Superseded: 2026-01-01 by x", "Resolved:", "{{x}}", "Flows", "|---|"),
        *('<!-- {"id":"e-0"} -->', "---", "\\", "<b>", "Pending Verification"),
        *("\udc80", "\ufeff", "\u2028", "\x85", "\x00", "\t", "(2026-04-24)"),
    ]
)
TEXT = st.lists(PIECES, min_size=1, max_size=3).map(" ".join) | st.text(max_size=12)
LINE = (
    TEXT.map(lambda text: f"- {text}")
    | TEXT.map(lambda text: f"  - {text}")
    | TEXT
    | st.sampled_from(
        ["", "- 原因: weil", "- field: old", "- field: new", "#### deeper"]
    )
)
DATES = st.sampled_from(
    ["", *(f"2026-0{month}-1{day}" for month in (1, 5) for day in (1, 2))]
)
TITLES = (
    st.sampled_from(["Retry calls", "Timeout of calls", "支付超时", "Flows"]) | TEXT
)


@st.composite
def facts(draw: st.DrawFn) -> Fact:
    """One fact of an increment."""
    kind = draw(st.sampled_from(words.TYPES))
    part = draw(st.sampled_from(["", *words.PARTS]))
    stem = draw(st.sampled_from("abcdef"))
    key = draw(st.sampled_from(["", "", "a.b"]))
    named = draw(st.lists(TITLES, max_size=1))
    resolves = draw(st.sampled_from(["", "", "", "Timeout of calls"]))
    return Fact(
        kind=kind,
        part=part if kind == words.ARCHITECTURE else "",
        title=draw(TITLES),
        body=tuple(draw(st.lists(LINE, max_size=4))),
        key=key,
        value=draw(st.sampled_from(["3 s", "5 s"])) if key else "",
        supersedes=tuple(Supersedes(name, "it was slow") for name in named),
        resolves=resolves,
        keep=draw(st.sampled_from(["", *words.KEEP])) if resolves else "",
        confidence=draw(st.sampled_from(words.CONFIDENCES)),
        status=draw(st.sampled_from(words.STATUSES)),
        author=draw(st.sampled_from(["", "Ines", "张三"])),
        recorded=draw(DATES),
        files=tuple(draw(st.lists(TEXT, max_size=1))),
        sources=((f"2026-04-01_{stem}", "0123456789ab"),),
        ordinal=draw(st.integers(0, 3)),
        withdrawn=draw(st.sampled_from(["", "", "", "2026-06-01"])),
    )


LISTS = st.lists(facts(), max_size=8)


def target(found: list[Fact], name: str = "") -> Target:
    """What the facts make of one target."""
    folded = fold.fold(found, lambda fact: (name,))
    return folded.targets.get(name, Target(name=name))


# Text of persons, as it may stand anywhere in a file.
FOREIGN = st.sampled_from(
    [
        "A paragraph of a person.",
        "## Skills",
        "## 附录",
        "1. first\n2. second",
        "> a remark",
        "<!-- a comment\nof two lines -->",
        '```\n## no heading\n<!-- {"id":"e-1"} -->\n```',
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "---",
    ]
)


def fact_of(title: str, *body: str, **more: object) -> Fact:
    """A fact with what a test does not say of it."""
    given = {
        "kind": words.DECISION,
        "confidence": words.HIGH,
        "author": "Ines",
        "recorded": "2026-05-01",
        "sources": (("2026-05-01_one", "0123456789ab"),),
        **more,
    }
    return Fact(title=title, body=body, **given)  # type: ignore[arg-type]
