#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: write a text log as memtrack does, without running anything.
#
#	make_log.sh demo [ROUNDS]	a leaking cache, a parser that frees, a growing table
#	make_log.sh runtime		a leak of main, and three blocks the C and C++ runtime keep
#	make_log.sh wrong		a mismatched free and a double one
#	make_log.sh crowd		1,500 leaks at as many places, by 1,200 threads
#	make_log.sh mapped		two threads with blocks and mappings, see there
#	make_log.sh hostile		names that try to hurt a terminal or a parser
#
# demo, for each round: worker-1 leaks 512 bytes in cache_put, worker-2 allocates and frees in
# parse_line, main grows a table by realloc.  So ROUNDS leaks of 512 B, all at one call site.
kind=${1:-demo}
rounds=${2:-50}

awk -v kind="$kind" -v rounds="$rounds" '
function alloc(tid, name, op, size, ptr)
{
	total[tid] += size
	printf "[memtrack] tid=%-6d (%-15s) %-10s ts=%-12d size=%-12d  total=%-12d  ptr=0x%x\n",
		tid, name, op, now, size, total[tid], ptr
}
function release(tid, name, op, ptr)
{
	printf "[memtrack] tid=%-6d (%-15s) %-10s ts=%-12d  ptr=0x%x\n", tid, name, op, now, ptr
}
function frame(n, where)
{
	if (!(where in pcs))
		pcs[where] = 4194304 + 64 * ++places
	printf "[memtrack]   #%-2d %s [0x%x]\n", n, where, pcs[where]
}
function leave(tid, name)
{
	printf "[memtrack] tid=%-6d (%-15s) %-10s ts=%-12d total=%-12d bytes allocated\n",
		tid, name, "EXIT", now, total[tid]
}
function tail(n)
{
	frame(n, "./demo(worker_loop+0x51)")
	frame(n + 1, "/lib/x86_64-linux-gnu/libc.so.6(start_thread+0x2a4)")
}
function demo(i)
{
	now = 100
	alloc(100, "demo", "malloc", 4096, 4096)
	frame(0, "./demo(load_config+0x1c)"); frame(1, "./demo(main+0x20)")
	table = 65536; size = 64
	for (i = 0; i < rounds; i++) {
		now += 700
		alloc(101, "worker-1", "malloc", 512, 1048576 + i * 1024)
		frame(0, "./demo(cache_put+0x2a)"); frame(1, "./demo(handle_request+0x77)"); tail(2)
		now += 150
		alloc(102, "worker-2", "new[]", 100 + i % 7 * 300, 33554432 + i % 5 * 4096)
		frame(0, "./demo(parse_line+0x10)"); tail(1)
		now += 90
		release(102, "worker-2", "delete[]", 33554432 + i % 5 * 4096)
		frame(0, "./demo(free_line+0x8)"); tail(1)
		if (i % 10)
			continue
		now += 60
		if (i)
			release(100, "demo", "free", table)
		size *= 2; table = 65536 + (i + 1) * 128
		alloc(100, "demo", "realloc", size, table)
		frame(0, "./demo(table_grow+0x44)"); frame(1, "./demo(main+0x99)")
	}
	now += 500
	leave(101, "worker-1")
	leave(102, "worker-2")
	now += 10
	release(100, "demo", "free", table)
}
function runtime(libc)
{
	libc = "/lib/x86_64-linux-gnu/libc.so.6"
	now = 5
	alloc(7, "demo", "malloc", 72704, 4096)
	frame(0, "/lib/x86_64-linux-gnu/libstdc++.so.6(std::ios_base::Init::Init()+0x2a)")
	now += 5
	alloc(7, "demo", "malloc", 1024, 8192)
	frame(0, libc "(_IO_file_doallocate+0x94)"); frame(1, libc "(puts+0x9)"); frame(2, "./demo(main+0x10)")
	now += 5
	alloc(7, "demo", "calloc", 272, 12288)
	frame(0, "/lib64/ld-linux-x86-64.so.2(_dl_allocate_tls+0x2f)"); frame(1, libc "(pthread_create+0x9)")
	frame(2, "./demo(main+0x20)")
	now += 5
	alloc(7, "demo", "malloc", 100, 16384)
	frame(0, "./demo(load_config+0x1c)"); frame(1, "./demo(main+0x30)")
	now += 5
	alloc(7, "demo", "malloc", 200, 20480)
	frame(0, "./demo(parse_line+0x1c)"); frame(1, "./demo(main+0x40)")
	release(7, "demo", "free", 20480)
}
# Blocks: 6 of 9000 B, 4 leaked with 3500 B, most alive 9000 B.  Mappings: 4 of 1048576 B, 2 leaked
# with 524288 B, most alive 786432 B.  All of it alive at once: 795432 B.
function mapped(i)
{
	now = 100
	for (i = 1; i <= 4; i++)
		alloc(10, "main", "malloc", 500, 4096 * i)
	alloc(10, "main", "mmap", 262144, 1048576)
	now += 100
	alloc(11, "worker", "malloc", 2000, 65536)
	alloc(11, "worker", "malloc", 5000, 69632)
	alloc(11, "worker", "mmap", 262144, 4194304)
	alloc(11, "worker", "mmap", 262144, 8388608)
	now += 100
	release(11, "worker", "free", 69632)
	printf "[memtrack] tid=%-6d (%-15s) %-10s ts=%-12d size=%-12d  ptr=0x%x\n", 11, "worker", "munmap", now, 262144, 4194304
	printf "[memtrack] tid=%-6d (%-15s) %-10s ts=%-12d size=%-12d  ptr=0x%x\n", 11, "worker", "munmap", now, 262144, 8388608
	now += 100
	alloc(11, "worker", "mmap", 262144, 16777216)
	release(10, "main", "free", 4096)
	now += 100
	leave(11, "worker")
}
function crowd(i)
{
	for (i = 0; i < 1500; i++) {
		now += 3
		alloc(20 + i % 1200, "t", "malloc", 10, 4096 * (i + 1)); frame(0, "prog(place+0x" i ")"); frame(1, "prog(main+0x1)")
	}
}
function wrong()
{
	now = 100
	alloc(7, "main", "new[]", 40, 4096); frame(0, "prog(make_it+0x10)")
	now = 2000
	release(7, "main", "free", 4096); frame(0, "prog(free_it+0x20)")
	now = 3000
	alloc(7, "main", "malloc", 80, 8192)
	now = 4000
	release(7, "main", "free", 8192)
	now = 5000
	release(7, "main", "free", 8192); frame(0, "prog(again+0x30)")
}
function hostile(esc)
{
	esc = sprintf("%c", 27)
	now = 5
	alloc(7, "a" esc "[2J" esc "[41mb", "malloc", 777, 4096)
	frame(0, "./r101(evil" esc "]0;owned" sprintf("%c", 7) esc "[31m+0x1) [0x12")
	frame(1, "./r101(\357\277\275wide\346\274\242\345\255\227\346\274\242\345\255\227+0x2)")
	frame(2, "./r101(\377\376broken\300\200+0x2)")
	frame(3, "./r101(bidi\342\200\256evil\314\201\314\201\314\201+0x2)")
	alloc(8, "x) malloc (y", "malloc", 778, 8192)
	alloc(9, "\346\274\242\345\255\227\346\274\242\345\255\227", "calloc", 779, 12288)
	alloc(10, "\302\233[31m", "strdup", 780, 16384)
	leave(7, "a" esc "[2J" esc "[41mb")
}
BEGIN {
	if (kind == "demo")
		demo()
	else if (kind == "runtime")
		runtime()
	else if (kind == "wrong")
		wrong()
	else if (kind == "mapped")
		mapped()
	else if (kind == "crowd")
		crowd()
	else
		hostile()
}'
