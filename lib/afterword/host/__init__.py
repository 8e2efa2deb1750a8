"""The coding agents whose hooks call us: a protocol and one module of data each.

Part of a hook's path: standard library only; only the host in question is loaded.
"""

from afterword.host.protocol import Host

NAMES = ("claude-code", "codex")


def named(name: str) -> Host:
    """The host of that name; an unknown one falls back to Claude Code's plain form."""
    if name == "codex":
        from afterword.host import codex

        return codex.HOST
    from afterword.host import claude_code

    return claude_code.HOST


def every() -> "tuple[Host, ...]":
    """All hosts, in the order of `NAMES`."""
    return tuple(named(name) for name in NAMES)
