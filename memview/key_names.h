/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keys by name, as people write them: "PgUp", "Ctrl-b", "F5", "\". */
#ifndef MEMVIEW_KEY_NAMES_H
#define MEMVIEW_KEY_NAMES_H

#include <stddef.h>

#define KEY_NAME_MAX 16

/* The code (memview/keys.h) of a name in any case, or of a single character of UTF-8; KEYS_NONE
 * when there is no such key. */
int key_named(const char *name);

/* The name of a code, "" when it has none; returns out. */
const char *key_name(int code, char out[KEY_NAME_MAX]);

#endif
