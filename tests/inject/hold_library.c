/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests deliver: no libc, relocations, and the variable that tells dlopen'ed from mapped. */

/* In .data, where it can be set in the file. */
__attribute__((section(".data"))) int memtrack_injected;

static long add(long a, long b)
{
	return a + b;
}

static long (*const table[])(long, long) = { add };
static long (*volatile chosen)(long, long);

extern int nobody_has_this(void) __attribute__((weak));

#ifdef HOLD_TLS
__thread int own;
#endif

long hold_answer(long a, long b);
long hold_answer(long a, long b)
{
	if (nobody_has_this)
		return -2;
	chosen = table[0];
	return chosen(a, b) + 1000 * memtrack_injected;
}
