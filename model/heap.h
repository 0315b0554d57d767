/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The heap of one traced process, rebuilt from the bytes of a trace as they arrive.
 *
 *   heap_new -> heap_feed ... heap_feed -> heap_end -> queries -> heap_free
 *
 * Queries may be made between any two feeds: they show what has been put into order so far.  A
 * heap belongs to one thread at a time.  Strings handed out are NUL-terminated, live as long as
 * the heap and may hold any bytes: sanitise (base/text.h) before they reach a terminal.
 *
 * Times are nanoseconds since the trace's time 0, sizes are bytes as requested by the program.
 */
#ifndef MODEL_HEAP_H
#define MODEL_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEAP_NONE	UINT32_MAX	/* no such record, thread, stack, site */

struct heap;

struct heap_options {
	bool keep_records;	/* keep one record an allocation, for lists and selections; without,
				 * memory follows live blocks, distinct stacks and threads only */
	bool follow;		/* the file still grows: the end of the bytes is not the end of the
				 * program (a text log has no end record to tell) */
	size_t memory;		/* bytes that records and lists of them may take in memory, about; the rest
				 * goes to a file (base/spill.h).  0: all is in memory */
	const char *folder;	/* for that file; NULL: where temporary files are */
	bool quick_lines;	/* somebody waits: no lines from binaries that take longer than milliseconds
				 * to read, for frames of a text log, which a trace has resolved already */
	uint64_t until;		/* in the trace's own stamps: events behind it are left out; 0: none are */
	/* NULL, or asked each fraction of a millisecond of work: true leaves the rest for heap_go_on(). */
	bool (*stop)(void *stop_of);
	void *stop_of;
};

/* options may be NULL: no records, no follow.  Never fails. */
struct heap *heap_new(const struct heap_options *options);
void heap_free(struct heap *heap);

/* Take the next bytes of a .mtk trace or of a text log (told by the first bytes), in pieces of
 * any length.  Returns 0, -EBADMSG when this is neither, -ENOTSUP when another version wrote it; damage inside a trace is not an
 * error here, it is skipped, and reported by heap_status().  Work done is proportional to length. */
int heap_feed(struct heap *heap, const void *bytes, size_t length);

/* Goes on with what was left when options.stop had said so.  Returns whether all that was fed is
 * digested; if not, heap_feed() would first do the rest, and not ask. */
bool heap_go_on(struct heap *heap);

/* Nothing came for a while: show also what still waits for events of other threads.  Returns false when
 * it was told to stop: call it again. */
bool heap_settle(struct heap *heap);

/* No more bytes will come.  Idempotent.  Returns false when it was told to stop: call it again. */
bool heap_end(struct heap *heap);

/* What sites and threads are said to have leaked while the program runs may take a walk over all live
 * blocks.  With options.stop, queries make short ones alone: does one wait that was asked for, so that
 * the answer is still that of before?  heap_catch_up() makes it; false: it was told to stop, call it
 * again.  Of a heap of any process. */
bool heap_is_behind(const struct heap *heap);
bool heap_catch_up(struct heap *heap);

/* The processes of the trace, in the order of appearance; there is one at least.  A stream may
 * carry a whole family (memtrack -f --port), told apart by the numbers of their sessions: each
 * process is a heap of its own, which belongs to the one that is fed and is only to be asked.
 * 0 is that heap itself, which is told of the end and settles for all. */
size_t heap_session_count(const struct heap *heap);
struct heap *heap_session_at(struct heap *heap, size_t index);
/* Of two processes of one stream, did the one end before the other did (if it has)? */
bool heap_ended_before(const struct heap *heap, const struct heap *other);
/* The process with this number (session, from 0 on) or else this pid; SIZE_MAX: none so far. */
size_t heap_session_find(struct heap *heap, uint64_t number);

/* Moves with every change a viewer could show. */
uint64_t heap_generation(const struct heap *heap);

enum heap_format { HEAP_FORMAT_UNKNOWN, HEAP_FORMAT_MTK, HEAP_FORMAT_TEXT };
enum heap_end_how {
	HEAP_RUNNING,		/* no end seen (yet): after heap_end(), cut off or still running */
	HEAP_EXITED,		/* end_value is the exit status */
	HEAP_KILLED,		/* end_value is the signal */
	HEAP_DETACHED,		/* the process went on untraced */
	HEAP_ENDED,		/* nobody saw how; a text log's end does not tell */
};

