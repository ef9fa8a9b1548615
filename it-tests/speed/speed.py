"""What the programs of this directory share: our target and nvmf perf as processes, and what /proc says of them."""

import argparse
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
NQN = "nqn.2026-01.io.nvmf:speed"
URI = re.compile(r"nvmf-tcp://([^/]+):(\d{1,5})/([^/]+)/(\d{1,10})", re.ASCII)
PATTERNS = ("randread", "randwrite", "read", "write")
LEAST_BLOCK_BYTES = 512
MAX_SIZE_BYTES = 16 << 20
MAX_DEPTH = 1024
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


class Failure(Exception):
    """A sentence for the person."""


# ---- Ends

INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# What is undone when the program ends, in whatever way: each a call that may be made twice.
at_end = contextlib.ExitStack()


def interrupt(number, frame):
    print("interrupted", file=sys.stderr)
    sys.exit(128 + number)


@contextlib.contextmanager
def undisturbed():
    """Ctrl-C and the like count only when this is over. For the main thread."""
    came = []
    before = {number: signal.signal(number, lambda number, frame: came.append(number)) for number in INTERRUPTS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


@contextlib.contextmanager
def child(line, environment=None, **how):
    """A process, which ends with the block, and what it has started, too. Ctrl-C is for this program: it gets none."""
    process = None
    try:
        with undisturbed():
            process = subprocess.Popen(line, env=environment, stdin=subprocess.DEVNULL, text=True, start_new_session=True, **how)
        yield process
    finally:
        if process:
            with undisturbed():
                end(process)


def end(process, patience_s=10):
    """Ends a process that leads a session, and waits until its children have ended, too."""
    if process.poll() is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        for number in (signal.SIGCONT, signal.SIGTERM):
            os.killpg(process.pid, number)
        deadline = time.monotonic() + patience_s
        while time.monotonic() < deadline:
            process.poll()
            os.killpg(process.pid, 0)
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def run(line, environment=None):
    """Status, output and errors of a program that has ended."""
    with child(line, environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        out, err = process.communicate()
    return process.returncode, out, err


def run_main(name, main):
    """Runs a program: 0, or 1 after a sentence on stderr, or 130 after Ctrl-C. What was started is ended."""
    for number in INTERRUPTS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, interrupt)
    try:
        status = main()
    except (Failure, OSError) as e:
        sentence = f"{e.filename or 'the result'}: {e.strerror}" if isinstance(e, OSError) and e.strerror else e
        print(f"{name}: {sentence}", file=sys.stderr)
        status = 1
    finally:
        with undisturbed():
            at_end.close()
    sys.exit(status)


# ---- Options

class Options(argparse.ArgumentParser):
    """What is wrong is said in one sentence."""

    def __init__(self, name, about, details):
        super().__init__(prog=name, description=about, epilog=details, formatter_class=argparse.RawDescriptionHelpFormatter)

    def error(self, message):
        self.exit(2, f"{self.prog}: {message}; see --help\n")


def whole(least, most):
    """The type of an option: a whole number in a range."""
    def parse(text):
        if not re.fullmatch(r"\d{1,18}", text, re.ASCII) or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"'{text}' is no whole number from {least} to {most}")
        return int(text)
    return parse


ROUNDS = whole(1, 1000)
SECONDS = whole(1, 24 * 3600)
WARM_UP_SECONDS = whole(0, 24 * 3600)


def core(text):
    """The type of an option: a processor."""
    mine = sorted(os.sched_getaffinity(0))
    if not re.fullmatch(r"\d{1,9}", text, re.ASCII) or int(text) not in mine:
        raise argparse.ArgumentTypeError(f"'{text}' is none of the processors that may be used here: {', '.join(map(str, mine))}")
    return int(text)


def uri(text):
    """The type of an option: a namespace."""
    found = URI.fullmatch(text)
    if not found or not 1 <= int(found[2]) <= 65535 or int(found[4]) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not nvmf-tcp://HOST:PORT/NQN/NSID")
    return text


def source_tree(text):
    """The type of an option: a source tree of this project."""
    if not os.access(Path(text) / "nvmf", os.X_OK):
        raise argparse.ArgumentTypeError(f"'{text}' is no source tree of this project, for it has no program nvmf")
    return Path(text)


def other_process(text):
    """The type of an option: a process that may be stopped."""
    pid = whole(1, 1 << 22)(text)
    try:
        os.kill(pid, 0)
        if pid not in (os.getpid(), os.getppid()):
            return pid
        why = "is what runs this"
    except ProcessLookupError:
        why = "is not there"
    except PermissionError:
        why = "belongs to somebody else, and may not be stopped"
    raise argparse.ArgumentTypeError(f"process {pid} {why}")


def program(text):
    """The type of an option: a program with its arguments."""
    if not text.split() or not shutil.which(text.split()[0]):
        raise argparse.ArgumentTypeError(f"'{text}' is no program that can be run")
    return text


