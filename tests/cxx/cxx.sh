# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: C++ programs behave and are counted: all operators, exceptions through the hook, what comes
# after main, a C++ library in a C program.
. "${top_srcdir:-.}/tests/loader/expect.sh"

behaves overloads "$testbin/cxx/overloads"
behaves throws "$testbin/cxx/throws"
behaves late "$testbin/cxx/late"
behaves "late, quick_exit" "$testbin/cxx/late" quick
behaves opener "$testbin/cxx/opener" "$testbin/cxx/opened.so"
done_testing
