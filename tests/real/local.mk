# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: real programs, compared with themselves untraced and with an independent counter.

EXTRA_DIST += tests/real/real.sh
sh_tests += tests/real/python.sh
sh_tests += tests/real/perl.sh
sh_tests += tests/real/sqlite.sh
sh_tests += tests/real/git.sh
sh_tests += tests/real/gcc.sh
sh_tests += tests/real/xmllint.sh
sh_tests += tests/real/jq.sh
sh_tests += tests/real/containers.sh
sh_tests += tests/real/crossing.sh
sh_tests += tests/real/redis.sh
sh_tests += tests/real/sampling.sh
sh_tests += tests/real/python_suite.sh
sh_tests += tests/real/configure.sh
sh_tests += tests/real/git_gc.sh
sh_tests += tests/real/make.sh
sh_tests += tests/real/node.sh
sh_tests += tests/real/java.sh
sh_tests += tests/real/go.sh
sh_tests += tests/real/rust.sh
sh_tests += tests/real/nginx.sh
sh_tests += tests/real/volume.sh
sh_tests += tests/real/hundred_million.sh

check_PROGRAMS += tests/real/volume
tests_real_volume_SOURCES = tests/real/volume.c
tests_real_volume_CFLAGS = -std=gnu11 -O2 -g $(WARN_CFLAGS) -fno-builtin-malloc -fno-builtin-free
tests_real_volume_LDFLAGS = -pthread
