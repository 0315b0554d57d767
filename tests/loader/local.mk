# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the dynamic loader: deep binding, epochs, namespaces, allocators with names of their own.

check_PROGRAMS += tests/loader/deepbind
tests_loader_deepbind_SOURCES = tests/loader/deepbind.c
tests_loader_deepbind_CFLAGS = -std=gnu11 -O1 -g -fno-builtin -fno-inline -fno-optimize-sibling-calls
tests_loader_deepbind_LDFLAGS =
tests_loader_deepbind_LDADD = -ldl

EXTRA_DIST += tests/loader/expect.sh tests/loader/plugin.c
EXTRA_DIST += tests/loader/own_jemalloc.c tests/loader/own_tcmalloc.c tests/loader/own_mimalloc.c
sh_tests += tests/loader/deepbind.sh tests/loader/own.sh
