/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A library that allocates when it comes, when it works and when it goes. */
#include <stdlib.h>

static int *kept;

__attribute__((constructor)) static void come(void)
{
	kept = calloc(100, sizeof(*kept));
}

__attribute__((destructor)) static void go(void)
{
	free(kept);
}

int plugin_sum(int n);
int plugin_sum(int n)
{
	int *numbers = malloc((size_t)n * sizeof(*numbers)), sum = 0;

	for (int i = 0; i < n; i++)
		numbers[i] = i;
	for (int i = 0; i < n; i++)
		sum += numbers[i];
	free(numbers);
	return sum;
}
