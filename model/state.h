/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of a heap; for the files of model/ alone.
 *
 *   bytes -> mtk.c | textlog.c -> order.c -> apply.c -> account.c: sites, threads, totals, buckets
 *                                                    -> records.c: one record an allocation
 *
 * Invariants
 *  - Every event passes apply_event() once, in the order of order.c.
 *  - A block or range is in live/ranges from its allocation until its release, and its site,
 *    thread and class count it for exactly that time.
 *  - Stamps are the trace's; they become nanoseconds only when somebody asks.
 *  - Counts and bytes of blocks and pages in the books are in units of weight.h; heap_count() and
 *    heap_bytes() make whole ones of them.
 */
#ifndef MODEL_STATE_H
#define MODEL_STATE_H

#include "base/buffer.h"
#include "base/map.h"
#include "base/spill.h"
#include "base/vector.h"
#include "model/found.h"
#include "model/heap.h"
#include "model/live.h"
#include "model/modules.h"
#include "model/pages.h"
#include "model/ranges.h"
#include "model/sites.h"
#include "model/stack_table.h"
#include "model/weight.h"
#include "model/wrappers.h"
#include "trace/decode.h"
#include "trace/format.h"
#include "trace/ops.h"

#define NOTES_MAX	200u
#define FACTS_MAX	1000u
#define CHILDREN_MAX	1000u
#define RELATIVES_MAX	20000u
#define RSS_SAMPLES_MAX	8192u

/* An event on its way, with the thread's index. */
struct queue {
	struct trace_event *items;
	size_t head, count, capacity;
};

/* What a thread made of one class. */
struct thread_books {
	uint64_t allocs, alloc_bytes;
	uint64_t frees, freed_bytes;
	uint64_t live, live_bytes;
};

struct thread {
	uint64_t last_ptr;	/* of its newest allocation, until that is freed: temporaries */
	uint64_t found_ptr;	/* the hook has a finding on its coming free of this; 0: none */
	struct thread_books books[2];	/* HEAP_BLOCKS, HEAP_PAGES */
	uint64_t last_stamp;
	uint64_t runtime_live, runtime_bytes; /* its live blocks at sites with in_runtime */
	uint64_t temporary;
	uint64_t freed_by_others, freed_for_others;
	uint64_t first_stamp, exit_stamp;
	uint64_t lost, reported_bytes;
	uint32_t found_group;
	uint32_t tid;
	uint32_t name;		/* intern id, 0 unknown */
	uint64_t text_exit_us;	/* its EXIT line was read, though perhaps not yet passed on */
	bool text_exited;
	bool exited;
	bool leaks_counted;	/* its live blocks are in the sites' leaked counts */
	bool queued;		/* its queue is in order.active */
	struct queue queue;
};

/* What every event touches comes first: one or two cache lines, which order.c asks for early. */
struct site {
	uint64_t epoch;		/* of the class's peak: see account.c */
	uint64_t live_bytes;
	uint64_t peak_bytes;	/* live at the peak of that epoch */
	uint64_t live, peak;
	uint64_t allocs, alloc_bytes;
	uint64_t last_stamp;
	uint32_t thread;	/* of its first allocation */
	bool many_threads;
	bool fell : 1;		/* something of it was freed */
	bool in_runtime : 1;	/* its live blocks are in the threads' runtime_live */
	uint8_t class, op;
	uint64_t temporary;
	uint64_t leaked, leaked_bytes; /* of threads with leaks_counted, while the program runs */
	uint64_t first_stamp;
	uint64_t runtime_generation; /* of symbols, when runtime was found out; + 1 */
	uint32_t stack;
	uint8_t bucket;
	bool runtime;
};

struct class_totals {
	uint64_t allocs, alloc_bytes, frees, freed_bytes;
	uint64_t live, live_bytes;
	uint64_t gone, gone_bytes, temporary;
	uint64_t peak, peak_bytes, peak_stamp;
	uint32_t peak_records;	/* that there were at the peak, and */
	uint64_t peak_changes;	/* ends in their log */
	uint64_t epoch;		/* counts new peaks */
};

