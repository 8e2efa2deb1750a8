"""Puts our hooks into an agent's settings file and takes them out again.

Foreign text survives byte for byte: our group is added at the end of its event's
list, an entry that already calls our shim is left as it is. What does not parse is
refused with file:line and never touched. Pure: bytes in, bytes out.
"""

from __future__ import annotations

from dataclasses import dataclass

from afterword.errors import AfterwordError
from afterword.install import jsonedit, jsontext
from afterword.install.entries import Entry, Memo, called, shim_event
from afterword.install.jsontext import Document, Node

BOM = b"\xef\xbb\xbf"


class SettingsError(AfterwordError):
    """A settings file that cannot be edited; the message carries file:line."""

    code = "settings"


@dataclass(frozen=True)
class Wired:
    """The bytes with our hooks in them, and `warnings` a person should read."""

    data: bytes
    memo: Memo
    warnings: tuple[str, ...] = ()


def wire(
    data: bytes | None,
    entries: list[Entry],
    where: str,
    *,
    title: str,
    comments: bool = False,
) -> Wired:
    """The settings with every entry in them. `SettingsError` leaves nothing changed.

    Bytes that hold all entries already come back as they are. `title` is the agent's
    name for people; `comments` says whether it reads settings that hold any.
    """
    mark, text = _decoded(data or b"", where)
    document = _parsed(text, where)
    if document.comments and not comments:
        raise _commented(document, where, title)
    warnings = _warnings(document, where)
    editor = _Editor(document, where)
    for entry in entries:
        editor.wire(entry)
    return Wired(mark + editor.text.encode(), editor.memo(), warnings)


def unwire(data: bytes, where: str, memo: Memo | None = None) -> bytes | None:
    """The settings without our hooks; None when nothing but an empty object is left.

    Without a memo (another clone installed) containers that become empty are taken
    for ours. `SettingsError` for text that does not parse.
    """
    mark, text = _decoded(data, where)
    document = _parsed(text, where)
    remover = _Remover(document.text, where, memo)
    remover.run()
    if not remover.removed:
        return data
    if memo is None:
        empty = "".join(remover.text.split()) == "{}"
        return None if empty else mark + remover.text.encode()
    if memo.blank is not None and _around_nothing(remover.text) == memo.blank.split():
        return mark + memo.blank.encode()
    return mark + remover.text.encode()


def _around_nothing(text: str) -> list[str] | None:
    """The words outside of an empty root object; None when it is not empty."""
    root = jsontext.parse(text).root
    if root is None or root.keys:
        return None
    return (text[: root.start] + text[root.end :]).split()


def wired_events(data: bytes | None, where: str) -> set[str]:
    """Our events that some hook of these settings calls."""
    _, text = _decoded(data or b"", where)
    root = _parsed(text, where).root
    hooks = root.member("hooks") if root else None
    groups = (
        [group for event in hooks.children for group in event.children] if hooks else []
    )
    return {event for group in groups for event in called(group)}


def _decoded(data: bytes, where: str) -> tuple[bytes, str]:
    mark = BOM if data.startswith(BOM) else b""
    try:
        return mark, data[len(mark) :].decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, len(mark) + error.start) + 1
        raise SettingsError(
            f"{where}:{line}: not UTF-8 text, so it is left as it is",
            hint="save the file as UTF-8, then run install.py again",
        ) from None


def _parsed(text: str, where: str) -> Document:
    try:
        document = jsontext.parse(text)
    except jsontext.JsonError as error:
        raise SettingsError(
            f"{where}:{error.line}: not valid JSON ({error.message}), so it is left as it is",
            hint="mend the file, then run install.py again",
        ) from None
    if document.root is not None and document.root.kind != "object":
        raise _wrong_kind(document, document.root, where, "the settings", "an object")
    return document


def _wrong_kind(
    document: Document, node: Node, where: str, name: str, kind: str
) -> SettingsError:
    line = jsontext.line_of(document.text, node.start)
    return SettingsError(
        f"{where}:{line}: {name} should be {kind}, so the file is left as it is",
        hint="mend the file, then run install.py again",
    )


def _commented(document: Document, where: str, title: str) -> SettingsError:
    """Hooks in a file that its agent throws away whole would be wired in name only."""
    line = jsontext.line_of(document.text, document.comments[0])
    return SettingsError(
        f"{where}:{line}: {title} ignores the whole file because of this comment; the file"
        f" is left as it is, and {title} is NOT wired",
        hint="take the comments out, then run install.py again",
    )


