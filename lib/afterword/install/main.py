"""The words of `install.py`: reads them, makes the environment, calls the part asked for.

Talk goes to stderr, plans and summaries to stdout. Exit codes as everywhere (CLI.md):
0 done, 1 refused, 2 usage, 3 unexpected, 130 interrupted.
"""

from __future__ import annotations

import argparse
import io
import os
import shlex
import sys
import tempfile
import traceback
from collections.abc import Sequence

from afterword.errors import AfterwordError
from afterword.install import (
    agents,
    applying,
    environment,
    planning,
    project,
    removal,
    repository,
)
from afterword.install.adopt.adoption import Adoption
from afterword.install.planning import Plan
from afterword.install.project import Wiring, Wish

_WAIT = 60.0  # seconds for another install.py in the same repository
_EPILOG = """what to type first:
  install.py --demo          a whole episode in a scratch repository
  install.py PROJECT         wire a project; --dry-run shows what that would do
  install.py PROJECT --uninstall
"""


def main(arguments: Sequence[str], tool: str) -> int:
    """Run install.py with these words for the checkout at `tool`; the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    _check(parser, options)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(
                errors="backslashreplace"
            )  # a file name may be any bytes
    try:
        return _dispatch(options, os.path.realpath(tool))
    except AfterwordError as error:
        _tell(error)
        return error.exit_code
    except KeyboardInterrupt:
        _say("interrupted; run the same command again, it completes what is missing")
        return 130
    except BrokenPipeError:
        # The reader of the plan went away (`| head`): nothing is wrong.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        refusal = applying.refused_by_disk(error)
        if refusal is None:
            return _unexpected(error)
        _tell(refusal)
        return refusal.exit_code
    except Exception as error:
        return _unexpected(error)


def _unexpected(error: Exception) -> int:
    _say(f"unexpected: {type(error).__name__}: {error}; the details are in {_log()}")
    return 3


def _log() -> str:
    """Keep the traceback of what is being handled in a file of its own."""
    descriptor, path = tempfile.mkstemp(prefix="afterword-install-", suffix=".log")
    with os.fdopen(
        descriptor, "w", encoding="utf-8", errors="backslashreplace"
    ) as file:
        traceback.print_exc(file=file)
    return path


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="install.py",
        description="Sets up afterword's private environment and wires a project to it.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("project", nargs="?", metavar="PROJECT", help="the git repository to wire")
    add(
        "--host",
        metavar="A,B|all",
        help="agents; default: those whose settings folder exists",
    )
    add("--scope", choices=agents.SCOPES, help="whose settings (default: project)")
    adopting = parser.add_mutually_exclusive_group()
    adopting.add_argument(
        "--adopt", action="store_true", help="use another system's tree in place"
    )
    adopting.add_argument("--no-adopt", action="store_true", help="do not")
    add(
        "--dry-run", action="store_true", help="print the plan as a diff, write nothing"
    )
    add(
        "--uninstall",
        action="store_true",
        help="take out what was put in; the memory stays",
    )
    add(
        "--demo",
        action="store_true",
        help="show a whole episode in a scratch repository",
    )
    add("--test", action="store_true", help="run linters and tests")
    add(
        "--hosts",
        action="store_true",
        help="with --test: also drive real agents (npm needed)",
    )
    add("--env-only", action="store_true", help="set up the environment and stop")
    add(
        "--env",
        metavar="DIR",
        help="the environment's place (default: .venv beside install.py)",
    )
    return parser


def _check(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Say what cannot be meant, before anything is done."""
    modes = [options.demo, options.test, options.env_only, options.project is not None]
    if sum(modes) != 1:
        parser.error("name a PROJECT, or one of --demo, --test, --env-only")
    if options.hosts and not options.test:
        parser.error("--hosts goes with --test; agents to wire are named by --host")
    wiring = (options.host, options.scope, options.adopt, options.no_adopt)
    if options.project is None and any((*wiring, options.dry_run, options.uninstall)):
        parser.error(
            "--host, --scope, --adopt, --dry-run and --uninstall go with a PROJECT"
        )
    if options.uninstall and (options.adopt or options.no_adopt):
        parser.error("--adopt has no meaning with --uninstall")


def _dispatch(options: argparse.Namespace, tool: str) -> int:
    env = environment.at(tool, options.env)
    if options.uninstall:
        return _uninstall(options, tool)
    if options.project is not None:
        return _install(options, env)
    changed = environment.ensure(env, _say, test=options.test)
    if options.test:
        from afterword.install import suite

        return suite.run(env, _say, hosts=options.hosts)
    if options.demo:
        from afterword.install import demo

        return demo.run(env)
    print(f"{env.path}: {'ready' if changed else 'ready, nothing to do'}")
    return 0


