/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of functions and source files, each kept and demangled once. */
#ifndef SYMBOLS_NAMES_H
#define SYMBOLS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAME_LENGTH_MAX	65535u		/* longer ones are forgeries: id 0 */

struct names;

struct names *names_new(void);
void names_free(struct names *);

/* A name's id, from 1; 0 for NULL, "" and names beyond NAME_LENGTH_MAX.  The text is copied. */
uint32_t names_put(struct names *, const char *raw);

/* The id of a path: of dir/path when path is relative and dir is known (not NULL). */
uint32_t names_put_path(struct names *, const char *dir, const char *path);

/* Texts of an id, NULL for 0; they live as long as the set.  The readable one is the raw one where
 * it is not mangled. */
const char *names_raw(struct names *, uint32_t id);
const char *names_readable(struct names *, uint32_t id);
bool names_mangled(struct names *, uint32_t id);

/* Memory held, roughly. */
size_t names_bytes(const struct names *);

#endif
