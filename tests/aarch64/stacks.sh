# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: stacks of 64-bit ARM whose truth is known: at every instruction of functions of all shapes, and
# recorded ones.
#
# recorded.txt comes from `steps recorded.txt 97`; record it anew when capture or shapes change.
. "${top_srcdir:-.}/tests/aarch64/cross.sh"

cross steps replay
speaks_tap "every instruction of functions of all shapes" "$out/steps" "$work/fresh.txt" 40
speaks_tap "these stacks, recorded, in another process" "$out/replay" "$work/fresh.txt"
speaks_tap "stacks recorded long ago" "$out/replay" "$top_srcdir/tests/aarch64/recorded.txt"
done_testing
