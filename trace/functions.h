/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The interposed functions: one row each, and nothing else in the tree lists them.
 *
 *   X(id, symbol, label, kind, family)
 *
 * id      the op byte of an event.  Rows are only ever appended: the number is the file format.
 * symbol  what the dynamic linker binds.
 * label   what people read: the OP column of the text log and of memview.
 * kind    what the event does to the heap (enum op_kind).
 * family  which release functions fit which allocations (enum op_family).
 *
 * From these rows come the hook's exported symbols, its table of real functions, the version
 * script, the reader's names and the symbol test.  The C signatures live in hook/.
 */
#ifndef TRACE_FUNCTIONS_H
#define TRACE_FUNCTIONS_H

enum op_kind {
	OP_KIND_NONE,		/* carries no block: void slots, unknown ops */
	OP_KIND_ALLOC,		/* ptr, size: a heap block begins */
	OP_KIND_FREE,		/* ptr: a heap block ends */
	OP_KIND_MAP,		/* ptr, size: a range of pages begins */
	OP_KIND_UNMAP,		/* ptr, size: a range of pages ends, whole or in part */
	OP_KIND_EXIT,		/* size: bytes the thread allocated in its life */
	OP_KIND_FINDING,	/* ptr: the free that follows is wrong; see TRACE_PSEUDO_OPS */
};

enum op_family {
	OP_FAMILY_NONE,
	OP_FAMILY_MALLOC,
	OP_FAMILY_NEW,
	OP_FAMILY_NEW_ARRAY,
	OP_FAMILY_PAGES,
};

/* Functions with one result and one event.  mmap64 and the like are rows of their own, so that
 * the hook exports every name; labels are shared where a reader should not care. */
