"""afterword: the memory that a repository keeps of its coding-agent sessions.

Nothing but the version lives here, so that importing a part of the package
costs nothing but that part (a hook is a new process each time).
"""

__version__ = "0.1.0"
