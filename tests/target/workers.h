/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A thread that allocates in every way and frees all of it; its argument is its name. */
#ifndef TESTS_TARGET_WORKERS_H
#define TESTS_TARGET_WORKERS_H

#define WORKER_ROUNDS 20

#ifdef __cplusplus
extern "C"
#endif
void *worker_all_kinds(void *name);

#endif
