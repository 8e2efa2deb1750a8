"""SHA-256 without OpenSSL: the built-in module costs a hook 0.3 ms, hashlib 3 ms."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import sha256 as sha256  # noqa: PLC0414 re-exported
else:
    try:
        from _sha2 import sha256  # Python 3.12 and later
    except ImportError:
        try:
            from _sha256 import sha256
        except ImportError:
            from hashlib import sha256


def hexdigest(data: bytes) -> str:
    """64 hex digits."""
    return sha256(data).hexdigest()


def of_text(data: bytes) -> str:
    """The digest over LF text, so that a checkout with other line ends hashes alike."""
    return hexdigest(data.replace(b"\r\n", b"\n"))
