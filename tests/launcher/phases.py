# SPDX-License-Identifier: LGPL-2.1-or-later
# phases.py MODE ROUNDS HOW -- COMMAND...: runs COMMAND (tests/launcher/phases.c) under whatever traces it, with
# pauses in between, and writes its account to stdout.
#
#   MODE   exact: phases are told apart by answers; free: pauses come at any time
#   HOW    verb MEMTRACK: by memtrack --pid; port: on the connection of a viewer, whose port stands in the file $PORT_FILE
import os, re, socket, subprocess, sys, threading, time

PATIENCE = 120


def fail(what):
    print("phases.py:", what, file=sys.stderr)
    sys.exit(1)


class Verbs:
    def __init__(self, memtrack):
        self.memtrack = memtrack

    def order(self, pid, word):
        run = subprocess.run([self.memtrack, "--pid", str(pid), word], capture_output=True, timeout=PATIENCE)
        if run.returncode:
            fail("%s: %r" % (word, run.stderr))


class Viewer:
    """A viewer knows of an answer by the trace alone: here, by memtrack's own status."""

    def __init__(self, memtrack):
        self.memtrack = memtrack
        end = time.time() + PATIENCE
        port = None
        while not port and time.time() < end:
            try:
                port = re.search(r"memview 127\.0\.0\.1:(\d+)", open(os.environ["PORT_FILE"]).read())
            except OSError:
                pass
            time.sleep(0.02)
        self.socket = socket.create_connection(("127.0.0.1", int(port.group(1))))
        threading.Thread(target=self.drain, daemon=True).start()
        self.socket.sendall(b"memtrack commands 1\n")

    def drain(self):
        with open(os.environ.get("TRACE_COPY", "/dev/null"), "wb") as out:
            while data := self.socket.recv(65536):
                out.write(data)

    def order(self, pid, word):
        self.socket.sendall(word.encode() + b"\n")
        if word not in ("pause", "resume"):
            return
        end = time.time() + PATIENCE
        while time.time() < end:
            run = subprocess.run([self.memtrack, "--pid", str(pid), "status"], capture_output=True, timeout=PATIENCE)
            if (b"paused" in run.stdout) == (word == "pause"):
                return
        fail(word + " has no effect")


class Program:
    def __init__(self, command):
        self.run = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.rest = b""

    def line(self):
        while b"\n" not in self.rest:
            data = self.run.stdout.read(65536)
            if not data:
                fail("the program is gone")
            self.rest += data
        line, self.rest = self.rest.split(b"\n", 1)
        return line.decode()

    def order(self, text):
        self.run.stdin.write(text.encode() + b"\n")

    def done(self):
        while (line := self.line()) != "done":
            print(line)


def exact(program, pid, control, rounds):
    for i in range(rounds):
        program.order("r %d" % (300 + i % 7))
        program.done()
        control.order(pid, "pause")
        program.order("p %d" % (200 + i % 5))
        program.done()
        control.order(pid, "resume")


def free(program, pid, control, rounds):
    program.order("r 500")
    program.done()
    program.order("f")
    program.done()
    for i in range(rounds):
        control.order(pid, "pause")
        time.sleep(0.001 * (i % 5))
        control.order(pid, "resume")
    program.order("stop")
    program.done()


def main():
    mode, rounds, how, memtrack = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
    attach = os.environ.get("ATTACH")
    program = Program(sys.argv[6:])
    control = Viewer(memtrack) if how == "port" else Verbs(memtrack)
    pid = int(program.line().split()[1])
    tracer = None
    if attach:
        tracer = subprocess.Popen([memtrack, "--pid", str(pid)] + attach.split(), stderr=subprocess.PIPE)
        if b"attached" not in tracer.stderr.readline():
            fail("not attached")
    {"exact": exact, "free": free}[mode](program, pid, control, rounds)
    if tracer:
        Verbs(memtrack).order(pid, "detach")
    program.order("q")
    program.done()
    status = program.run.wait(PATIENCE)
    if tracer:
        status |= tracer.wait(PATIENCE)
    print("status", status)


main()
