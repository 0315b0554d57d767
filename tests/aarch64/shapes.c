/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of all shapes of frames, compiled several times with different flags: see steps.c. */
#include <alloca.h>
#include <stdarg.h>

#include "tests/aarch64/shapes.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define NAME(shape) JOIN(shape, VARIANT)
#define SHAPE(shape) long NAME(shape)(long n, callback *g); long NAME(shape)(long n, callback *g)
#define NOINLINE __attribute__((noinline, noclone))

SHAPE(leaf)
{
	return n * 3 + (g != 0);
}

SHAPE(leaf_array)
{
	volatile char a[300];

	a[n] = 1;
	return a[n] + (g != 0);
}

SHAPE(calls)
{
	return g(n) + 1;
}

SHAPE(keeps)
{
	long a = g(n), b = g(a + n), c = g(a + b), d = g(b + c), e = g(a - d), f = g(c - e);

	return a * b + c * d + e * f + g(f) + n;
}

SHAPE(large)
{
	volatile char a[70000];

	a[n] = 1;
	return g(n) + a[n];
}

SHAPE(grows)
{
	volatile char *a = alloca((unsigned long)n * 48 + 16);

	a[n] = 1;
	return g(n) + a[n];
}

SHAPE(aligned)
{
	_Alignas(64) volatile char a[64];

	a[n] = 1;
	return g(n) + a[n];
}

SHAPE(aligned_grows)
{
	_Alignas(128) volatile char a[64];
	volatile char *b = alloca((unsigned long)n * 16 + 16);

	a[n] = b[n] = 1;
	return g(n) + a[n] + b[n];
}

SHAPE(tail)
{
	return n > 100 ? n : g(n + 1);
}

SHAPE(early)
{
	long a, b;

	if (n == 0)
		return 0;
	a = g(n);
	b = g(n + a);
	return a * b + n;
}

SHAPE(numbers)
{
	double a = (double)n, b = a * 1.5, c = b + a;

	n = g(n);
	return (long)(a * b + c * (double)n + (double)g(n) * b);
}

static NOINLINE long ten(long a, long b, long c, long d, long e, long f, long h, long i, long j, callback *g)
{
	return a + b + c + d + e + f + h + i + g(j);
}

SHAPE(ten_arguments)
{
	return ten(n, 1, 2, 3, 4, 5, 6, 7, 8, g) + n;
}

static NOINLINE long sum(callback *g, int count, ...)
{
	va_list list;
	long total = 0;

	va_start(list, count);
	while (count--)
		total += g(va_arg(list, long));
	va_end(list);
	return total;
}

SHAPE(variadic)
{
	return sum(g, 3, n, n + 1, n + 2) + n;
}

const struct shape NAME(shapes)[] = {
#define X(name) { #name, NAME(name) },
	SHAPES(X)
#undef X
	{ 0, 0 },
};
