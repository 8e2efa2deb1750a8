"""What tests of records need: episodes that decide something, and their candidates.

Built on the fixtures of `conftest`; everything is done by real processes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# A record as the program derives it.
ID = "e1-0123456789ab"
GOOD = f"""---
schema: knowledge/v1
id: {ID}
kind: knowledge
class: convention
title: "Tabs are refused"
description: "Recorded as a decision outside any task in episode e1."
status: candidate
epistemics: decided
date: 2026-11-02
tags:
  - derived
  - decision
provenance:
  origin: extracted
  derived_from:
    - session:e1
---

# Tabs are refused

Recorded as a decision outside any task in episode e1.
"""


@dataclass(frozen=True)
class Bench:
    """A repository with the real hooks and the real command (`conftest.Repo`, `conftest.Ran`)."""

    repo: Any
    hook: Callable[..., Any]
    afterword: Callable[..., Any]

    def episode(self, name: str, *decisions: str, end: bool = True) -> list[str]:
        """Run an episode that decides these things; the ids of its candidates."""
        before = set(self.ids)
        self.hook("session-start", {"session_id": name, "source": "startup"})
        for text in decisions:
            done = self.afterword(
                "decision", "add", text, "--why", "it was measured", "--episode", name
            )
            assert done.code == 0, done.err
        if end:
            self.hook("session-end", {"session_id": name, "reason": "other"})
        # On a machine that is busy the hook leaves its work to the next start.
        done = self.afterword("knowledge", "derive", "--episode", name)
        assert done.code == 0, done.err
        return [one for one in self.ids if one not in before]

    @property
    def ids(self) -> list[str]:
        return [path.stem for path in self.repo.candidates]

    def candidate(self, identity: str) -> Path:
        return self.repo.root / ".ai/repo/knowledge/candidates" / f"{identity}.md"

    def curated(self, identity: str) -> Path:
        return self.repo.root / ".ai/repo/knowledge/curated" / f"{identity}.md"

    @property
    def tree(self) -> dict[str, bytes]:
        """Every file below `.ai` but locks and caches: what a refusal must not change."""
        top = self.repo.root / ".ai"
        return {
            str(path.relative_to(top)): path.read_bytes()
            for path in sorted(top.rglob("*"))
            if path.is_file() and not {"locks", "cache"} & set(path.parts)
        }
