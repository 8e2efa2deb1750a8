#!/usr/bin/env python3
"""Sets up afterword and wires a project to it: `python3 install.py --help`.

The standard library only: it runs before any dependency exists. What it does lives
in lib/afterword/install/.
"""

import os
import sys

TOOL = os.path.dirname(os.path.realpath(__file__))

if sys.version_info < (3, 10):  # noqa: UP036  an older one must get this far
    message = (
        "install.py: error: Python 3.10 or newer is needed, this is {0}.{1} ({2})\n"
        "run it with a newer one: python3.12 install.py ...\n"
    )
    sys.stderr.write(
        message.format(sys.version_info[0], sys.version_info[1], sys.executable)
    )
    sys.exit(1)

# The environment's interpreter compiles what it will run; this one leaves no traces.
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(TOOL, "lib"))

from afterword.install.main import main  # noqa: E402  the path comes first

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], TOOL))
