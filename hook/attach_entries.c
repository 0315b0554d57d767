/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of what can be patched.  Public names come first: of several at one address they are what
 * the program means. */
#include "hook/own_functions.h"
#include "trace/attach.h"
#include "trace/functions.h"

#define EXPORTED __attribute__((visibility("default"), used))
#define HIDDEN __attribute__((visibility("hidden")))

#define ATTACH_OTHERS(X) \
	X(dlclose) \
	X(_dl_debug_state) \
	X(pthread_setname_np) \
	X(prctl) \
	X(mlockall) \
	X(execve) \
	X(execveat) \
	X(fexecve)

enum attach_other {
	ATTACH_OTHER_BASE = ATTACH_OTHER - 1,
#define X(symbol) ATTACH_OTHER_##symbol,
	ATTACH_OTHERS(X)
#undef X
};

/* The unwinder of the program does not know the mapped form, so nothing that throws may pass it: there
 * operators are seen as the malloc and free below them. */
#ifdef HOOK_MAPPED
#define OWN_ROWS OWN_PLAIN
#define ROW_NEW(number, symbol)
#define ROW_NEW_ARRAY(number, symbol)
#else
#define OWN_ROWS OWN_FUNCTIONS
#define ROW_NEW ROW
#define ROW_NEW_ARRAY ROW
#endif
#define ROW_MALLOC ROW
#define ROW_PAGES ROW

#define DECLARE(symbol) extern const char entry_##symbol[] HIDDEN;
#define X(id, symbol, label, kind, family) DECLARE(symbol)
TRACE_FUNCTIONS(X)
#undef X
#define X(symbol, op, shape) DECLARE(symbol)
#define Y(symbol, op) DECLARE(symbol)
OWN_FUNCTIONS(X, Y)
#undef X
#undef Y
#define X(symbol) DECLARE(symbol)
ATTACH_OTHERS(X)
#undef X

#define ROW(number, symbol) { number, ATTACH_PUSHED, (uint64_t)(uintptr_t)entry_##symbol, #symbol },

extern const struct attach_entry memtrack_entries[] __attribute__((visibility("default")));
const struct attach_entry memtrack_entries[] = {
#define X(id, symbol, label, kind, family) ROW_##family(OP_##id, symbol)
	TRACE_FUNCTIONS(X)
#undef X
#define X(symbol, op, shape) ROW(OP_##op, symbol)
#define Y(symbol, op) ROW(OP_##op, symbol)
	OWN_ROWS(X, Y)
#undef X
#undef Y
#define X(symbol) ROW(ATTACH_OTHER_##symbol, symbol)
	ATTACH_OTHERS(X)
#undef X
	{ 0, 0, 0, "" },
};
