# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: fuzz targets.  tests/fuzz/replay runs them over files in every build, tests/fuzz/fuzz_* are
# libFuzzer's (./configure CC=clang CXX=clang++ --enable-fuzz).  tests/fuzz/run starts those.

fuzz_targets = \
	tests/fuzz/target.h \
	tests/fuzz/address.c \
	tests/fuzz/columns.c \
	tests/fuzz/container.c \
	tests/fuzz/elf.c \
	tests/fuzz/hostile.c tests/fuzz/hostile.h \
	tests/fuzz/maps.c \
	tests/fuzz/queries.c tests/fuzz/queries.h \
	tests/fuzz/records.c \
	tests/fuzz/segment.c \
	tests/fuzz/settings.c \
	tests/fuzz/standalone.c hook/names.c hook/standalone_settings.c \
	tests/fuzz/text.c
fuzz_libraries = liblauncher.a libmodel.a libsymbols.a libstore.a libwire.a libtrace.a libbase.a \
	$(DW_LIBS) $(ELF_LIBS) $(ZSTD_LIBS) $(XXHASH_LIBS) $(DEMANGLE_LIBS)

check_PROGRAMS += tests/fuzz/replay
tests_fuzz_replay_SOURCES = tests/fuzz/replay.c tests/fuzz/mutate.c tests/fuzz/mutate.h $(fuzz_targets)
tests_fuzz_replay_LDADD = $(fuzz_libraries)

sh_tests += tests/fuzz/smoke.sh
EXTRA_DIST += tests/fuzz/run tests/fuzz/corpus tests/fuzz/libfuzzer.c
CLEANFILES += replay.*.input

if FUZZ
# The targets' code is in the library's objects already; libfuzzer.c is compiled once for each.
noinst_LIBRARIES += libfuzztargets.a
libfuzztargets_a_SOURCES = $(fuzz_targets)

fuzz_programs = \
	tests/fuzz/fuzz_address \
	tests/fuzz/fuzz_columns \
	tests/fuzz/fuzz_container \
	tests/fuzz/fuzz_elf \
	tests/fuzz/fuzz_maps \
	tests/fuzz/fuzz_records \
	tests/fuzz/fuzz_segment \
	tests/fuzz/fuzz_settings \
	tests/fuzz/fuzz_standalone \
	tests/fuzz/fuzz_text
noinst_DATA += $(fuzz_programs)
CLEANFILES += $(fuzz_programs)
$(fuzz_programs): tests/fuzz/libfuzzer.c libfuzztargets.a liblauncher.a libmodel.a libsymbols.a libstore.a \
	libwire.a libtrace.a libbase.a
	$(AM_V_CCLD)$(CC) $(AM_CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) -fsanitize=fuzzer $(LDFLAGS) \
		-DFUZZ_TARGET=`basename $@ | sed s/^fuzz_//` -o $@ $(top_srcdir)/tests/fuzz/libfuzzer.c \
		libfuzztargets.a $(fuzz_libraries) $(LIBS)
endif
