# base/: helpers of the host programs

noinst_LIBRARIES += libbase.a
libbase_a_SOURCES = \
	base/alloc.c base/alloc.h \
	base/buffer.c base/buffer.h \
	base/hash.c base/hash.h \
	base/hold.c base/hold.h \
	base/intern.c base/intern.h \
	base/map.c base/map.h \
	base/numbers.c base/numbers.h \
	base/options.c base/options.h \
	base/options_completion.c \
	base/options_text.c \
	base/spill.c base/spill.h \
	base/spill_windows.c base/spill_windows.h \
	base/text.c base/text.h \
	base/units.c base/units.h \
	base/vector.c base/vector.h

check_PROGRAMS += tests/unit/base_test
tests_unit_base_test_SOURCES = tests/unit/base_test.c
tests_unit_base_test_LDADD = libbase.a $(XXHASH_LIBS)
TESTS += tests/unit/base_test

check_PROGRAMS += tests/unit/options_test
tests_unit_options_test_SOURCES = tests/unit/options_test.c
tests_unit_options_test_LDADD = libbase.a $(XXHASH_LIBS)
TESTS += tests/unit/options_test

check_PROGRAMS += tests/unit/spill_test
tests_unit_spill_test_SOURCES = tests/unit/spill_test.c
tests_unit_spill_test_LDADD = libbase.a $(XXHASH_LIBS)
TESTS += tests/unit/spill_test
