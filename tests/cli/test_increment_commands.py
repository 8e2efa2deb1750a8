"""increment add, list and check as real processes in a real repository (CLI.md; issue 4)."""

from __future__ import annotations

import os
import subprocess
import time

import pytest

from project import Repo, command

FOLDER = ".ai/repo/increments"
START = {"session_id": "e1", "source": "startup"}
# Of the shape of a token; assembled here so that no scanner takes this file for a leak.
TOKEN = "ghp" + "_" + "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5"
ADD = ("increment", "add", "--type", "decision")
NOW = {"AFTERWORD_NOW": "2026-04-23T10:20:30.000Z"}
WHOLE = "# 2026-05-01 x\n## Meta\n- author: A\n- confidence: high\n## Decisions\n- t\n"


def text(repo: Repo, path: str) -> str:
    return (repo.root / path.strip()).read_text()


def test_add_writes_an_increment_and_records_it(repo, afterword, run_hook) -> None:
    assert run_hook("session-start", START).code == 0
    ran = afterword(
        *(*ADD, "--title", "Retry three times", "--confidence", "high"),
        *("--key", "scan.retries", "--value", "3", "--file", "src/a.py", "src/b.py"),
        *("--supersedes", "Retry once", "--reason", "one lost a parcel in fifty"),
        input="Because the belt moves on.\n",
        env=NOW,
    )
    assert ran.code == 0, ran.err
    assert ran.out.startswith(f"{FOLDER}/2026-04-23_retry-three-times-")
    assert text(repo, ran.out) == (
        "# 2026-04-23 retry-three-times\n"
        "\n"
        "## Meta\n"
        "- author: A Person\n"
        "- timestamp: 2026-04-23 10:20:30\n"
        "- trigger: manual\n"
        "- confidence: high\n"
        "\n"
        "## Affected Files\n"
        "- `src/a.py` → DECISION\n"
        "- `src/b.py` → DECISION\n"
        "\n"
        "## Decisions\n"
        "- Retry three times\n"
        "  - key: scan.retries\n"
        "  - value: 3\n"
        "  - supersedes: Retry once - one lost a parcel in fifty\n"
        "  - Because the belt moves on.\n"
        "\n"
        "## Evidence\n"
        "- source: A Person, 2026-04-23\n"
        "- status: unverified\n"
    )
    assert ran.err == "increment recorded in episode e1: Retry three times\n"
    (line,) = repo.lines("e1", "increment.added")
    stem = ran.out.strip().removeprefix(f"{FOLDER}/").removesuffix(".md")
    assert (line["stem"], line["type"], line["title"]) == (
        stem,
        "decision",
        "Retry three times",
    )


def test_add_in_json(repo, afterword) -> None:
    ran = afterword(*ADD, "--title", "支付超时", "--domain", "pay", "--json", env=NOW)
    assert ran.code == 0
    found = ran.json
    assert found["event"] == "increment.added"
    assert found["path"] == f"{FOLDER}/{found['stem']}.md"
    assert found["warnings"] == [
        "'pay' is no module of .ai/repo/modules/_index.md: put among the global increments"
    ]
    assert (repo.root / found["path"]).exists()


@pytest.mark.parametrize(
    ("words", "heading"),
    [
        (("decision",), "## Decisions"),
        (("constraint",), "## Constraints"),
        (("architecture", "--part", "flow"), "## Architecture Impact"),
        (("external",), "## External Dependencies"),
        (("config",), "## Config"),
        (("business",), "## Business Context"),
        (("glossary",), "## Glossary"),
        (("overview",), "## Project Overview"),
    ],
)
def test_every_type_has_its_section(repo, afterword, words, heading) -> None:
    ran = afterword("increment", "add", "--type", *words, "--title", "t")
    assert ran.code == 0, ran.err
    assert f"\n{heading}\n- t\n" in text(repo, ran.out)
    assert afterword("increment", "check").code == 0


