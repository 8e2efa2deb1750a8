"""Time as the ledger writes it. The only place that reads the clock.

`AFTERWORD_NOW` (a time stamp as written by `stamp`) moves it in tests. Part of a
hook's path: `time` only.
"""

import os
import time


def now() -> float:
    """Seconds since the epoch, UTC."""
    moved = os.environ.get("AFTERWORD_NOW")
    return seconds(moved) if moved else time.time()


def stamp(at: "float | None" = None) -> str:
    """`YYYY-MM-DDTHH:MM:SS.mmmZ` for seconds since the epoch (default: now)."""
    millis = round((now() if at is None else at) * 1000)
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(millis // 1000))
    return f"{whole}.{millis % 1000:03d}Z"


def seconds(text: str) -> float:
    """Seconds since the epoch for a UTC stamp, with or without a fraction; `ValueError` else."""
    if len(text) < 20 or text[-1] != "Z" or text[10] != "T":
        raise ValueError(f"not a UTC time stamp: {text[:40]!r}")
    date, clock = text[:10].split("-"), text[11:19].split(":")
    fraction = text[19:-1] or ".0"
    parts = (*date, *clock, fraction[1:])
    if len(parts) != 7 or fraction[0] != "." or not all(map(_is_number, parts)):
        raise ValueError(f"not a UTC time stamp: {text[:40]!r}")
    return _epoch(*map(int, parts[:6])) + float("0" + fraction)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _epoch(year: int, month: int, day: int, hour: int, minute: int, second: int) -> int:
    """Days from the civil calendar (proleptic Gregorian), then seconds; `calendar` is heavy."""
    if not (
        1 <= month <= 12
        and 1 <= day <= 31
        and hour < 24
        and minute < 60
        and second < 61
    ):
        raise ValueError("a field of the time stamp is out of range")
    shifted = year - (month <= 2)
    era, of_era = divmod(shifted, 400)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    days = era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468
    return days * 86400 + hour * 3600 + minute * 60 + second
