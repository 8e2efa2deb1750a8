"""The fixed template of front matter: exact bytes, and the same fields for three readers."""

import datetime

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from afterword.store import template
from afterword.store.template import Plain

RECORD = """\
---
schema: knowledge/v1
id: s-20261102081530-7be1-0a1b2c3d4e5f
kind: knowledge
class: convention
title: "Retry uploads at most three times"
description: "Recorded as a decision in episode s-20261102081530-7be1."
status: candidate
epistemics: decided
date: 2026-11-02
tags:
  - derived
  - decision
provenance:
  origin: extracted
  derived_from:
    - session:s-20261102081530-7be1
    - decision:t-20261102081611-03ac
    - commit:9f0c1d2e3f405162738495a6b7c8d9e0f1a2b3c4
relations:
  - type: relates_to
    target: file:.ai/repo/rules/x.md
  - type: relates_to
    target: "file:docs/a rule: with colon.md"
---

# Retry uploads at most three times

Recorded as a decision in episode s-20261102081530-7be1.
"""

FIELDS = [
    ("schema", Plain("knowledge/v1")),
    ("id", Plain("s-20261102081530-7be1-0a1b2c3d4e5f")),
    ("kind", Plain("knowledge")),
    ("class", Plain("convention")),
    ("title", "Retry uploads at most three times"),
    ("description", "Recorded as a decision in episode s-20261102081530-7be1."),
    ("status", Plain("candidate")),
    ("epistemics", Plain("decided")),
    ("date", Plain("2026-11-02")),
    ("tags", [Plain("derived"), Plain("decision")]),
    (
        "provenance",
        {
            "origin": Plain("extracted"),
            "derived_from": [
                Plain("session:s-20261102081530-7be1"),
                Plain("decision:t-20261102081611-03ac"),
                Plain("commit:9f0c1d2e3f405162738495a6b7c8d9e0f1a2b3c4"),
            ],
        },
    ),
    (
        "relations",
        [
            {"type": Plain("relates_to"), "target": Plain("file:.ai/repo/rules/x.md")},
            {
                "type": Plain("relates_to"),
                "target": Plain("file:docs/a rule: with colon.md"),
            },
        ],
    ),
]
BODY = "# Retry uploads at most three times\n\nRecorded as a decision in episode s-20261102081530-7be1."

# H57 and what YAML treats as special besides.
HARD_TEXTS = [
    "Ticket #12 # not a comment",
    "key: value",
    'say "no" and \\n and \\',
    "---",
    "yes",
    "1e3",
    "2026-01-01",
    "- item",
    "emoji \U0001f600 \u26a0\ufe0f",
    "x" * 10_000,
    "next\u0085line",
    "line\u2028separator\u2029paragraph",
    "\ufeffbyte order mark \ufeff inside",
    "c1 \x80\x9b\x9f controls",
    "\x00\x1b[31m\x7f",
    "\ufffe\uffff \U0001fffe",
    "lone \ud800 and \udfff surrogates",
    "two\nlines\ttab\rreturn",
    " leading and trailing ",
    "",
    "~",
    "null",
    "<<",
    "=",
    "!tag &anchor *alias",
    "{a: 1}",
    "[1, 2]",
    "%YAML 1.2",
    "@at `tick`",
    "'single'",
    "a" * 200 + " " + "b" * 200,
]


def without_dates(value):
    if isinstance(value, dict):
        return {str(key): without_dates(one) for key, one in value.items()}
    if isinstance(value, list):
        return [without_dates(one) for one in value]
    return value.isoformat() if isinstance(value, datetime.date) else value


def read_three_times(data):
    """The fields as our fast reader, PyYAML and ruamel.yaml (1.2) see them."""
    quick = template.quick_fields(data)
    text = data.decode()[4:].split("\n---\n")[0] + "\n"
    return (
        quick,
        without_dates(yaml.safe_load(text)),
        without_dates(YAML(typ="safe", pure=True).load(text)),
    )


