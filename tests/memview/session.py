# SPDX-License-Identifier: LGPL-2.1-or-later
# A live session recorded and played again.
#
#	session.py record PORT FILE	every byte memtrack serves there; when which came goes to FILE.times
#	session.py serve FILE OTHER	prints its port, then obeys lines of standard input, each
#					answered by a line when it is done:
#	  accept	the next viewer (a second time: the one before is left alone)
#	  to PERCENT	sends FILE as far as that, with the rests it was recorded with, eight times as fast
#	  other [PERCENT]	sends the beginning of OTHER instead, half of it
#	  reset, close	ends the connection, with an error or properly
#	  away		nobody listens any more
#	  back		somebody does again
import socket, struct, sys, time

SPEED = 8


def record(port, name):
    connection = socket.create_connection(("127.0.0.1", int(port)))
    begin = time.monotonic()
    with open(name, "wb") as out, open(name + ".times", "w") as times:
        while data := connection.recv(65536):
            out.write(data)
            times.write("%.6f %d\n" % (time.monotonic() - begin, len(data)))


class Server:
    def __init__(self, name, other):
        self.data = open(name, "rb").read()
        self.other_data = open(other, "rb").read()
        self.times = [line.split() for line in open(name + ".times")]
        self.port = 0
        self.connection = None
        self.back()

    def back(self):
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(("127.0.0.1", self.port))
        self.listener.listen(4)
        self.port = self.listener.getsockname()[1]

    def away(self):
        self.listener.close()

    def accept(self):
        self.listener.settimeout(60)
        self.connection, _ = self.listener.accept()
        self.sent = 0

    # The pieces in which it came, each after the time that had passed.
    def to(self, percent):
        end = len(self.data) * int(percent) // 100
        at, before = 0, 0.0
        for when, size in self.times:
            until = min(at + int(size), end)
            if until > self.sent:
                time.sleep((float(when) - before) / SPEED)
                self.connection.sendall(self.data[max(at, self.sent):until])
                self.sent = until
            at, before = at + int(size), float(when)

    def other(self, percent=50):
        self.connection.sendall(self.other_data[:max(len(self.other_data) * int(percent) // 100, 4096)])

    def reset(self):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def close(self):
        self.connection.close()


def serve(name, other):
    server = Server(name, other)
    print(server.port, flush=True)
    for line in sys.stdin:
        words = line.split()
        getattr(server, words[0])(*words[1:])
        print("done", flush=True)


globals()[sys.argv[1]](*sys.argv[2:])
