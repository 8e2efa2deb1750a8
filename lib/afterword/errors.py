"""What can go wrong, in the words that a person or an agent reads.

Every error that is expected is an `AfterwordError`; the command line turns it
into a message and an exit code, a hook into one line on stderr. Knows nothing of
how it is shown. Imports nothing of the package.
"""


class AfterwordError(Exception):
    """Something expected is wrong: `message` says what and where, `hint` what to type next.

    `code` is the stable short name that `--json` prints; `exit_code` is the
    process's (1 refused or findings, 2 usage; CLI.md).
    """

    code = "refused"
    exit_code = 1

    def __init__(self, message: str, *, hint: str = "", code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if code:
            self.code = code

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


class UsageError(AfterwordError):
    """The words of the call are wrong."""

    code = "usage"
    exit_code = 2


class NotARepository(AfterwordError):
    """There is no git repository, or none with `.ai/`, around the given directory."""

    code = "no-store"


class UnsafePath(AfterwordError, OSError):
    """A path leaves the repository, is a symlink out of it, or names what we never write.

    An `OSError` too: who can go on without a file can go on without this one.
    """

    code = "unsafe-path"


class ConfigError(AfterwordError):
    """`.ai/config.yaml` cannot be used; the message carries file:line."""

    code = "config"


class LockHeld(AfterwordError):
    """Another process holds the lock and the wait is over."""

    code = "locked"


class StoreDamaged(AfterwordError):
    """A file of the store holds merge markers or cannot be parsed; nothing was changed."""

    code = "damaged"


class GitError(AfterwordError):
    """git could not answer; `message` is its last line of stderr."""

    code = "git"
