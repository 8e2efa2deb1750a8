"""Whether two entries can both hold, and how that is told (10.5; L027-L029)."""

from __future__ import annotations

import time
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterword.snapshot import contradiction, words
from afterword.snapshot.contradiction import CONFLICT, NONE, OVERLAP, POSSIBLE, SAME
from afterword.snapshot.fact import Fact

TIER = {NONE: 0, SAME: 2, CONFLICT: 2, POSSIBLE: 3, OVERLAP: 3}


def fact(text: str, kind: str = words.DECISION, **fields: str) -> Fact:
    """`Title || body line ; body line`."""
    title, _, body = text.partition(" || ")
    lines = tuple(f"- {line}" for line in body.split(" ; ") if line)
    return Fact(kind=kind, title=title, body=lines, **fields)


def judged(old: str, new: str) -> contradiction.Verdict:
    return contradiction.judge(fact(old), fact(new))


def test_l027_the_payment_timeout_of_the_seed_is_a_conflict() -> None:
    """Another value for one setting, in the words that its block shows."""
    found = judged(
        "Payment timeout threshold || 3000ms", "Payment timeout threshold || 5000ms"
    )
    assert (found.kind, found.tier, found.why) == (CONFLICT, 2, "quantities differ")
    assert (found.old_says, found.new_says) == ("3000ms", "5000ms")


def test_one_key_with_two_values_is_a_conflict_whatever_the_titles_are() -> None:
    """Tier 1: exact keys, across titles and kinds."""
    old = fact("When calls are given up", key="payment.timeout", value="3000ms")
    new = fact("支付超时", words.CONSTRAINT, key="payment.timeout", value="5 s")
    found = contradiction.judge(old, new)
    assert (found.kind, found.tier, found.why) == (
        CONFLICT,
        1,
        "payment.timeout differs",
    )
    assert (found.old_says, found.new_says) == ("3000ms", "5 s")


def test_one_key_with_one_value_is_the_same_however_it_is_written() -> None:
    old = fact("Timeout", key="payment.timeout", value="3000ms")
    new = fact("Patience", key="payment.timeout", value="three seconds")
    found = contradiction.judge(old, new)
    assert (found.kind, found.tier) == (SAME, 1)


def test_other_keys_are_other_things_however_alike_the_titles_are() -> None:
    old = fact("Timeout is 3 s", key="payment.timeout", value="3 s")
    for value in ("5 s", ""):
        new = fact("Timeout is 5 s", key="search.timeout", value=value)
        assert contradiction.judge(old, new).kind == NONE
        assert contradiction.judge(new, old).tier == 1


def test_under_one_key_without_a_value_the_words_tell() -> None:
    old = fact("Calls are given up after 3 s", key="payment.timeout")
    new = fact("The provider has 5 s to answer", key="payment.timeout")
    assert contradiction.judge(old, new).kind == CONFLICT