/* Bytes over time in equal buckets; the width doubles when time outgrows them. */
#define BUCKETS	4096u
struct bucket {
	uint64_t allocated, freed, high;
};
struct buckets {
	struct bucket *items;	/* BUCKETS */
	uint64_t base;		/* stamp of the first one's start */
	unsigned shift;		/* a bucket is 1 << shift quanta */
	size_t used;
	uint64_t live;		/* allocated - freed so far */
};

/* Two events of one address whose stamps are too close for their order to be certain. */
struct unsure {
	uint64_t ptr, stamp;
	uint32_t thread;	/* of the event that is known */
	uint32_t record, owner;	/* displaced: whose free is awaited, and its thread */
	uint32_t stack;
	uint32_t finding;	/* early: what it was taken for, or FOUND_NONE */
	uint64_t count;		/* displaced: of the books */
	uint8_t op;
};
#define UNSURE_SLOTS	4096u
struct repair {
	struct unsure *displaced;	/* blocks whose address was handed out again */
	struct unsure *early;		/* frees that found no block */
	uint64_t displaced_until, early_until; /* stamps up to which a look-up can hit */
	uint64_t window, near_window;	/* quanta: see repair.c */
};

/* 48 bytes.  Low 48 bits of the packed words are address and size. */
struct record {
	uint64_t ptr;		/* | op << 48 | flags << 56 */
	uint64_t size;		/* | free op << 48 | state << 56 */
	uint64_t alloc_stamp, free_stamp;
	uint32_t thread, free_thread;
	uint32_t stack, free_stack;
};
#define RECORD_LOW	0xffffffffffffull
#define RECORD_PIECE	1u
#define RECORD_MISMATCH	2u
#define RECORD_DOUBLE	4u	/* freed once more */
#define RECORD_TEMPORARY 8u	/* freed by its thread before that allocated again */
#define RECORD_BUCKET	4u	/* shift: the high flag bits are the size bucket of the whole */
enum record_state { RECORD_LIVE, RECORD_FREED, RECORD_GONE, RECORD_SPLIT };

/* Fuzzers build many small heaps, and shall come to the end of a chunk. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define RECORD_CHUNK	32u
#else
#define RECORD_CHUNK	131072u	/* three huge pages of records */
#endif
#define CHANGE_CHUNK	(4 * RECORD_CHUNK) /* one huge page of ids */
struct records {
	VECTOR(struct record *) chunks;		/* pieces of heap->spill */
	VECTOR(uint32_t *) change_chunks;	/* as well */
	bool full;		/* there was no memory for more */
	uint32_t count;
	uint64_t changes;	/* ids whose state changed, in order */
};

struct fact { uint32_t key, value; };
struct marker { uint64_t stamp; uint32_t name; };
struct pause { uint64_t from, to; };	/* to: UINT64_MAX while it goes on */
struct child { uint32_t pid, name, reason; };
struct relative { uint32_t number, pid, parent, came, how, value, name, file; };

struct rss_sample {
	struct trace_rss rss;
	uint64_t blocks, pages, inner;
};

/* footprint.c: samples of resident pages with what lay on them. */
struct footprint_sample {
	uint64_t stamp, asked, taken, resident, used, empty;
	bool laid;
};
struct footprint_known { uint64_t start, end; };
struct footprint_lay {
	bool begun;			/* and left */
	struct pages pages;
	struct footprint_sample sample;
	size_t at;			/* of heap_walk() */
};
struct footprint_state {
	VECTOR(struct footprint_sample) samples;
	VECTOR(struct footprint_known) known;	/* the allocator's mappings in the newest sample */
	struct footprint_sample peak;
	size_t stride, merged;		/* as of rss */
	uint64_t laid_events;		/* status.events when blocks were laid last */
	struct footprint_lay lay;
};

/* A sample that the order has not reached: of resident pages when it has some. */
struct sample_wait {
	uint64_t stamp;
	struct trace_rss rss;
	struct trace_resident resident;	/* packed.data is owned; NULL: it is rss */
};

