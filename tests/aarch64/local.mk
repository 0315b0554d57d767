# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the hook on 64-bit ARM: cross-built and run by qemu-user, where both are installed.

aarch64_tests = \
	tests/aarch64/build.sh \
	tests/aarch64/stacks.sh \
	tests/aarch64/standalone.sh \
	tests/aarch64/units.sh \
	tests/aarch64/unwind.sh

TESTS += $(aarch64_tests)
EXTRA_DIST += $(aarch64_tests) \
	tests/aarch64/capture.c \
	tests/aarch64/capture.h \
	tests/aarch64/chains.c \
	tests/aarch64/cross.mk \
	tests/aarch64/cross.sh \
	tests/aarch64/record.c \
	tests/aarch64/record.h \
	tests/aarch64/recorded.txt \
	tests/aarch64/replay.c \
	tests/aarch64/shapes.c \
	tests/aarch64/shapes.h \
	tests/aarch64/steps.c

clean-local: clean-aarch64
.PHONY: clean-aarch64
clean-aarch64:
	rm -rf tests/aarch64/out
