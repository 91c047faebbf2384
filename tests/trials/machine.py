# SPDX-License-Identifier: Apache-2.0
"""Trials of tests/soak in a process and mount namespace of their own: see kinds.py for what is tried."""

import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

NOBODY = 65534
AS_USER = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
END = 150  # seconds that a trial may take; each takes a few
QUICK = 60  # seconds that a recording of `true` may take


class Hang(Exception):
    """Something did not end in its time."""


class Wrong(Exception):
    """Another exit status or output than without a recording."""


class Loss(Exception):
    """Events are missing, and the report calls the recording complete."""


class Inexact(Exception):
    """Events are missing, and the report says another number of them, and not that it is unknown."""


def processes():
    """{process id: (name, state, what it waits for)} of this namespace."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                name, rest = file.read().split("(", 1)[1].rsplit(")", 1)
            with open(f"/proc/{pid}/wchan", encoding="utf-8") as file:
                found[int(pid)] = (name, rest.split()[0], file.read())
        except OSError:
            pass
    return found


def command_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().split(b"\0")
    except OSError:
        return [b""]


class Trial:
    """A folder, a user, and what runs for one trial."""

    def __init__(self, options, seed):
        self.chance = random.Random(seed)
        self.options = options
        self.hipgrain = os.path.join(options.build, "hipgrain")
        self.load = os.path.join(options.build, "tests", "trials", "trials-load")
        self.folder = tempfile.mkdtemp(prefix="trial.", dir=options.scratch)
        os.chmod(self.folder, 0o755)
        self.user = [] if self.chance.random() < 0.5 else AS_USER
        self.bundle = self.path("bundle")
        self.environment = {name: value for name, value in os.environ.items()
                            if name not in ("LTTNG_HOME", "XDG_RUNTIME_DIR") and not name.startswith("HIPGRAIN_")}
        self.environment.update(HOME=self.folder, TMPDIR=self.folder, HIPGRAIN_CONFIG="")
        self.own(self.folder)
        self.running = []
        self.facts = None

    def own(self, path):
        if self.user:
            os.chown(path, NOBODY, NOBODY)

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, name, *command, setup=None):
        """Begin a command whose output goes to NAME.out and NAME.err; after a line of shell as root, with mounts of
        its own, if given."""
        command = self.user + list(command)
        if setup:
            command = ["unshare", "-m", "sh", "-c", setup + ' && exec "$@"', "sh", *command]
        with open(self.path(name + ".out"), "wb") as out, open(self.path(name + ".err"), "wb") as err:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=self.folder,
                                       env=self.environment, start_new_session=True)
        process.label = name
        self.running.append(process)
        return process

    def end(self, process, seconds=END):
        """Its exit status, as a shell has it."""
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Hang(f"{process.label}: no end in {seconds} s") from None
        return 128 - status if status < 0 else status

    def run(self, name, *command, seconds=END, **extra):
        return self.end(self.start(name, *command, **extra), seconds)

    def text(self, name):
        with open(self.path(name), encoding="utf-8", errors="replace") as file:
            return file.read()

    # ---- the program, its counter, and how it ends without us

    def program(self, name, how, rounds):
        with open(self.path(name + ".counter"), "wb") as file:
            file.write(b"\0" * 8)
        self.own(self.path(name + ".counter"))
        return [self.load, how, self.path(name + ".counter"), str(rounds)]

    def counted(self, name):
        with open(self.path(name + ".counter"), "rb") as file:
            return struct.unpack("Q", file.read(8))[0]

    def record(self, *command, options=(), setup=None):
        return self.start("recorded", self.hipgrain, "record", "-q", "--threshold", "10000", *options, "-o", self.bundle,
                          "--", *command, setup=setup)

    def same(self, how, rounds, status):
        """The recorded program ended with that status, and as it does without a recording."""
        bare = self.run("bare", *self.program("bare", how, rounds))
        if status != bare:
            raise Wrong(f"exit status {status}, without a recording {bare}\n{self.text('recorded.err')}")
        if self.text("recorded.out") != self.text("bare.out"):
            raise Wrong(f"output: {self.text('recorded.out')!r}, without a recording {self.text('bare.out')!r}")

    # ---- what was recorded

    def accounted(self, bundle=None, counter="recorded", amid=1):
        """
        What the program counted is in the trace, or the report says how much is missing. `amid`: so many more may have been recorded, by threads that were
        killed before they counted, and of other blocks.
        """
        status = self.run("report", self.hipgrain, "report", "--format=json", bundle or self.bundle)
        if status != 0:
            # Nothing could be read. This must be reported, and then it is no silent loss.
            if status != 3 or "hipgrain: " not in self.text("report.err"):
                raise Wrong(f"report: exit status {status}\n{self.text('report.err')}")
            return
        report = json.loads(self.text("report.out"))
        made = self.counted(counter)
        self.run("events", self.hipgrain, "events", bundle or self.bundle)
        with open(self.path("events.out"), "rb") as file:
            found = sum(b" hipgrain:alloc:" in line and b" size = 12345," in line for line in file)
        recording = report["recording"]
        # "partial": it was requested to record a part. Everything else but "complete" says that something is missing.
        if recording["status"] == "complete":
            if found < made:
                raise Loss(f"{found} allocations of {made}, and the recording is called complete")
            return
        missing = sum(row["events"]["allocations"]["missing"] + row["unrecorded"]["allocations"]
                      for row in recording["processes"])
        self.facts = {"made": made, "found": found, "missing": missing, "reasons": recording["reasons"]}
        # Of a process that outlives the recording it is said that what it does later is not in it, and not how much.
        later = any("was still running when the recording ended" in reason for reason in recording["reasons"])
        known = not any("unknown" in reason for reason in recording["reasons"])
        if known and (found + missing > made + amid or (found + missing < made and not later)):
            raise Inexact(json.dumps(self.facts))

    def others_record(self):
        """Whatever happened, recordings of root's and of the user's work afterwards."""
        for name, user in (("as-root", []), ("as-user", AS_USER)):
            own, self.user = self.user, user
            folder = self.path(name)
            os.mkdir(folder)
            self.own(folder)
            if user != own:
                self.environment["HOME"] = folder
            try:
                status = self.run(name, self.hipgrain, "record", "-q", "-o", os.path.join(folder, "b"), "--", "true",
                                  seconds=QUICK)
            finally:
                self.user = own
                self.environment["HOME"] = self.folder
            if status != 0:
                raise Wrong(f"recording {name} afterwards: exit status {status}\n{self.text(name + '.err')}")

    # ---- the machine

    def daemons(self, name):
        return [pid for pid, (found, state, _) in processes().items() if found.startswith(name[:15]) and state != "Z"]

    def pids_of(self, program):
        return [pid for pid in processes() if os.fsencode(program) == command_of(pid)[0]]

    def clean(self, keep):
        for process in self.running:
            if process.poll() is None:
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                process.wait()
        if keep:
            shutil.copytree(self.folder, keep, symlinks=True, dirs_exist_ok=True,
                            ignore=lambda folder, names: [n for n in names if not os.path.isfile(os.path.join(folder, n))
                                                          and not os.path.isdir(os.path.join(folder, n))])
        shutil.rmtree(self.folder, ignore_errors=True)


def run_machine(options, kinds):
    """Trials, one after another; a line of JSON each. Ends early after a hang: its daemons may be beyond use."""
    chance = random.Random(options.seed)
    for _ in range(options.trials):
        kind = chance.choice(sorted(kinds))
        seed = chance.randrange(1 << 40)
        print(json.dumps({"begin": kind, "seed": seed}), flush=True)
        trial = Trial(options, seed)
        result, details = "good", ""
        began = time.monotonic()
        try:
            kinds[kind](trial)
            trial.others_record()
        except (Hang, Wrong, Loss, Inexact) as problem:
            result, details = type(problem).__name__.lower(), str(problem)
        except Exception as error:  # of the trial itself: to be looked at
            result, details = "broken", repr(error)
        if result == "hang":
            details += "\n" + "\n".join(f"{pid} {name} {state} {wait}" for pid, (name, state, wait)
                                        in sorted(processes().items()))
        keep = result != "good" and options.keep and os.path.join(options.keep, f"{kind}-{seed}")
        trial.clean(keep)
        print(json.dumps({"kind": kind, "seed": seed, "result": result, "details": details[-3000:], "facts": trial.facts,
                          "user": bool(trial.user), "seconds": round(time.monotonic() - began, 1)}), flush=True)
        if result == "hang":
            return


def main(options, kinds):
    """In the namespaces: what the daemons share with others is mounted anew."""
    for folder, mode in (("/run", "755"), ("/dev/shm", "1777")):
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"mode={mode}", "tmpfs", folder], check=True)
    os.mkdir("/run/lock")
    os.chmod("/run/lock", 0o1777)
    options.scratch = "/run/trials"
    os.mkdir(options.scratch, 0o755)
    if options.seed is None:
        sys.exit("a machine needs a seed")
    run_machine(options, kinds)
