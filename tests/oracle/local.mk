# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: a hook that checks its own stacks, and their comparison with libdw's from outside.

verify_objects = $(hook_verify_c:.c=.verify.o) \
	$(patsubst %.c,%.hook.o,$(filter-out $(hook_verify_c),$(hook_c)))

check_DATA += tests/oracle/memtrack.so
CLEANFILES += tests/oracle/memtrack.so $(hook_verify_c:.c=.verify.o)
sh_tests += tests/oracle/verify.sh tests/oracle/oracle.sh
EXTRA_DIST += $(filter hook/verify%,$(hook_verify_c)) $(hook_verify_h)

%.verify.o: %.c
	$(AM_V_CC)$(MKDIR_P) $(@D) && \
	$(CC) $(hook_compile_flags) -DHOOK_VERIFY -I$(top_srcdir) -c -o $@ $<

$(hook_verify_c:.c=.verify.o): $(hook_h) $(hook_verify_h) trace/channel.h trace/functions.h trace/ops.h

tests/oracle/memtrack.so: $(verify_objects)
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) $(hook_link_flags) -o $@ $(verify_objects)

# Not -z now: what the loader does is to be stepped through, too.
check_PROGRAMS += tests/oracle/steps
tests_oracle_steps_SOURCES = tests/oracle/steps.c
tests_oracle_steps_CFLAGS = -std=gnu11 -D_GNU_SOURCE -O2 -g -fno-builtin -fPIE
tests_oracle_steps_LDFLAGS = -pie -Wl,-z,lazy
tests_oracle_steps_LDADD = -lm

check_PROGRAMS += tests/oracle/compare
tests_oracle_compare_SOURCES = tests/oracle/compare.c tests/oracle/outside.c tests/oracle/outside.h
tests_oracle_compare_LDADD = $(DW_LIBS) $(ELF_LIBS)
