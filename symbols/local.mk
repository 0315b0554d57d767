# SPDX-License-Identifier: LGPL-2.1-or-later
# symbols/: ELF and DWARF, read from outside.  Links with $(SYMBOLS_LIBS).  One source a line.
SYMBOLS_LIBS = $(DW_LIBS) $(ELF_LIBS) $(DEMANGLE_LIBS)

noinst_LIBRARIES += libsymbols.a
libsymbols_a_SOURCES =
libsymbols_a_SOURCES += symbols/debugfile.c
libsymbols_a_SOURCES += symbols/debugfile.h
libsymbols_a_SOURCES += symbols/demangle.c
libsymbols_a_SOURCES += symbols/demangle.h
libsymbols_a_SOURCES += symbols/dwarf.c
libsymbols_a_SOURCES += symbols/dwarf.h
libsymbols_a_SOURCES += symbols/dwarf_unit.c
libsymbols_a_SOURCES += symbols/dwarf_unit.h
libsymbols_a_SOURCES += symbols/elf.c
libsymbols_a_SOURCES += symbols/elf.h
libsymbols_a_SOURCES += symbols/elf_dynamic.c
libsymbols_a_SOURCES += symbols/elf_internal.h
libsymbols_a_SOURCES += symbols/elf_relocations.c
libsymbols_a_SOURCES += symbols/elf_symbols.c
libsymbols_a_SOURCES += symbols/functions.c
libsymbols_a_SOURCES += symbols/functions.h
libsymbols_a_SOURCES += symbols/library.c
libsymbols_a_SOURCES += symbols/library.h
libsymbols_a_SOURCES += symbols/living.c
libsymbols_a_SOURCES += symbols/living.h
libsymbols_a_SOURCES += symbols/maps.c
libsymbols_a_SOURCES += symbols/maps.h
libsymbols_a_SOURCES += symbols/module.c
libsymbols_a_SOURCES += symbols/module.h
libsymbols_a_SOURCES += symbols/names.c
libsymbols_a_SOURCES += symbols/names.h
libsymbols_a_SOURCES += symbols/source.c
libsymbols_a_SOURCES += symbols/source.h
libsymbols_a_SOURCES += symbols/spans.c
libsymbols_a_SOURCES += symbols/spans.h
libsymbols_a_SOURCES += symbols/target.c
libsymbols_a_SOURCES += symbols/target.h
libsymbols_a_SOURCES += symbols/target_start.c
libsymbols_a_SOURCES += symbols/target_start.h

# The tests build small programs and ask addr2line about them.
symbols_tests = \
	tests/unit/symbols_demangle_test \
	tests/unit/symbols_fuzz_test \
	tests/unit/symbols_maps_test \
	tests/unit/symbols_module_test \
	tests/unit/symbols_spans_test \
	tests/unit/symbols_target_test
symbols_tests_LDADD = libsymbols.a libbase.a $(SYMBOLS_LIBS) $(XXHASH_LIBS)
check_PROGRAMS += $(symbols_tests)
TESTS += $(symbols_tests)
EXTRA_DIST += tests/unit/symbols_build.h

tests_unit_symbols_demangle_test_SOURCES = tests/unit/symbols_demangle_test.c
tests_unit_symbols_demangle_test_LDADD = $(symbols_tests_LDADD)
tests_unit_symbols_fuzz_test_SOURCES = tests/unit/symbols_fuzz_test.c
tests_unit_symbols_fuzz_test_LDADD = $(symbols_tests_LDADD)
tests_unit_symbols_maps_test_SOURCES = tests/unit/symbols_maps_test.c
tests_unit_symbols_maps_test_LDADD = $(symbols_tests_LDADD)
tests_unit_symbols_module_test_SOURCES = tests/unit/symbols_module_test.c
tests_unit_symbols_module_test_LDADD = $(symbols_tests_LDADD)
tests_unit_symbols_spans_test_SOURCES = tests/unit/symbols_spans_test.c
tests_unit_symbols_spans_test_LDADD = $(symbols_tests_LDADD)
tests_unit_symbols_target_test_SOURCES = tests/unit/symbols_target_test.c
tests_unit_symbols_target_test_LDADD = $(symbols_tests_LDADD)