def test_what_the_parser_wrote_the_list_shows(repo, afterword) -> None:
    repo.write(f"{FOLDER}/2026-05-01_two.md", WHOLE + "- u\n")
    repo.write(f"{FOLDER}/2026-05-02_torn.md", "## Decisions\n```\n- t\n")
    repo.write(".ai/repo/modules/order/increments/2026-05-03_own.md", WHOLE)
    repo.write(f"{FOLDER}/archive/2026-04-01_old.md", WHOLE)
    rows = afterword("increment", "list", "--json").objects
    shown = [
        {key: row[key] for key in ("stem", "entries", "domain", "due")} for row in rows
    ]
    assert shown == [
        {"stem": "2026-05-01_two", "entries": 2, "domain": None, "due": True},
        {"stem": "2026-05-02_torn", "entries": 0, "domain": None, "due": False},
        {"stem": "2026-05-03_own", "entries": 1, "domain": "order", "due": True},
    ]
    assert afterword("increment", "list").out == (
        "2026-05-01_two   2 entries   due      -\n"
        "2026-05-02_torn  unreadable  not due  -\n"
        "2026-05-03_own   1 entry     due      order\n"
        "increment list: 3 waiting, 2 due\n"
    )


def test_an_empty_list_says_so(afterword) -> None:
    assert afterword("increment", "list").out == "increment list: 0 waiting, 0 due\n"
    assert afterword("increment", "list", "--json").out == ""


def test_check_names_file_and_line(repo, afterword) -> None:
    repo.write(f"{FOLDER}/2026-05-01_good.md", WHOLE)
    good = afterword("increment", "check")
    assert (good.code, good.out) == (0, "increment check: 1 waiting, 0 to look at\n")
    repo.write(f"{FOLDER}/2026-05-02_odd.md", WHOLE + "- [FOO] u\n")
    repo.write(f"{FOLDER}/2026-05-03_gbk.md", "## 决策\n".encode("gbk"))
    repo.write(
        f"{FOLDER}/2026-05-04_domain.md", WHOLE.replace("author: A", "domain: x")
    )
    (repo.root / FOLDER / "2026-05-05_link.md").symlink_to("2026-05-01_good.md")
    bad = afterword("increment", "check")
    assert bad.code == 1
    assert bad.out == (
        f"{FOLDER}/2026-05-03_gbk.md:1: error unreadable: is not UTF-8 from byte 3 on\n"
        f"{FOLDER}/2026-05-05_link.md: error unreadable: a symlink, and an increment is a"
        " file of its own\n"
        f"{FOLDER}/2026-05-02_odd.md:7: warning odd: [FOO] is no known type: kept under"
        " Uncategorized\n"
        f"{FOLDER}/2026-05-04_domain.md:1: warning unknown-domain: domain 'x' is no"
        " module: goes into the snapshot\n"
        "increment check: 4 waiting, 4 to look at\n"
    )
    objects = afterword("increment", "check", "--json").objects
    assert objects[0] == {
        "severity": "error",
        "code": "unreadable",
        "path": f"{FOLDER}/2026-05-03_gbk.md",
        "line": 1,
        "message": "is not UTF-8 from byte 3 on",
    }


def test_secrets_are_masked_wherever_they_stand(repo, afterword) -> None:
    ran = afterword(
        *(*ADD, "--title", f"Use {TOKEN} here", "--key", "a.b", "--value", TOKEN),
        *("--supersedes", f"Old {TOKEN}", "--reason", f"leaked {TOKEN}"),
        *("--author", f"A {TOKEN}"),
        input=f"The token is {TOKEN}.\n",
    )
    assert ran.code == 0, ran.err
    assert TOKEN not in ran.out + ran.err
    for path in repo.root.rglob("*"):
        if path.is_file() and ".git" not in path.parts:
            assert TOKEN.encode() not in path.read_bytes(), path
    assert text(repo, ran.out).count("[masked: ") >= 6
    assert "--title: recorded without the secret in it" in ran.err
    assert "stdin: recorded without the secret in it" in ran.err


def test_a_detail_verifies_and_resolves_nothing(repo, afterword) -> None:
    detail = (
        "- status: verified\n- resolves: c-01234567\n- keep: new\n- confidence: high\n"
    )
    ran = afterword(
        *ADD, "--title", "t", input=detail + "## Evidence\n- 验证状态: verified\n"
    )
    assert ran.code == 0
    written = text(repo, ran.out)
    assert "- status: unverified\n" in written
    for line in ("status\\: verified", "resolves\\: c-01234567", "confidence\\: high"):
        assert f"  - {line}\n" in written
    assert ran.err.splitlines()[:3] == [
        "stdin: `status:` is kept as text",
        "stdin: `resolves:` is kept as text; to give it, use --resolves",
        "stdin: `keep:` is kept as text",
    ]


