# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the program of `./bootstrap demo` and of the README's walk-through.

check_PROGRAMS += examples/leaky
examples_leaky_SOURCES = examples/leaky.c
examples_leaky_CFLAGS = -std=gnu11 -O2 -g $(WARN_CFLAGS)
examples_leaky_LDFLAGS = -pthread

check_PROGRAMS += examples/churn
examples_churn_SOURCES = examples/churn.c
examples_churn_CFLAGS = -std=gnu11 -O2 -g $(WARN_CFLAGS)

# Allocators to be preloaded: never instrumented, and the compiler must not know malloc.
example_allocators = examples/bump.so examples/freelist.so
check_DATA += $(example_allocators)
EXTRA_DIST += examples/bump.c examples/freelist.c examples/malloc_api.h
CLEANFILES += $(example_allocators)
$(example_allocators): examples/malloc_api.h
examples/bump.so: examples/bump.c
	$(example_link) $(top_srcdir)/examples/bump.c
examples/freelist.so: examples/freelist.c
	$(example_link) $(top_srcdir)/examples/freelist.c
example_link = $(AM_V_CCLD)$(MKDIR_P) examples && $(CC) -std=gnu11 -D_GNU_SOURCE -I$(top_srcdir) \
	-O2 -g $(WARN_CFLAGS) -fPIC -fno-builtin -fvisibility=hidden -shared -o $@
