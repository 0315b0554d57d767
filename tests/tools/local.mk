# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: what the tests look at traces with, and the independent counter.

check_PROGRAMS += tests/tools/counter_print
tests_tools_counter_print_SOURCES = \
	tests/tools/counter_print.c tests/tools/counter.h tests/tools/labels.h

# The interposer is loaded into other programs: never instrumented, no libtool.
check_DATA += tests/tools/counter.so
EXTRA_DIST += tests/tools/counter.c tests/tools/text_dump.awk
CLEANFILES += tests/tools/counter.so
tests/tools/counter.so: tests/tools/counter.c tests/tools/counter.h trace/functions.h
	$(AM_V_CCLD)$(MKDIR_P) tests/tools && $(CC) -std=gnu11 -D_GNU_SOURCE -I$(top_srcdir) -O2 -g \
		$(WARN_CFLAGS) -Wno-redundant-decls -fPIC -fexceptions -fno-builtin \
		-fvisibility=hidden -shared -o $@ $(top_srcdir)/tests/tools/counter.c

check_PROGRAMS += tests/tools/trace_dump
tests_tools_trace_dump_SOURCES = \
	tests/tools/trace_dump.c tests/tools/dump.c tests/tools/dump.h tests/tools/labels.h
tests_tools_trace_dump_LDADD = libstore.a libtrace.a libbase.a $(ZSTD_LIBS) $(XXHASH_LIBS)
