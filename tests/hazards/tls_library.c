/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A library with thread-local memory that is allocated when first touched. */
char *touch(void);

static __thread char memory[4096];

char *touch(void)
{
	memory[0]++;
	return memory;
}
