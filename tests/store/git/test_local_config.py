"""The repository's own configuration: a table, and git's own parser as the judge."""

import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from afterword.store.git import local_config


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("[core]\n\tbare = true\n", [("core.bare", "true")]),
        ("[Core]BARE=x", [("core.bare", "x")]),
        ("[a]\nx\ny=\n", [("a.x", "true"), ("a.y", "")]),
        ('[remote "My.Origin"]\nurl = a # c\n', [("remote.My.Origin.url", "a")]),
        ('[a "q\\"\\\\x"]\nb = c', [('a.q"\\x.b', "c")]),
        ('[a]\nb = "  kept  " x ; c\n', [("a.b", "  kept   x")]),
        ("[a]\nb = one\\\n two\n", [("a.b", "one two")]),
        ('[a]\nb = "x\\ty\\n"\n', [("a.b", "x\ty\n")]),
        ('[a]\nb = "open\nc = d\n', []),
        ("[a]\nb = 1\n= bad\nc = 2\n", [("a.b", "1")]),
        ("[a]\r\nb = c\r\n", [("a.b", "c")]),
        ("\ufeff[a]\nb = c\n", [("a.b", "c")]),
        ("[a.B]\nc = d\n", [("a.b.c", "d")]),
        ("x = y\n[a]\n", []),
        ("[a]\nb = c\\x\nd = e\n", []),
    ],
)
def test_pairs(text, expected):
    assert list(local_config.pairs(text)) == expected


def test_a_fifo_or_a_missing_file_has_no_values(tmp_path):
    import os

    os.mkfifo(tmp_path / "fifo")
    assert local_config.read(str(tmp_path / "fifo")) == {}
    assert local_config.read(str(tmp_path / "missing")) == {}


def test_an_included_file_is_not_read(repo, tmp_path):
    (tmp_path / "more").write_text("[a]\n\tb = included\n")
    repo.git("config", "include.path", str(tmp_path / "more"))
    repo.git("config", "a.c", "own")
    found = local_config.of_place(repo.place)
    assert (found.get("a.b"), found.get("a.c")) == (None, "own")


def test_h40_a_worktrees_own_configuration_comes_last(repo, tmp_path):
    repo.commit("one")
    repo.git("worktree", "add", "-q", str(tmp_path / "wt"))
    side = type(repo)(tmp_path / "wt")
    repo.git("config", "extensions.worktreeConfig", "true")
    repo.git("config", "a.b", "shared")
    side.git("config", "--worktree", "a.b", "own")
    values = [local_config.of_place(place)["a.b"] for place in (repo.place, side.place)]
    assert values == ["shared", "own"]


LINE = st.sampled_from(
    [
        "[core]",
        '[remote "origin"]',
        '[Remote "A.b\\"c"]',
        "[x.Y]",
        "[core] a = 1",
        "a = 1",
        "A-b = two words  ",
        "b",
        "c=",
        '  d = "quoted ; # text" tail ; comment',
        "e = a \\\\ b",
        "f = one \\",
        "  two",
        "# comment",
        "; comment",
        "",
        "g = x#y",
        'h = " a "  "b" ',
        'j = \\t\\n\\b\\"',
    ]
)


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(lines=st.lists(LINE, max_size=8))
def test_gits_own_parser_agrees(tmp_path, lines):
    path = tmp_path / "config"
    path.write_text("[start]\n" + "\n".join(lines) + "\n")
    done = subprocess.run(
        ["git", "config", "--no-includes", "-z", "-f", str(path), "--list"],
        capture_output=True,
        check=False,
    )
    if done.returncode == 0:
        rows = [row.partition("\n") for row in done.stdout.decode().split("\0") if row]
        theirs = {key: value if sep else "true" for key, sep, value in rows}
        assert local_config.read(str(path)) == theirs
    else:
        assert done.stderr
