# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: one test per scenario of tests/target/scenarios.h.

EXTRA_DIST += tests/scenarios/scenario.sh
sh_tests += tests/scenarios/malloc_free.sh
sh_tests += tests/scenarios/calloc_zeroed.sh
sh_tests += tests/scenarios/new_delete.sh
sh_tests += tests/scenarios/new_array.sh
sh_tests += tests/scenarios/realloc_null.sh
sh_tests += tests/scenarios/realloc_grow.sh
sh_tests += tests/scenarios/realloc_shrink.sh
sh_tests += tests/scenarios/realloc_zero.sh
sh_tests += tests/scenarios/realloc_chain.sh
sh_tests += tests/scenarios/free_null.sh
sh_tests += tests/scenarios/malloc_zero.sh
sh_tests += tests/scenarios/large.sh
sh_tests += tests/scenarios/many_small.sh
sh_tests += tests/scenarios/leak.sh
sh_tests += tests/scenarios/cross_thread_free.sh
sh_tests += tests/scenarios/free_after_exit.sh
sh_tests += tests/scenarios/four_workers.sh
sh_tests += tests/scenarios/sized_delete.sh
sh_tests += tests/scenarios/realloc_failed.sh
sh_tests += tests/scenarios/deep_calls.sh
sh_tests += tests/scenarios/template_recursion.sh
sh_tests += tests/scenarios/stack_threads.sh
sh_tests += tests/scenarios/strings.sh
sh_tests += tests/scenarios/pages.sh