/* exact.c: COUNTERS records, the newest of each thread. */
struct exact_thread {
	uint64_t stamp;
	VECTOR(struct trace_counter) cells;
};
struct exact_counts {
	VECTOR(struct exact_thread) threads;
	bool known;
};

struct textlog;
struct stack_frame;
struct store_reader;

struct heap {
	struct heap_options options;
	struct spill *spill;		/* records and lists of them; shared by all sessions */
	bool spill_borrowed;
	enum heap_format format;
	struct store_reader *reader;
	struct textlog *text;
	struct buffer head;		/* first bytes, until the format is known */
	uint32_t session;		/* of the first chunk */
	bool session_known;
	VECTOR(struct heap *) others;	/* sessions of the same stream */
	struct map newest;		/* session -> index in others + 1 of its newest heap; 0: this one */
	uint64_t fed_bytes;
	struct heap *fed;		/* whose chunk was the last */

	struct trace_clock clock;
	bool clock_known;
	uint64_t now;			/* newest stamp */
	uint64_t first_stamp;		/* of the events; UINT64_MAX before */
	uint64_t sync_stamp;
	VECTOR(struct sample_wait) rss_wait;

	struct modules modules;
	struct stack_table stacks;
	struct map binaries;		/* locate.c: intern id of a path -> struct binary */
	struct wrappers wrappers;
	struct map demangled;		/* intern id of a raw name -> of the readable one */
	struct map thread_by_serial;	/* serial or, in text logs, tid -> index */
	VECTOR(struct thread) threads;
	struct {
		VECTOR(uint32_t) active;
		size_t pending;
		uint32_t batches;
		struct order_turn *turns;	/* of a run that was left, or NULL */
		size_t turn_count;
		uint64_t until;			/* where it goes to */
	} order;
	bool settling;			/* mtk_settle() was left */
	struct { struct heap *of; struct trace_in in; } chunk; /* records not taken yet; of NULL: none */
	VECTOR(struct trace_event) decoded;	/* scratch of mtk.c */

	struct live_table live;
	struct ranges ranges;
	struct repair repair;
	struct found_list found;
	VECTOR(struct site) sites;
	VECTOR(uint32_t) site_of[2];	/* by class and stack: site + 1 */
	uint32_t site_of_op[256][SIZE_BUCKETS + 1]; /* without stack: site + 1; see op_bucket() */
	struct class_totals totals[HEAP_CLASSES];
	struct buckets buckets;
	struct sampling sampling;
	struct exact_counts exact;
	struct records records;
	struct { uint32_t id, thread; uint64_t total; bool known; } asked; /* scan_total() */
	uint64_t wrong_frees;		/* of the unknown ones, those that are findings */
	uint64_t exits;			/* thread exits and the end: states that change unlogged */
	uint64_t exits_counted;		/* exits that the sites' leaked counts know */
	struct {			/* catch_up.c */
		bool leaks, runtime;	/* a walk was left */
		bool wants_leaks, wants_runtime;
		size_t at;		/* of heap_walk() */
	} recount;
	size_t gone_at;			/* of heap_walk() in apply_exec() */
	uint64_t gone_stamp;		/* of that exec */

	VECTOR(struct rss_sample) rss;
	size_t rss_stride;		/* samples merged into one */
	size_t rss_merged;		/* into the newest */
	struct rss_sample rss_peak;
	struct footprint_state footprint;
	VECTOR(struct fact) facts;
	VECTOR(struct marker) markers;
	VECTOR(struct pause) pauses;
	uint64_t unrecorded_calls, unrecorded_bytes;
	bool paused, reached;		/* reached: options.until is */
	VECTOR(uint32_t) notes;
	VECTOR(struct child) children;
	VECTOR(struct relative) relatives;
	struct map relative_by_number;	/* -> index */

