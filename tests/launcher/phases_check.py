# SPDX-License-Identifier: LGPL-2.1-or-later
# phases_check.py MODE EVENTS ACCOUNT: what trace_dump (or text_dump.awk) says against the account of
# tests/launcher/phases.c.  MODE is that of phases.py.  Prints nothing when all is well.
import sys

OPS = ("malloc", "calloc", "realloc", "posix_memalign", "memalign")
LEAST, MOST = 20011, 23011

live, made, twice, unrecorded, pauses = {}, 0, 0, (0, 0), 0
for line in open(sys.argv[2]):
    f = line.split()
    if f and f[0] == "pause":
        pauses += f[2] == "1"
        unrecorded = (int(f[3]), int(f[4]))
    if not f or f[0] != "event":
        continue
    op, size, ptr = f[3:6]
    if f[3] in OPS and size != "-" and LEAST <= int(size) < MOST:
        twice += ptr in live
        live[ptr] = int(size)
        made += 1
    elif size == "-" or op.startswith("free"):
        live.pop(ptr, None)

known, told = {}, {}
for line in open(sys.argv[3]):
    f = line.split()
    if f and f[0] == "block":
        known[f[1]] = int(f[2])
    elif f:
        told[f[0]] = [int(n) for n in f[1:]]

def check(good, *what):
    if not good:
        print(*what)

check(told["status"] == [0], "status", told["status"])
check(not twice, twice, "blocks were handed out twice")
check(pauses, "there was no pause")
check(made + unrecorded[0] == told["made"][0], made, "+", unrecorded, "recorded and not, the program made", told["made"])
if sys.argv[1] == "exact":
    check(live == known, len(live), "live in the trace,", len(known), "in the program")
    check(list(unrecorded) == told["paused"], unrecorded, "not recorded, the program knows of", told["paused"])
else:
    check(all(known.get(p) == n for p, n in live.items()), "the trace has live blocks that the program has not")
    check(0 < made < told["made"][0], made, "recorded of", told["made"])