@pytest.mark.parametrize(
    ("old", "new", "kind", "why"),
    [
        # quantities
        ("Retry budget is 3", "Retry budget is 5", CONFLICT, "quantities differ"),
        ("Retry budget is 3", "Retry budget is 5 attempts", CONFLICT, "quantities differ"),
        ("Retry budget is 3 attempts", "Retry budget is 3", OVERLAP, "one topic"),
        ("Worker queue is 8", "Worker queue has 3 workers and 5 jobs", OVERLAP, "one topic"),
        ("Uploads are at most 5 MB", "Uploads are at least 1 KB", OVERLAP, "one topic"),
        ("Uploads are at most 5 MB", "Uploads are at least 9 MB", CONFLICT, "quantities differ"),
        ("Retries wait 1-5 s", "Retries wait 3 s", OVERLAP, "one topic"),
        ("Retries wait 1-5 s", "Retries wait 9 s", CONFLICT, "quantities differ"),
        ("Retries || 3 times ; wait 2 s", "Retries || 5 times ; wait 2 s", CONFLICT, "quantities differ"),
        ("Call policy || timeout 3 s", "Call policy || backoff 9 s", OVERLAP, "one topic"),
        ("Payment timeout is 3 s", "Payment timeout raised from 3 s to 5 s", CONFLICT, "quantities differ"),
        ("Payment timeout is 5 s", "Payment timeout raised from 3 s to 5 s", OVERLAP, "one topic"),
        ("Cache is kept 1 h || Why: p99 of 3 ms", "Cache is kept 1 h || Why: p99 of 9 ms", SAME, "the same words"),
        ("Payment timeout is 3 s", "Payment timeout is 9 s for refunds", POSSIBLE, "quantities differ, one says of what"),
        ("Cache entries live 10 min", "User cache entries live 1 h", POSSIBLE, "quantities differ, one says of what"),
        ("Responses must not exceed 200 ms", "Responses must stay below 0.2 s", OVERLAP, "one topic"),
        # opposites
        ("Order export is sync", "Order export is async", CONFLICT, "opposites"),
        ("Order export is sync", "Order export is not async", OVERLAP, "one topic"),
        ("Public endpoints are cached", "Private endpoints are cached", OVERLAP, "topics alike"),
        ("The order endpoint is public", "The order endpoint is private", CONFLICT, "opposites"),
        ("Tracing of calls: on", "Tracing of calls: off", CONFLICT, "opposites"),
        ("订单导出采用同步方式", "订单导出采用异步方式", CONFLICT, "opposites"),
        ("Caches must be enabled", "Caches must not be disabled", OVERLAP, "one topic"),
        # obligations
        ("Handlers must log bodies", "Handlers must not log bodies", CONFLICT, "one demands what the other forbids"),
        ("允许跨库查询", "禁止跨库查询", CONFLICT, "one demands what the other forbids"),
        ("Clients must retry 503", "Clients must not retry 400", NONE, ""),
        # negation
        ("Payment retries are idempotent", "Payment retries are not idempotent", CONFLICT, "opposites"),
        ("Deletes cascade to comments", "Deletes do not cascade to comments", POSSIBLE, "one of them denies"),
        ("网关缓存响应", "网关不缓存响应", POSSIBLE, "one of them denies"),
        ("单次导出不超过1万条", "单次导出至少100条", OVERLAP, "one topic"),
        # alternatives
        ("Use Redis for session storage", "Use Memcached for session storage", POSSIBLE, "redis against memcach"),
        ("The public API is v1", "The public API is v2", POSSIBLE, "v1 against v2"),
        ("Use Redis for session storage", "Use Redis for event storage", OVERLAP, "topics alike"),
        ("Session store || Redis", "Session store || PostgreSQL", POSSIBLE, "short answers differ"),
        # chains
        ("Order flow: cart -> pay -> ship", "Order flow: cart -> ship -> pay", CONFLICT, "chains differ"),
        ("Order flow: cart -> pay -> ship", "Order flow: cart -> check -> pay -> ship", OVERLAP, "one topic"),
        ("Order flow: cart -> pay -> ship", "The flow of orders: cart → pay → ship", SAME, "the same chain"),
        ("Order flow: cart -> pay -> ship", "Order flow: app -> wallet -> bill", OVERLAP, "one topic"),
        # other topics
        ("Upload size limit is 10 MB", "Avatar size limit is 2 MB", OVERLAP, "topics alike"),
        ("Use Redis", "Keep logs for 90 days", NONE, ""),
        ("", "", SAME, "the same words"),
    ],
)  # fmt: skip
def test_what_two_entries_without_keys_are_to_each_other(
    old: str, new: str, kind: str, why: str
) -> None:
    """Tiers 2 and 3, L027-L029; and the same with the sides changed."""
    found = judged(old, new)
    assert (found.kind, found.why) == (kind, why)
    assert found.tier == TIER[kind]
    assert judged(new, old).kind == kind


