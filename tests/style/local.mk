# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the house style, checked.

sh_tests += tests/style/layers.sh
sh_tests += tests/style/sizes.sh
sh_tests += tests/style/headers.sh
sh_tests += tests/style/hook_symbols.sh
sh_tests += tests/style/allocation.sh
sh_tests += tests/style/papers.sh
sh_tests += tests/style/scripts.sh
sh_tests += tests/style/readme.sh
sh_tests += tests/style/install.sh
sh_tests += tests/style/libraries.sh
