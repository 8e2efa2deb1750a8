"""The small sh scripts that stand in a project, and the commands that call them.

A shim finds this machine's tool by itself, quotes every path, and ends in silence
where there is none. Its bytes depend on host and event alone, never on a version,
an environment or a path, because hosts void trust when a command changes and
projects keep shims under version control. Pure text; the standard library only.
"""

from __future__ import annotations

from afterword.host.protocol import Host

MARK = "# afterword:"
COMMAND = "afterword"

_HEAD = """#!/bin/sh
{mark} written by afterword's install.py, taken out by install.py --uninstall.
# Please do not edit: these bytes are the same in every version, and a changed file is
# reported. {purpose}
"""

# Everything that would turn git's eyes to another repository than this one.
_CLEAN = """unset CDPATH GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR GIT_INDEX_FILE GIT_NAMESPACE
unset GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_PREFIX GIT_CONFIG
unset GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS GIT_CEILING_DIRECTORIES
"""

_OWN_ROOT = """case $0 in
*/{folder}/*) root=${{0%/{folder}/*}} ;;
{folder}/*) root=. ;;
*/*) root=${{0%/*}}/../.. ;;
*) root=../.. ;;
esac
"""

_ROOT_HERE = """cd -P -- "${root:-/}" >/dev/null 2>&1 || exit 0
root=$PWD
[ -d "$root/.ai" ] || exit 0
"""

_SEARCHED_ROOT = """root={start}
cd -P -- "${{root:-/}}" >/dev/null 2>&1 || exit 0
root=$PWD
until [ -e "$root/.git" ] && [ -d "$root/.ai" ]; do
    [ -n "$root" ] || exit 0
    root=${{root%/*}}
done
root=${{root:-/}}
# A project with hooks of its own is served by those.
[ ! -f "$root/{folder}/afterword-{event}" ] || exit 0
cd -P -- "$root" >/dev/null 2>&1 || exit 0
"""

# The tool must be absolute, runnable and, links resolved, outside the worktree: a
# repository must never bring along the program that reads it.
_TOOL = """tool=$(git config --local --get afterword.tool </dev/null 2>/dev/null)
[ -x "$tool" ] || tool=$(command -v afterword 2>/dev/null)
case $tool in /*) ;; *) exit 0 ;; esac
[ -f "$tool" ] && [ -x "$tool" ] || exit 0
bin=${tool%/*}
cd -P -- "$bin/" >/dev/null 2>&1 || exit 0
case $PWD/ in "${root%/}"/*) exit 0 ;; esac
cd -P -- "$root" >/dev/null 2>&1 || exit 0
"""

_RUN_HOOK = """if [ -r "$bin/afterword-home" ]; then
    home=
    IFS= read -r home <"$bin/afterword-home" || [ -n "$home" ] || exit 0
    [ -x "$bin/python" ] && [ -f "$home/hooks/{event}" ] || exit 0
    exec "$bin/python" -I -S -X utf8 "$home/hooks/{event}" --root "$root" --host {host}
fi
# Installed by other means; its interpreter may be gone since.
first=
IFS= read -r first <"$tool" || exit 0
case $first in
'#!'/*)
    first=${{first#??}}
    [ -x "${{first%% *}}" ] || exit 0
    ;;
esac
exec "$tool" hook {event} --from-shim --root "$root" --host {host}
"""