def test_a_side_says_its_value_its_quantity_or_its_body_in_one_line() -> None:
    found = judged("Uploads are at most 5 MB", "Uploads are at least 9 MB")
    assert (found.old_says, found.new_says) == ("<= 5 MB", ">= 9 MB")
    found = judged(
        "Order export || runs sync ; Why: simple",
        f"Order export || runs async {'x' * 300}",
    )
    assert found.old_says == "runs sync"
    assert len(found.new_says) == 200
    assert found.new_says.endswith("xxx...")
    found = judged("Order export is sync", "Order export is async")
    assert (found.old_says, found.new_says) == ("Order export is sync", "Order export is async")  # fmt: skip


NUMBERED = [
    "Decision 17 about order cache",
    "Decision 18 about order cache",
    "Decision #19 about order cache: at most 5 MB",
    "Decision #20 about order cache: at most 9 MB",
    "Step 1 of 3: order cache is sync",
    "Step 2 of 3: order cache is async",
    "RFC 7231 for the order cache",
    "RFC 9111 for the order cache",
    "ABC-1 order cache must be warm",
    "ABC-2 order cache must not be warm",
    "决策17：订单缓存10分钟",
    "决策18：订单缓存30分钟",
    "第一步：迁移订单表",
    "第二步：不迁移订单表",
]


@pytest.mark.parametrize("body", ["", " || 3 s", " || text"])
def test_numbered_titles_never_conflict(body: str) -> None:
    for old, new in combinations(NUMBERED, 2):
        found = judged(old + body, new + body.replace("3", "5"))
        assert found.kind in (NONE, OVERLAP), (old, new, found)


def test_text_edited_under_an_id_is_read_anew() -> None:
    """A person's edit of an entry keeps its id: what was read before does not count."""
    old, new = fact("Timeout of calls is 3 s"), fact("Timeout of calls is 5 s")
    assert contradiction.judge(old, new).kind == CONFLICT
    edited = old.replaced(title="Timeout of calls is 5 s")
    assert contradiction.judge(edited, new).kind == SAME
    assert contradiction.judge(old, new).kind == CONFLICT


def test_more_facts_than_are_remembered_are_judged_alike() -> None:
    old, new = fact("Timeout of calls is 3 s"), fact("Timeout of calls is 5 s")
    for number in range(contradiction.REMEMBERED + 8):
        contradiction.judge(fact(f"{number}"), old)
    assert contradiction.judge(old, new).kind == CONFLICT
    assert len(contradiction._known) <= contradiction.REMEMBERED


WORDS = st.sampled_from(
    "use Redis for is 3s 5s not must async sync at most -> cart 订单 缓存 不 异步 3 v1 : ||".split()
)
TEXTS = st.lists(WORDS, max_size=9).map(" ".join) | st.text(max_size=40)


@given(TEXTS, TEXTS)
def test_the_order_of_the_sides_changes_the_sides_only(old: str, new: str) -> None:
    """The fold judges a pair from the side that came later, whichever that is."""
    one, other = judged(old, new), judged(new, old)
    assert (one.kind, one.tier) == (other.kind, other.tier)
    if one.kind != NONE:
        assert {one.old_says, one.new_says} == {other.new_says, other.old_says}


@given(TEXTS)
def test_nothing_contradicts_itself(text: str) -> None:
    assert judged(text, text).kind in (SAME, NONE)


@pytest.mark.parametrize(
    "sign", ["1 ", "1-", "a1", "三", "每", "a -> ", "不", " ", "#"]
)
def test_no_entry_takes_long(sign: str) -> None:
    long = sign * 20_000
    began = time.process_time()
    judged(f"Order cache {long}", f"Order cache || {long}")
    judged(f"Order cache || {long}", f"Order cache || {long}x ; {long}")
    assert time.process_time() - began < 2
