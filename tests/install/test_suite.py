"""`install.py --test`: no test is skipped in silence, and what decides the exit code."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from afterword.install import suite
from afterword.install.environment import Environment

from .scene import TOOL

GOOD = "def test_good():\n    assert True\n"
SKIPPED = 'import pytest\n\n\ndef test_skipped():\n    pytest.skip("{reason}")\n'
MODULE = 'import pytest\n\npytest.skip("{reason}", allow_module_level=True)\n'
MARKED = 'import pytest\n\n\n@pytest.mark.skip(reason="{reason}")\ndef test_marked():\n    pass\n'
EXPECTED = (
    "import pytest\n\n\n@pytest.mark.xfail\ndef test_known():\n    assert False\n"
)


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run pytest with the plugin on the tests of a folder."""
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "afterword.install.skips",
            *words,
            ".",
        ],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(TOOL / "lib"), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("workers", ["0", "2"])
@pytest.mark.parametrize(
    "text", [SKIPPED, MODULE, MARKED], ids=["test", "module", "mark"]
)
def test_a_skip_without_a_good_reason_fails_the_run(
    tmp_path: Path, text: str, workers: str
) -> None:
    (tmp_path / "test_good.py").write_text(GOOD)
    (tmp_path / "test_a.py").write_text(text.format(reason="too slow"))
    done = run(tmp_path, "-n", workers)
    assert done.returncode == 1, done.stdout
    assert "skipped, which fails the run: test_a.py" in done.stdout
    assert "too slow" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("1 passed, 1 skipped in ")


@pytest.mark.parametrize("workers", ["0", "2"])
@pytest.mark.parametrize(
    "text", [SKIPPED, MODULE, MARKED], ids=["test", "module", "mark"]
)
def test_a_skip_for_the_sake_of_the_system_is_named_and_allowed(
    tmp_path: Path, text: str, workers: str
) -> None:
    (tmp_path / "test_good.py").write_text(GOOD)
    (tmp_path / "test_known.py").write_text(EXPECTED)
    (tmp_path / "test_a.py").write_text(text.format(reason="not on this system: fcntl"))
    done = run(tmp_path, "-n", workers)
    assert done.returncode == 0, done.stdout
    assert "skipped: test_a.py" in done.stdout
    assert "not on this system: fcntl" in done.stdout


def test_a_failure_stays_a_failure(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("def test_bad():\n    assert False\n")
    (tmp_path / "test_b.py").write_text(MODULE.format(reason="too slow"))
    assert run(tmp_path).returncode == 1


def stand_ins(tmp_path: Path, failing: str = "") -> Environment:
    """An environment whose linters and pytest only note that they were called."""
    env = Environment(str(tmp_path / "env"), str(tmp_path))
    (tmp_path / "env/bin").mkdir(parents=True)
    for name in ("ruff", "mypy", "lint-imports", "pytest"):
        path = tmp_path / "env/bin" / name
        code = 1 if name == failing else 0
        path.write_text(
            f'#!/bin/sh\necho "{name} $@" >> "{tmp_path}/called"\n'
            f'env >> "{tmp_path}/variables"\necho "said by {name}"\nexit {code}\n'
        )
        path.chmod(0o755)
    return env


@pytest.mark.parametrize("failing", ["", "ruff", "mypy", "lint-imports", "pytest"])
def test_linters_run_first_and_each_of_them_counts(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], failing: str
) -> None:
    said: list[str] = []
    env = stand_ins(tmp_path, failing)
    assert suite.run(env, said.append, hosts=False) == (1 if failing else 0)
    called = (tmp_path / "called").read_text().splitlines()
    names = [line.split()[0] for line in called]
    assert names == ["ruff", "ruff", "mypy", "lint-imports", "pytest"]
    assert capfd.readouterr().out.splitlines()[-1] == "said by pytest"
    if failing in ("mypy", "lint-imports"):
        assert f"{failing}: FAILED" in said
        assert said[-1] == f"failed: {failing}; the tests run all the same"


def test_tests_of_real_agents_are_deselected_unless_asked_for(tmp_path: Path) -> None:
    env = stand_ins(tmp_path)
    suite.run(env, lambda _: None, hosts=False)
    suite.run(env, lambda _: None, hosts=True)
    calls = [
        line
        for line in (tmp_path / "called").read_text().splitlines()
        if "pytest" in line
    ]
    assert ["-m not hosts" in line for line in calls if line.startswith("pytest")] == [
        True,
        False,
    ]


def test_the_suite_runs_without_the_caller_s_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", "/x")
    monkeypatch.setenv("PYTHONPATH", "/x")
    monkeypatch.setenv("AFTERWORD_EPISODE", "e1")
    monkeypatch.setenv("AFTERWORD_TEST_CACHE", "/agents")
    suite.run(stand_ins(tmp_path), lambda _: None, hosts=False)
    variables = (tmp_path / "variables").read_text()
    assert "GIT_DIR" not in variables
    assert "PYTHONPATH" not in variables
    assert "AFTERWORD_EPISODE" not in variables
    assert "AFTERWORD_TEST_CACHE=/agents" in variables


def test_n20_one_command_lints_checks_types_and_tests() -> None:
    """N20: what has to pass before anything lands, on a clean checkout."""
    gate = (TOOL / ".ci/run").read_text()
    assert "python3 install.py --test" in gate
    assert [words[0] for _, words in suite._LINTERS] == [
        "ruff",
        "ruff",
        "mypy",
        "lint-imports",
    ]


def imported(path: Path) -> set[str]:
    """The top-level packages that a module imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found


def test_n18_evolution_needs_no_dependency() -> None:
    """N18: nothing beside the standard library, in any branch of it."""
    lib = TOOL / "lib/afterword"
    modules = [*(lib / "evolution").glob("*.py"), lib / "lifecycle/evolution.py"]
    used = set().union(*(imported(path) for path in modules if path.exists()))
    assert used - set(sys.stdlib_module_names) == {"afterword"}
