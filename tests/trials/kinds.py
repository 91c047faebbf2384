# SPDX-License-Identifier: Apache-2.0
"""What tests/soak tries: a function each. It raises Hang, Wrong or Loss (machine.py)."""

import os
import signal
import subprocess
import time

from trials.machine import Hang, Wrong


DAEMONS = ["lttng-sessiond", "lttng-consumerd"]


def alone(how, low, high):
    """A program that is recorded and that nothing else happens to."""
    def trial(t):
        rounds = t.chance.randrange(low, high)
        status = t.end(t.record(*t.program("recorded", how, rounds)))
        t.same(how, rounds, status)
        t.accounted()
    return trial


def in_standby(how, low, high):
    """A program that is on standby and is never attached to."""
    def trial(t):
        rounds = t.chance.randrange(low, high)
        status = t.run("recorded", t.hipgrain, "standby", "-o", t.path("standby"), "--",
                       *t.program("recorded", how, rounds))
        t.same(how, rounds, status)
    return trial


def wait_for(condition, what, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise Hang(f"waited {seconds} s: {what}")
        time.sleep(0.01)


def under_way(t, process):
    """The recorded program runs; some of its time has passed."""
    wait_for(lambda: t.counted("recorded") > 20 or process.poll() is not None, "the program begins")
    time.sleep(t.chance.random() * 1.5)


def kill(pids, number=signal.SIGKILL):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def ways(t):
    """Options: processes' files are the recording, or a process of the recorder takes from them what LTTng records."""
    return t.chance.choice([(), ("--rotate", "1s")])


def kill_program(t):
    process = t.record(*t.program("recorded", t.chance.choice(["slowly", "fast"]), 1000000), options=ways(t))
    under_way(t, process)
    kill(t.pids_of(t.load))
    status = t.end(process)
    if status != 137:
        raise Wrong(f"exit status {status}, killed without a recording: 137\n{t.text('recorded.err')}")
    t.accounted()


def kill_recorder(t):
    """The program goes on without its recorder. A shell notes its status."""
    rounds = t.chance.randrange(1000, 3000)
    program = t.program("recorded", "slowly", rounds)
    process = t.record("sh", "-c", '"$@" >program.out; echo $? >status', "sh", *program, options=ways(t))
    under_way(t, process)
    kill([pid for pid in t.pids_of(t.hipgrain) if pid == process.pid] or [process.pid])
    t.end(process)
    wait_for(lambda: os.path.exists(t.path("status")) and t.text("status"), "the program ends without its recorder", 120)
    with open(t.path("recorded.out"), "w", encoding="utf-8") as file:
        file.write(t.text("program.out"))
    t.same("slowly", rounds, int(t.text("status")))
    t.accounted()


def recorders(t):
    return t.pids_of(t.hipgrain) + t.daemons("hipgrain-drain")


def stop_recorder(t):
    """All that records is stopped for a while."""
    rounds = t.chance.randrange(1000, 3000)
    how = t.chance.choice(["slowly", "fast"])
    process = t.record(*t.program("recorded", how, rounds), options=ways(t))
    under_way(t, process)
    pids = recorders(t) + [pid for name in DAEMONS for pid in t.daemons(name)]
    kill(pids, signal.SIGSTOP)
    time.sleep(t.chance.choice([2, 15, 60]))
    kill(pids, signal.SIGCONT)
    t.same(how, rounds, t.end(process))
    t.accounted()


def kill_everything(t, hows=("slowly", "fast", "many")):
    """In any order, with or without time between."""
    process = t.record(*t.program("recorded", t.chance.choice(hows), 1000000), options=ways(t))
    under_way(t, process)
    pids = recorders(t) + t.pids_of(t.load) + [pid for name in DAEMONS for pid in t.daemons(name)]
    t.chance.shuffle(pids)
    for pid in pids:
        kill([pid])
        time.sleep(t.chance.choice([0, 0, 0.001, 0.05]))
    # Those that were forked meanwhile count on.
    while pids := t.pids_of(t.load):
        kill(pids)
    t.end(process)
    t.accounted(amid=130)


def lose_daemon(number, names):
    """One of LTTng's daemons, or the process that takes records to them, is killed, or stops to answer."""
    def trial(t):
        rounds = t.chance.randrange(1000, 3000)
        process = t.record(*t.program("recorded", "slowly", rounds), options=("--rotate", "1s"))
        under_way(t, process)
        name = t.chance.choice(names)
        pids = t.daemons(name)
        kill(pids[:1] if t.chance.random() < 0.5 else pids, number)
        t.same("slowly", rounds, t.end(process))
        t.accounted()
        if number == signal.SIGSTOP:
            kill(pids, signal.SIGCONT)
    return trial


def full_disk(t):
    rounds = t.chance.randrange(20, 60)
    size = t.chance.choice(["300k", "1m", "2m", "4m"])
    os.mkdir(t.path("small"))
    # Mounted for all of this namespace: the daemons write, and the report reads.
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=1777", "tmpfs", t.path("small")], check=True)
    t.bundle = t.path("small/bundle")
    try:
        process = t.record(*t.program("recorded", "fast", rounds), options=ways(t))
        t.same("fast", rounds, t.end(process))
        if os.path.exists(t.bundle):
            t.accounted()
    finally:
        subprocess.run(["umount", "-l", t.path("small")], check=False)


def full_shared_memory(t):
    """Little room for LTTng's buffers, whose files are in /dev/shm."""
    rounds = t.chance.randrange(20, 60)
    size = t.chance.choice(["8k", "64k", "1m", "3m"])
    process = t.record(*t.program("recorded", "fast", rounds), options=ways(t),
                       setup=f"mount -t tmpfs -o size={size},mode=1777 tmpfs /dev/shm")
    status = t.end(process)
    # A recording that cannot begin is refused: nothing ran.
    if status == 3 and t.counted("recorded") == 0 and "hipgrain: " in t.text("recorded.err"):
        return
    t.same("fast", rounds, status)
    if os.path.exists(t.bundle):
        t.accounted()


def no_descriptors(t):
    """The program is started with some of its standard descriptors closed."""
    closed = t.chance.choice([(0,), (1,), (2,), (0, 1), (0, 2), (0, 1, 2)])
    rounds = t.chance.randrange(5, 50)
    setup = " ".join(f"{fd}>&-" if fd else "0<&-" for fd in closed)
    shell = ["sh", "-c", f'exec "$@" {setup}', "sh"]
    program = t.program("recorded", "forks", rounds)
    status = t.run("recorded", *shell, t.hipgrain, "record", "-q", "--threshold", "10000", "-o", t.bundle, "--", *program)
    bare = t.run("bare", *shell, *t.program("bare", "forks", rounds))
    if status != bare or t.text("recorded.out") != t.text("bare.out"):
        raise Wrong(f"without {closed}: exit status {status}, without a recording {bare}; {t.text('recorded.err')}")
    t.accounted()


def attach_again_and_again(t):
    rounds = t.chance.randrange(3000, 6000)
    process = t.start("recorded", t.hipgrain, "standby", "-o", t.path("standby"), "--threshold", "10000", "--",
                      *t.program("recorded", t.chance.choice(["slowly"]), rounds))
    wait_for(lambda: t.counted("recorded") > 20 or process.poll() is not None, "the program begins")
    for turn in range(t.chance.randrange(2, 6)):
        if process.poll() is not None:
            break
        bundle = t.path(f"attached{turn}")
        attach = t.start(f"attach{turn}", t.hipgrain, "attach", "-q", "-o", bundle, "--seconds", "1", str(process.pid))
        how = t.chance.choice(["let", "detach", "kill"])
        if how != "let":
            time.sleep(t.chance.random())
        if how == "detach":
            t.run(f"detach{turn}", t.hipgrain, "detach", bundle)
        elif how == "kill":
            kill([attach.pid])
        t.end(attach)
    t.same("slowly", rounds, t.end(process))


def many_recordings(t):
    """Eight recordings at once."""
    rounds = t.chance.randrange(20, 100)
    started = []
    for turn in range(8):
        name = f"beside{turn}"
        how = t.chance.choice(["forks", "threads", "spawns"])
        started.append((name, how, t.start(name, t.hipgrain, "record", "-q", "--threshold", "10000", "-o", t.path(f"b{turn}"),
                                           "--", *t.program(name, how, rounds))))
    for name, how, process in started:
        status = t.end(process)
        os.replace(t.path(name + ".out"), t.path("recorded.out"))
        os.replace(t.path(name + ".err"), t.path("recorded.err"))
        t.same(how, rounds, status)
        t.accounted(t.path(name.replace("beside", "b")), name)


KINDS = {
    "abort": alone("aborts", 1, 5000),
    "attach and detach in a loop": attach_again_and_again,
    "cancelled threads": alone("cancels", 50, 500),
    "closes every descriptor": alone("closes", 0, 300),
    "closes every descriptor, standby": in_standby("closes", 0, 300),
    "daemon is killed": lose_daemon(signal.SIGKILL, DAEMONS),
    "daemon stops": lose_daemon(signal.SIGSTOP, DAEMONS),
    "drain is killed": lose_daemon(signal.SIGKILL, ["hipgrain-drain"]),
    "drain stops": lose_daemon(signal.SIGSTOP, ["hipgrain-drain"]),
    "disk is full": full_disk,
    "eight recordings at once": many_recordings,
    "everything is killed": kill_everything,
    "everything of 64 processes is killed": lambda t: kill_everything(t, ("many",)),
    "exec storm": alone("execs", 10, 150),
    "fast allocations": alone("fast", 20, 200),
    "forks": alone("forks", 50, 300),
    "forks, standby": in_standby("forks", 50, 300),
    "program is killed": kill_program,
    "raw exit of the first thread": alone("raw-exit", 10, 1000),
    "raw exit of the first thread, standby": in_standby("raw-exit", 10, 1000),
    "raw exit of the only thread": alone("last-exit", 10, 1000),
    "raw exit of the only thread, standby": in_standby("last-exit", 10, 1000),
    "recorder is killed": kill_recorder,
    "recorder stops": stop_recorder,
    "shared memory is full": full_shared_memory,
    "signals": alone("signals", 100, 3000),
    "spawned shells": alone("spawns", 20, 150),
    "standard descriptors are closed": no_descriptors,
    "threads": alone("threads", 10, 1000),
    "64 processes": alone("many", 10, 500),
}
