/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Naming frames. */
#include "hook/log_frames.h"

#include <fcntl.h>

#include "hook/core.h"
#include "hook/log_symbol.h"
#include "hook/memory.h"
#include "hook/modules.h"
#include "trace/text_write.h"

#define ARENA_BYTES	(64u << 20)
#define SYMBOL_MAX	4096u
#define TAIL_MAX	64u	/* all that is neither path nor symbol */
#define KNOWN_BITS	18	/* addresses with their text: 2^18 slots */
#define PROBES_MAX	64u
#define EXACT		(1ull << 63)	/* in a key: as DEPOT_EXACT in a node */

/* text: offset in the arena / 8, 0 for none. bytes: of this frame's line and all outer ones. */
struct named {
	_Atomic uint32_t text;
	uint32_t bytes;
};

/* A text in the arena. */
struct text {
	uint32_t length;
	char bytes[];
};

static struct named *named;
static struct depot_node *nodes;
static uint32_t nodes_max;
static char *arena;
static _Atomic uint64_t arena_used;
static _Atomic uint64_t *known_keys;
static _Atomic uint32_t *known_texts;
static char program[512];	/* the path of the executable, which the loader calls "" */

static void read_program(void)
{
	long n = raw_call(RAW_NR_readlinkat, AT_FDCWD, "/proc/self/exe", program, sizeof program - 1, 0);

	program[n > 0 ? n : 0] = 0;
}

bool log_frames_init(void)
{
	nodes = (void *)((char *)hook.region + hook.layout.nodes);
	nodes_max = hook.header->nodes_max;
	named = hook_reserve(nodes_max * sizeof *named);
	arena = hook_reserve(ARENA_BYTES);
	known_keys = hook_reserve(sizeof *known_keys << KNOWN_BITS);
	known_texts = hook_reserve(sizeof *known_texts << KNOWN_BITS);
	arena_used = 8;
	read_program();
	return named && arena && known_keys && known_texts;
}

static size_t put_hex(char *to, const char *before, uint64_t value, const char *after)
{
	size_t n = hook_strlen(before), m = hook_strlen(after), at = n;

	memcpy(to, before, n);
	at += text_hex(to + at, value);
	memcpy(to + at, after, m);
	return at + m;
}

/* What stands for a frame whose text has no room. */
static uint32_t arena_take(size_t bytes)
{
	uint64_t size = (sizeof(struct text) + bytes + 7) & ~7ull, at;

	if (arena_used + size > ARENA_BYTES)
		return 0;
	at = atomic_fetch_add(&arena_used, size);
	return at + size <= ARENA_BYTES ? (uint32_t)(at / 8) : 0;
}

static struct text *text_at(uint32_t text)
{
	return (void *)(arena + 8ull * text);
}

/* N counts up to the return address, as backtrace_symbols does: what is looked up is before it. */
static uint32_t make_text(uint64_t pc, bool exact)
{
	uint64_t at = pc - !exact, back = !exact, offset = pc;
	struct module m;
	bool found = modules_find(at, &m);
	const char *path = !found ? "[unknown]" : m.name && *m.name ? m.name : program;
	const char *symbol = found ? log_symbol(&m, at, &offset) : NULL;
	size_t path_length = hook_strlen(path), symbol_length = symbol ? hook_strlen(symbol) : 0;
	uint32_t text;
	struct text *t;
	size_t n;

	if (symbol_length > SYMBOL_MAX)
		symbol_length = SYMBOL_MAX;
	text = arena_take(path_length + symbol_length + TAIL_MAX);
	if (!text)
		return 0;
	if (found)
		offset = (symbol ? offset : log_file_offset(&m, at)) + back;
	t = text_at(text);
	n = text_clean(t->bytes, path, path_length);
	t->bytes[n++] = '(';
	n += text_clean(t->bytes + n, symbol ? symbol : "", symbol_length);
	n += put_hex(t->bytes + n, "+0x", offset, ")");
	n += put_hex(t->bytes + n, " [0x", pc, "]\n");
	t->length = (uint32_t)n;
	return text;
}

static uint64_t key_of(const struct depot_node *node)
{
	uint64_t frame = atomic_load_explicit(&node->frame, memory_order_acquire);

	return node->flags & DEPOT_EXACT ? frame | EXACT : frame;
}

/* The text of an address (with its module's epoch): looked up once. */
static uint32_t text_of(uint64_t key)
{
	uint64_t hash = key * 0x9e3779b97f4a7c15ull >> (64 - KNOWN_BITS);
	bool exact = key & EXACT;
	uint32_t text;

	for (unsigned i = 0; i < PROBES_MAX; i++) {
		uint32_t slot = (uint32_t)(hash + i) & ((1u << KNOWN_BITS) - 1);
		uint64_t found = atomic_load_explicit(&known_keys[slot], memory_order_acquire);

		if (found && found != key)
			continue;
		text = found ? atomic_load_explicit(&known_texts[slot], memory_order_acquire) : 0;
		if (text)
			return text;
		if (!found && !atomic_compare_exchange_strong(&known_keys[slot], &found, key) && found != key)
			continue;
		text = make_text(DEPOT_PC(key), exact);
		atomic_store_explicit(&known_texts[slot], text, memory_order_release);
		return text;
	}
	return make_text(DEPOT_PC(key), exact);
}

static bool is_node(uint32_t id)
{
	return id >= DEPOT_FIRST && id < nodes_max;
}

static bool is_named(uint32_t id)
{
	return atomic_load_explicit(&named[id].text, memory_order_acquire) != 0;
}

/* "[memtrack]   #N  " is 17 bytes up to 99 frames. */
#define HEAD_BYTES	17u

static void name_node(uint32_t id)
{
	uint32_t parent = nodes[id].parent, text = text_of(key_of(&nodes[id]));

	if (!text)
		return;
	named[id].bytes = HEAD_BYTES + text_at(text)->length + (is_node(parent) ? named[parent].bytes : 0);
	atomic_store_explicit(&named[id].text, text, memory_order_release);
}

/* Outermost first, so that what is named has named callers: the walk up can stop there. */
void log_frames_note(uint32_t stack)
{
	while (is_node(stack) && !is_named(stack)) {
		uint32_t id = stack;

		for (unsigned n = 0; n < LOG_DEPTH_MAX && is_node(nodes[id].parent) &&
		     !is_named(nodes[id].parent); n++)
			id = nodes[id].parent;
		name_node(id);
		if (id == stack || !is_named(id))
			return;
	}
}

size_t log_frames_bytes(uint32_t stack)
{
	return named && is_node(stack) ? named[stack].bytes : 0;
}

unsigned log_frames_nodes(uint32_t stack, uint32_t list[LOG_DEPTH_MAX])
{
	unsigned n = 0;

	for (; named && is_node(stack) && n < LOG_DEPTH_MAX; stack = nodes[stack].parent)
		list[n++] = stack;
	return n;
}

/* A node without text is one for which the arena had no room. */
const char *log_frames_text(uint32_t node, size_t *length)
{
	static char bare[96];
	uint32_t text = atomic_load_explicit(&named[node].text, memory_order_acquire);
	uint64_t pc = DEPOT_PC(nodes[node].frame);

	if (text) {
		*length = text_at(text)->length;
		return text_at(text)->bytes;
	}
	*length = put_hex(bare, "[unknown](+0x", pc, ")");
	*length += put_hex(bare + *length, " [0x", pc, "]\n");
	return bare;
}
