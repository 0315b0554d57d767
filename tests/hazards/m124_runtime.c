/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* M124: what libc keeps for itself is no leak of the program; its one leak is of 1240 bytes. */
#include <grp.h>
#include <iconv.h>
#include <locale.h>
#include <netdb.h>
#include <pthread.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/hazards/hazard.h"

static void *volatile sink;

static void *use(void *unused)
{
	free(malloc(1241));
	strerror(12345);
	return unused;
}

int main(void)
{
	time_t now = 0;
	pthread_t thread;
	iconv_t converter;

	setlocale(LC_ALL, "C.UTF-8");
	tzset();
	CHECK(localtime(&now));
	CHECK(getpwuid(0));
	CHECK(getgrgid(0));
	getservbyname("http", "tcp");
	converter = iconv_open("UTF-16", "UTF-8");
	if (converter != (iconv_t)-1)
		iconv_close(converter);
	for (int i = 0; i < 4; i++) {
		pthread_create(&thread, NULL, use, NULL);
		pthread_join(thread, NULL);
	}
	sink = malloc(1240);
	return hazard_done();
}
