#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: on a terminal: Ctrl-C comes once, Ctrl-Z and fg work, the process group stays; with -f one
# Ctrl-C after the command's end is enough.
. "${top_srcdir:-.}/tests/tap.sh"
need python3

cat >"$work/target.py" <<'END'
import os, signal, sys, time
got = []
signal.signal(signal.SIGINT, lambda *a: got.append(1))
signal.signal(signal.SIGALRM, lambda *a: (print("ints=%d" % len(got), flush=True), os._exit(5)))
print("group %s" % (os.getpgid(0) == os.tcgetpgrp(0)), flush=True)
print("ready %d" % os.getpid(), flush=True)
while True:
    time.sleep(0.05)
END
cat >"$work/drive.py" <<'END'
import os, pty, re, select, signal, sys, time
memtrack, work = sys.argv[1:3]
text = b""
pid, fd = pty.fork()
if pid == 0:
    os.environ["PS1"] = "$ "
    os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
def read_until(pattern, limit=15):
    global text
    end = time.time() + limit
    while time.time() < end:
        m = re.search(pattern, text)
        if m:
            text = text[m.end():]
            return m
        if select.select([fd], [], [], 0.1)[0]:
            try:
                text += os.read(fd, 65536)
            except OSError:
                break
    print("missing", pattern, text)
    sys.exit(1)
def say(line):
    os.write(fd, line.encode())
read_until(rb"\$ ")
say("%s -q --no-report -o %s/t.mtk python3 %s/target.py\n" % (memtrack, work, work))
print("same-group", read_until(rb"group (\w+)").group(1).decode())
target = int(read_until(rb"ready (\d+)").group(1))
say("\x03")
time.sleep(0.5)
say("\x1a")
read_until(rb"Stopped")
print("stopped yes")
say("jobs\n")
read_until(rb"Stopped")
say("fg\n")
time.sleep(0.5)
say("\x03")
time.sleep(0.3)
os.kill(target, signal.SIGALRM)
print("ints", read_until(rb"ints=(\d+)").group(1).decode())
say("echo status=$?\n")
print("status", read_until(rb"status=(\d+)").group(1).decode())
END
python3 "$work/drive.py" "$memtrack" "$work" >"$work/out" 2>&1
diag "$(cat "$work/out")"
like "$(cat "$work/out")" '^same-group True$' "the command is in the terminal's foreground group"
like "$(cat "$work/out")" '^stopped yes$' "Ctrl-Z: the shell sees the job stopped"
like "$(cat "$work/out")" '^ints 2$' "each of two Ctrl-C came once"
like "$(cat "$work/out")" '^status 5$' "fg brought it back, and its status came through"

# What outlives the command shrugs at Ctrl-C, forks and executes on, and keeps the segment mapped.  On a busy machine
# an end may take its time, but not three times.
cat >"$work/rest.sh" <<'END'
(trap "" INT; echo rest $BASHPID; while [ -e "$1/go" ]; do /bin/sleep 0.1; done) &
exit 3
END
cat >"$work/one.py" <<'END'
import os, pty, re, select, sys, time
memtrack, work = sys.argv[1:3]
pid, fd = pty.fork()
if pid == 0:
    os.execv(memtrack, [memtrack, "-f", "-q", "--no-report", "-o", work + "/one.mtk", "bash", work + "/rest.sh", work])
text = b""
def read(seconds):
    global text
    if select.select([fd], [], [], seconds)[0]:
        try:
            text += os.read(fd, 65536)
        except OSError:
            time.sleep(0.02)
while not re.search(rb"rest (\d+)\r", text):
    read(1)
rest = int(re.search(rb"rest (\d+)\r", text).group(1))
while os.getpgid(rest) != pid or int(open("/proc/%d/stat" % rest).read().rsplit(")", 1)[1].split()[1]) != 1:
    time.sleep(0.02)        # its parent, the command, has ended
time.sleep(0.7)             # a Ctrl-C right then is taken for the command's
os.write(fd, b"\x03")
began = time.monotonic()
while os.waitpid(pid, os.WNOHANG)[0] == 0:
    read(0.02)
print("soon" if time.monotonic() - began < 3 else "late")
print("lives" if os.path.exists("/proc/%d" % rest) else "gone")
END
: >"$work/go"
for try in 1 2 3; do
	timeout 30 python3 "$work/one.py" "$memtrack" "$work" >"$work/out" 2>&1
	grep -q soon "$work/out" && break
done
rm -f "$work/go"
is "$(cat "$work/out")" "$(printf 'soon\nlives')" "one Ctrl-C after the command's end lets the rest run on"
done_testing
