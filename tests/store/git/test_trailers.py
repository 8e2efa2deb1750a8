"""The trailers of a commit message: a table, and git's own parser as the judge."""

import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from afterword.store.git import trailers


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("", ()),
        ("Decision: the title is never a trailer", ()),
        ("x\n\nDecision: a", (("Decision", "a"),)),
        ("x\n\nDecision: a\n", (("Decision", "a"),)),
        ("x\n\nDECISION: a\nfact : b", (("Decision", "a"), ("Fact", "b"))),
        (
            "x\n\nConstraint:no space\nLesson:\tTab",
            (("Constraint", "no space"), ("Lesson", "Tab")),
        ),
        ("x\n\nFact: one\n two\n\tthree", (("Fact", "one two three"),)),
        ("x\n\nFact: one   wide\r\n two\r\n", (("Fact", "one wide two"),)),
        (
            "x\n\nDecision: a\nDecision: b\nDecision: a",
            (("Decision", "a"), ("Decision", "b"), ("Decision", "a")),
        ),
        ("x\n\nDecision: a\n\nA last paragraph.", ()),
        ("x\n\nDecision: a\nprose in between", ()),
        ("x\n\nDecision: a\nprose\nSigned-off-by: Ada <a@b>", (("Decision", "a"),)),
        ("x\n\nDecision: a\n" + "prose\n" * 8 + "Signed-off-by: Ada", ()),
        (
            "x\n\nDecision: a\n(cherry picked from commit 1)\nFact: b",
            (("Decision", "a"), ("Fact", "b")),
        ),
        (
            "x\n\nReviewed-by: Eve\nDecision: a\nCo-Authored-By: Bot",
            (("Decision", "a"),),
        ),
        ("x\n\nDecision: \nFact:\nLesson: c", (("Lesson", "c"),)),
        ("x\n\nDecision: a\n# a comment\nFact: b", (("Decision", "a"), ("Fact", "b"))),
        ("x\n\nDecision: a\n\n# comment\n\n", (("Decision", "a"),)),
        ("x\n\nDecisions: a\nA Decision: b\nDe.cision: c", ()),
        ("x\n\n Decision: indented", ()),
        ("\n\n  \nx\n\nFact: after blank lines", (("Fact", "after blank lines"),)),
        ("x\n\nDecision: http://a:b", (("Decision", "http://a:b"),)),
        (
            "x\n \t\nDecision: a blank line may hold spaces",
            (("Decision", "a blank line may hold spaces"),),
        ),
        ("x\n\nDecision= not a colon", ()),
        ("x\n\nDecision: a\n---\nFact: b", ()),
        (
            "x\n\nDecision: \U0001f600 größer\u2028y",
            (("Decision", "\U0001f600 größer y"),),
        ),
    ],
)
def test_trailers_that_become_records(message, expected):
    assert trailers.watched(message) == expected


def by_git(repo, message):
    """What git itself says of a message, by its format for commits."""
    tree = repo.git("mktree")
    done = subprocess.run(
        ["git", "hash-object", "-w", "-t", "commit", "--stdin"],
        cwd=repo.root,
        input=(
            f"tree {tree}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\n{message}"
        ).encode(),
        capture_output=True,
        check=True,
    )
    sha = done.stdout.decode().strip()
    asked = "%(trailers:only=yes,unfold=yes,key_value_separator=%x01,separator=%x00)"
    out = repo.git("show", "-s", f"--format={asked}x", sha)[:-1]
    pairs = [pair.partition("\x01") for pair in out.split("\0") if pair]
    return [(key, " ".join(value.split())) for key, _, value in pairs]


LINES = st.sampled_from(
    [
        "",
        " ",
        "title",
        "prose here",
        "Decision: a",
        "fact : b",
        "Lesson:",
        "x-y: z",
        "two words: c",
        " continued",
        "\tcontinued: d",
        "# comment",
        "Signed-off-by: Ada <a@b>",
        "(cherry picked from commit 1)",
        "Conflicts:",
        "\tpath/in/conflict",
        "---",
        ": empty",
        "-: dash",
        "a.b: dot",
        "\r",
        "Decision: e\r",
        "# ------------------------ >8 ------------------------",
    ]
)


@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(lines=st.lists(LINES, max_size=12), end=st.sampled_from(["", "\n", "\n\n"]))
def test_gits_own_parser_agrees(shared_repo, lines, end):
    message = "\n".join(lines) + end
    ours = [(key, " ".join(value.split())) for key, value in trailers.parse(message)]
    assert ours == by_git(shared_repo, message)
