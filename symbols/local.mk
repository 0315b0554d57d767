# SPDX-License-Identifier: LGPL-2.1-or-later
noinst_LIBRARIES += libsymbols.a
libsymbols_a_SOURCES = \
	symbols/demangle.h \
	symbols/elf.h \
	symbols/maps.h \
	symbols/module.h \
	symbols/target.h
