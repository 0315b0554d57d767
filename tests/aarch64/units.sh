# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the unit tests of call frame information, rows and depot, on 64-bit ARM.
. "${top_srcdir:-.}/tests/aarch64/cross.sh"

cross unwind_cfi_test unwind_depot_test unwind_rows_test
speaks_tap "call frame information" "$out/unwind_cfi_test"
speaks_tap "the depot" "$out/unwind_depot_test"
speaks_tap "the table of rows" "$out/unwind_rows_test"
done_testing