#define TRACE_FUNCTIONS(X) \
	X(MALLOC,           malloc,             "malloc",             ALLOC, MALLOC) \
	X(CALLOC,           calloc,             "calloc",             ALLOC, MALLOC) \
	X(REALLOC,          realloc,            "realloc",            ALLOC, MALLOC) \
	X(REALLOCARRAY,     reallocarray,       "reallocarray",       ALLOC, MALLOC) \
	X(FREE,             free,               "free",               FREE,  MALLOC) \
	X(CFREE,            cfree,              "cfree",              FREE,  MALLOC) \
	X(FREE_SIZED,       free_sized,         "free_sized",         FREE,  MALLOC) \
	X(FREE_ALIGNED,     free_aligned_sized, "free_aligned_sized", FREE,  MALLOC) \
	X(POSIX_MEMALIGN,   posix_memalign,     "posix_memalign",     ALLOC, MALLOC) \
	X(ALIGNED_ALLOC,    aligned_alloc,      "aligned_alloc",      ALLOC, MALLOC) \
	X(MEMALIGN,         memalign,           "memalign",           ALLOC, MALLOC) \
	X(VALLOC,           valloc,             "valloc",             ALLOC, MALLOC) \
	X(PVALLOC,          pvalloc,            "pvalloc",            ALLOC, MALLOC) \
	X(STRDUP,           strdup,             "strdup",             ALLOC, MALLOC) \
	X(STRNDUP,          strndup,            "strndup",            ALLOC, MALLOC) \
	X(UNDER_STRDUP,     __strdup,           "strdup",             ALLOC, MALLOC) \
	X(UNDER_STRNDUP,    __strndup,          "strndup",            ALLOC, MALLOC) \
	X(LIBC_MALLOC,      __libc_malloc,      "malloc",             ALLOC, MALLOC) \
	X(LIBC_CALLOC,      __libc_calloc,      "calloc",             ALLOC, MALLOC) \
	X(LIBC_REALLOC,     __libc_realloc,     "realloc",            ALLOC, MALLOC) \
	X(LIBC_FREE,        __libc_free,        "free",               FREE,  MALLOC) \
	X(LIBC_MEMALIGN,    __libc_memalign,    "memalign",           ALLOC, MALLOC) \
	X(LIBC_VALLOC,      __libc_valloc,      "valloc",             ALLOC, MALLOC) \
	X(LIBC_PVALLOC,     __libc_pvalloc,     "pvalloc",            ALLOC, MALLOC) \
	X(NEW,              _Znwm,                                "new",      ALLOC, NEW) \
	X(NEW_NT,           _ZnwmRKSt9nothrow_t,                  "new",      ALLOC, NEW) \
	X(NEW_AL,           _ZnwmSt11align_val_t,                 "new",      ALLOC, NEW) \
	X(NEW_AL_NT,        _ZnwmSt11align_val_tRKSt9nothrow_t,   "new",      ALLOC, NEW) \
	X(NEWA,             _Znam,                                "new[]",    ALLOC, NEW_ARRAY) \
	X(NEWA_NT,          _ZnamRKSt9nothrow_t,                  "new[]",    ALLOC, NEW_ARRAY) \
	X(NEWA_AL,          _ZnamSt11align_val_t,                 "new[]",    ALLOC, NEW_ARRAY) \
	X(NEWA_AL_NT,       _ZnamSt11align_val_tRKSt9nothrow_t,   "new[]",    ALLOC, NEW_ARRAY) \
	X(DELETE,           _ZdlPv,                               "delete",   FREE,  NEW) \
	X(DELETE_SZ,        _ZdlPvm,                              "delete",   FREE,  NEW) \
	X(DELETE_NT,        _ZdlPvRKSt9nothrow_t,                 "delete",   FREE,  NEW) \
	X(DELETE_AL,        _ZdlPvSt11align_val_t,                "delete",   FREE,  NEW) \
	X(DELETE_SZ_AL,     _ZdlPvmSt11align_val_t,               "delete",   FREE,  NEW) \
	X(DELETE_AL_NT,     _ZdlPvSt11align_val_tRKSt9nothrow_t,  "delete",   FREE,  NEW) \
	X(DELETEA,          _ZdaPv,                               "delete[]", FREE,  NEW_ARRAY) \
	X(DELETEA_SZ,       _ZdaPvm,                              "delete[]", FREE,  NEW_ARRAY) \
	X(DELETEA_NT,       _ZdaPvRKSt9nothrow_t,                 "delete[]", FREE,  NEW_ARRAY) \
	X(DELETEA_AL,       _ZdaPvSt11align_val_t,                "delete[]", FREE,  NEW_ARRAY) \
	X(DELETEA_SZ_AL,    _ZdaPvmSt11align_val_t,               "delete[]", FREE,  NEW_ARRAY) \
	X(DELETEA_AL_NT,    _ZdaPvSt11align_val_tRKSt9nothrow_t,  "delete[]", FREE,  NEW_ARRAY) \
	X(MMAP,             mmap,               "mmap",               MAP,   PAGES) \
	X(MMAP64,           mmap64,             "mmap",               MAP,   PAGES) \
	X(MUNMAP,           munmap,             "munmap",             UNMAP, PAGES) \
	X(MREMAP,           mremap,             "mremap",             MAP,   PAGES) \
	X(BRK,              brk,                "brk",                MAP,   PAGES) \
	X(SBRK,             sbrk,               "sbrk",               MAP,   PAGES)

/* Halves and marks that no function of their own stands for:  X(id, label, kind, family).
 * A realloc is two records: REALLOC_FREE (old pointer, stamped before the real call) then
 * REALLOC (new pointer and size, stamped after), moved or not; mremap and a shrinking brk
 * likewise.  NAME lives in the channel only: its ptr and size words are the 16 bytes of the
 * thread's new name; the drain turns it into a THREAD record.
 *
 * A FOUND op stands right before the release it is about, with its pointer and stamp and always
 * with the stack of that call; its size is FOUND_SIZE(op of the releasing function, family the
 * block was allocated by).  MISMATCH: the families differ.  DOUBLE: the block was free already.
 * UNKNOWN: no traced call ever returned this pointer. */
