/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A set of distinct byte strings, each with a dense id: 1, 2, 3, ... in order of arrival. */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include <stddef.h>
#include <stdint.h>

struct intern;

struct intern *intern_new(void);
void intern_free(struct intern *in);

/* The id of the string, added if it is new. */
uint32_t intern_put(struct intern *in, const char *data, size_t length);
uint32_t intern_put_string(struct intern *in, const char *text);

/* The id of the string, or 0 when it is not there. */
uint32_t intern_find(const struct intern *in, const char *data, size_t length);

/* The string of an id, NUL-terminated, at the same place as long as the set lives.  "" for an
 * unknown id.  length may be NULL. */
const char *intern_text(const struct intern *in, uint32_t id, size_t *length);

/* Ids are 1 .. intern_count(). */
uint32_t intern_count(const struct intern *in);

#endif
