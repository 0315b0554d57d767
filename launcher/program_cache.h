/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What symbol tables said about programs and libraries when they were looked at before a start
 * (symbols/target.h), kept in the directory of the symbol cache: a large table takes longer to read
 * than many a program runs. */
#ifndef LAUNCHER_PROGRAM_CACHE_H
#define LAUNCHER_PROGRAM_CACHE_H

/* From now on, in the main thread, until program_cache_end, which keeps what is new. */
void program_cache_begin(void);
void program_cache_end(void);

#endif