def new_file(text):
    """The type of an option: a file to write at the end, which should not fail only then."""
    path = Path(text)
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"'{text}' cannot be written")
    return path


# ---- Programs

def command(words, tree=TOP, core=None, java_options=""):
    """The words and the environment that run nvmf from a source tree, on one processor or wherever it likes."""
    pinned = [] if core is None else ["taskset", "-c", str(core)]
    options = " ".join(filter(None, [os.environ.get("NVMF_JAVA_OPTS"), java_options]))
    return pinned + [str(tree / "nvmf"), *words], dict(os.environ, NVMF_JAVA_OPTS=options)


def split(uri):
    """Address, port, NQN and namespace."""
    return URI.fullmatch(uri).groups()


def host_command(program, uri, case, seconds, warmup, core, digests=False, java_options="", arguments=()):
    """The words and the environment that run a host program, nvmf perf when none is named."""
    if not program:
        return command(
            ["perf", uri, "-w", case.rw, "-o", case.size, "-q", str(case.depth), "-t", str(seconds), "-a", str(warmup),
             "--threads", "1", "--output-format", "json"]
            + (["--hdr-digest", "--data-digest"] if digests else []) + list(arguments),
            core=core, java_options=java_options)
    address, port, nqn, nsid = split(uri)
    return ["taskset", "-c", str(core), *program.split()], dict(
        os.environ, NVMF_HOST=address, NVMF_PORT=port, NVMF_NQN=nqn, NVMF_NSID=nsid, NVMF_RW=case.rw,
        NVMF_IO_SIZE=str(case.size_bytes), NVMF_DEPTH=str(case.depth), NVMF_WARMUP=str(warmup),
        NVMF_SECONDS=str(seconds), NVMF_DIGESTS=str(int(digests)), NVMF_CORE=str(core))


def nvmf(words, **how):
    """Runs nvmf to its end and returns what it has written."""
    status, out, err = run(*command(words, **how))
    if status:
        raise Failure(last_lines(err) or f"nvmf {words[0]} ended with status {status}")
    return out


def build(tree=TOP):
    """Builds a source tree if need be, so that nothing is compiled while something is measured."""
    with child([str(tree / "nvmf"), "--version"], stdout=subprocess.DEVNULL) as process:
        if process.wait():
            raise Failure(f"{tree / 'nvmf'} could not be built, or does not run")


def benchmarks():
    """Builds what lib.sh builds; returns the java command and a class path."""
    script = f'. "{TOP}/it-tests/speed/lib.sh" && build_benchmarks && printf "%s\\n" "$java" "$classes"'
    with child(["bash", "-c", script], stdout=subprocess.PIPE) as process:
        out = process.communicate()[0]
    if process.returncode:
        raise Failure("the benchmarks could not be built")
    return out.splitlines()


def last_lines(text):
    return "\n".join(text.strip().splitlines()[-8:])


