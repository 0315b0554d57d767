# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: that bench/ works; what it measures is nobody's condition.

sh_tests += tests/bench/run.sh
sh_tests += tests/bench/paper.sh
