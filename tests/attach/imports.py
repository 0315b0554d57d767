# SPDX-License-Identifier: LGPL-2.1-or-later
# Modules that bring libraries with them come after the attach.
import os

os.write(1, b"ready\n")
os.read(0, 1)
import ssl
import sqlite3
import decimal
import ctypes
import lzma
import json

held = [json.loads(json.dumps({"n": n, "text": "x" * n})) for n in range(600)]
total = sum(decimal.Decimal(n) / 7 for n in range(500))
packed = lzma.decompress(lzma.compress(b"an example " * 20000))
database = sqlite3.connect(":memory:")
database.execute("create table t (n integer, s text)")
database.executemany("insert into t values (?, ?)", ((n, str(n) * 9) for n in range(2000)))
rows = database.execute("select s, count(*) from t group by n % 97").fetchall()
context = ssl.create_default_context()
buffer = ctypes.create_string_buffer(70000)
libc = ctypes.CDLL(None)
libc.free.argtypes = [ctypes.c_void_p]
libc.malloc.restype = ctypes.c_void_p
for n in range(500):
    libc.free(libc.malloc(n))
os.write(1, b"live\n")
os.read(0, 1)
