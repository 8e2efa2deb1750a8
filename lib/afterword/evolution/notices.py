"""What evolution says, in English and in Chinese: the Chinese is the PRD's text, exactly.

One function a notice (spec/evolution.md T1.9, T1.10, T2.10, T3.4, T4.6; DESIGN 7:
a skip names its true reason). Imports `evolution.words` only.
"""

from afterword.evolution.words import ZH

# Why an automatic evolve did not run.
BY_HAND, HELD, NO_TIME, FLAGGED = "by hand", "held", "no time", "flagged"
_REASONS = {
    BY_HAND: ("evolve already ran in this episode", "本会话已执行手动 ax-evolve"),
    FLAGGED: (
        "active_context.md says that this session evolved already",
        "active_context.md 表明本会话已执行 evolve",
    ),
    HELD: ("another process is evolving", "另一个进程正在处理学习队列"),
    NO_TIME: ("no time is left; the next end goes on", "时间不足，下次会话结束时继续"),
}


def queue_archived(moved: int, archive: str, language: str) -> str:
    """`archive` is the file's own name (T1.10)."""
    if language == ZH:
        return f"[归档] learning_queue: 已移动 {moved} 条 done 条目至 {archive}"
    return f"[archive] learning_queue: moved {_of(moved, 'done item')} to {archive}"


def reflections_rolled(moved: int, archive: str, language: str) -> str:
    """`archive` is the file's own name (T2.10)."""
    if language == ZH:
        return f"[归档] reflection_log: 已移动 {moved} 条反思至 {archive}"
    return f"[archive] reflection_log: moved {_of(moved, 'reflection')} to {archive}"


def archive_held(language: str) -> str:
    """Another process archives: the one that comes second skips (A1.7)."""
    if language == ZH:
        return "[归档] 跳过：另一个进程正在归档"
    return "[archive] skipped: another process is archiving"


def archive_long(archive: str, most: int, language: str) -> str:
    """An archive with more than `most` lines (T1.9, T2.9)."""
    if language == ZH:
        return f"[警告] {archive} 已超过 {most} 行，建议人工检视"
    return f"[warning] {archive} has more than {most} lines: look through it by hand"


def evolved_at_end(items: int, language: str) -> str:
    """What an episode's end did in passing (T4.6)."""
    if language == ZH:
        return f"[Axiom] 会话结束，后台处理了 {items} 条学习队列条目"
    return f"[afterword] the episode's end evolved {_of(items, 'learning queue item')}"


def evolve_skipped(reason: str, language: str) -> str:
    """Why the end evolved nothing; `reason` is one of the constants above (T4.6, C21)."""
    english, chinese = _REASONS[reason]
    if language == ZH:
        return f"[Axiom/SessionEnd] 跳过自动处理：{chinese}"
    return f"[afterword/SessionEnd] did not evolve: {english}"


def shown(count: int, total: int, language: str) -> str:
    """The closing line of a filtered listing (T3.4)."""
    if language == ZH:
        return f"显示 {count}/{total} 条，使用无参数调用查看全部"
    return f"showing {count}/{total} entries; call it without arguments to see all"


def cleaned(removed: int, kept: int, language: str) -> str:
    """What a clean-up of empty reflections did."""
    if language == ZH:
        return f"[清理] 已移除 {removed} 条空条目，保留 {kept} 条有效反思"
    return f"[clean] removed {_of(removed, 'empty reflection')}, kept {kept}"


def _of(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
