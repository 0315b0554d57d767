/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The scenarios of the target program: X(NAME), each a function scenario_NAME(). */
#ifndef TESTS_TARGET_SCENARIOS_H
#define TESTS_TARGET_SCENARIOS_H

#define SCENARIOS(X) \
	X(malloc_free) \
	X(calloc_zeroed) \
	X(new_delete) \
	X(new_array) \
	X(realloc_null) \
	X(realloc_grow) \
	X(realloc_shrink) \
	X(realloc_zero) \
	X(realloc_chain) \
	X(free_null) \
	X(malloc_zero) \
	X(large) \
	X(many_small) \
	X(leak) \
	X(cross_thread_free) \
	X(free_after_exit) \
	X(four_workers) \
	X(sized_delete) \
	X(realloc_failed) \
	X(deep_calls) \
	X(template_recursion) \
	X(stack_threads) \
	X(strings) \
	X(pages)

#ifdef __cplusplus
extern "C" {
#endif

#define X(name) void scenario_##name(void);
SCENARIOS(X)
#undef X

#ifdef __cplusplus
}
#endif

#endif