	struct heap_status status;	/* the counters and flags; times are filled in when asked */
	uint64_t end_stamp;
	uint64_t generation;
	uint64_t names_generation;	/* of threads */
	uint64_t runtime_symbols;	/* and */
	size_t runtime_sites;		/* that account_runtime() has seen */
	bool watched;			/* the hook tells which frees are wrong */
	bool filtered;			/* not all allocations are recorded: unknown frees are normal */
	bool attached;			/* nor those before the trace began */
	bool left_out;			/* nor some by request */
};

static inline uint64_t heap_ns(const struct heap *heap, uint64_t stamp)
{
	return trace_time(&heap->clock, stamp);
}

/* What the books hold, in whole blocks and bytes. */
static inline uint64_t heap_count(const struct heap *heap, uint64_t units)
{
	return (units + heap->sampling.count_half) >> heap->sampling.count_shift;
}

static inline uint64_t heap_bytes(const struct heap *heap, uint64_t units)
{
	return (units + heap->sampling.bytes_half) >> heap->sampling.bytes_shift;
}

/* A warning for people; each text is kept once. */
void heap_note(struct heap *heap, const char *format, ...) __attribute__((format(printf, 2, 3)));
void heap_damage(struct heap *heap, const char *what);
void heap_saw(struct heap *heap, uint64_t stamp);

/* facts.c: the newest of a key holds. */
void heap_put_fact(struct heap *heap, uint32_t key, uint32_t value);	/* ids of the strings */
void heap_set_fact(struct heap *heap, const char *key, const char *value, size_t length);

/* marks.c.  marks_take_line: of a text log; false: it tells nothing of these. */
void marks_add_marker(struct heap *heap, uint64_t stamp, const char *name, size_t length);
void marks_set_pause(struct heap *heap, const struct trace_pause *pause);
bool marks_take_line(struct heap *heap, const char *line, size_t length);
void marks_heap_release(struct heap *heap);

/* threads.c: the index of a serial (or tid), made when it is new. */
uint32_t thread_index(struct heap *heap, uint64_t serial);
void thread_exit(struct heap *heap, uint32_t thread, uint64_t stamp, uint64_t bytes);

/* Work that can be left returns false when it was, and goes on when it is called again, as it was:
 * with the same arguments, and nothing else done to the heap meanwhile.  Some is done in each call. */
static inline bool heap_is_stopped(const struct heap *heap)
{
	return heap->options.stop && heap->options.stop(heap->options.stop_of);
}

/* Calls visit for each live block behind *at, which is 0 at first, and 0 again when all were visited.  Can be left. */
bool heap_walk(struct heap *heap, size_t *at, void (*visit)(struct heap *heap, const struct live_block *block));

/* order.c.  order_until() passes on all that is stamped at or before stamp.  order_bound() sees to it that
 * not too much waits; both can be left. */
struct trace_event *order_reserve(struct heap *heap, uint32_t thread, size_t count);
void order_commit(struct heap *heap, uint32_t thread, size_t count);
bool order_until(struct heap *heap, uint64_t stamp);
bool order_bound(struct heap *heap);
void order_release(struct heap *heap);

/* heap.c: one that shares spill with others, or with NULL has its own. */
struct heap *heap_new_sharing(const struct heap_options *options, struct spill *spill);

/* sessions.c: the heap that a chunk belongs to; NULL: it is to be left out. */
struct heap *session_of(struct heap *heap, uint32_t session, uint8_t first_kind);
bool sessions_end(struct heap *heap);
bool sessions_settle(struct heap *heap);
void sessions_free(struct heap *heap);

/* mtk.c, textlog.c: bytes to events.  Those that return bool can be left. */
void mtk_end(struct heap *heap); /* after mtk_settle() */
bool mtk_settle(struct heap *heap);
bool mtk_records(struct heap *heap, struct trace_in *in);
void textlog_feed(struct heap *heap, const char *data, size_t length);
bool textlog_hopeless(struct heap *heap, const void *data, size_t length);
void textlog_settle(struct heap *heap);
void textlog_end(struct heap *heap);
void textlog_free(struct textlog *text);

/* apply.c: what events do. */
void apply_event(struct heap *heap, uint32_t thread, const struct trace_event *event);
bool apply_exec(struct heap *heap, uint64_t stamp); /* can be left */

