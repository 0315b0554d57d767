# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the soak test: a program that allocates in every way and keeps count of itself.
#
# make check runs each mode for a moment; MEMTRACK_SOAK=MINUTES goes on with all modes and new seeds
# for so long; MEMTRACK_SOAK_SEED=N starts from that seed.

soak_cflags = -O2 -g -fno-builtin -fomit-frame-pointer

check_PROGRAMS += tests/soak/soak tests/soak/compare
tests_soak_soak_SOURCES = \
	tests/soak/soak.c \
	tests/soak/soak.h \
	tests/soak/blocks.c \
	tests/soak/pages.c \
	tests/soak/threads.c \
	tests/soak/signals.c \
	tests/soak/children.c \
	tests/soak/cxx.cpp
tests_soak_soak_CFLAGS = -std=gnu11 $(WARN_CFLAGS) $(soak_cflags)
tests_soak_soak_CXXFLAGS = -std=gnu++17 -Wall -Wextra $(soak_cflags)
tests_soak_soak_LDFLAGS = -pthread -Wl,-rpath,'$$ORIGIN' -Wl,--no-as-needed
tests_soak_soak_LDADD = tests/soak/libsoakheap.so

tests_soak_compare_SOURCES = \
	tests/soak/compare.c tests/soak/shadow.h \
	tests/tools/dump.c tests/tools/dump.h tests/tools/labels.h
tests_soak_compare_LDADD = libstore.a libtrace.a libbase.a $(ZSTD_LIBS) $(XXHASH_LIBS)

# Loaded into the soaking program: never instrumented, no libtool.
soak_heap = tests/soak/shadow.c tests/soak/heap.c tests/soak/heap_calls.c
check_DATA += tests/soak/libsoakheap.so tests/soak/plugin.so tests/soak/plugin2.so tests/soak/plugin3.so
EXTRA_DIST += $(soak_heap) tests/soak/shadow_count.h tests/soak/heap_new.cpp tests/soak/plugin.cpp
CLEANFILES += tests/soak/libsoakheap.so tests/soak/plugin.so tests/soak/plugin2.so tests/soak/plugin3.so \
	tests/soak/heap_new.o

tests/soak/heap_new.o: tests/soak/heap_new.cpp trace/functions.h
	$(AM_V_CXX)$(MKDIR_P) tests/soak && $(CXX) -std=gnu++17 -I$(top_srcdir) -Wall -Wextra \
		$(soak_cflags) -fPIC -c -o $@ $(top_srcdir)/tests/soak/heap_new.cpp

tests/soak/libsoakheap.so: $(soak_heap) tests/soak/heap_new.o tests/soak/shadow.h \
		tests/soak/shadow_count.h trace/functions.h
	$(AM_V_CCLD)cd $(top_srcdir) && $(CC) -std=gnu11 -D_GNU_SOURCE -I. $(WARN_CFLAGS) -Wno-redundant-decls \
		$(soak_cflags) -fPIC -fexceptions -shared -Wl,-soname,libsoakheap.so \
		-o $(abs_builddir)/$@ $(soak_heap) $(abs_builddir)/tests/soak/heap_new.o -lstdc++

tests/soak/plugin.so tests/soak/plugin2.so tests/soak/plugin3.so: tests/soak/plugin.cpp
	$(AM_V_CXXLD)$(MKDIR_P) tests/soak && $(CXX) -std=gnu++17 -Wall -Wextra $(soak_cflags) -fPIC \
		-shared -Wl,-soname,$(@F) -o $@ $(top_srcdir)/tests/soak/plugin.cpp

sh_tests += tests/soak/soak.sh
