#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: memory that is to go to a disk that is full stays in memory, and nothing is lost.
. "${top_srcdir:-.}/tests/tap.sh"

PATH=$PATH:/sbin:/usr/sbin
command -v mkfs.ext4 >/dev/null || skip_all 'mkfs.ext4 is not installed'
truncate -s 12M "$work/disk"
mkdir "$work/mount"
mkfs.ext4 -q "$work/disk" || skip_all 'cannot make a small disk'
unshare -m mount -o loop "$work/disk" "$work/mount" 2>"$work/why" ||
	skip_all "cannot mount a small disk: $(head -n 1 "$work/why")"
unshare -m sh -c 'mount -o loop "$1/disk" "$1/mount" && exec "$2" "$1/mount"' sh "$work" \
	"$testbin/unit/spill_test"
