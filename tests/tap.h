/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TAP harness for unit tests: one header, no library.
 *
 *	int main(void)
 *	{
 *		ok(add(1, 2) == 3, "adds");
 *		return done_testing();
 *	}
 *
 * Output is flushed line by line, so that a crash leaves what was reached. */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned tap_count, tap_failed;

static inline int __attribute__((format(printf, 4, 5)))
tap_report(int passed, const char *file, int line, const char *format, ...)
{
	va_list args;

	printf("%s %u - ", passed ? "ok" : "not ok", ++tap_count);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	if (!passed) {
		tap_failed++;
		printf("# %s:%d\n", file, line);
	}
	fflush(stdout);
	return passed;
}

/* One assertion; its value is the condition's. */
#define ok(condition, ...) tap_report(!!(condition), __FILE__, __LINE__, __VA_ARGS__)

/* Two integers are equal; says both when they are not. */
#define is_int(got, want, ...) \
	tap_is_int((long long)(got), (long long)(want), __FILE__, __LINE__, __VA_ARGS__)

static inline int __attribute__((format(printf, 5, 6)))
tap_is_int(long long got, long long want, const char *file, int line, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!tap_report(got == want, file, line, "%s", text))
		printf("# got %lld, want %lld\n", got, want);
	return got == want;
}

/* Two strings are equal; a null pointer equals nothing but itself. */
#define is_string(got, want, ...) \
	tap_is_string(got, want, __FILE__, __LINE__, __VA_ARGS__)

static inline int __attribute__((format(printf, 5, 6)))
tap_is_string(const char *got, const char *want, const char *file, int line, const char *format, ...)
{
	char text[512];
	va_list args;
	int same = got && want ? strcmp(got, want) == 0 : got == want;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!tap_report(same, file, line, "%s", text))
		printf("# got  \"%s\"\n# want \"%s\"\n", got ? got : "(null)", want ? want : "(null)");
	return same;
}

/* The next count assertions cannot be made here. */
static inline void skip(unsigned count, const char *why)
{
	while (count--)
		printf("ok %u # SKIP %s\n", ++tap_count, why);
	fflush(stdout);
}

/* Nothing of this program can run here; call it first and alone. */
static inline void __attribute__((noreturn)) plan_skip_all(const char *why)
{
	printf("1..0 # SKIP %s\n", why);
	exit(0);
}

/* Prints the plan; returns the program's exit status. */
static inline int done_testing(void)
{
	printf("1..%u\n", tap_count);
	return tap_failed || tap_count == 0;
}

#endif
