"""HEAD's reflog: git's words in a table, the ends of a span, reading from the tail."""

import pytest

from afterword.store.git import program_reader, reflog
from afterword.store.git.evidence import Span
from afterword.store.git.reflog import Entry

MADE = [
    "commit: x",
    "commit:",
    "commit (initial): x",
    "commit (amend): x",
    "commit (merge): Merge branch 'x'",
    "commit (cherry-pick): x",
    "commit: fast-forward",
    "merge side: Merge made by the 'ort' strategy.",
    "merge a b c: Merge made by the 'octopus' strategy.",
    "merge side: In-index merge",
    "pull --no-rebase origin main: Merge made by the 'recursive' strategy.",
    "pull: Merge made by the 'ort' strategy.",
    "pull origin feat(x): Merge made by the 'ort' strategy.",
    "cherry-pick: x",
    'revert: Revert "x"',
    "am: x",
    "rebase (pick): x",
    "rebase (reword): x",
    "rebase (squash): x",
    "rebase (fixup): x",
    "rebase (edit): x",
    "rebase (continue): x",
    "rebase (merge): Merge branch 'x'",
    "rebase -i (pick): x",
    "rebase -i (fixup): x",
    "pull --rebase origin main (pick): x",
]
MOVED = [
    "checkout: moving from main to side",
    "checkout: moving from a to commit",
    "reset: moving to HEAD~1",
    "clone: from https://host/commit",
    "merge side: Fast-forward",
    "merge side: fast-forward",
    "pull: Fast-forward",
    "pull origin feat(pick): Fast-forward",
    "pull --ff-only: Fast-forward",
    "cherry-pick: fast-forward",
    "rebase (start): checkout main",
    "rebase (finish): returning to refs/heads/side",
    "rebase (abort): updating HEAD",
    "rebase (pick): fast-forward",
    "rebase (reset): 'onto'",
    "rebase -i (finish): returning to refs/heads/side",
    "pull --rebase (start): checkout 1234",
    "pull --rebase (finish): returning to refs/heads/main",
    "initial pull",
    "Branch: renamed refs/heads/a to refs/heads/b",
    "switch: moving from a to b",
]
UNKNOWN = [
    "",
    "nightly: job",
    "rebase: x",
    "rebase finished: returning to x",
    "filter-branch: rewrite",
    "update-ref",
]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        *((message, True) for message in MADE),
        *((message, False) for message in MOVED),
        *((message, None) for message in UNKNOWN),
    ],
)
def test_which_words_say_that_a_commit_was_made(message, expected):
    assert reflog.made(message) is expected


A, B, C, D = ("a" * 40, "b" * 40, "c" * 40, "d" * 40)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            f"{A} {B} Ada <a@b> 5 +0000\tcommit: x",
            Entry(old=A, new=B, at=5, message="commit: x"),
        ),
        (
            f"{'0' * 40} {B} A B <c> 5 -0130\tx\ty",
            Entry(old=None, new=B, at=5, message="x\ty"),
        ),
        (f"{A} {B} <> 5 +0000", Entry(old=A, new=B, at=5, message="")),
        (f"{A} {B} 5 +0000", None),
        (f"{A} {B} Ada <a@b> five +0000\tx", None),
        (f"{A} {B[:20]} Ada <a@b> 5 +0000\tx", None),
        ("", None),
        ("\0\0\0", None),
    ],
)
def test_a_line_of_the_log(line, expected):
    assert reflog.parse(line.encode()) == expected


def moves(*rows):
    """Entries from (old, new, seconds), newest first as the log is read."""
    return [
        Entry(old=old, new=new, at=at, message="commit: x")
        for old, new, at in reversed(rows)
    ]


