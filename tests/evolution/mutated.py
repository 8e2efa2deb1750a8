"""Real evolution files, and what editors, merges and crashes make of them."""

from __future__ import annotations

from pathlib import Path

from hypothesis import strategies as st

from afterword.store import blocks

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "evolution"
NEWLINES = [b"\n", b"\r\n", b"\r"]
BOM = b"\xef\xbb\xbf"


def real(name: str, newline: bytes = b"\n") -> bytes:
    """The one file whose name contains `name`, with these line ends."""
    (path,) = FIXTURES.glob(f"*{name}*")
    return blocks.with_newline(path.read_bytes(), newline)


def mutated(pattern: str) -> st.SearchStrategy[bytes]:
    """Any of the real files that match, cut, spliced and damaged a few times."""
    files = [path.read_bytes() for path in sorted(FIXTURES.glob(pattern))]
    return st.builds(
        _damaged, st.sampled_from(files), st.lists(_damage(files), max_size=4)
    )


def _damage(files: list[bytes]) -> st.SearchStrategy[tuple[str, float, float, bytes]]:
    kinds = "cut double splice ends some-ends insert gbk bom front unended lines"
    spliced = st.builds(_some_lines, st.sampled_from(files), _share(), _share())
    inserted = st.one_of(
        spliced,
        st.binary(max_size=6),
        st.sampled_from(
            [b"\n```\n", b"\n<!--\n", b"\n-->\n", b"\0", b"\n\n\n", b"\n---\n"]
        ),
    )
    return st.tuples(st.sampled_from(kinds.split()), _share(), _share(), inserted)


def _share() -> st.SearchStrategy[float]:
    return st.floats(0, 1)


def _some_lines(data: bytes, start: float, length: float) -> bytes:
    lines = data.splitlines(keepends=True)
    at = int(start * len(lines))
    return b"".join(lines[at : at + int(length * 40)])


def _damaged(data: bytes, damages: list[tuple[str, float, float, bytes]]) -> bytes:
    for kind, start, length, inserted in damages:
        at = int(start * len(data))
        end = min(len(data), at + int(length * 600))
        part = data[at:end]
        if kind == "cut":
            data = data[:at] + data[end:]
        elif kind == "double":
            data = data[:end] + part + data[end:]
        elif kind == "splice":
            data = data[:at] + inserted + data[at:]
        elif kind == "ends":
            data = blocks.with_newline(data, NEWLINES[len(inserted) % 3])
        elif kind == "some-ends":
            changed = blocks.with_newline(part, NEWLINES[len(inserted) % 3])
            data = data[:at] + changed + data[end:]
        elif kind == "insert":
            data = data[:at] + inserted[:20] + data[at:]
        elif kind == "gbk":
            text = part.decode("utf-8", "ignore").encode("gbk", "ignore")
            data = data[:at] + text + data[end:]
        elif kind == "bom":
            data = BOM + data
        elif kind == "front":
            data = b"---\nkey: value\n---\n" + data
        elif kind == "unended":
            data = data.rstrip()
        elif kind == "lines":
            line = 1 + data.rfind(b"\n", 0, at)
            data = data[:line] + inserted + data[line:]
    return data
