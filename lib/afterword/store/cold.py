"""Opens the way to third-party packages for the branches of a hook that need them.

A hook runs under `-S`, without site-packages. Imports the standard library only.
"""

import os
import sys


def enable() -> None:
    """Put the environment's site-packages on the path once; harmless in a command."""
    env = os.path.dirname(os.path.dirname(sys.executable))
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    for folder in (
        os.path.join(env, "lib", version, "site-packages"),
        os.path.join(env, "Lib", "site-packages"),
    ):
        if os.path.isdir(folder) and folder not in sys.path:
            sys.path.append(folder)