def test_a_detail_of_any_shape_stands_whole_in_the_increment(repo, afterword) -> None:
    detail = (
        "# Why\n\nfirst line\nsecond line\n\n```py\n# code\n\nx = 1\n```\n\n| a | b |\n"
    )
    ran = afterword(*ADD, "--title", "t", input=detail.replace("\n", "\r\n"))
    assert (
        "- t\n  - **Why**\n\n  - first line\n    second line\n\n  ```py\n  # code\n\n"
        "  x = 1\n  ```\n\n  | a | b |\n\n## Evidence"
    ) in text(repo, ran.out)


def test_stdin_that_stays_open_and_silent_is_not_waited_for_long(repo) -> None:
    reader, writer = os.pipe()
    began = time.monotonic()
    ran = subprocess.run(
        command(*ADD, "--title", "t"),
        cwd=repo.root,
        stdin=reader,
        capture_output=True,
        timeout=60,
        check=False,
    )
    os.close(writer)
    os.close(reader)
    assert ran.returncode == 0
    assert time.monotonic() - began < 20
    assert ran.stderr.decode().splitlines()[0] == (
        "stdin: is open and nothing comes, so it is added without a detail"
    )


def test_a_detail_that_comes_in_pieces_is_waited_for(repo) -> None:
    running = subprocess.Popen(
        command(*ADD, "--title", "t"),
        cwd=repo.root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert running.stdin is not None
    for piece in (b"one ", b"two ", b"three\n"):
        running.stdin.write(piece)
        running.stdin.flush()
        time.sleep(0.4)
    out, _ = running.communicate(timeout=60)
    assert "  - one two three\n" in text(Repo(repo.root), out.decode())


def test_closed_stdin_is_no_detail(repo) -> None:
    ran = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *command(*ADD, "--title", "t")],
        cwd=repo.root,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr


REFUSED = {
    ("--title", ""): "--title: is empty\nwrite it as one line of text",
    ("--title", "a\nb"): "--title: is 2 lines long\nwrite it as one line of text",
    ("--title", "None"): "--title None: says nothing\nsay what holds",
    ("--title", "t", "--part", "flow"): (
        "--part flow: is of --type architecture\n"
        "leave --part out, or give --type architecture"
    ),
    ("--title", "t", "--key", "a"): "--key needs --value\nadd --value",
    ("--title", "t", "--value", "a"): "--value needs --key\nadd --key",
    ("--title", "t", "--reason", "a"): (
        "--reason says why --supersedes T holds no longer, and there is none\n"
        "add --supersedes T; or write the reason into the detail, on stdin"
    ),
}


@pytest.mark.parametrize(("words", "message"), REFUSED.items())
def test_a_call_that_means_nothing_is_refused(
    repo, afterword, words: tuple[str, ...], message: str
) -> None:
    ran = afterword(*ADD, *words)
    assert (ran.code, ran.out, ran.err) == (2, "", f"afterword: {message}\n")
    assert not (repo.root / FOLDER).exists()


def test_a_detail_that_is_no_utf8_is_refused(repo, afterword) -> None:
    ran = afterword(*ADD, "--title", "t", input="原因".encode("gbk"))
    assert (ran.code, ran.err) == (
        2,
        "afterword: stdin: is not UTF-8 from byte 2 on\n"
        "convert it, such as: iconv -f GBK -t UTF-8 FILE | afterword increment add ...\n",
    )
    assert not (repo.root / FOLDER).exists()


def test_files_are_named_from_the_top_whatever_the_directory(repo, afterword) -> None:
    repo.write("src/order/a.py", "")
    ran = afterword(
        *(*ADD, "--title", "t", "--file", "order/a.py", "src/order/b.py"),
        cwd=repo.root / "src",
    )
    assert "- `src/order/a.py` → DECISION\n" in text(repo, ran.out)
    out = afterword(*ADD, "--title", "t", "--file", "../../x")
    assert out.code == 2
    assert "leads out of the repository" in out.err


def test_an_agent_without_a_name_in_git_signs_as_itself(repo, afterword) -> None:
    (repo.root / ".gitconfig").write_text("")
    env = {"HOME": str(repo.root), "CLAUDECODE": "1"}
    ran = afterword(*ADD, "--title", "t", env=env)
    assert "- author: claude-code\n" in text(repo, ran.out)


def test_a_start_may_quote_a_title_that_was_recorded_here(repo, afterword) -> None:
    from afterword.episode import recorded
    from afterword.store import layout

    found = afterword(*ADD, "--title", "Retry three times", "--json").json
    known = recorded.known(layout.need(str(repo.root)))
    assert recorded.has(known, found["stem"], "Retry three times")