class Process:
    """Another process on this machine, which may be somebody else's."""

    def __init__(self, pid):
        self.pid = pid
        self.cpu_s()
        at_end.callback(self.go_on)

    def _read(self, name):
        try:
            return Path(f"/proc/{self.pid}/{name}").read_text()
        except OSError as e:
            raise Failure(f"process {self.pid} is not there: {e.strerror}") from e

    def cpu_s(self):
        """Processor time it has used, user and system."""
        fields = self._read("stat").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * TICK_S

    def rss_bytes(self):
        return int(self._read("statm").split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def stop(self):
        try:
            os.kill(self.pid, signal.SIGSTOP)
        except ProcessLookupError:
            raise Failure(f"process {self.pid} has ended") from None

    def go_on(self):
        try:
            os.kill(self.pid, signal.SIGCONT)
        except ProcessLookupError:
            pass

    def pin(self, core):
        """Puts all its threads, and those they will start, on one processor until the end. An OSError when it may not."""
        before = {}
        at_end.callback(self._unpin, before)
        while new := [thread for thread in self._threads() if thread not in before]:
            for thread in new:
                before[thread] = None
                with contextlib.suppress(ProcessLookupError):
                    before[thread] = os.sched_getaffinity(thread)
                    os.sched_setaffinity(thread, {core})

    def _unpin(self, before):
        for thread in self._threads():
            processors = before.get(thread) or before.get(self.pid)
            with contextlib.suppress(OSError):
                os.sched_setaffinity(thread, processors or os.sched_getaffinity(thread))

    def _threads(self):
        try:
            return [int(name) for name in os.listdir(f"/proc/{self.pid}/task")]
        except OSError:
            return []


class Target(Process):
    """Our target, started here on a free port of the loopback address. Ended by close(), or when the program ends."""

    def __init__(self, namespaces, core=None, java_options="", arguments=(), tree=TOP):
        line, environment = command(
            ["target", "--listen", "tcp://127.0.0.1:0", "--nqn", NQN]
            + [word for namespace in namespaces for word in ("--namespace", namespace)] + list(arguments),
            tree=tree, core=core, java_options=java_options)
        self.log = at_end.enter_context(tempfile.NamedTemporaryFile(prefix="nvmf4j-speed-", suffix=".log"))
        self.started_s = time.monotonic()
        self.process = at_end.enter_context(child(line, environment, stdout=self.log, stderr=self.log))
        self.port = self._await_port()
        super().__init__(self.process.pid)

    def _await_port(self):
        while True:
            lines = Path(self.log.name).read_text().splitlines()
            if "ready" in lines:
                self.ready_s = time.monotonic() - self.started_s
                line = next(line for line in lines if line.startswith("listening on tcp://"))
                return int(line.rpartition(":")[2])
            if self.process.poll() is not None or time.monotonic() - self.started_s > 60:
                raise Failure("the target did not start: " + last_lines("\n".join(lines)))
            time.sleep(0.005)

    def uri(self, namespace=1):
        return f"nvmf-tcp://127.0.0.1:{self.port}/{NQN}/{namespace}"

    def close(self):
        with undisturbed():
            end(self.process)
            self.log.close()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


def size_bytes(text):
    """The type of an option: a size of data as nvmf takes it."""
    found = re.fullmatch(r"(\d{1,9})([km]?)", text, re.ASCII | re.IGNORECASE)
    size = int(found[1]) << {"": 0, "k": 10, "m": 20}[found[2].lower()] if found else 0
    if not 1 <= size <= MAX_SIZE_BYTES:
        raise argparse.ArgumentTypeError(f"'{text}' is no size from 1 to {MAX_SIZE_BYTES >> 20}m, as 4k")
    return size


class Case:
    def __init__(self, text):
        found = re.fullmatch(f"({'|'.join(PATTERNS)}):([^:]*):([^:]*)", text)
        if not found:
            raise argparse.ArgumentTypeError(
                f"'{text}' is no case as randread:4k:32, which is one of {', '.join(PATTERNS)}, a size and a depth")
        self.rw, self.size, depth = found.groups()
        self.size_bytes = size_bytes(self.size)
        self.depth = whole(1, MAX_DEPTH)(depth)
        if self.size_bytes % LEAST_BLOCK_BYTES:
            raise argparse.ArgumentTypeError(f"'{text}': {self.size} is no multiple of a block, {LEAST_BLOCK_BYTES} at least")
        self.name = f"{self.rw} {self.size}, depth {self.depth}"


def jcmd(pid, *words):
    java = Path(os.readlink(f"/proc/{pid}/exe"))
    status, out, err = run([str(java.parent / "jcmd"), str(pid), *words])
    if status:
        raise Failure(f"jcmd {' '.join(words)}: {last_lines(err or out)}")
    return out


def memory_of(process):
    """RSS, what is live on Java's heap, and what native memory tracking calls Other, which buffers outside the heap are."""
    jcmd(process.pid, "GC.run")
    heap = sum(map(int, re.findall(r"total \d+K, used (\d+)K", jcmd(process.pid, "GC.heap_info")))) << 10
    native = jcmd(process.pid, "VM.native_memory", "summary", "scale=KB")
    other = re.search(r"Other \(reserved=\d+KB, committed=(\d+)KB", native)
    return process.rss_bytes(), heap, int(other[1]) << 10 if other else 0


def rpc(path, method):
    """The result of a method of a target that was started with --rpc-socket."""
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(path)
        client.sendall(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method}).encode())
        text = ""
        while True:
            part = client.recv(65536).decode()
            text += part
            try:
                return json.loads(text)["result"]
            except (ValueError, KeyError):
                if not part or '"error"' in text:
                    raise Failure(f"{method}: {text}")


def perf(uri, words, **how):
    """The JSON of one nvmf perf run."""
    return json.loads(nvmf(["perf", uri, "--output-format", "json", *words], **how))


def machine():
    """One line on where the figures come from."""
    cpu = next((line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                if line.startswith("model name")), os.uname().machine)
    commit = subprocess.run(["git", "-C", str(TOP), "describe", "--always", "--dirty"], capture_output=True, text=True)
    return (f"{os.cpu_count()} x {cpu}, Linux {os.uname().release}, nvmf4j {commit.stdout.strip() or 'unknown'}, "
            f"load average before {os.getloadavg()[0]:.2f}")


def table(rows):
    """Columns as wide as they need be; the first row is the heading, text is to the left, numbers to the right."""
    widths = [max(len(str(row[i])) for row in rows) for i in range(len(rows[0]))]
    numbers = [all(str(row[i])[:1].isdigit() or row[i] in ("", "-") for row in rows[1:]) for i in range(len(widths))]
    for row in rows:
        cells = (str(cell).rjust(width) if number else str(cell).ljust(width)
                 for cell, width, number in zip(row, widths, numbers))
        print("  ".join(cells).rstrip())
