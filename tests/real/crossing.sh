# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: four threads, each frees what another allocated.
. "${top_srcdir:-.}/tests/real/real.sh"
traced_as_untraced crossing "$top_builddir/bench/crossing" 400000
options='--no-report -d 0'
traced_as_untraced "crossing, no stacks" "$top_builddir/bench/crossing" 400000
done_testing