def plain_values(value):
    """The value as it should come back: quoted text flattened, plain text as it was."""
    if isinstance(value, dict):
        return {key: plain_values(one) for key, one in value.items()}
    if isinstance(value, list):
        return [plain_values(one) for one in value]
    return template.flat(value) if isinstance(value, str) else value


def test_record_has_exactly_the_bytes_of_spec_4_4():
    assert template.render(FIELDS, BODY).decode() == RECORD


def test_record_reads_back_with_all_three_readers():
    expected = plain_values(dict(FIELDS))
    assert read_three_times(template.render(FIELDS, BODY)) == (expected,) * 3


@pytest.mark.parametrize("text", HARD_TEXTS, ids=range(len(HARD_TEXTS)))
def test_hard_titles_round_trip_h57(text):
    data = template.render(
        [("title", text), ("tags", [text]), ("m", {"k": text})], text
    )
    flat = template.flat(text)
    expected = {"title": flat, "tags": [flat], "m": {"k": flat}}
    assert read_three_times(data) == (expected,) * 3


@pytest.mark.parametrize("text", HARD_TEXTS, ids=range(len(HARD_TEXTS)))
def test_a_plain_value_that_yaml_would_misread_is_quoted(text):
    data = template.render([("id", Plain(text)), ("tags", [Plain(text)])])
    flat = template.flat(text)
    assert read_three_times(data) == ({"id": flat, "tags": [flat]},) * 3


def test_flat_text_differs_from_the_given_in_controls_and_surrogates_only():
    assert template.flat("a\nb\tc\rd\x00e\x85f\u2028g") == "a b c d e f g"
    assert template.flat("\ud800") == "\ufffd"
    assert template.flat('# \\ " \ufeff \U0001f600') == '# \\ " \ufeff \U0001f600'


BARE = [
    ("candidate", True),
    ("knowledge/v1", True),
    ("session:s-1", True),
    (".ai/repo/x.md", True),
    ("2026-11-02", True),
    ("8f14e45f-ceea-467f-9575-6f1d2c3b4a59", True),
    ("12345678-1234-1234-1234-123456789012", True),
    ("9f0c1d2e", True),
    ("2026-13-45", False),
    ("2026-02-29", False),
    ("2026-11-02T08:15:30Z", False),
    ("1e3", False),
    ("12e-5", False),
    ("12:30", False),
    ("0x1f", False),
    ("0b1", False),
    ("1_000", False),
    ("1.5", False),
    (".5", False),
    (".inf", False),
    ("Yes", False),
    ("off", False),
    ("n", False),
    ("NULL", False),
    ("~", False),
    ("a: b", False),
    ("a:", False),
    ("a #b", False),
    ("-a", False),
    ("", False),
    ("\u4e2d", False),
]


@pytest.mark.parametrize(("text", "bare"), BARE)
def test_which_text_needs_no_quotes(text, bare):
    assert template.is_bare(text) is bare


SCALARS = st.one_of(
    st.text(),
    st.text().map(Plain),
    st.from_regex(r"[-0-9a-zA-Z._:/+~=,@ ]{0,20}", fullmatch=True).map(Plain),
    st.dates().map(lambda day: Plain(day.isoformat())),
    st.booleans(),
    st.integers(min_value=0, max_value=10**17),
    st.integers(min_value=0, max_value=10**8).map(lambda n: n / 10**6),
)
KEYS = st.from_regex(r"[a-z][a-z0-9_-]{0,10}", fullmatch=True).filter(
    lambda key: key not in ("y", "n", "yes", "no", "on", "off", "true", "false", "null")
)
VALUES = st.one_of(
    SCALARS,
    st.lists(SCALARS, max_size=4),
    st.lists(st.dictionaries(KEYS, SCALARS, min_size=1, max_size=3), max_size=3),
    st.dictionaries(
        KEYS, st.one_of(SCALARS, st.lists(SCALARS, max_size=3)), max_size=3
    ),
)