#define TRACE_PSEUDO_OPS(X) \
	X(REALLOC_FREE,     "free",   FREE,  MALLOC) \
	X(MREMAP_UNMAP,     "munmap", UNMAP, PAGES) \
	X(BRK_UNMAP,        "brk",    UNMAP, PAGES) \
	X(EXIT,             "EXIT",   EXIT,  NONE) \
	X(NAME,             "name",   NONE,  NONE) \
	X(FOUND_MISMATCH,   "mismatched free", FINDING, NONE) \
	X(FOUND_DOUBLE,     "double free",     FINDING, NONE) \
	X(FOUND_UNKNOWN,    "wild free",       FINDING, NONE)

#define FOUND_SIZE(op, family)	((uint64_t)(op) | (uint64_t)(family) << 8)
#define FOUND_OP(size)		((unsigned)(size) & 0xff)
#define FOUND_FAMILY(size)	((unsigned)(size) >> 8 & 0xff)

/* What allocators call their functions themselves:  X(id, label, kind, family).  No symbols here:
 * the hook must not export them (a program that finds mallocx believes that it runs on
 * jemalloc), and many functions share an op.  hook/own_functions.h has their names. */
#define TRACE_OWN_OPS(X) \
	X(MALLOCX,          "mallocx",        ALLOC, MALLOC) \
	X(RALLOCX,          "rallocx",        ALLOC, MALLOC) \
	X(XALLOCX,          "xallocx",        ALLOC, MALLOC) \
	X(DALLOCX,          "dallocx",        FREE,  MALLOC) \
	X(SDALLOCX,         "sdallocx",       FREE,  MALLOC) \
	X(TC_MALLOC,        "tc_malloc",      ALLOC, MALLOC) \
	X(TC_CALLOC,        "tc_calloc",      ALLOC, MALLOC) \
	X(TC_REALLOC,       "tc_realloc",     ALLOC, MALLOC) \
	X(TC_MEMALIGN,      "tc_memalign",    ALLOC, MALLOC) \
	X(TC_FREE,          "tc_free",        FREE,  MALLOC) \
	X(TC_NEW,           "tc_new",         ALLOC, NEW) \
	X(TC_NEWA,          "tc_newarray",    ALLOC, NEW_ARRAY) \
	X(TC_DELETE,        "tc_delete",      FREE,  NEW) \
	X(TC_DELETEA,       "tc_deletearray", FREE,  NEW_ARRAY) \
	X(MI_MALLOC,        "mi_malloc",      ALLOC, MALLOC) \
	X(MI_ZALLOC,        "mi_zalloc",      ALLOC, MALLOC) \
	X(MI_CALLOC,        "mi_calloc",      ALLOC, MALLOC) \
	X(MI_REALLOC,       "mi_realloc",     ALLOC, MALLOC) \
	X(MI_ALIGNED,       "mi_memalign",    ALLOC, MALLOC) \
	X(MI_STRDUP,        "mi_strdup",      ALLOC, MALLOC) \
	X(MI_NEW,           "mi_new",         ALLOC, MALLOC) \
	X(MI_HEAP,          "mi_heap_malloc", ALLOC, MALLOC) \
	X(MI_FREE,          "mi_free",        FREE,  MALLOC)

/* Op numbers: 0 is a void slot; functions count from 1, an allocator's own ones from 80 to 111;
 * pseudo ops from 192. */
enum op {
	OP_VOID = 0,
#define X(id, symbol, label, kind, family) OP_##id,
	TRACE_FUNCTIONS(X)
#undef X
	OP_FUNCTIONS_END,
	OP_OWN_BASE = 79,
#define X(id, label, kind, family) OP_##id,
	TRACE_OWN_OPS(X)
#undef X
	OP_OWN_END,
	OP_PSEUDO_BASE = 191,
#define X(id, label, kind, family) OP_##id,
	TRACE_PSEUDO_OPS(X)
#undef X
	OP_END,
};

_Static_assert(OP_FUNCTIONS_END <= OP_OWN_BASE + 1 && OP_OWN_END <= 112, "ops fit the trace");

#endif
