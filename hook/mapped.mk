# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: memtrack-map.so, the hook for processes into which nothing can be dlopen'ed: mapped and relocated from
# outside, without thread-local storage and with nothing that the program's linker would bind to it.

mapped_c = $(filter-out hook/interpose_% hook/got.c,$(hook_c)) hook/tls_mapped.c
mapped_objects = $(mapped_c:.c=.mapped.o) $(hook_entries_c:.c=.mapentry.o)
mapped_flags = $(hook_compile_flags) -DHOOK_MAPPED -ffunction-sections -I$(top_srcdir)

%.mapped.o: %.c
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(CC) $(mapped_flags) -c -o $@ $<

%.mapentry.o: %.c
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(CC) $(mapped_flags) -DHOOK_ENTRIES -c -o $@ $<

$(mapped_objects): $(hook_h) trace/attach.h trace/channel.h trace/functions.h trace/ops.h trace/settings.h \
	trace/text_write.h

mapped_link_flags = $(hook_link_common) -Wl,-soname,memtrack-map.so -Wl,--gc-sections

hookexec_DATA += memtrack-map.so
CLEANFILES += memtrack-map.so $(mapped_objects)

memtrack-map.so: $(mapped_objects)
	$(AM_V_CCLD)$(CC) $(mapped_link_flags) -o $@ $(mapped_objects)
