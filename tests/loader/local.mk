# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the dynamic loader: deep binding, epochs, namespaces, allocators with names of their own.

check_PROGRAMS += tests/loader/deepbind tests/loader/epochs tests/loader/churn \
	tests/loader/constructors
tests_loader_deepbind_SOURCES = tests/loader/deepbind.c
tests_loader_deepbind_CFLAGS = -std=gnu11 -O1 -g -fno-builtin -fno-inline -fno-optimize-sibling-calls
tests_loader_deepbind_LDFLAGS =
tests_loader_deepbind_LDADD = -ldl
tests_loader_epochs_SOURCES = tests/loader/epochs.c
tests_loader_epochs_CFLAGS = -std=gnu11 -D_GNU_SOURCE -O1 -g -fno-builtin -fno-inline -fno-optimize-sibling-calls
tests_loader_epochs_LDFLAGS =
tests_loader_epochs_LDADD = -ldl
tests_loader_churn_SOURCES = tests/loader/churn.c
tests_loader_churn_CFLAGS = -std=gnu11 -O1 -g -fno-builtin -fno-inline -fno-optimize-sibling-calls
tests_loader_churn_LDFLAGS =
tests_loader_churn_LDADD = -ldl -lpthread
tests_loader_constructors_SOURCES = tests/loader/constructors.c
tests_loader_constructors_CFLAGS = -std=gnu11 -O1 -g -fno-builtin
tests_loader_constructors_LDFLAGS =
tests_loader_constructors_LDADD = -ldl

EXTRA_DIST += tests/loader/expect.sh tests/loader/plugin.c tests/loader/leaf.c tests/loader/lookups.c tests/loader/waiting.c
EXTRA_DIST += tests/loader/own_jemalloc.c tests/loader/own_tcmalloc.c tests/loader/own_mimalloc.c
sh_tests += tests/loader/deepbind.sh tests/loader/own.sh \
	tests/loader/epochs.sh tests/loader/churn.sh tests/loader/lookups.sh tests/loader/constructors.sh
