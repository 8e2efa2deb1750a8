"""What entries are about: the tokens of titles, and the index of those alike."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterword.snapshot import topic
from afterword.snapshot.fact import Fact
from afterword.snapshot.topic_index import Index, similarity

# Few words, so that sets meet, and names that only one set has.
WORDS = st.sampled_from("order cache payment timeout a b c d e f".split())
NAMES = st.integers(0, 60).map(str)
SETS = st.frozensets(WORDS | NAMES, max_size=6)


def titled(title: str) -> Fact:
    return Fact(kind="decision", title=title)


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Payment timeout is 3000ms", "payment timeout"),
        ("Timeouts of the payments: at most 5 s", "payment timeout"),
        ("Retry failed webhooks three times", "retry fail webhook"),
        ("Failed webhooks are retried", "retry fail webhook"),
        ("Order export is asynchronous", "order export"),
        ("Decision 17 about order cache", "decision 17 order cach"),
        ("Implement RFC 7231 caching", "implement rfc 7231 cach"),
        ("#12 retry policy", "12 retry policy"),
        ("Release 2.3.1 notes", "releas v2p3p1 not"),
        ("Services run on Java 17", "servic run java v17"),
        ("2026-04-01 order cache", "order cach"),
        ("maxRetries of order_service", "retry order servic"),
        ("Order flow: cart -> payment -> shipment", "order flow"),
        ("Use Redis because Memcached lost data", "redis"),
        ("支付超时从3000ms改为5000ms", "支付 付超 超时"),
        ("订单导出采用异步方式", "订单 单导 导出"),
        ("第三步：迁移订单表", "3 步 迁移 移订 订单 单表"),
        ("订单号使用UUID", "订单 单号 uuid"),
        ("会话缓存", "会话 话缓 缓存"),
        ("注文キャッシュ", "注文 文キ キャ ャッ ッシ シュ"),
        ("", ""),
        ("*** --- !!!", ""),
    ],
)
def test_the_topic_of_a_title(title: str, expected: str) -> None:
    assert topic.tokens(titled(title)) == set(expected.split())


def test_a_title_of_signs_only_is_about_its_key() -> None:
    assert topic.tokens(Fact(kind="config", title="3s", key="payment.timeout")) == {
        "payment",
        "timeout",
    }


@given(st.text())
def test_any_title_has_a_topic(text: str) -> None:
    topic.tokens(titled(text))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("a b", "a b", 1.0),
        ("a", "a", 1.0),
        ("a", "a b", 0.0),  # one shared token is a topic only where it is the whole
        ("a b", "a b c", 2 / 3),
        ("a b c", "a b d", 0.5),
        ("a b c d", "a b e f", 0.0),
        ("", "", 0.0),
    ],
)
def test_topics_are_alike_that_share_half(
    one: str, other: str, expected: float
) -> None:
    """10.5: a Jaccard index of 0.5, and two shared tokens unless the sets are equal."""
    found = similarity(frozenset(one.split()), frozenset(other.split()))
    assert found == expected


def by_comparing_all(
    sets: dict[str, frozenset[str]], tokens: frozenset[str], most: int
) -> list[tuple[str, float]]:
    alike = [(key, similarity(tokens, own)) for key, own in sets.items()]
    ranked = sorted((one for one in alike if one[1]), key=lambda one: -one[1])
    return ranked[:most]


@given(
    st.lists(st.tuples(SETS, st.booleans()), max_size=80),
    SETS,
    st.integers(1, 9),
    st.integers(1, 4),
)
def test_the_index_answers_as_a_comparison_with_all(
    added: Sequence[tuple[frozenset[str], bool]],
    asked: frozenset[str],
    most: int,
    rare: int,
) -> None:
    """Whatever was added, taken out again, and called rare in between."""
    index = Index()
    index.RARE = rare
    sets: dict[str, frozenset[str]] = {}
    for at, (tokens, is_removed) in enumerate(added):
        assert index.candidates(tokens, most) == by_comparing_all(sets, tokens, most)
        index.add(f"k{at}", tokens)
        sets[f"k{at}"] = tokens
        if is_removed and at % 2:
            index.remove(f"k{at - 1}")
            sets.pop(f"k{at - 1}", None)
    assert index.candidates(asked, most) == by_comparing_all(sets, asked, most)


def test_a_key_that_is_added_again_has_its_new_topic_and_place() -> None:
    index = Index()
    index.add("one", frozenset("ab"))
    index.add("two", frozenset("ab"))
    index.add("one", frozenset("ab"))
    index.add("one", frozenset("abc"))
    index.remove("three")
    assert index.candidates(frozenset("ab"), 8) == [("two", 1.0), ("one", 2 / 3)]


def seconds(count: int) -> float:
    """The CPU that as many titles of few words take, each asked for, then added."""
    titles = [
        f"Decision {n} about {'order payment'.split()[n % 2]} cache"
        for n in range(count)
    ]
    topics = [topic.tokens(titled(title)) for title in titles]
    index, began = Index(), time.process_time()
    for at, tokens in enumerate(topics):
        index.candidates(tokens, 8)
        index.add(str(at), tokens)
    return time.process_time() - began


def test_ten_thousand_numbered_titles_cost_ten_times_a_thousand() -> None:
    """All are alike: only a look at groups instead of titles keeps that linear."""
    few, many = (min(seconds(count) for _ in range(3)) for count in (1000, 10_000))
    assert many < 20 * few
    assert many < 2.0
