"""Whether the shims in a project are still the ones that afterword wrote.

An agent runs them with a person's rights, and they lie in the repository, where any
branch can change them. Their bytes never change on upgrade, so their digests are
data; a test holds them equal to what install writes. Part of a hook's path.
"""

import os

from afterword.errors import UnsafePath
from afterword.host.protocol import Host
from afterword.store import atomic, digest

COMMAND = ".ai/bin/afterword"

# sha256 over LF text, by host and event.
DIGESTS = {
    COMMAND: "b655ff58401c6c62d21579d68e0a5ed6f8f8e34b0f91e5545e0ff6cafb4e85ae",
    "claude-code session-start": "61701973a3ebba005f161923d7be022fa7f1349bbb396f1f6f12f92b039f180c",
    "claude-code stop": "9e0e2b12a2fe7b3d6b8ed2d73965125dc0dc51a1810c6871c66bf4967efd83cb",
    "claude-code pre-compact": "ce9010bf0b488fe2be59813d6a94dfaec4f1499207f934d39dd6ec486ce2da58",
    "claude-code session-end": "a0fe2370266b176c824ad1661acc0d37d6dd2bd5de937134bdecc3c59b110fc5",
    "codex session-start": "9ed6878c126258ae8db7b9c139537be4ac596b49dcd97b7e32cf0d3d34576c13",
    "codex stop": "85a4589f635f1f0c48336cf86d0e7dae463e1b6dd0bb598f8252bdb3f0f410e7",
    "codex pre-compact": "cadcb66ba017a3f1b1a9c52a023025eb66c9d5f4c7e42b110c68678643be0b6f",
    "codex session-end": "add37cdf26fd586555f20fb6e9a66c2e4f5c1e68931670629fc18e9e39ed4c4c",
}


def changed(host: Host, root: str) -> "tuple[str, ...]":
    """The shims of a host that exist below `root` with other bytes than ours, from the root."""
    paths = {COMMAND: COMMAND}
    for event in host.wired:
        paths[f"{host.name} {event}"] = f"{host.hooks_folder}/afterword-{event}"
    return tuple(
        path for key, path in paths.items() if _differs(os.path.join(root, path), key)
    )


def _differs(path: str, key: str) -> bool:
    try:
        data = atomic.read(path, limit=1 << 16)
    except (OSError, UnsafePath):
        return True
    return data is not None and digest.of_text(data) != DIGESTS.get(key)
