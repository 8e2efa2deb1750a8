"""The console script: hands a shim's event to the hook at once, else runs a command.

A shim whose tool was found on PATH calls `afterword hook EVENT --from-shim ...`; that
must cost what a hook costs, so nothing but the standard library is loaded before it
is told apart. So is git's call of the merge driver, which comes once for each file.
"""

import sys


def main() -> None:
    """Entry point of `afterword`; ends the process with the exit code of CLI.md."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["hook"] and "--from-shim" in arguments:
        _serve_shim(arguments[1:])
    if arguments[:1] == ["merge-driver"] and _is_of_git(arguments[1:]):
        from afterword.merge import driver

        sys.exit(driver.main(arguments[1:]))
    from afterword.cli import boundary

    sys.exit(boundary.run(arguments))


def _serve_shim(arguments: "list[str]") -> None:
    """`EVENT --from-shim --root DIR --host NAME`: the same as TOOL/hooks/EVENT."""
    from afterword import hook

    rest = [argument for argument in arguments if argument != "--from-shim"]
    sys.argv[1:] = rest[1:]
    hook.main(rest[0] if rest else "")


def _is_of_git(words: "list[str]") -> bool:
    """`%O %A %B %P`: git's names of its temporary files are never options."""
    return len(words) == 4 and not any(word.startswith("-") for word in words[:3])


if __name__ == "__main__":
    main()