def _install(options: argparse.Namespace, env: environment.Environment) -> int:
    wish = Wish(
        project=options.project,
        home=env.tool,
        command=env.command,
        hosts=options.host,
        scope=options.scope or "project",
        adopt=True if options.adopt else False if options.no_adopt else None,
    )
    if options.dry_run:
        wiring = project.prepare(wish, _ask)
        return _show(wiring.plan + wiring.home_plan, dict(wiring.config), wiring)
    found = repository.find(options.project)
    project.prepare(wish, _ask_nothing)  # refuses before an environment is made
    environment.ensure(env, _say)
    with applying.alone(found.common_dir, _WAIT, _say):
        wiring = project.prepare(wish, _ask)
        done = project.carry_out(wiring)
    return _report_install(wiring, done)


def _ask_nothing(adoption: Adoption) -> bool:
    return False


def _ask(adoption: Adoption) -> bool:
    """Ask at a terminal whether to use the trees of others; elsewhere they are used."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return True
    held = [f"{tree.where} holds a memory of {tree.system}" for tree in adoption.trees]
    it = "it" if len(held) == 1 else "them"
    question = f"Use {it} in place? Nothing in {it} is moved. [Y/n] "
    sys.stderr.write(f"{', '.join(held)}. {question}")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("", "y", "yes")


def _show(
    plan: Plan, config: dict[str, str | None], job: Wiring | removal.Removal
) -> int:
    """Print a plan: the git configuration first, then the files as a diff."""
    for key, value in config.items():
        unset = f"git config --local --unset-all {key}"
        print(
            unset if value is None else f"git config --local {key} {shlex.quote(value)}"
        )
    for change in plan.changes:
        print(planning.diff(change), end="")
    if not plan.changes and not config:
        _say("nothing to change")
    return _remarks(job)


def _remarks(job: Wiring | removal.Removal) -> int:
    for note in dict.fromkeys(job.notes):
        _say(f"note: {note}")
    for error in job.refused:
        _tell(error)
    return 1 if job.refused else 0


def _report_install(wiring: Wiring, done: list[str]) -> int:
    root = wiring.repository.root
    titles = " and ".join(host.title for host in wiring.hosts)
    for line in done:
        print(f"  {line}")
    print(
        f"{root}: wired for {titles}"
        if done
        else f"{root}: wired already, nothing to change"
    )
    code = _remarks(wiring)
    if not done:
        return code
    for host in wiring.hosts:
        if host.needs:
            _say(f"note: {host.needs}")
    _hidden(wiring)
    if wiring.place.scope == "project":
        theirs = "".join(f", {folder}/" for folder in wiring.adopted_folders)
        _say(
            f"next: commit .ai/{theirs} and the agent's settings,"
            " so that colleagues have them too"
        )
    return code


def _hidden(wiring: Wiring) -> None:
    """Say when git ignores a file that colleagues would need."""
    if wiring.place.scope == "local":
        return
    adopted = [f"{folder}/" for folder in wiring.adopted_folders]
    folders = [".ai/", ".ai/repo/", ".ai/bin/", *adopted]
    written = (change.shown for change in wiring.plan.changes)
    names = [name for name in written if name.startswith(".ai/")]
    words = ["check-ignore", "--", *folders, *names]
    ignored = repository.git(wiring.repository.root, *words).stdout.splitlines()
    if ignored:
        _say(
            f"note: git ignores {ignored[0]}, so it cannot be shared; an exception in"
            f" .gitignore helps: !/{ignored[0]}"
        )


def _uninstall(options: argparse.Namespace, tool: str) -> int:
    found = repository.find(options.project)
    with applying.alone(found.common_dir, _WAIT, _say):
        job = removal.prepare(options.project, tool, options.host, options.scope or "")
        if options.dry_run:
            return _show(job.plan, job.config, job)
        done = removal.carry_out(job)
    for line in done:
        print(f"  {line}")
    print(
        f"{found.root}: {'taken out' if done else 'nothing of afterword to take out'}"
    )
    if os.path.isdir(os.path.join(found.root, ".ai")):
        _say(f"note: the memory stays in {os.path.join(found.root, '.ai')}")
    return _remarks(job)


def _tell(error: AfterwordError) -> None:
    """What is wrong, and on a line of its own what to do about it."""
    _say(f"error: {error.message}")
    if error.hint:
        _say(error.hint)


def _say(text: str) -> None:
    print(f"install.py: {text}", file=sys.stderr, flush=True)