@settings(max_examples=400)
@given(st.dictionaries(KEYS, VALUES, min_size=1, max_size=6), st.text(max_size=50))
@example({"a": "\ud800\x85"}, "---\n")
def test_what_is_rendered_is_what_three_readers_read(fields, body):
    data = template.render(list(fields.items()), body)
    assert read_three_times(data) == (plain_values(fields),) * 3


@settings(max_examples=300)
@given(st.text(alphabet=st.sampled_from("ab1-.:eE_+~#'\"\\ \n/x0T"), max_size=12))
def test_text_read_as_bare_is_what_yaml_reads(text):
    data = f"---\nk: {text}\n---\n".encode()
    quick = template.quick_fields(data)
    if quick is not None:
        assert without_dates(yaml.safe_load(f"k: {text}\n")) == quick


OTHER_SHAPES = [
    b"",
    b"# no front matter\n",
    b"---\n",
    b"---\nkey: value\n",
    b"---\nkey: value # comment\n---\n",
    b"---\nkey: 'single'\n---\n",
    b'---\nkey: "bad \\x escape"\n---\n',
    b'---\nkey: "open\n---\n',
    b'---\nkey: "a" "b"\n---\n',
    b"---\nkey: [a, b]\n---\n",
    b"---\nkey:\n---\n",
    b"---\nkey:\n  a:\n---\n",
    b"---\nkey:\n- a\n---\n",
    b"---\nkey:\n  - a\n  - b: c\n---\n",
    b"---\nkey: a\nkey: b\n---\n",
    b"---\nkey: \n---\n",
    b"---\nkey:a\n---\n",
    b"---\n# comment\nkey: a\n---\n",
    b"---\n\nkey: a\n---\n",
    b"---\nkey: |\n  text\n---\n",
    b"---\nkey: two words\n---\n",
    b"---\nkey: \xff\n---\n",
    b"---\nkey: a\rb\n---\n",
    b"---\nyes: a\n---\n",
    b"---\n  key: a\n---\n",
    '---\nkey: "a\u0085b"\n---\n'.encode(),
    "---\nkey: \u0663\n---\n".encode(),
]


@pytest.mark.parametrize("data", OTHER_SHAPES)
def test_another_shape_is_left_to_the_slow_reader(data):
    assert template.quick_fields(data) is None


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_without_an_error(data):
    for given_bytes in (data, b"---\n" + data + b"\n---\n"):
        assert template.quick_fields(given_bytes) is None or isinstance(
            template.quick_fields(given_bytes), dict
        )


def test_crlf_and_byte_order_mark_are_accepted_h59():
    data = template.render(FIELDS, BODY)
    windows = b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n")
    assert template.quick_fields(windows) == template.quick_fields(data)
    assert template.body(windows).replace(b"\r\n", b"\n") == template.body(data)


def test_body_is_what_stands_below_the_blank_line():
    assert template.body(template.render(FIELDS, BODY)).decode() == BODY + "\n"
    assert template.body(b"no front matter\n") == b"no front matter\n"
    assert template.body(b"---\na: b\n---") == b""


def test_body_has_lf_ends_and_no_controls():
    data = template.render([("k", "v")], "\n\na\r\nb\rc\td\x00\x1be\n\n")
    assert data == b'---\nk: "v"\n---\n\na\nb\nc\td  e\n'


def test_an_empty_body_leaves_the_front_matter_alone():
    data = template.render([("k", True), ("count", 3), ("l", [])])
    assert data == b"---\nk: true\ncount: 3\nl: []\n---\n"


@pytest.mark.parametrize("key", ["", "a b", "a:", "1a", "yes", "-a", "\u4e2d"])
def test_a_key_that_yaml_could_misread_is_refused(key):
    with pytest.raises(ValueError, match="not a front-matter key"):
        template.render([(key, "value")])