/* apply_pages.c */
void apply_map(struct heap *heap, uint32_t thread, const struct trace_event *event);
void apply_unmap(struct heap *heap, uint32_t thread, const struct trace_event *event);
void pages_exec(struct heap *heap, uint64_t stamp);

/* repair.c */
void repair_init(struct repair *repair);
void repair_release(struct repair *repair);
void repair_windows(struct heap *heap);
void repair_displaced(struct heap *heap, uint32_t thread, const struct trace_event *event,
	const struct live_block *old);
bool repair_late_free(struct heap *heap, uint32_t thread, const struct trace_event *event);
void repair_early_free(struct heap *heap, uint32_t thread, const struct trace_event *event,
	uint32_t finding);
bool repair_take_early(struct heap *heap, uint32_t thread, const struct trace_event *event,
	uint32_t *free_thread, struct trace_event *free_event);

/* account.c: sites, threads, totals and time, told of every change. */
struct account {
	enum heap_class class;
	uint32_t site, thread;
	const struct weight *weight;	/* of a block of a sampled trace; else NULL */
	uint64_t count, size, stamp;	/* count and size in units of the books */
};

/* One block or range of so many bytes.  The weight is valid until the next call. */
static inline struct account account_of(struct heap *heap, enum heap_class class, uint64_t size,
	uint64_t stamp)
{
	struct account a = {
		.class = class, .stamp = stamp, .count = 1ull << heap->sampling.count_shift,
		.size = size << heap->sampling.bytes_shift,
	};

	if (heap->sampling.on && class == HEAP_BLOCKS) {
		a.weight = sampling_weight(&heap->sampling, size);
		a.count = a.weight->count;
		a.size = a.weight->bytes;
	}
	return a;
}

uint32_t account_site(struct heap *heap, enum heap_class class, const struct trace_event *event,
	uint32_t thread);
void account_alloc(struct heap *heap, const struct account *a);
void account_free(struct heap *heap, const struct account *a, uint32_t free_thread, bool whole);
void account_gone(struct heap *heap, const struct account *a);
void account_split(struct heap *heap, const struct account *a); /* one range became two */
void account_inner(struct heap *heap, uint64_t mapped, uint64_t unmapped, uint64_t stamp);

/* catch_up.c: what is counted anew when somebody asks, and may be told later (heap_catch_up()).
 * recount_finish(): one that was left; to be called before events are applied; can be left. */
void account_leaks(struct heap *heap);
void account_runtime(struct heap *heap);
bool recount_finish(struct heap *heap);

/* records.c */
uint32_t record_new(struct heap *heap, uint32_t thread, const struct trace_event *event);
uint32_t record_piece(struct heap *heap, uint32_t whole, uint64_t ptr, uint64_t size);
void record_end(struct heap *heap, uint32_t id, enum record_state state, uint32_t thread,
	const struct trace_event *event);
void record_late_free(struct heap *heap, uint32_t id, uint32_t thread,
	const struct trace_event *event);
void record_mark(struct heap *heap, uint32_t id, uint8_t flag);
void records_release(struct heap *heap);

/* Without records a live block keeps the stamp of its birth in their place: its low 56 bits. */
#define BORN_BITS	56
static inline uint32_t block_record_id(const struct heap *heap, const struct live_block *block)
{
	return heap->options.keep_records ? block->record : HEAP_NONE;
}

static inline void block_set_born(struct live_block *block, uint64_t stamp)
{
	block->record = (uint32_t)stamp;
	block->born_high = (uint32_t)(stamp >> 32) & 0xffffffu;
}

static inline struct record *record_at(const struct heap *heap, uint32_t id)
{
	return &heap->records.chunks.items[id / RECORD_CHUNK][id % RECORD_CHUNK];
}

static inline uint32_t record_change(const struct heap *heap, uint64_t index)
{
	return heap->records.change_chunks.items[index / CHANGE_CHUNK][index % CHANGE_CHUNK];
}