def _warnings(document: Document, where: str) -> tuple[str, ...]:
    found = []
    disabled = document.root.member("disableAllHooks") if document.root else None
    if disabled is not None and disabled.value is True:
        line = jsontext.line_of(document.text, disabled.start)
        found.append(f"{where}:{line}: disableAllHooks is true, so no hook runs")
    return tuple(found)


class _Editor:
    """Adds entries one by one; parses anew after each, for the files are small."""

    def __init__(self, document: Document, where: str) -> None:
        self.document = document
        self.where = where
        self.made: list[str] = []
        self.inner: dict[str, str] = {}
        self.blank: str | None = None

    @property
    def text(self) -> str:
        return self.document.text

    def memo(self) -> Memo:
        return Memo(tuple(self.made), self.inner, self.blank)

    def wire(self, entry: Entry) -> None:
        groups = self.groups(entry)
        if groups is not None and any(
            entry.event in called(group) for group in groups.children
        ):
            return
        root = self.root()
        hooks = root.member("hooks")
        if hooks is None:
            self.add("", root, {entry.event_name: [entry.group()]}, "hooks")
            self.made += ["hooks", f"hooks.{entry.event_name}"]
        elif groups is None:
            self.add("hooks", hooks, [entry.group()], entry.event_name)
            self.made.append(f"hooks.{entry.event_name}")
        else:
            self.add(f"hooks.{entry.event_name}", groups, entry.group(), None)

    def root(self) -> Node:
        """The root object, made when the text holds no value."""
        if self.document.root is None:
            self.blank = self.text
            newline = "\r\n" if "\r\n" in self.text else "\n"
            before = self.text if self.text.strip() else ""
            gap = "" if not before or before.endswith("\n") else newline
            self.document = jsontext.parse(f"{before}{gap}{{}}{newline}")
        assert self.document.root is not None
        return self.document.root

    def groups(self, entry: Entry) -> Node | None:
        """The event's list of groups; None when the settings have none."""
        root = self.document.root
        hooks = root.member("hooks") if root else None
        if hooks is None:
            return None
        if hooks.kind != "object":
            raise _wrong_kind(self.document, hooks, self.where, '"hooks"', "an object")
        groups = hooks.member(entry.event_name)
        if groups is not None and groups.kind != "list":
            name = f'"hooks"."{entry.event_name}"'
            raise _wrong_kind(self.document, groups, self.where, name, "a list")
        return groups

    def add(self, path: str, container: Node, value: object, key: str | None) -> None:
        if not container.children and self.blank is None:
            self.inner[path] = self.text[container.start + 1 : container.end - 1]
        self.document = jsontext.parse(
            jsonedit.add(self.document, container, value, key)
        )


class _Remover:
    """Takes our hooks out, then the containers that they alone filled."""

    def __init__(self, text: str, where: str, memo: Memo | None) -> None:
        self.text = text
        self.where = where
        self.memo = memo
        self.removed = False

    def run(self) -> None:
        while self._one():
            self.removed = True

    def _one(self) -> bool:
        """Remove one hook of ours with what it leaves empty; False when none is left."""
        root = jsontext.parse(self.text).root
        hooks = root.member("hooks") if root else None
        if root is None or hooks is None or hooks.kind != "object":
            return False
        for event, groups in enumerate(hooks.children):
            for index, group in enumerate(groups.children):
                inside = group.member("hooks")
                if called(group) and inside is not None:
                    self._take_out(root, hooks, event, index, inside)
                    return True
        return False

    def _take_out(
        self, root: Node, hooks: Node, event: int, index: int, inside: Node
    ) -> None:
        groups = hooks.children[event]
        own = [i for i, hook in enumerate(inside.children) if shim_event(hook)]
        path = f"hooks.{hooks.keys[event]}"
        if len(own) < len(inside.children):
            self.text = jsonedit.remove(self.text, inside, own[0])
        elif len(groups.children) > 1 or not self._made(path):
            self._cut(groups, index, path)
        elif len(hooks.children) > 1 or not self._made("hooks"):
            self._cut(hooks, event, "hooks")
        else:
            self._cut(root, root.index("hooks"), "")

    def _made(self, path: str) -> bool:
        return self.memo is None or path in self.memo.made

    def _cut(self, container: Node, index: int, path: str) -> None:
        """Remove a child; give back what stood between the brackets when it was the only one."""
        text = jsonedit.remove(self.text, container, index)
        inner = self.memo.inner.get(path) if self.memo else None
        if len(container.children) == 1 and inner is not None:
            end = len(text) - (len(self.text) - container.end)
            now = text[container.start + 1 : end - 1]
            if now.split() == inner.split():
                text = text[: container.start + 1] + inner + text[end - 1 :]
        self.text = text
