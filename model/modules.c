/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Modules, strings and symbols as the trace names them. */
#include "model/modules.h"

#include <string.h>

#define ADDRESS_MASK	0xffffffffffffull

void modules_init(struct modules *m)
{
	memset(m, 0, sizeof(*m));
	map_init(&m->by_serial);
	map_init(&m->string_ids);
	map_init(&m->symbols);
	m->strings = intern_new();
}

void modules_release(struct modules *m)
{
	vector_release(&m->items);
	vector_release(&m->list);
	vector_release(&m->frames);
	map_release(&m->by_serial);
	map_release(&m->string_ids);
	map_release(&m->symbols);
	intern_free(m->strings);
}

static uint32_t intern_file(struct modules *m, const struct trace_string *path)
{
	const char *slash = path->length ? memrchr(path->data, '/', path->length) : NULL;
	const char *name = slash ? slash + 1 : path->data;

	return intern_put(m->strings, name ? name : "",
			  path->length - (size_t)(name - path->data));
}

void modules_add(struct modules *m, const struct trace_module *module)
{
	struct module made = {
		.start = module->start, .end = module->end, .bias = module->bias,
		.stamp = module->stamp, .epoch = module->epoch, .image = m->image,
		.path = intern_put(m->strings, module->path.length ? module->path.data : "",
				   module->path.length),
		.file = intern_file(m, &module->path),
	};

	if (m->items.count >= MODULES_MAX)
		return;
	vector_push(&m->items, made);
	map_put(&m->by_serial, module->module, m->items.count);
	m->generation++;
}

void modules_end(struct modules *m, const struct trace_module_end *end)
{
	uint64_t number;
	struct module *module;

	if (!map_get(&m->by_serial, end->module, &number))
		return;
	module = &m->items.items[number - 1];
	module->unloaded = true;
	module->end_epoch = end->epoch;
}

void modules_exec(struct modules *m)
{
	m->image++;
	m->last = 0;
}

/* Epochs of pcs have 16 bits, so they are compared as distances. */
static bool module_holds(const struct modules *m, const struct module *module, uint64_t pc,
	uint16_t epoch)
{
	if (pc < module->start || pc >= module->end || module->image != m->image)
		return false;
	if ((uint16_t)(epoch - module->epoch) >= 0x8000)
		return false;
	return !module->unloaded || (uint16_t)(epoch - module->end_epoch) >= 0x8000;
}

uint32_t modules_find(struct modules *m, uint64_t pc, uint16_t epoch)
{
	const struct module *last = modules_at(m, m->last);

	if (last && module_holds(m, last, pc, epoch))
		return m->last;
	for (size_t i = m->items.count; i-- > 0;)
		if (module_holds(m, &m->items.items[i], pc, epoch)) {
			m->last = (uint32_t)i + 1;
			return m->last;
		}
	return 0;
}

void modules_string(struct modules *m, const struct trace_string_def *string)
{
	const char *data = string->text.length ? string->text.data : "";

	map_put(&m->string_ids, string->id, intern_put(m->strings, data, string->text.length));
	m->generation++;
}

static uint64_t symbol_key(uint32_t number, uint64_t address)
{
	return (uint64_t)number << 48 | (address & ADDRESS_MASK);
}

void modules_symbols(struct modules *m, const struct trace_symbols *symbols)
{
	struct symbol made = { symbols->offset, (uint32_t)m->frames.count, symbols->count };
	uint64_t number = 0;

	if (symbols->module && !map_get(&m->by_serial, symbols->module, &number))
		return;
	for (uint32_t i = 0; i < symbols->count; i++)
		vector_push(&m->frames, symbols->frames[i]);
	map_put(&m->symbols, symbol_key((uint32_t)number, symbols->address), m->list.count);
	vector_push(&m->list, made);
	m->generation++;
}

const struct symbol *modules_symbol(const struct modules *m, uint32_t number, uint64_t address)
{
	uint64_t index;

	if (!map_get(&m->symbols, symbol_key(number, address), &index))
		return NULL;
	return &m->list.items[index];
}

const char *modules_text(const struct modules *m, uint32_t string)
{
	const char *text;
	uint64_t id;

	if (!string || !map_get(&m->string_ids, string, &id))
		return NULL;
	text = intern_text(m->strings, (uint32_t)id, NULL);
	return text[0] ? text : NULL;
}
