/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Demangling with libiberty, or the C++ runtime where that is missing.
 *
 * libiberty hands its output over in pieces; leaving by longjmp when the cap is reached bounds the
 * work for names whose readable form grows exponentially ("_Z1fISt4pairIS0_..."): the callback
 * forms of the demanglers keep all their state on the stack, so nothing leaks. */
#include "config.h"

#include "symbols/demangle.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#endif

static const char ellipsis[] = "...";

bool demangle_wanted(const char *name)
{
	/* "___Z" and "____Z": blocks of clang and names with an ABI's underscore. */
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' || strncmp(name, "__Z", 3) == 0 ||
				  strncmp(name, "___Z", 4) == 0 || strncmp(name, "____Z", 5) == 0);
}

static bool copy_raw(const char *name, char *out, size_t size)
{
	size_t len = strnlen(name, size - 1);

	memcpy(out, name, len);
	out[len] = '\0';
	return false;
}

/* Marks a result that was cut; UTF-8 is not split. */
static void mark_cut(char *out, size_t length)
{
	size_t at = length - strlen(ellipsis);

	while (at > 0 && ((unsigned char)out[at] & 0xc0) == 0x80)
		at--;
	memcpy(out + at, ellipsis, sizeof(ellipsis));
}

#ifdef HAVE_LIBIBERTY

struct output {
	char *out;
	size_t length, room;
	jmp_buf full;
};

static void take(const char *piece, size_t length, void *arg)
{
	struct output *o = arg;
	size_t fits = length < o->room - o->length ? length : o->room - o->length;

	if (fits > 0)
		memcpy(o->out + o->length, piece, fits);
	o->length += fits;
	o->out[o->length] = '\0';
	if (fits < length)
		longjmp(o->full, 1);
}

/* Not inlined: longjmp must not find variables of the caller in registers. */
static int __attribute__((noinline)) run(const char *name, struct output *o)
{
	if (setjmp(o->full))
		return 2;
	if (rust_demangle_callback(name, DMGL_PARAMS | DMGL_ANSI, take, o))
		return 1;
	o->length = 0;
	return cplus_demangle_v3_callback(name, DMGL_PARAMS | DMGL_ANSI, take, o) ? 1 : 0;
}

bool demangle(const char *name, char *out, size_t size)
{
	struct output o = { .out = out };
	int result;

	if (!demangle_wanted(name) || size < 2 * sizeof(ellipsis) ||
	    strnlen(name, DEMANGLE_INPUT_MAX + 1) > DEMANGLE_INPUT_MAX)
		return copy_raw(name, out, size);
	o.room = size - 1 < DEMANGLE_OUTPUT_MAX ? size - 1 : DEMANGLE_OUTPUT_MAX;
	out[0] = '\0';
	result = run(name, &o);
	if (result == 0 || o.length == 0)
		return copy_raw(name, out, size);
	if (result == 2)
		mark_cut(out, o.length);
	return true;
}

#else

char *__cxa_demangle(const char *, char *, size_t *, int *);

/* The C++ runtime cannot be stopped midway, so only short names are handed to it: what 256 bytes
 * can blow up to still ends in time. */
#define RUNTIME_INPUT_MAX	256u

bool demangle(const char *name, char *out, size_t size)
{
	size_t length, room;
	char *result;
	int status;

	if (!demangle_wanted(name) || name[1] == 'R' || size < 2 * sizeof(ellipsis) ||
	    strnlen(name, RUNTIME_INPUT_MAX + 1) > RUNTIME_INPUT_MAX)
		return copy_raw(name, out, size);
	result = __cxa_demangle(name, NULL, NULL, &status);
	if (!result || status != 0)
		return copy_raw(name, out, size);
	room = size - 1 < DEMANGLE_OUTPUT_MAX ? size - 1 : DEMANGLE_OUTPUT_MAX;
	length = strlen(result);
	copy_raw(result, out, room + 1);
	if (length > room)
		mark_cut(out, room);
	free(result);
	return true;
}

#endif
