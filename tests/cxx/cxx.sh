# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: C++ programs behave and are counted: all operators, exceptions through the hook, what comes
# after main, a C++ library in a C program.
. "${top_srcdir:-.}/tests/loader/expect.sh"

behaves overloads "$testbin/cxx/overloads"
behaves throws "$testbin/cxx/throws"
behaves late "$testbin/cxx/late"
behaves "late, quick_exit" "$testbin/cxx/late" quick
behaves handler "$testbin/cxx/handler"
behaves header "$testbin/cxx/header"
behaves opener "$testbin/cxx/opener" "$testbin/cxx/opened.so"

if ${MEMTRACK_CXX:-c++} -std=gnu++17 -O1 -g -fno-builtin -fopenmp -pthread -o "$work/pools" \
	"$top_srcdir/tests/cxx/pools.cpp" 2>"$work/.ld"; then
	behaves pools "$work/pools"
else
	skip pools "the compiler has no OpenMP"
fi
done_testing
