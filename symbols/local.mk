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
libsymbols_a_SOURCES += symbols/elf_symbols.c
libsymbols_a_SOURCES += symbols/functions.c
libsymbols_a_SOURCES += symbols/functions.h
libsymbols_a_SOURCES += symbols/library.c
libsymbols_a_SOURCES += symbols/library.h
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
