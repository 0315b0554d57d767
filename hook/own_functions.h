/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions that an allocator has under its own names.  The hook cannot export them, since a
 * program asks by a weak symbol which allocator it runs on; the import slots of those that call
 * them are rewritten instead (hook/got.h).  X(symbol, op, shape(values)),
 * and Y(symbol, op) for those that release their first argument.
 *
 * All take up to six words, a to f, and return one or two.  What the call means to the heap:
 *   ALLOC(size)		the result is a block
 *   RESIZE(old, size)		the result, if there is one, is a block instead of old
 *   REPLACE(old, size)		the same, but old is gone in any case
 *   STRING(not)		the result is a string with its NUL, unless it is `not`
 *   WIDE(unused)		the result is a string of 16-bit characters
 *   STORED(size)		*a is a block if the result is 0
 *   DUPENV(unused)		*a is a string if the result is 0
 *   RESTORED(size)		*a, resized, if the result is 0
 *   IN_PLACE(old, size)	old has size bytes if the result is at least that
 */
#ifndef HOOK_OWN_FUNCTIONS_H
#define HOOK_OWN_FUNCTIONS_H

#define OWN_JEMALLOC(X, Y, prefix) \
	X(prefix##mallocx,             MALLOCX,     ALLOC(a)) \
	X(prefix##rallocx,             RALLOCX,     RESIZE(a, b)) \
	X(prefix##xallocx,             XALLOCX,     IN_PLACE(a, b)) \
	Y(prefix##dallocx,             DALLOCX) \
	Y(prefix##sdallocx,            SDALLOCX)

/* A jemalloc that was built with a prefix has all of malloc under it. */
#define OWN_PREFIXED(X, Y) \
	X(je_malloc,                   MALLOC,      ALLOC(a)) \
	X(je_calloc,                   CALLOC,      ALLOC(product(a, b))) \
	X(je_realloc,                  REALLOC,     RESIZE(a, b)) \
	Y(je_free,                     FREE) \
	X(je_posix_memalign,           POSIX_MEMALIGN, STORED(c)) \
	X(je_aligned_alloc,            ALIGNED_ALLOC, ALLOC(b)) \
	X(je_memalign,                 MEMALIGN,    ALLOC(b)) \
	X(je_valloc,                   VALLOC,      ALLOC(a))

#define OWN_TCMALLOC(X, Y) \
	X(tc_malloc,                   TC_MALLOC,   ALLOC(a)) \
	X(tc_malloc_skip_new_handler,  TC_MALLOC,   ALLOC(a)) \
	X(tc_calloc,                   TC_CALLOC,   ALLOC(product(a, b))) \
	X(tc_realloc,                  TC_REALLOC,  RESIZE(a, b)) \
	X(tc_memalign,                 TC_MEMALIGN, ALLOC(b)) \
	X(tc_posix_memalign,           TC_MEMALIGN, STORED(c)) \
	X(tc_valloc,                   TC_MEMALIGN, ALLOC(a)) \
	X(tc_pvalloc,                  TC_MEMALIGN, ALLOC(a)) \
	Y(tc_free,                     TC_FREE) \
	Y(tc_free_sized,               TC_FREE) \
	Y(tc_cfree,                    TC_FREE)

#define OWN_MIMALLOC(X, Y) \
	X(mi_malloc,                   MI_MALLOC,   ALLOC(a)) \
	X(mi_malloc_small,             MI_MALLOC,   ALLOC(a)) \
	X(mi_mallocn,                  MI_MALLOC,   ALLOC(product(a, b))) \
	X(mi_zalloc,                   MI_ZALLOC,   ALLOC(a)) \
	X(mi_zalloc_small,             MI_ZALLOC,   ALLOC(a)) \
	X(mi_calloc,                   MI_CALLOC,   ALLOC(product(a, b))) \
	X(mi_realloc,                  MI_REALLOC,  RESIZE(a, b)) \
	X(mi_reallocn,                 MI_REALLOC,  RESIZE(a, product(b, c))) \
	X(mi_reallocarray,             MI_REALLOC,  RESIZE(a, product(b, c))) \
	X(mi_reallocarr,               MI_REALLOC,  RESTORED(product(b, c))) \
	X(mi_reallocf,                 MI_REALLOC,  REPLACE(a, b)) \
	X(mi_rezalloc,                 MI_REALLOC,  RESIZE(a, b)) \
	X(mi_recalloc,                 MI_REALLOC,  RESIZE(a, product(b, c))) \
	X(mi_expand,                   MI_REALLOC,  RESIZE(a, b)) \
	X(mi__expand,                  MI_REALLOC,  RESIZE(a, b)) \
	X(mi_realloc_aligned,          MI_REALLOC,  RESIZE(a, b)) \
	X(mi_realloc_aligned_at,       MI_REALLOC,  RESIZE(a, b)) \
	X(mi_rezalloc_aligned,         MI_REALLOC,  RESIZE(a, b)) \
	X(mi_rezalloc_aligned_at,      MI_REALLOC,  RESIZE(a, b)) \
	X(mi_recalloc_aligned,         MI_REALLOC,  RESIZE(a, product(b, c))) \
	X(mi_recalloc_aligned_at,      MI_REALLOC,  RESIZE(a, product(b, c))) \
	X(mi_aligned_recalloc,         MI_REALLOC,  RESIZE(a, product(b, c))) \
	X(mi_aligned_offset_recalloc,  MI_REALLOC,  RESIZE(a, product(b, c))) \
	X(mi_new_realloc,              MI_REALLOC,  RESIZE(a, b)) \
	X(mi_new_reallocn,             MI_REALLOC,  RESIZE(a, product(b, c))) \
	X(mi_malloc_aligned,           MI_ALIGNED,  ALLOC(a)) \
	X(mi_malloc_aligned_at,        MI_ALIGNED,  ALLOC(a)) \
	X(mi_zalloc_aligned,           MI_ALIGNED,  ALLOC(a)) \
	X(mi_zalloc_aligned_at,        MI_ALIGNED,  ALLOC(a)) \
	X(mi_calloc_aligned,           MI_ALIGNED,  ALLOC(product(a, b))) \
	X(mi_calloc_aligned_at,        MI_ALIGNED,  ALLOC(product(a, b))) \
	X(mi_memalign,                 MI_ALIGNED,  ALLOC(b)) \
	X(mi_aligned_alloc,            MI_ALIGNED,  ALLOC(b)) \
	X(mi_posix_memalign,           MI_ALIGNED,  STORED(c)) \
	X(mi_valloc,                   MI_ALIGNED,  ALLOC(a)) \
	X(mi_pvalloc,                  MI_ALIGNED,  ALLOC(a)) \
	X(mi_strdup,                   MI_STRDUP,   STRING(0)) \
	X(mi_strndup,                  MI_STRDUP,   STRING(0)) \
	X(mi_wcsdup,                   MI_STRDUP,   WIDE(0)) \
	X(mi_mbsdup,                   MI_STRDUP,   STRING(0)) \
	X(mi_realpath,                 MI_STRDUP,   STRING(b)) \
	X(mi_dupenv_s,                 MI_STRDUP,   DUPENV(0)) \
	Y(mi_free,                     MI_FREE) \
	Y(mi_cfree,                    MI_FREE) \
	Y(mi_free_size,                MI_FREE) \
	Y(mi_free_size_aligned,        MI_FREE) \
	Y(mi_free_aligned,             MI_FREE)

/* From a heap of the program's own, the first argument.  mi_heap_destroy ends blocks that no call
 * names: they stay live. */
#define OWN_MIMALLOC_HEAPS(X) \
	X(mi_heap_malloc,              MI_HEAP,     ALLOC(b)) \
	X(mi_heap_malloc_small,        MI_HEAP,     ALLOC(b)) \
	X(mi_heap_mallocn,             MI_HEAP,     ALLOC(product(b, c))) \
	X(mi_heap_zalloc,              MI_HEAP,     ALLOC(b)) \
	X(mi_heap_calloc,              MI_HEAP,     ALLOC(product(b, c))) \
	X(mi_heap_malloc_aligned,      MI_HEAP,     ALLOC(b)) \
	X(mi_heap_malloc_aligned_at,   MI_HEAP,     ALLOC(b)) \
	X(mi_heap_zalloc_aligned,      MI_HEAP,     ALLOC(b)) \
	X(mi_heap_zalloc_aligned_at,   MI_HEAP,     ALLOC(b)) \
	X(mi_heap_calloc_aligned,      MI_HEAP,     ALLOC(product(b, c))) \
	X(mi_heap_calloc_aligned_at,   MI_HEAP,     ALLOC(product(b, c))) \
	X(mi_heap_strdup,              MI_HEAP,     STRING(0)) \
	X(mi_heap_strndup,             MI_HEAP,     STRING(0)) \
	X(mi_heap_realpath,            MI_HEAP,     STRING(c)) \
	X(mi_heap_realloc,             MI_REALLOC,  RESIZE(b, c)) \
	X(mi_heap_reallocn,            MI_REALLOC,  RESIZE(b, product(c, d))) \
	X(mi_heap_reallocf,            MI_REALLOC,  REPLACE(b, c)) \
	X(mi_heap_rezalloc,            MI_REALLOC,  RESIZE(b, c)) \
	X(mi_heap_recalloc,            MI_REALLOC,  RESIZE(b, product(c, d))) \
	X(mi_heap_realloc_aligned,     MI_REALLOC,  RESIZE(b, c)) \
	X(mi_heap_realloc_aligned_at,  MI_REALLOC,  RESIZE(b, c)) \
	X(mi_heap_rezalloc_aligned,    MI_REALLOC,  RESIZE(b, c)) \
	X(mi_heap_rezalloc_aligned_at, MI_REALLOC,  RESIZE(b, c)) \
	X(mi_heap_recalloc_aligned,    MI_REALLOC,  RESIZE(b, product(c, d))) \
	X(mi_heap_recalloc_aligned_at, MI_REALLOC,  RESIZE(b, product(c, d)))

/* Those that throw, and what ends their blocks. */
#define OWN_OPERATORS(X, Y) \
	X(tc_new,                      TC_NEW,      ALLOC(a)) \
	X(tc_new_nothrow,              TC_NEW,      ALLOC(a)) \
	X(tc_new_aligned,              TC_NEW,      ALLOC(a)) \
	X(tc_new_aligned_nothrow,      TC_NEW,      ALLOC(a)) \
	X(tc_newarray,                 TC_NEWA,     ALLOC(a)) \
	X(tc_newarray_nothrow,         TC_NEWA,     ALLOC(a)) \
	X(tc_newarray_aligned,         TC_NEWA,     ALLOC(a)) \
	X(tc_newarray_aligned_nothrow, TC_NEWA,     ALLOC(a)) \
	Y(tc_delete,                   TC_DELETE) \
	Y(tc_delete_sized,             TC_DELETE) \
	Y(tc_delete_nothrow,           TC_DELETE) \
	Y(tc_delete_aligned,           TC_DELETE) \
	Y(tc_delete_sized_aligned,     TC_DELETE) \
	Y(tc_delete_aligned_nothrow,   TC_DELETE) \
	Y(tc_deletearray,              TC_DELETEA) \
	Y(tc_deletearray_sized,        TC_DELETEA) \
	Y(tc_deletearray_nothrow,      TC_DELETEA) \
	Y(tc_deletearray_aligned,      TC_DELETEA) \
	Y(tc_deletearray_sized_aligned, TC_DELETEA) \
	Y(tc_deletearray_aligned_nothrow, TC_DELETEA) \
	X(mi_new,                      MI_NEW,      ALLOC(a)) \
	X(mi_new_nothrow,              MI_NEW,      ALLOC(a)) \
	X(mi_new_n,                    MI_NEW,      ALLOC(product(a, b))) \
	X(mi_new_aligned,              MI_NEW,      ALLOC(a)) \
	X(mi_new_aligned_nothrow,      MI_NEW,      ALLOC(a)) \
	X(mi_heap_alloc_new,           MI_HEAP,     ALLOC(b)) \
	X(mi_heap_alloc_new_n,         MI_HEAP,     ALLOC(product(b, c))) \
	X(__size_returning_new,        NEW,         ALLOC(a))

#define OWN_PLAIN(X, Y) \
	OWN_JEMALLOC(X, Y, ) \
	OWN_JEMALLOC(X, Y, je_) \
	OWN_PREFIXED(X, Y) \
	OWN_TCMALLOC(X, Y) \
	OWN_MIMALLOC(X, Y) \
	OWN_MIMALLOC_HEAPS(X)

#define OWN_FUNCTIONS(X, Y) \
	OWN_PLAIN(X, Y) \
	OWN_OPERATORS(X, Y)

#endif
