/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mangled names into readable ones: C++ (Itanium) and Rust (legacy and v0). */
#ifndef SYMBOLS_DEMANGLE_H
#define SYMBOLS_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

#define DEMANGLE_INPUT_MAX	65536u	/* longer names stay as they are */
#define DEMANGLE_OUTPUT_MAX	4096u	/* longer results are cut, ending in "..." */

/* Writes the readable form of name to out (size bytes, always terminated; DEMANGLE_OUTPUT_MAX + 1
 * holds any).  Suffixes such as .part.0 and .cold are kept in C++ names as " [clone .part.0]".
 * Work is bounded by the output, however the name is built.
 * false: not mangled, or not understood: out holds the name itself, cut to fit. */
bool demangle(const char *name, char *out, size_t size);

/* Cheap test: does name look mangled at all? */
bool demangle_wanted(const char *name);

#endif
