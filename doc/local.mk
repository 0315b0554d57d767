# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: what people read beside the man pages.

EXTRA_DIST += doc/INTERNALS.md

dist_man_MANS += doc/memtrack.so.7
EXTRA_DIST += doc/FOOTPRINT.md
EXTRA_DIST += doc/PERFORMANCE.md doc/performance.svg doc/performance.tsv
