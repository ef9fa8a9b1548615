"""What the programs of this directory share: our target and nvmf perf as processes, and what /proc says of them."""

import argparse
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
NQN = "nqn.2026-01.io.nvmf:speed"
PATTERNS = ("randread", "randwrite", "read", "write")
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


class Failure(Exception):
    """A sentence for the person."""


ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def interrupt_on_end():
    """SIGTERM, and SIGHUP when a terminal has gone, do what Ctrl-C does: what was started is ended, what was stopped goes on."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, frame: sys.exit(128 + number))


def require_core(option, core):
    if core not in os.sched_getaffinity(0):
        raise Failure(f"{option} {core}: this process may use the processors {sorted(os.sched_getaffinity(0))}")


def command(words, tree=TOP, core=None, java_options=""):
    """The words and the environment that run nvmf from a source tree, on one processor or wherever it likes."""
    pinned = [] if core is None else ["taskset", "-c", str(core)]
    options = " ".join(filter(None, [os.environ.get("NVMF_JAVA_OPTS"), java_options]))
    return pinned + [str(tree / "nvmf"), *words], dict(os.environ, NVMF_JAVA_OPTS=options)


def split(uri):
    """Address, port, NQN and namespace."""
    found = re.fullmatch(r"nvmf-tcp://(.+):(\d+)/([^/]+)/(\d+)", uri)
    if not found:
        raise Failure(f"'{uri}' is not nvmf-tcp://HOST:PORT/NQN/NSID")
    return found.groups()


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
    line, environment = command(words, **how)
    run = subprocess.run(line, env=environment, capture_output=True, text=True)
    if run.returncode:
        raise Failure(f"nvmf {' '.join(words)}: {last_lines(run.stderr)}")
    return run.stdout


def build(tree=TOP):
    """Builds a source tree if need be, so that nothing is compiled while something is measured."""
    subprocess.run([str(tree / "nvmf"), "--version"], check=True, stdout=subprocess.DEVNULL)


def last_lines(text):
    return "\n".join(text.strip().splitlines()[-8:])


class Process:
    """Another process on this machine, which may be somebody else's."""

    def __init__(self, pid):
        self.pid = pid
        self.cpu_s()

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
        os.kill(self.pid, signal.SIGSTOP)

    def go_on(self):
        try:
            os.kill(self.pid, signal.SIGCONT)
        except ProcessLookupError:
            pass


class Target(Process):
    """Our target, started here on a free port of the loopback address. Ended by close()."""

    def __init__(self, namespaces, core=None, java_options="", arguments=(), tree=TOP):
        line, environment = command(
            ["target", "--listen", "tcp://127.0.0.1:0", "--nqn", NQN]
            + [word for namespace in namespaces for word in ("--namespace", namespace)] + list(arguments),
            tree=tree, core=core, java_options=java_options)
        self.log = tempfile.NamedTemporaryFile(prefix="nvmf4j-speed-", suffix=".log")
        self.started_s = time.monotonic()
        # A session of its own: Ctrl-C is for this program, which then ends the target.
        self.process = subprocess.Popen(
            line, env=environment, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, start_new_session=True)
        try:
            self.port = self._await_port()
            super().__init__(self.process.pid)
        except BaseException:
            self.close()
            raise

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
        # A second Ctrl-C is not to leave it behind.
        before = [(number, signal.signal(number, signal.SIG_IGN)) for number in ENDS]
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()
        for number, handler in before:
            signal.signal(number, handler)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


def size_bytes(text):
    units = {"k": 1 << 10, "m": 1 << 20}
    return int(text[:-1]) * units[text[-1]] if text[-1:] in units else int(text)


class Case:
    def __init__(self, text):
        try:
            self.rw, self.size, depth = text.split(":")
            self.depth = int(depth)
            self.size_bytes = size_bytes(self.size)
            if self.rw not in PATTERNS or self.depth < 1 or self.size_bytes < 1:
                raise ValueError
        except ValueError:
            raise argparse.ArgumentTypeError(f"'{text}' is no case as randread:4k:32")
        self.name = f"{self.rw} {self.size}, depth {self.depth}"


def jcmd(pid, *words):
    java = Path(os.readlink(f"/proc/{pid}/exe"))
    run = subprocess.run([str(java.parent / "jcmd"), str(pid), *words], capture_output=True, text=True)
    if run.returncode:
        raise Failure(f"jcmd {' '.join(words)}: {last_lines(run.stderr or run.stdout)}")
    return run.stdout


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


def run_main(name, main):
    """Runs a program: 0, or 1 after a sentence on stderr."""
    interrupt_on_end()
    try:
        sys.exit(main())
    except Failure as e:
        print(f"{name}: {e}", file=sys.stderr)
        sys.exit(1)
    except subprocess.CalledProcessError as e:
        print(f"{name}: {' '.join(e.cmd)}: status {e.returncode}", file=sys.stderr)
        sys.exit(1)
    except OSError as e:
        print(f"{name}: {e}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