_COMMAND = """fail() {
    printf '%s\\n' "afterword: $1" >&2
    exit 1
}
install='run: python3 PATH/TO/afterword/install.py'
case $0 in
*/.ai/bin/*) root=${0%/.ai/bin/*} ;;
.ai/bin/*) root=. ;;
*/*) root=${0%/*}/../.. ;;
*) root=../.. ;;
esac
root=$(unset CDPATH && cd -P -- "${root:-/}" >/dev/null 2>&1 && printf '%s.' "$PWD") ||
    fail "cannot find the project around $0"
root=${root%.}
tool=$(
    CLEAN
    cd -P -- "$root" && git config --local --get afterword.tool </dev/null 2>/dev/null
)
[ -x "$tool" ] || tool=$(command -v afterword 2>/dev/null)
case $tool in
/*) ;;
*) fail "not installed on this machine; $install \\"$root\\"" ;;
esac
[ -f "$tool" ] && [ -x "$tool" ] || fail "$tool is no program; $install \\"$root\\""
bin=${tool%/*}
real=$(unset CDPATH && cd -P -- "$bin/" >/dev/null 2>&1 && printf '%s.' "$PWD") ||
    fail "cannot enter $bin; $install \\"$root\\""
case ${real%.}/ in
"${root%/}"/*) fail "$tool lies inside this project and is not run; $install --env DIR \\"$root\\"" ;;
esac
if [ -r "$bin/afterword-home" ]; then
    home=
    IFS= read -r home <"$bin/afterword-home" || [ -n "$home" ]
    [ -x "$bin/python" ] && [ -d "$home/lib/afterword" ] ||
        fail "the tool that was at ${home:-$bin} is gone; $install \\"$root\\""
fi
exec "$tool" "$@"
"""


def name(event: str) -> str:
    """The file name of an event's shim."""
    return f"afterword-{event}"


def project_hook(host: Host, event: str) -> bytes:
    """The shim of an event in a project's own hooks folder."""
    return _assembled(
        "Hands an agent's event on to this machine's tool.",
        _CLEAN + _OWN_ROOT.format(folder=host.hooks_folder) + _ROOT_HERE,
        _RUN_HOOK.format(event=event, host=host.name),
    )


def home_hook(host: Host, event: str) -> bytes:
    """The shim of an event in the home directory: it looks for the project it is run in."""
    start = f"${{{host.project_variable}:-$PWD}}" if host.project_variable else "$PWD"
    root = _SEARCHED_ROOT.format(start=start, folder=host.hooks_folder, event=event)
    return _assembled(
        "Serves every project that has a memory (.ai/) and no hooks of its own.",
        _CLEAN + root,
        _RUN_HOOK.format(event=event, host=host.name),
    )


def _assembled(purpose: str, root: str, run: str) -> bytes:
    return (_HEAD.format(mark=MARK, purpose=purpose) + root + _TOOL + run).encode()


def command() -> bytes:
    """`.ai/bin/afterword`: what hooks, skills and briefings tell an agent to call."""
    head = _HEAD.format(
        mark=MARK, purpose="Runs this machine's afterword, from any directory."
    )
    return (head + _COMMAND.replace("    CLEAN\n", _indented(_CLEAN))).encode()


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


def project_command(host: Host, event: str) -> str:
    """What the project's settings tell the host to run; it never fails for a missing shim.

    `sh` is named because a checkout may have lost the executable bit or lie on a
    file system mounted noexec. Hosts that name no project folder may stand in a
    subfolder: those walk up, but not out of the repository.
    """
    shim = f"{host.hooks_folder}/{name(event)}"
    if host.project_variable:
        return f'f="${host.project_variable}/{shim}"; [ ! -f "$f" ] || exec sh "$f"'
    return (
        f'd=$PWD; until f="$d/{shim}"; [ -f "$f" ]; do'
        ' [ -n "$d" ] && [ ! -d "$d/.git" ] || exit 0; d=${d%/*}; done; exec sh "$f"'
    )


def home_command(host: Host, event: str) -> str:
    """What the home directory's settings tell the host to run."""
    folder, _, hooks = host.hooks_folder.partition("/")
    home = f"$HOME/{folder}"
    if host.home_variable:
        home = f"${{{host.home_variable}:-{home}}}"
    return f'f="{home}/{hooks}/{name(event)}"; [ ! -f "$f" ] || exec sh "$f"'


def is_ours(data: bytes) -> bool:
    """Whether a file carries our ownership mark in its first lines."""
    return MARK.encode() in data[:200].replace(b"\r\n", b"\n")
