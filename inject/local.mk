# SPDX-License-Identifier: LGPL-2.1-or-later
# inject/: the door of a process that already runs.  Links with $(INJECT_LIBS).  One source a line.
INJECT_LIBS = $(ZYDIS_LIBS)

noinst_LIBRARIES += libinject.a
libinject_a_SOURCES =
libinject_a_SOURCES += inject/call.c
libinject_a_SOURCES += inject/call.h
libinject_a_SOURCES += inject/cave.c
libinject_a_SOURCES += inject/cave.h
libinject_a_SOURCES += inject/code.h
libinject_a_SOURCES += inject/cpu.h
libinject_a_SOURCES += inject/cpu_relocations.h
libinject_a_SOURCES += inject/deliver.c
libinject_a_SOURCES += inject/deliver.h
libinject_a_SOURCES += inject/deliver_dlopen.c
libinject_a_SOURCES += inject/deliver_map.c
libinject_a_SOURCES += inject/deliver_ways.h
libinject_a_SOURCES += inject/elf_image.c
libinject_a_SOURCES += inject/elf_image.h
libinject_a_SOURCES += inject/judge.c
libinject_a_SOURCES += inject/judge.h
libinject_a_SOURCES += inject/memory.c
libinject_a_SOURCES += inject/memory.h
libinject_a_SOURCES += inject/objects.c
libinject_a_SOURCES += inject/objects.h
libinject_a_SOURCES += inject/process.c
libinject_a_SOURCES += inject/process.h
libinject_a_SOURCES += inject/refuse.c
libinject_a_SOURCES += inject/refuse.h
libinject_a_SOURCES += inject/registers.c
libinject_a_SOURCES += inject/registers.h
libinject_a_SOURCES += inject/remote.c
libinject_a_SOURCES += inject/remote.h
libinject_a_SOURCES += inject/remote_end.h
libinject_a_SOURCES += inject/safe.c
libinject_a_SOURCES += inject/safe.h
libinject_a_SOURCES += inject/state.h
libinject_a_SOURCES += inject/status.c
libinject_a_SOURCES += inject/status.h
libinject_a_SOURCES += inject/stop.c
libinject_a_SOURCES += inject/stop.h
libinject_a_SOURCES += inject/threads.c
libinject_a_SOURCES += inject/threads.h
libinject_a_SOURCES += inject/tracer.c
libinject_a_SOURCES += inject/tracer.h
libinject_a_SOURCES += inject/unwind.c
libinject_a_SOURCES += inject/unwind.h
EXTRA_libinject_a_SOURCES =
EXTRA_libinject_a_SOURCES += inject/call_aarch64.c inject/call_x86_64.c
EXTRA_libinject_a_SOURCES += inject/code_none.c inject/code_x86_64.c
EXTRA_libinject_a_SOURCES += inject/cpu_aarch64.c inject/cpu_x86_64.c
if HOST_X86_64
libinject_a_SOURCES += inject/call_x86_64.c
libinject_a_SOURCES += inject/code_x86_64.c
libinject_a_SOURCES += inject/cpu_x86_64.c
else
libinject_a_SOURCES += inject/call_aarch64.c
libinject_a_SOURCES += inject/code_none.c
libinject_a_SOURCES += inject/cpu_aarch64.c
endif
