"""Quantities in text, and when two values of one key are the same (10.5)."""

from __future__ import annotations

import time
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterword.snapshot import values

MS, S = 10**12, 10**15  # a millisecond and a second in amounts
NO_QUANTITY = [
    "Decision 17 about order cache",
    "Decision 17 covers 3 caches",
    "Item 12 records events",
    "RFC 7231 caching",
    "ISO 8601 dates",
    "HTTP 404 for unknown orders",
    "v2 of the API",
    "Java 17",
    "release 2.3.1",
    "2026-04-01",
    "2026年4月1日",
    "3 月发布",
    "ABC-123 split the table",
    "#12 retry policy",
    "x86_64, sha256, utf-8, IPv4",
    "90th percentile",
    "one of the services",
    "第三步",
    "三方支付",
    "一致性",
    "0644",
    "1,5 s",  # a decimal comma or a list
    "was 3 s",
    "instead of 3 s",
    "10 min ->",
]


@pytest.mark.parametrize("text", NO_QUANTITY)
def test_numbers_that_are_names_or_held_before_are_no_quantities(text: str) -> None:
    assert values.quantities(text) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Payment timeout is 3000ms", "= time timeout 3000ms"),
        ("timeout of thirty seconds", "= time timeout thirty seconds"),
        ("30-second timeout", "= time timeout 30-second"),
        ("raised from 3 s to 5 s", "= time - 5 s"),
        ("超时从3000ms改为5000ms", "= time timeout 5000ms"),
        ("timeout 3000ms -> 5000ms", "= time timeout 5000ms"),
        ("Uploads are at most 5 MB", "<= size - 5 MB"),
        ("Upload limit: 5 MB", "<= size - 5 MB"),
        ("上传大小不能超过10MB", "<= size size 10MB"),
        ("密码至少8位", ">= count:digit - 8位"),
        ("must not fall under 80%", ">= ratio - 80%"),
        ("no more than 10 concurrent connections", "<= count:connection - 10 concurrent connections"),
        ("5 minutes or less", "<= time - 5 minutes"),
        ("重试三次", "= count:times retries 三次"),
        ("once", "= count:times - once"),
        ("twice a day", "= rate - twice a day"),
        ("100 req/s", "= rate - 100 req/s"),
        ("每秒最多 100 次", "<= rate - 每秒最多 100 次"),
        ("10 MB/s", "= rate:size - 10 MB/s"),
        ("2.5 million rows", "= count:record - 2.5 million rows"),
        ("10万条记录", "= count:record - 10万条记录"),
        ("$5 fee", "= money:usd price $5"),
        ("满99元包邮", "= money:cny - 99元"),
        ("listens on port 8080", "= port port 8080"),
        ("limit of 20", "<= count - 20"),
        ("Backup daily", "= time interval daily"),
        ("polled each minute", "= time interval each minute"),
        ("at 02:30", "= clock - 02:30"),
        ("凌晨2点", "= clock - 凌晨2点"),
        ("1 h 30 min", "= time - 1 h 30 min"),
        ("1-2 s", ">= time - 1-2 s; <= time - 1-2 s"),
        ("between 1 and 2 s", ">= time - 1 and 2 s; <= time - 1 and 2 s"),
        ("3 retries, 2 s apart", "= count:times - 3 retries; = time - 2 s"),
    ],
)  # fmt: skip
def test_the_quantities_of_a_text(text: str, expected: str) -> None:
    """As `comparator dimension attribute text`."""
    found = (
        f"{one.comparator} {one.dimension} {one.attribute or '-'} {one.text}"
        for one in values.quantities(text)
    )
    assert "; ".join(found) == expected


@given(st.text())
def test_any_text_is_read_and_every_quantity_stands_where_it_says(text: str) -> None:
    plain = values.plain(text)
    for one in values.quantities(text):
        assert plain[one.start : one.end] == one.text


SAME = [
    ("3000ms", "3s", "3 seconds", "three seconds", "3秒", "三秒", "3000 毫秒", "`3s`"),
    ("30 days", "1 month", "30天", "720 h"),
    ("1 year", "12 months", "365 days", "1 年"),
    ("18 months", "545 days"),
    ("1 GB", "1024 MB", "1 GiB", "1024MiB"),
    ("100 Mb", "100 Mbit"),
    ("512 MB", "0.5 GB"),
    ("10%", "0.1", "10 percent", "百分之十"),
    ("3", "three", "3 attempts", "3 次", "3.0", "+3"),
    ("1000", "1,000", "1k", "1千"),
    ("60 requests per minute", "1 req/s", "1 qps", "每秒1次"),
    ("5 USD", "$5"),
    ("5 元", "¥5"),
    ("<= 5", "at most 5", "max 5", "不超过5", "5 or less"),
    (">= 5", "at least 5", "5+"),
    ("3-5s", "3s to 5s", "between 3 and 5 s", "3~5秒"),
    ("14:30", "2:30 pm", "下午2点半"),
    ("1h30m", "90 min", "1.5 h"),
    ("true", "yes", "on", "enabled", "开启", "是"),
    ("false", "off", "关闭"),
    ("Redis", "redis", " `Redis` "),
    ("0644",),
    ("644",),
    ("max_size",),
    ("maxsize",),
    ("12345678901234567",),
    ("12345678901234568",),
    ("0.12345671",),
    ("0.12345672",),
    ("3 s or 5 s",),
    ("5 (was 3)",),
    ("not 5",),
    ("",),
]


def test_values_are_the_same_that_say_the_same() -> None:
    """10.5, tier 1: 3000ms = 3s; and 1 GB is 1024 MB here, as settings have it."""
    for row in SAME:
        for one, other in combinations(row, 2):
            assert values.equal(one, other), (one, other)


def test_all_other_values_differ() -> None:
    """No value of one row is a value of another: sameness is an equivalence."""
    for row, other in combinations(SAME, 2):
        for one in row:
            for two in other:
                assert not values.equal(one, two), (one, two)


@given(st.text(), st.text())
def test_sameness_is_a_matter_of_one_form(one: str, other: str) -> None:
    assert values.equal(one, one)
    assert values.equal(one, other) == values.equal(other, one)
    assert values.equal(one, other) == (
        values.canonical(one) == values.canonical(other)
    )


@given(st.integers(0, 10**9))
def test_a_thousand_milliseconds_are_a_second(number: int) -> None:
    assert values.equal(f"{number} s", f"{number * 1000}ms")
    assert not values.equal(f"{number} s", f"{number * 1000 + 1}ms")
    assert values.quantities(f"{number} s")[0].amount == number * S


@pytest.mark.parametrize("sign", ["1", "1-", "1.", "a1", "1 ", "三", "每", "- ", "a"])
def test_no_text_takes_long(sign: str) -> None:
    began = time.process_time()
    values.quantities(sign * 20_000)
    assert time.process_time() - began < 2