@pytest.mark.parametrize(
    ("span", "kept"),
    [
        (Span(opened=10, closed=30), [B, C, D]),
        (Span(opened=10, closed=30, opening=B, closing=C), [C]),
        (Span(opened=10, closed=29, opening=A), [B]),
        (Span(opened=11), [C, D]),
        (Span(opened=10, opening="e" * 40), [B, C, D]),
        (Span(opened=10, closed=30, closing="e" * 40), [B, C, D]),
        (Span(opened=10, closed=30, closing=B), [B]),
        (Span(opened=31, closed=40), []),
        (Span(opened=30, opening=C, closed=30, closing=C), []),
        (Span(opened=30, opening=C, closed=30, closing=D), [D]),
        (Span(opened=30, opening=D, closed=30, closing=D), []),
    ],
)
def test_the_ends_of_a_span(span, kept):
    rows = ((None, A, 1), (A, B, 10), (B, C, 30), (C, D, 30))
    assert [entry.new for entry in reflog.inside(moves(*rows), span).entries] == kept


def test_a_fixture_that_came_back_to_the_opening_head_in_its_second_is_before_it():
    """What a script did in the very second before a session began is not the session's."""
    rows = ((None, A, 5), (A, B, 5), (B, A, 5), (A, C, 5))
    log = reflog.inside(moves(*rows), Span(opened=5, opening=A, closed=5, closing=C))
    assert [entry.new for entry in log.entries] == [C]


@pytest.mark.parametrize(
    ("rows", "opened", "covers"),
    [
        ([], 0, False),
        ([(None, A, 5)], 3, True),
        ([(A, B, 5)], 3, False),
        ([(A, B, 5), (B, C, 9)], 6, True),
    ],
)
def test_a_log_covers_a_span_when_nothing_of_it_can_have_expired(rows, opened, covers):
    assert reflog.inside(moves(*rows), Span(opened=opened)).covers is covers


def test_the_log_is_read_from_its_end_in_blocks_of_any_size(tmp_path, monkeypatch):
    (tmp_path / "logs").mkdir()
    rows = [
        f"{A} {B} Ada <a@b> {at} +0000\tcommit: {'x' * (at % 90)}" for at in range(60)
    ]
    torn = f"{A} {B} Ada <a@b> 99 +0000\tcommit: being wri"
    (tmp_path / "logs/HEAD").write_text("\n".join([*rows, torn]))
    answers = set()
    for size in (1, 7, 64, 100, 1000, 1 << 15):
        monkeypatch.setattr(reflog, "_BLOCK", size)
        answers.add(tuple(entry.at for entry in reflog.read(str(tmp_path))))
    assert answers == {tuple(range(59, -1, -1))}


def test_a_long_log_costs_what_the_span_costs(tmp_path):
    """Flat: 200,000 moves behind an episode are not read."""
    (tmp_path / "logs").mkdir()
    path = tmp_path / "logs/HEAD"
    with path.open("w") as log:
        for at in range(200_000):
            log.write(f"{A} {B} Ada <a@b> {at} +0000\tcommit: x\n")
    read = 0

    def counted():
        nonlocal read
        for entry in reflog.read(str(tmp_path)):
            read += 1
            yield entry

    log = reflog.inside(counted(), Span(opened=199_990))
    assert (len(log.entries), log.covers) == (10, True)
    assert read <= 60


def test_no_log_at_all(tmp_path):
    assert list(reflog.read(str(tmp_path))) == []


def test_the_log_that_git_lists_is_the_log_that_the_file_holds(repo):
    """For reftables git is asked; here both ways are open and must agree."""
    repo.commit("base", a="1")
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("colon: and | more")
    repo.git("commit", "-q", "--amend", "--allow-empty", "-m", "größer")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.commit("two")
    repo.git("merge", "-q", "--no-ff", "--no-edit", "main", check=False)
    from_file = tuple(reflog.read(repo.place.git_dir))
    assert program_reader.reflog_entries(repo.place) == from_file
    assert len(from_file) == 6


def test_h38_git_lists_nothing_before_the_first_commit(repo):
    assert program_reader.reflog_entries(repo.place) == ()