struct heap_status {
	enum heap_format format;
	enum heap_end_how end;
	uint32_t end_value;
	bool data_ended;	/* heap_end() was called */
	bool leaks_final;	/* the program ended: what is live is leaked */
	bool damaged;		/* the trace is cut off or damaged; a note says how */
	bool cut;		/* damaged only by that it has no end: the writer was killed or goes on, or the file is a part */
	bool other_version;		/* it is in a format that a later version wrote: nothing was read */
	bool inexact;		/* events were lost, so totals are lower bounds */
	uint64_t now_ns;	/* newest time seen */
	uint64_t first_ns;	/* of the first event */
	uint64_t events;	/* put into order so far */
	uint64_t expected_events; /* by the end record; 0 unknown */
	uint64_t lost;		/* events that were not recorded */
	uint64_t foreign_lines;	/* of a text log: not ours, skipped */
	uint64_t unknown_frees;	/* of blocks never seen: older than the trace, filtered, or wild */
	bool attached;		/* the process ran before the trace began: older_frees were allocated then */
	uint64_t older_frees;	/* if attached: unknown_frees that are no findings, unless allocations were
				 * left out by request */
	uint64_t double_frees;	/* of blocks freed a moment ago */
	uint64_t mismatched_frees; /* new against free, and the like */
	uint64_t implied_frees;	/* a live address was handed out again: its free was not seen */
	uint64_t execs;
	uint64_t sites;		/* distinct call sites */
	uint64_t children;	/* not traced */
	uint64_t sample;	/* mean bytes between two recorded blocks; 0: all are recorded */
};
void heap_status(const struct heap *heap, struct heap_status *out);

/* Blocks come from the allocator; pages from mmap and friends called by the program itself;
 * inner pages are the allocator's own (they hold the blocks, and are in no total but this). */
enum heap_class { HEAP_BLOCKS, HEAP_PAGES, HEAP_INNER, HEAP_CLASSES };

/* In a sampled trace all amounts of blocks are estimates, in totals, threads, sites and selections:
 * the true figure lies within so much of the estimate with a probability of 95 %, as long as dozens
 * of blocks were recorded for it.  All 0 in other traces, and for pages, which are never sampled.
 * A figure of which nothing was recorded shows as 0, and may in truth be some times the period.
 * What a thread allocated between two events is not known then: nothing counts as temporary. */
struct heap_margin {
	uint64_t allocs, alloc_bytes, frees, freed_bytes, live, live_bytes;
	uint64_t leaked, leaked_bytes, peak, peak_bytes;
};

struct heap_totals {
	uint64_t allocs, alloc_bytes;
	uint64_t frees, freed_bytes;
	uint64_t live, live_bytes;
	uint64_t gone, gone_bytes;	/* lived when the process executed another program */
	uint64_t leaked, leaked_bytes;	/* without those of the runtime */
	uint64_t runtime, runtime_bytes; /* leaked, but kept by the C or C++ runtime for itself */
	uint64_t temporary;		/* freed by their thread before it allocated again */
	uint64_t peak, peak_bytes, peak_ns; /* most bytes alive at once, exactly, and how many blocks */
	struct heap_margin margin;
};
/* Cost: the number of call sites (leaked is summed up from them). */
void heap_totals(struct heap *heap, enum heap_class which, struct heap_totals *out);
/* Did the program map anything itself? */
bool heap_has_pages(const struct heap *heap);

/* What a sampled trace counted exactly, beside its samples: of a thread, or of all (HEAP_NONE).
 * Blocks and pages as in the totals.  Returns false when the trace does not say. */
struct heap_exact {
	uint64_t allocs, alloc_bytes, frees;
	uint64_t maps, map_bytes;
};
bool heap_exact(const struct heap *heap, uint32_t thread, struct heap_exact *out);

/* The allocations of one op and size bucket (model/sites.h) of all threads; bytes may be NULL. */
uint64_t heap_exact_cell(const struct heap *heap, uint8_t op, unsigned bucket, uint64_t *bytes);

/* Facts of the run by key: command exe pid host started method options program ... NULL: unknown. */
const char *heap_fact(const struct heap *heap, const char *key);
size_t heap_fact_count(const struct heap *heap);
const char *heap_fact_at(const struct heap *heap, size_t index, const char **value);

/* Warnings for people: the launcher's, and the reader's own about the data. */
size_t heap_note_count(const struct heap *heap);
const char *heap_note_at(const struct heap *heap, size_t index);

/* Child processes that were not traced: name, pid, why not ("": nobody asked for it, without -f). */
size_t heap_child_count(const struct heap *heap);
const char *heap_child_at(const struct heap *heap, size_t index, uint32_t *pid, const char **reason);

/* Other traced processes of the same run, as the trace knew them last. */
struct heap_relative {
	uint32_t number;		/* of its session; counts the processes of the run */
	uint32_t pid, parent;
	bool forked;			/* by its parent, whose heap it has a copy of */
	enum heap_end_how end;
	uint32_t end_value;
	const char *name;
	const char *file;		/* its trace; "": a session of the same stream */
};
size_t heap_relative_count(const struct heap *heap);
void heap_relative_at(const struct heap *heap, size_t index, struct heap_relative *out);

struct heap_module {
	const char *path;
	uint64_t start, end, load_ns;
	bool unloaded;
};
size_t heap_module_count(const struct heap *heap);
void heap_module_at(const struct heap *heap, size_t index, struct heap_module *out);

/* OP column; "?" for unknown ones. */
const char *heap_op_label(uint8_t op);

#endif
