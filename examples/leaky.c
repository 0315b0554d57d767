/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A small server's worth of leaks: a cache that forgets, a thread that keeps, a realloc loop.
 *
 *	memtrack --report examples/leaky
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 64
#define REQUESTS 2000

struct entry {
	struct entry *next;
	char *key, *page;
};

static struct entry *cache[BUCKETS];

static unsigned hash(const char *key)
{
	unsigned h = 5381;

	while (*key)
		h = h * 33 + (unsigned char)*key++;
	return h % BUCKETS;
}

/* Renders a page; the caller owns it. */
static char *page_render(const char *key)
{
	size_t size = 256 + strlen(key) % 64;
	char *page = malloc(size);

	snprintf(page, size, "<html><title>%s</title></html>", key);
	return page;
}

/* The mistake: when a bucket grows too long the oldest entry is dropped from the list, and its
 * key is freed, but its page is not. */
static void cache_insert(const char *key)
{
	struct entry *entry = malloc(sizeof(*entry)), **last = &cache[hash(key)];
	int length = 0;

	entry->key = strdup(key);
	entry->page = page_render(key);
	entry->next = *last;
	*last = entry;
	for (; *last; last = &(*last)->next)
		if (++length > 4) {
			struct entry *oldest = *last;

			*last = oldest->next;
			free(oldest->key);
			free(oldest);
			return;
		}
}

/* Keeps every line it was ever given, and forgets them all when the thread ends. */
static void *log_writer(void *unused)
{
	char **lines = NULL;
	size_t count = 0;

	pthread_setname_np(pthread_self(), "log-writer");
	for (int i = 0; i < 500; i++) {
		char line[64];

		snprintf(line, sizeof(line), "GET /page/%d 200", i);
		lines = realloc(lines, (count + 1) * sizeof(*lines));
		lines[count++] = strdup(line);
	}
	return unused;
}

/* Correct, but wasteful: one realloc per byte. */
static char *join(const char *a, const char *b)
{
	char *text = NULL;
	size_t length = 0;

	for (const char *part = a; part; part = part == a ? b : NULL)
		for (const char *c = part; *c; c++) {
			text = realloc(text, length + 2);
			text[length++] = *c;
			text[length] = '\0';
		}
	return text;
}

int main(void)
{
	pthread_t writer;

	pthread_create(&writer, NULL, log_writer, NULL);
	for (int i = 0; i < REQUESTS; i++) {
		char number[16], *key;

		snprintf(number, sizeof(number), "%d", i % 700);
		key = join("/page/", number);
		cache_insert(key);
		free(key);
	}
	pthread_join(writer, NULL);
	printf("served %d requests\n", REQUESTS);
	return 0;
}
