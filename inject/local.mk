# SPDX-License-Identifier: LGPL-2.1-or-later
# inject/: the door of a process that already runs.  Links with $(INJECT_LIBS).  One source a line.
INJECT_LIBS = $(ZYDIS_LIBS)

noinst_LIBRARIES += libinject.a
libinject_a_SOURCES =
libinject_a_SOURCES += inject/code.h
EXTRA_libinject_a_SOURCES = inject/code_x86_64.c inject/code_none.c
if HOST_X86_64
libinject_a_SOURCES += inject/code_x86_64.c
else
libinject_a_SOURCES += inject/code_none.c
endif