static inline uint64_t block_born(const struct heap *heap, const struct live_block *block)
{
	uint64_t mask = (1ull << BORN_BITS) - 1, born = (uint64_t)block->born_high << 32 | block->record;

	if (heap->options.keep_records)
		return block->record == HEAP_NONE ? 0 : record_at(heap, block->record)->alloc_stamp;
	born |= heap->now & ~mask;
	return born > heap->now && born > mask ? born - mask - 1 : born;
}

static inline uint8_t record_op(const struct record *r) { return (uint8_t)(r->ptr >> 48); }
static inline uint8_t record_flags(const struct record *r) { return (uint8_t)(r->ptr >> 56); }
static inline uint64_t record_size(const struct record *r) { return r->size & RECORD_LOW; }
static inline enum record_state record_state(const struct record *r)
{
	return (enum record_state)(r->size >> 56);
}

/* What a record counts for; pieces of ranges have no count of their own to look at. */
static inline struct account record_account(struct heap *heap, const struct record *r)
{
	return account_of(heap, op_kind(record_op(r)) == OP_KIND_MAP ? HEAP_PAGES : HEAP_BLOCKS,
			  record_size(r), 0);
}

/* Its bytes, in units of the books. */
static inline uint64_t record_units(struct heap *heap, const struct record *r)
{
	return heap->sampling.on ? record_account(heap, r).size : record_size(r);
}

/* The site a record counts for; HEAP_NONE cannot be. */
uint32_t record_site(const struct heap *heap, const struct record *r);

/* Is what this thread still owns leaked? */
static inline bool thread_leaks(const struct heap *heap, uint32_t thread)
{
	return heap->status.leaks_final || heap->threads.items[thread].exited;
}

/* buckets.c */
void buckets_init(struct buckets *b);
void buckets_release(struct buckets *b);
struct bucket *buckets_at(struct buckets *b, uint64_t stamp);

/* exact.c */
void exact_take(struct heap *heap, uint32_t thread, const struct trace_counters *counters);
void exact_release(struct exact_counts *exact);

/* rss.c; can be left */
bool rss_add(struct heap *heap, const struct trace_rss *sample);
bool rss_add_resident(struct heap *heap, const struct trace_resident *resident);
bool rss_settle(struct heap *heap, uint64_t stamp);
void rss_release(struct heap *heap);

/* footprint.c */
void footprint_init(struct footprint_state *state);
void footprint_release(struct footprint_state *state);
bool footprint_take(struct heap *heap, const struct trace_resident *resident); /* can be left */
void footprint_exec(struct heap *heap);

/* runtime.c */
#define BUCKET_RUNTIME	SIZE_BUCKETS	/* libstdc++'s emergency pool, told by its size alone */
bool runtime_stack(struct heap *heap, const struct site *site);
bool runtime_pool(uint8_t op, uint64_t size);

/* sites.c: the same, remembered until names come. */
bool site_is_runtime(struct heap *heap, uint32_t site);
const struct noise *site_leak_noise(const struct heap *heap, uint32_t site);

/* Which of the sites without a stack an allocation belongs to. */
static inline unsigned op_bucket(uint8_t op, uint64_t size)
{
	return runtime_pool(op, size) ? BUCKET_RUNTIME : size_bucket(size);
}

/* stacks.c: the readable form of a name, kept. */
const char *stack_demangle(const struct heap *heap, const char *name);
bool stack_in_runtime(const char *module);
/* Frames of one place, innermost first, at most max into out; returns how many there are. */
size_t stack_place_frames(const struct heap *heap, uint32_t place, struct stack_frame *out, size_t max);
/* What the names of a place tell; the function it is in, demangled; frames inside of a node. */
enum place_role stack_place_role(const struct heap *heap, uint32_t place);
const char *stack_place_function(const struct heap *heap, uint32_t place);
/* The node, and which of the functions inlined there, of stack_first_user_frame(); 0: none. */
uint32_t stack_first_user_node(const struct heap *heap, uint32_t stack, uint32_t *part);
size_t stack_frames_before(const struct heap *heap, uint32_t stack, uint32_t node);

/* locate.c */
void locate_release(struct heap *heap);

#endif
