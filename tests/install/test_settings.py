"""Our hooks in an agent's settings: H68, H69, H70, and the text around them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterword.host import named
from afterword.install import settings, shims
from afterword.install.entries import Entry, Memo
from afterword.install.settings import SettingsError

HOST = named("claude-code")
ENTRIES = [
    Entry(name, event, shims.project_command(HOST, event), HOST.timeouts[event])
    for event, name in HOST.wired.items()
]
WHERE = ".claude/settings.json"


def wire(data: bytes | None) -> settings.Wired:
    """Our entries put in, for an agent that reads comments."""
    return settings.wire(data, ENTRIES, WHERE, title=HOST.title, comments=True)


def plain(data: bytes) -> Any:
    """The settings as a host reads them, comments taken out."""
    text = data.decode("utf-8-sig")
    return json.loads(
        re.sub(r'("(?:[^"\\]|\\.)*")|//[^\r\n]*|/\*.*?\*/', r"\1", text, flags=re.S)
    )


def expected(before: Any) -> Any:
    """What the settings must say afterwards: all of before, our groups last."""
    hooks = dict(before.get("hooks", {}))
    for entry in ENTRIES:
        hooks[entry.event_name] = [*hooks.get(entry.event_name, []), entry.group()]
    return {**before, "hooks": hooks}


FOREIGN = '{"hooks":[{"type":"command","command":"./lint.sh","timeout":5}]}'
TEXTS = {
    "two blanks": b'{\n  "model": "x",\n  "env": {\n    "A": "1"\n  }\n}\n',
    "three blanks": b'{\n   "model": "x"\n}\n',
    "tabs": b'{\n\t"model": "x",\n\t"hooks": {\n\t\t"Stop": []\n\t}\n}\n',
    "no indentation": b'{\n"model": "x"\n}\n',
    "odd indentation": b'{\n "a": 1,\n      "hooks": {\n  "Stop": [\n          '
    + FOREIGN.encode()
    + b'\n ]\n},\n "z": 2 }',
    "one line": b'{"model":"x","hooks":{"Stop":[' + FOREIGN.encode() + b"]}}",
    "one line, gaps": b'{"model": "x", "hooks": {"Stop": ['
    + FOREIGN.encode()
    + b"]}}\n",
    "key order": b'{\n  "z": 1,\n  "hooks": {"SessionEnd": [], "Stop": []},\n  "a": 2\n}',
    "byte order mark": b'\xef\xbb\xbf{\n  "model": "x"\n}\n',
    "crlf": b'{\r\n  "model": "x",\r\n  "hooks": {}\r\n}\r\n',
    "no final newline": b'{\n  "model": "x"\n}',
    "empty object": b"{}",
    "empty object, newline": b"{}\n",
    "blank object": b"{ \n }",
    "blank list": b'{\n  "hooks": { "Stop": [ ] }\n}\n',
    "list over lines": b'{\n  "hooks": {\n    "Stop": [\n    ]\n  }\n}\n',
    "unknown keys": '{\n  "zukunft": {"é": ["日本", "\\ud83d"]},\n  "n": 1e400\n}\n'.encode(),
    "several groups": b'{\n  "hooks": {\n    "Stop": [\n      '
    + FOREIGN.encode()
    + b',\n      {"matcher": "x", "hooks": []}\n    ],\n    "PreToolUse": []\n  }\n}\n',
    "doubled key": b'{"hooks": {"Stop": []}, "hooks": {"Stop": []}}',
    "trailing blanks": b'{\n  "model": "x"   \n}  \n\n',
    "crlf and tabs": b'{\r\n\t"hooks": {\r\n\t\t"Stop": [\r\n\t\t\t{\r\n\t\t\t\t"hooks": []\r\n'
    b"\t\t\t}\r\n\t\t]\r\n\t}\r\n}",
    "odd groups": b'{"hooks": {"Stop": [null, 3, {"hooks": null}, {"hooks": [null, {"command": 5}]}, []]}}',
    "doubled event": b'{"hooks": {"Stop": [], "Stop": [' + FOREIGN.encode() + b"]}}",
    "escaped names": b'{"\\u0068ooks": {"St\\u006fp": []}}',
    "empty file": b"",
    "blank file": b" \n\n",
    "only a mark": b"\xef\xbb\xbf",
}
COMMENTED = {
    "line comments": b'{\n  // one\n  "model": "x" // two\n  // three\n}\n',
    "block comments": b'/* a */ {"model": /* b */ "x" /* c */} /* d */',
    "in empty lists": b'{\n  "hooks": {\n    "Stop": [ // none yet\n    ]\n  }\n}\n',
    "after the last group": b'{"hooks": {"Stop": ['
    + FOREIGN.encode()
    + b" // mine\n]}}",
    "nothing else": b"// nothing yet\n",
}


@pytest.mark.parametrize("name", TEXTS)
def test_h68_only_our_entries_are_added(name: str) -> None:
    """H68: other hooks, unknown keys, key order and indentation survive."""
    before = TEXTS[name]
    wired = wire(before)
    said = plain(before) if before.strip(b"\xef\xbb\xbf \n") else {}
    assert plain(wired.data) == expected(said)
    assert wired.warnings == ()


@pytest.mark.parametrize("name", [*TEXTS, *COMMENTED])
def test_h70_taking_out_gives_back_the_very_bytes(name: str) -> None:
    """H70: what was put in comes out, and nothing else."""
    before = {**TEXTS, **COMMENTED}[name]
    wired = wire(before)
    assert wired.data != before
    assert settings.unwire(wired.data, WHERE, wired.memo) == before


@pytest.mark.parametrize("name", [*TEXTS, *COMMENTED])
def test_h68_a_second_install_has_no_diff(name: str) -> None:
    once = wire({**TEXTS, **COMMENTED}[name]).data
    again = wire(once)
    assert again.data == once
    assert again.memo == Memo()


@pytest.mark.parametrize("name", COMMENTED)
def test_comments_survive_where_the_agent_reads_them(name: str) -> None:
    wired = wire(COMMENTED[name])
    assert plain(wired.data)["hooks"]["Stop"][-1] == ENTRIES[1].group()
    assert wired.warnings == ()


@pytest.mark.parametrize("name", COMMENTED)
def test_comments_are_refused_where_the_agent_ignores_such_a_file(name: str) -> None:
    """Claude Code throws the whole file away: hooks in it would be wired in name only."""
    with pytest.raises(settings.SettingsError) as caught:
        settings.wire(COMMENTED[name], ENTRIES, WHERE, title=HOST.title)
    line = 2 if name == "line comments" else 3 if name == "in empty lists" else 1
    assert str(caught.value) == (
        f"{WHERE}:{line}: Claude Code ignores the whole file because of this comment; the"
        " file is left as it is, and Claude Code is NOT wired\n"
        "take the comments out, then run install.py again"
    )


REFUSED = [
    (
        b'{"a": 1,}',
        f"{WHERE}:1: not valid JSON (a comma before '}}'), so it is left as it is",
    ),
    (b'{\n"a": 1\n', f"{WHERE}:3: not valid JSON (cut short), so it is left as it is"),
    (b"\xff\xfe{\x00}\x00", f"{WHERE}:1: not UTF-8 text, so it is left as it is"),
    (b'{\n"a": "\xff"}', f"{WHERE}:2: not UTF-8 text, so it is left as it is"),
    (
        b"\n[]",
        f"{WHERE}:2: the settings should be an object, so the file is left as it is",
    ),
    (
        b'"x"',
        f"{WHERE}:1: the settings should be an object, so the file is left as it is",
    ),
    (
        b'{\n"hooks": []}',
        f'{WHERE}:2: "hooks" should be an object, so the file is left as it is',
    ),
    (
        b'{\n"hooks": null}',
        f'{WHERE}:2: "hooks" should be an object, so the file is left as it is',
    ),
    (
        b'{"hooks": {\n"Stop": {}}}',
        f'{WHERE}:2: "hooks"."Stop" should be a list, so the file is left as it is',
    ),
]


@pytest.mark.parametrize(("data", "message"), REFUSED)
def test_h69_what_does_not_parse_is_refused_with_its_line(
    data: bytes, message: str
) -> None:
    """H69: never taken for empty; the message names file and line, and what to do."""
    with pytest.raises(SettingsError) as caught:
        wire(data)
    assert caught.value.message == message
    assert caught.value.hint.endswith("then run install.py again")


def test_an_entry_of_ours_that_a_person_changed_stays_as_it_is() -> None:
    once = wire(b"{}").data
    edited = once.replace(b'"timeout": 10', b'"timeout": 42', 1)
    assert wire(edited).data == edited


def test_a_missing_entry_of_ours_is_added_again() -> None:
    first = settings.wire(b"{}", ENTRIES[:2], WHERE, title=HOST.title)
    second = wire(first.data)
    assert plain(second.data) == expected({})
    assert second.memo.made == ("hooks.PreCompact", "hooks.SessionEnd")


@pytest.mark.parametrize(
    ("command", "ours"),
    [
        ("sh .claude/hooks/afterword-stop", True),
        ('"/p q/.claude/hooks/afterword-stop"', True),
        ("'afterword-stop'", True),
        ("C:\\hooks\\afterword-stop", True),
        ("afterword-stop; true", True),
        ("my-afterword-stop", False),
        ("afterword-stopwatch", False),
        ("afterword-stop-notify", False),
        ("afterword-stop.bak", False),
    ],
)
def test_our_entry_is_known_by_the_shim_that_it_names(command: str, ours: bool) -> None:
    group = {"hooks": [{"type": "command", "command": command}]}
    data = json.dumps({"hooks": {"Stop": [group]}}).encode()
    assert (len(plain(wire(data).data)["hooks"]["Stop"]) == 1) is ours
    assert settings.wired_events(data, WHERE) == ({"stop"} if ours else set())


ODD = [
    [],
    {},
    None,
    "x",
    1,
    [[]],
    [{}],
    [{"hooks": 1}],
    [{"hooks": [1, {"command": 7}]}],
]


@pytest.mark.parametrize(
    "groups", [groups for groups in ODD if isinstance(groups, list)]
)
def test_groups_of_other_shapes_are_left_alone(groups: list[Any]) -> None:
    data = json.dumps({"hooks": {"Stop": groups}}).encode()
    assert plain(wire(data).data)["hooks"]["Stop"] == [*groups, ENTRIES[1].group()]


def test_our_hook_leaves_a_group_that_it_shares() -> None:
    """A person moved a hook of theirs into our group: the group stays, ours goes."""
    theirs = {"type": "command", "command": "./lint.sh"}
    wired = wire(b"{}")
    value = plain(wired.data)
    value["hooks"]["Stop"][0]["hooks"].append(theirs)
    left = settings.unwire(json.dumps(value).encode(), WHERE, wired.memo)
    assert left is not None
    assert json.loads(left) == {"hooks": {"Stop": [{"hooks": [theirs]}]}}


def test_without_a_memo_containers_that_become_empty_go_too() -> None:
    """Another clone installed: the file that held our hooks alone is removed."""
    assert settings.unwire(wire(None).data, WHERE) is None
    assert settings.unwire(wire(b'{"a": 1}').data, WHERE) == b'{"a": 1}'


def test_entries_added_behind_ours_survive() -> None:
    wired = wire(TEXTS["two blanks"])
    value = plain(wired.data)
    value["hooks"]["Stop"].append({"hooks": []})
    value["hooks"]["Notification"] = []
    left = settings.unwire(json.dumps(value, indent=2).encode(), WHERE, wired.memo)
    assert left is not None
    assert json.loads(left) == {
        **plain(TEXTS["two blanks"]),
        "hooks": {"Stop": [{"hooks": []}], "Notification": []},
    }


def test_a_comment_never_swallows_what_followed_our_entry() -> None:
    group = json.dumps(ENTRIES[1].group()).encode()
    texts = [
        b'{"hooks": {"Stop": [ // c\n ' + group + b", 1]}}",
        b'{"hooks": {"Stop": [1, // c\n ' + group + b"]}}",
        b'{"hooks": {"Stop": [ // c\n ' + group + b"]}}",
    ]
    left = [settings.unwire(text, WHERE, Memo()) for text in texts]
    assert [plain(data or b"") for data in left] == [
        {"hooks": {"Stop": [1]}},
        {"hooks": {"Stop": [1]}},
        {"hooks": {"Stop": []}},
    ]


def test_disabled_hooks_are_warned_of() -> None:
    wired = wire(b'{\n  "disableAllHooks": true\n}')
    assert wired.warnings == (f"{WHERE}:2: disableAllHooks is true, so no hook runs",)


# -- any text ------------------------------------------------------------------

LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=8,
)
NAMES = st.sampled_from(
    ["Stop", "SessionStart", "SessionEnd", "PreCompact", "PreToolUse"]
)
HOOKS = st.dictionaries(NAMES, st.lists(VALUES, max_size=3), max_size=4)
BLANKS = st.sampled_from(["", " ", "\n", "\r\n", "\n  ", "\n\t", "  \n    ", "\n\n"])
COMMENTS = st.sampled_from(["/**/", "/* ' \" */", "// x\n", "//\r\n"])


@st.composite
def objects(draw: st.DrawFn) -> dict[str, Any]:
    value = draw(
        st.dictionaries(st.text(max_size=6).filter(lambda key: key != "hooks"), VALUES)
    )
    if draw(st.booleans()):
        pairs = [*value.items(), ("hooks", draw(HOOKS))]
        value = dict(draw(st.permutations(pairs)))
    return value


@st.composite
def texts(draw: st.DrawFn, commented: bool = False) -> tuple[Any, bytes]:
    """Settings as somebody might have written them: blanks and comments anywhere."""
    value = draw(objects())
    gap = draw(BLANKS)
    fill = (BLANKS | COMMENTS) if commented else (BLANKS | st.just(gap))

    def space() -> str:
        return draw(fill)

    def written(item: Any) -> str:
        if isinstance(item, dict):
            parts = [
                f"{space()}{json.dumps(key)}{space()}:{space()}{written(child)}{space()}"
                for key, child in item.items()
            ]
            return "{" + (",".join(parts) or space()) + "}"
        if isinstance(item, list):
            return (
                "["
                + (",".join(space() + written(c) + space() for c in item) or space())
                + "]"
            )
        return json.dumps(item, ensure_ascii=draw(st.booleans()))

    text = f"{space()}{written(value)}{space()}"
    mark = draw(st.sampled_from([b"", settings.BOM]))
    return value, mark + text.encode("utf-8", "surrogatepass")


@given(texts())
def test_h68_any_settings_keep_their_meaning_and_come_back_byte_for_byte(
    case: tuple[Any, bytes],
) -> None:
    value, before = case
    wired = wire(before)
    assert plain(wired.data) == expected(value)
    assert settings.unwire(wired.data, WHERE, wired.memo) == before
    assert wire(wired.data).data == wired.data


@given(texts(commented=True))
def test_any_settings_with_comments_come_back_byte_for_byte(
    case: tuple[Any, bytes],
) -> None:
    _, before = case
    wired = wire(before)
    assert settings.wired_events(wired.data, WHERE) == set(HOST.wired)
    assert settings.unwire(wired.data, WHERE, wired.memo) == before


@given(texts(commented=True), st.data())
def test_ours_come_out_of_settings_that_were_edited_since(
    case: tuple[Any, bytes], data: st.DataObject
) -> None:
    """Rewritten by a program, with things added: the rest keeps its meaning."""
    value, before = case
    wired = wire(before)
    edited = expected(value)
    edited["later"] = data.draw(VALUES)
    text = json.dumps(edited, indent=data.draw(st.sampled_from([None, 2]))).encode()
    left = settings.unwire(text, WHERE, wired.memo)
    assert left is not None
    assert json.loads(left) == {**value, "later": edited["later"]}
