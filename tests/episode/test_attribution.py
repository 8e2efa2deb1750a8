"""To which episode a command belongs (DESIGN 6; 111_session_per_provider, attribution)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterword.episode import attribution, opened
from afterword.episode.opened import OpenEpisode
from afterword.errors import AfterwordError
from afterword.store import layout


def open_episodes(*ids: str) -> tuple[OpenEpisode, ...]:
    return tuple(
        OpenEpisode(
            episode=name, host="codex", started_at=f"2026-01-01T00:00:{n:02}.000Z"
        )
        for n, name in enumerate(ids)
    )


@pytest.mark.parametrize(
    ("named", "open_here", "expected"),
    [
        ((), (), "outside"),
        ((), ("e1",), "e1"),
        ((), ("e1", "e2"), "outside"),
        (("e1",), ("e1", "e2"), "e1"),
        (("e1", "e2"), ("e1", "e2"), "e2"),
        (("e2", "e1"), ("e1", "e2"), "e2"),
        (("gone",), ("e1",), "e1"),
        (("gone",), ("e1", "e2"), "outside"),
        (("gone", "e1"), ("e1", "e2"), "e1"),
        (("gone",), (), "outside"),
    ],
)
def test_111_the_episode_opened_last_of_those_named_and_open_here(
    named, open_here, expected
):
    assert attribution.choose(named, open_episodes(*open_here)) == expected


names = st.sampled_from(["a", "b", "c", "d"])


@given(st.lists(names), st.lists(names, unique=True))
def test_a_command_is_never_given_to_an_episode_that_is_not_open(named, open_here):
    found = attribution.choose(named, open_episodes(*open_here))
    assert found == "outside" or found in open_here
    if set(named) & set(open_here):
        assert found in named


def test_variables_of_every_host_and_our_own_name_episodes():
    environment = {
        "AFTERWORD_EPISODE": "mine",
        "CLAUDE_CODE_SESSION_ID": "with spaces",
        "CODEX_SESSION_ID": "",
        "CODEX_THREAD_ID": "outside",
        "OTHER": "x",
    }
    found = attribution.named_by(environment)
    assert found == (
        "mine",
        opened.episode_id("with spaces"),
        opened.episode_id("outside"),
    )
    assert "outside" not in found


@pytest.mark.parametrize(
    "given", ["nobody", "../../x", "/etc/passwd", "a\0b", ".git/hooks/x", "C:\\x", "🙂"]
)
def test_h62_an_unknown_episode_is_refused_whatever_it_is_called(repo, given):
    with pytest.raises(AfterwordError) as refused:
        attribution.explicit(layout.need(str(repo.root)), given)
    assert refused.value.message == f"episode {given} is not known in this worktree"
    assert refused.value.hint == "see: afterword episode list"


def test_an_explicit_episode_may_be_closed_or_outside(repo):
    store = layout.need(str(repo.root))
    assert attribution.explicit(store, "outside") == "outside"
    repo.write(".ai/local/ledger/e1.jsonl", "")
    assert attribution.of_command(store, "e1", {}) == "e1"
