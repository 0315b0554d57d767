/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A few calls, for a program that is linked with musl. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *work(void *arg)
{
	free(calloc(2, 501));
	return arg;
}

int main(void)
{
	pthread_t t;

	free(malloc(1001));
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	return printf("OK\n") != 3;
}
