"""Runs a command under a unit's SystemCallFilter and RestrictRealtime, made the way systemd makes them: what
is not listed answers EPERM. Usage: seccomp-run.py UNIT COMMAND [ARGUMENT…]"""

import errno
import os
import subprocess
import sys

import seccomp


def members(name):
    """System calls of a set such as @system-service, sets within sets included."""
    text = subprocess.run(
        ["systemd-analyze", "syscall-filter", name], check=True, capture_output=True, text=True
    ).stdout
    calls = set()
    for line in text.splitlines()[1:]:
        word = line.strip()
        if not word or word.startswith("#"):
            continue
        calls |= members(word) if word.startswith("@") else {word}
    return calls


def allowed(unit):
    calls = set()
    is_restricted = False
    for line in open(unit, encoding="utf8"):
        if line.strip() == "RestrictRealtime=yes":
            is_restricted = True
        if not line.startswith("SystemCallFilter="):
            continue
        value = line.split("=", 1)[1].strip()
        names = value.lstrip("~").split()
        for name in names:
            listed = members(name) if name.startswith("@") else {name}
            calls = calls - listed if value.startswith("~") else calls | listed
    # Of these systemd forbids what asks for real time.
    return calls - {"sched_setscheduler", "sched_setattr"} if is_restricted else calls


program = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
for call in sorted(allowed(sys.argv[1])):
    try:
        program.add_rule(seccomp.ALLOW, call)
    except RuntimeError:
        pass  # a call that this architecture does not have
program.load()
os.execvp(sys.argv[2], sys.argv[2:])
