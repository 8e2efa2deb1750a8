"""`install.py --test`: the linters, then the test suite, in the private environment.

A skipped test fails the run unless its reason begins with "not on this system:"; the
plugin that holds this line is `skips`. Caches stay in the environment, so that the
checkout is left as it is.
"""

from __future__ import annotations

import os
import subprocess
import sys

from afterword.install.environment import Environment, Say

# Each check with its words after the program's name; {cache} lies in the environment.
_LINTERS = (
    ("ruff check", ("ruff", "check", "--quiet", ".")),
    ("ruff format", ("ruff", "format", "--check", "--quiet", ".")),
    ("mypy", ("mypy", "--no-error-summary", "--cache-dir={cache}/mypy")),
    ("lint-imports", ("lint-imports", "--cache-dir={cache}/imports")),
)
# An agent that runs the suite must not be taken for the agent under test.
_FOREIGN = ("GIT_", "PYTHON", "PYTEST_", "AFTERWORD_")
_CACHE_VARIABLE = "AFTERWORD_TEST_CACHE"  # where the tests keep the agents they install


def run(env: Environment, say: Say, *, hosts: bool) -> int:
    """Lint and test; 0 only when all of it passed. The last line is pytest's own."""
    failed = [name for name, words in _LINTERS if not _lint(env, name, words, say)]
    if failed:
        say(f"failed: {', '.join(failed)}; the tests run all the same")
    if hosts:
        say("pytest: drives real agents too; npm fetches them the first time")
    sys.stdout.flush()
    tested = subprocess.run(
        _pytest(env, hosts), cwd=env.tool, env=_variables(env), check=False
    )
    return 1 if failed or tested.returncode else 0


def _lint(env: Environment, name: str, words: tuple[str, ...], say: Say) -> bool:
    program, *rest = words
    arguments = [word.format(cache=_cache(env)) for word in rest]
    done = subprocess.run(
        [env.program(program), *arguments],
        cwd=env.tool,
        env=_variables(env),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    say(f"{name}: {'ok' if done.returncode == 0 else 'FAILED'}")
    if done.returncode != 0:
        print(done.stdout.rstrip())
    return done.returncode == 0


def _pytest(env: Environment, hosts: bool) -> list[str]:
    words = [env.program("pytest"), "-p", "afterword.install.skips"]
    words += ["-n", "auto", "--dist", "loadgroup"]
    words += ["-o", f"cache_dir={_cache(env)}/pytest"]
    return words if hosts else [*words, "-m", "not hosts"]


def _cache(env: Environment) -> str:
    return os.path.join(env.path, "cache")


def _variables(env: Environment) -> dict[str, str]:
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(_FOREIGN) or key == _CACHE_VARIABLE
    }
    return {
        **kept,
        "RUFF_CACHE_DIR": os.path.join(_cache(env), "ruff"),
        "HYPOTHESIS_STORAGE_DIRECTORY": os.path.join(_cache(env), "hypothesis"),
    }
