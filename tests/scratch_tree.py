# SPDX-License-Identifier: Apache-2.0
"""A copy of the tree with its build folder, mounted in the place of the tree: only what differs is built."""
import os
import subprocess

IN_PLACE = 'mount --bind "$0" "$1" && cd "$1" && exec sh -c "$2"'
SECONDS = 3600


class Failure(Exception):
    pass


def possible():
    """Returns true if a namespace of mounts can be made."""
    try:
        return subprocess.run(["unshare", "--mount", "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0
    except FileNotFoundError:
        return False


def copy(tree, build, place):
    """Copies the tree without history and other build folders, and the build folder."""
    place.mkdir()
    pack = subprocess.Popen(["tar", "-C", tree, "--exclude=./.git", "--exclude=./build*", "--ignore-failed-read", "-cf", "-", "."],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    unpack = subprocess.Popen(["tar", "-C", place, "-xf", "-"], stdin=pack.stdout)
    pack.stdout.close()
    if unpack.wait() or pack.wait() > 1:
        raise Failure("the tree cannot be copied")
    subprocess.run(["cp", "-a", "--reflink=auto", build, place / build.name], check=True)


def do(tree, place, command, build, **variables):
    """Runs a command of the shell in the copy; returns what it printed."""
    done = subprocess.run(["unshare", "--mount", "sh", "-c", IN_PLACE, place, tree, command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", timeout=SECONDS,
                          check=False, env={**os.environ, "BUILD": build.name, **variables})
    if done.returncode:
        raise Failure(f"{command}: status {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout
