"""Time stamps as the ledger writes them."""

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterword.store import clock


@given(st.integers(min_value=0, max_value=253_402_300_799_999))
def test_a_stamp_comes_back_to_the_millisecond(millis: int) -> None:
    text = clock.stamp(millis / 1000)
    assert len(text) == 24
    assert round(clock.seconds(text) * 1000) == millis


@given(st.datetimes(min_value=datetime.datetime(1970, 1, 1)))
def test_seconds_agree_with_the_calendar(moment: datetime.datetime) -> None:
    moment = moment.replace(microsecond=0, tzinfo=datetime.timezone.utc)
    assert clock.seconds(moment.strftime("%Y-%m-%dT%H:%M:%SZ").zfill(20)) == (
        moment.timestamp()
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Z",
        "2026-01-01",
        "2026-01-01T00:00:00",
        "2026-01-01 00:00:00Z",
        "2026-01-01T00:00:00+00:00",
        "2026-13-01T00:00:00Z",
        "2026-00-10T00:00:00Z",
        "2026-01-32T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:61Z",
        "2026-01-01T00:00:00,5Z",
        "2026-01-01T00:00:00.xZ",
        "2026-01-01T00:00:00.5e3Z",
        "2026-01-01T00:00:00.1_0Z",
        "2026-01-01T00:00:00.infZ",
        "２０２６-01-01T00:00:00Z",
        "2026-1-1T00:00:00.0000Z",
        "-026-01-01T00:00:00Z",
        "2026-01-01T00:00:00Z\n",
        "x" * 1000,
    ],
)
def test_what_is_no_stamp_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="time stamp"):
        clock.seconds(text)


@given(st.text())
def test_any_text_is_seconds_or_a_value_error(text: str) -> None:
    try:
        found = clock.seconds(text)
    except ValueError:
        return
    assert isinstance(found, float)


def test_the_clock_can_be_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AFTERWORD_NOW", "2026-02-03T04:05:06.789Z")
    assert clock.stamp() == "2026-02-03T04:05:06.789Z"
