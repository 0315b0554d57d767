// SPDX-License-Identifier: LGPL-2.1-or-later
// Sixty instances of a template whose names grow long: a symboliser must not cut or mix them.
#include "tests/target/record.h"
#include "tests/target/scenarios.h"

#include <cstdlib>

namespace recursion {

template <int N> struct a_type_with_a_rather_long_name {
	static const int value = N;
};

template <typename Outer, int N> struct descent_through_templates {
	NOINLINE static void *level(size_t size)
	{
		typedef descent_through_templates<a_type_with_a_rather_long_name<N>, N - 1> next;
		void *p = next::level(size + Outer::value * 0u);
		KEEP(p);
		return p;
	}
};

template <typename Outer> struct descent_through_templates<Outer, 0> {
	NOINLINE static void *level(size_t size)
	{
		void *p = malloc(size);
		KEEP(p);
		record_alloc("malloc", p, size);
		return p;
	}
};

} // namespace recursion

void scenario_template_recursion(void)
{
	typedef recursion::a_type_with_a_rather_long_name<60> first;
	void *p = recursion::descent_through_templates<first, 59>::level(600);

	KEEP(p);
	record_say("levels", 60);
	record_release("free", p);
	free(p);
	NOT_A_TAIL_CALL();
}
