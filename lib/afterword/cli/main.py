"""The console script: hands a shim's event to the hook at once, else runs a command.

A shim whose tool was found on PATH calls `afterword hook EVENT --from-shim ...`; that
must cost what a hook costs, so nothing but the standard library is loaded before it
is told apart.
"""

import sys


def main() -> None:
    """Entry point of `afterword`; ends the process with the exit code of CLI.md."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["hook"] and "--from-shim" in arguments:
        _serve_shim(arguments[1:])
    from afterword.cli import boundary

    sys.exit(boundary.run(arguments))


def _serve_shim(arguments: "list[str]") -> None:
    """`EVENT --from-shim --root DIR --host NAME`: the same as TOOL/hooks/EVENT."""
    from afterword import hook

    rest = [argument for argument in arguments if argument != "--from-shim"]
    sys.argv[1:] = rest[1:]
    hook.main(rest[0] if rest else "")


if __name__ == "__main__":
    main()
