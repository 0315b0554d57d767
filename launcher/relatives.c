/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RELATIVE records and the kin of a process. */
#include "launcher/relatives.h"

#include <stdio.h>

#include "base/alloc.h"
#include "trace/encode.h"

void relatives_describe(struct process *p, enum trace_came came, const struct process *parent)
{
	struct kin *k = &p->kin;

	k->came = came;
	k->parent_number = k->number;
	if (parent) {
		k->parent = parent->pid;
		k->parent_number = parent->kin.number;
		snprintf(k->parent_name, sizeof(k->parent_name), "%s", parent->name);
		if (parent->output.path)
			k->parent_trace = xstrdup(parent->output.path);
	} else if (k->parent) {
		procfs_comm(k->parent, k->parent_name);
	}
}

static struct process *parent_of(struct tracer *t, const struct process *p)
{
	for (size_t i = 0; i < t->all.count; i++) {
		struct process *other = t->all.items[i];

		if (other != p && other->kin.number == p->kin.parent_number)
			return other->closed ? NULL : other;
	}
	return NULL;
}

void relatives_tell(struct tracer *t, const struct process *p, uint32_t how, uint32_t value)
{
	struct process *parent = parent_of(t, p);
	struct trace_relative r = {
		.number = p->kin.number, .pid = (uint32_t)p->pid, .parent = (uint32_t)p->kin.parent,
		.came = p->kin.came, .how = how, .value = value, .name = trace_string(p->name),
		.file = trace_string(p->output.path ? p->output.path : ""),
	};

	if (t->main->session)
		session_add_relative(t->main->session, &r);
	if (parent && parent != t->main)
		session_add_relative(parent->session, &r);
}
