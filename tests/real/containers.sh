# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: C++: map, string, vector, exceptions.
. "${top_srcdir:-.}/tests/real/real.sh"
traced_as_untraced containers "$top_builddir/bench/containers" 100000
done_testing
