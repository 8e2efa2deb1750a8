#!/usr/bin/env python3
"""A scripted model on loopback: Anthropic Messages and OpenAI Responses.

``stub_model.py FOLDER`` serves ``http://127.0.0.1:<port>/<run>/...``: the first part
of the path names a run, whose script is ``FOLDER/<run>.script.json`` and whose
requests are logged to ``FOLDER/<run>.requests.jsonl``. The port is written to
``FOLDER/port``. Standard library only.

A script is ``{"steps": [STEP, ...]}``. Each request that offers a shell tool takes the
next step; requests without one (titles, summaries) and those after the last step are
answered with a short text. A STEP has ``shell`` (a command for
whatever shell tool is offered) or ``text``, and optionally ``delay`` in seconds and
``tokens``, the number of input tokens to report (to provoke a compaction).
"""

from __future__ import annotations

import gzip
import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Json = dict[str, Any]

SHELL_TOOLS = ("Bash", "exec_command", "shell_command", "shell")
LAST_WORDS: Json = {"text": "Nothing more to say."}


class Runs:
    """The scripts and logs of all runs; a position per run, safe across threads."""

    def __init__(self, folder: Path) -> None:
        """``folder`` holds scripts and logs; scripts are read when first needed."""
        self.folder = folder
        self.lock = threading.Lock()
        self.positions: dict[str, int] = {}

    def reply_to(self, run: str, offers_shell: bool) -> Json:
        """The step that answers this request."""
        script = json.loads((self.folder / f"{run}.script.json").read_text())
        with self.lock:
            position = self.positions.get(run, 0)
            if not offers_shell or position >= len(script["steps"]):
                return LAST_WORDS
            self.positions[run] = position + 1
            return dict(script["steps"][position])

    def log(self, run: str, path: str, body: Json, step: Json) -> None:
        """Append one request to the run's log."""
        line = {"time": time.time(), "path": path, "body": body, "reply": step}
        with self.lock, open(self.folder / f"{run}.requests.jsonl", "a") as log:
            log.write(json.dumps(line) + "\n")


def shell_call(tools: list[Json], command: str) -> tuple[str, Json] | None:
    """The name and arguments of a call of the offered shell tool, or None."""
    for tool in tools:
        if tool.get("name") not in SHELL_TOOLS:
            continue
        schema = tool.get("input_schema") or tool.get("parameters") or {}
        properties = schema.get("properties", {})
        key = "command" if "command" in properties else "cmd"
        listed = properties.get(key, {}).get("type") == "array"
        arguments: Json = {key: ["sh", "-c", command] if listed else command}
        if "description" in properties:
            arguments["description"] = "scripted"
        return tool["name"], arguments
    return None


def offered_tools(body: Json) -> list[Json]:
    """The tools of a request of either protocol, groups opened."""
    tools: list[Json] = []
    for tool in body.get("tools") or []:
        tools += tool["tools"] if tool.get("type") == "namespace" else [tool]
    return tools


def anthropic_events(body: Json, step: Json, number: int) -> Iterator[Json]:
    """A streamed Messages reply with one content block."""
    call = shell_call(offered_tools(body), step["shell"]) if "shell" in step else None
    usage = {"input_tokens": step.get("tokens", 100), "output_tokens": 10}
    message = {
        "id": f"msg_{number:06d}", "type": "message", "role": "assistant",
        "model": body.get("model", "stub"), "content": [], "stop_reason": None,
        "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    if call:
        name, arguments = call
        block = {
            "type": "tool_use",
            "id": f"toolu_{number:06d}",
            "name": name,
            "input": {},
        }
        delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
    else:
        block = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": step.get("text", "")}
    end = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
    yield {"type": "message_start", "message": message}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    yield {"type": "message_delta", "delta": end, "usage": usage}
    yield {"type": "message_stop"}


def responses_events(body: Json, step: Json, number: int) -> Iterator[Json]:
    """A streamed Responses reply with one output item."""
    call = shell_call(offered_tools(body), step["shell"]) if "shell" in step else None
    if call:
        name, arguments = call
        item: Json = {
            "type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}",
            "name": name, "arguments": json.dumps(arguments), "status": "completed",
        }  # fmt: skip
    else:
        part = {"type": "output_text", "text": step.get("text", ""), "annotations": []}
        item = {
            "type": "message", "id": f"msg_{number}", "role": "assistant",
            "status": "completed", "content": [part],
        }  # fmt: skip
    tokens = step.get("tokens", 100)
    response: Json = {
        "id": f"resp_{number:06d}", "object": "response", "status": "completed",
        "created_at": int(time.time()), "model": body.get("model", "stub"),
        "output": [item],
        "usage": {
            "input_tokens": tokens, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 10, "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": tokens + 10,
        },
    }  # fmt: skip
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.output_item.added", "output_index": 0, "item": item}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield {"type": "response.completed", "response": response}


class Handler(BaseHTTPRequestHandler):
    """Answers both protocols; everything else gets an empty object or a 404."""

    protocol_version = "HTTP/1.1"
    runs: Runs
    count = 0

    def log_message(self, *_: object) -> None:
        """Keep quiet: requests are in the run's log."""

    def do_POST(self) -> None:
        """Answer a generation or a token count."""
        _, run, rest = self.path.split("?")[0].split("/", 2)
        raw = self._read_body()
        body = json.loads(raw) if raw else {}
        if rest.endswith("count_tokens"):
            return self._send_json({"input_tokens": len(raw) // 4})
        if not rest.endswith(("messages", "responses")):
            return self._send_json({})
        offers_shell = shell_call(offered_tools(body), "") is not None
        step = self.runs.reply_to(run, offers_shell)
        self.runs.log(run, rest, body, step)
        time.sleep(step.get("delay", 0))
        Handler.count += 1
        build = anthropic_events if rest.endswith("messages") else responses_events
        return self._send_events(build(body, step, Handler.count))

    def do_GET(self) -> None:
        """The list of models; nothing else is served."""
        known = self.path.split("?")[0].endswith("/models")
        self._send_json({"data": [], "models": []}, 200 if known else 404)

    def do_HEAD(self) -> None:
        """A reachability probe."""
        self._send_json({})

    def _read_body(self) -> bytes:
        length = int(self.headers.get("Content-Length") or 0)
        raw = self.rfile.read(length)
        return gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw

    def _send_json(self, value: Json, status: int = 200) -> None:
        raw = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)

    def _send_events(self, events: Iterator[Json]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for number, event in enumerate(events):
            event["sequence_number"] = number
            lines = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
            self.wfile.write(lines.encode())
        self.close_connection = True


def main() -> None:
    """Serve until killed."""
    folder = Path(sys.argv[1])
    Handler.runs = Runs(folder)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    ready = folder / "port.tmp"
    ready.write_text(str(server.server_address[1]))
    os.replace(ready, folder / "port")
    server.serve_forever()


if __name__ == "__main__":
    main()
