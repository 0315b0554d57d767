// SPDX-License-Identifier: LGPL-2.1-or-later
// Scenarios of operator new and delete.
#include "tests/target/record.h"
#include "tests/target/scenarios.h"
#include "tests/target/workers.h"

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <new>
#include <pthread.h>

namespace {

struct point {
	double x, y, z;
};

NOINLINE void *fresh(size_t size)
{
	void *p = ::operator new(size);

	KEEP(p);
	record_alloc("new", p, size);
	return p;
}

} // namespace

void scenario_new_delete(void)
{
	point *p = new point();

	KEEP(p);
	record_alloc("new", p, sizeof(point));
	record_frames(p, "scenario_new_delete;main");
	record_release("delete", p);
	delete p;
	NOT_A_TAIL_CALL();
}

void scenario_new_array(void)
{
	int *p = new int[250];

	KEEP(p);
	record_alloc("new[]", p, 250 * sizeof(int));
	record_frames(p, "scenario_new_array;main");
	record_release("delete[]", p);
	delete[] p;
	NOT_A_TAIL_CALL();
}

void scenario_sized_delete(void)
{
	void *p = fresh(48), *q;

	record_frames(p, "(anonymous namespace)::fresh(unsigned long);scenario_sized_delete;main");
	record_release("delete", p);
	::operator delete(p, static_cast<size_t>(48));
	q = ::operator new(96, std::align_val_t(64));
	KEEP(q);
	record_alloc("new", q, 96);
	record_say("aligned", reinterpret_cast<uintptr_t>(q) % 64 == 0);
	record_release("delete", q);
	::operator delete(q, static_cast<size_t>(96), std::align_val_t(64));
	NOT_A_TAIL_CALL();
}

void *worker_all_kinds(void *name)
{
	pthread_setname_np(pthread_self(), static_cast<const char *>(name));
	record_thread(static_cast<const char *>(name));
	for (int i = 0; i < WORKER_ROUNDS; i++) {
		size_t size = 100 + static_cast<size_t>(i);
		void *a = malloc(size), *b = calloc(2, size), *d;
		KEEP(a);
		KEEP(b);
		record_alloc("malloc", a, size);
		record_alloc("calloc", b, 2 * size);
		d = fresh(size);
		char *c = static_cast<char *>(strdup("worker"));
		record_alloc("strdup", c, 7);
		uintptr_t old = reinterpret_cast<uintptr_t>(a);
		a = realloc(a, 3 * size);
		KEEP(a);
		record_realloc(old, a, 3 * size);
		char *e = new char[size];
		KEEP(e);
		record_alloc("new[]", e, size);
		record_release("delete[]", e);
		delete[] e;
		record_release("delete", d);
		::operator delete(d);
		for (void *p : { a, b, static_cast<void *>(c) }) {
			record_release("free", p);
			free(p);
		}
	}
	return nullptr;
}
