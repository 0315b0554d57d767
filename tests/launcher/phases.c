/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* phases [THREADS [fork]]: allocates in phases that its stdin orders, and keeps an account of its own.
 *
 *	r N   p N	each thread makes N steps; what is allocated in a phase p is not expected in the trace
 *	f		all threads free and allocate on their own, until the next line
 *	q		frees nothing, prints the account and ends
 *
 * After each line "done" is printed.  The account: "block 0xPTR SIZE" for each block of a phase r that lives,
 * "paused COUNT BYTES" for allocations of phases p, "made COUNT" and "ended COUNT" for all. */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS_MAX	16
#define BLOCKS		400
#define SMALLEST	20011	/* nobody else in this process asks for such sizes */
#define SIZES		3000

struct block {
	void *at;
	size_t size;
	bool paused;
};

struct worker {
	pthread_t thread;
	struct block blocks[BLOCKS];
	uint64_t random, paused_count, paused_bytes, made, ended;
};

static struct worker workers[THREADS_MAX];
static unsigned count = 4;
static pthread_barrier_t barrier;
static volatile bool paused, stop;
static volatile unsigned long steps;	/* of the order; 0: until stop */
static volatile bool over;

static uint64_t next(struct worker *w)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	return w->random ^= w->random << 17;
}

static void note(struct worker *w, struct block *b, void *at, size_t size)
{
	*b = (struct block){ at, size, paused };
	w->made++;
	if (paused) {
		w->paused_count++;
		w->paused_bytes += size;
	}
}

static void make(struct worker *w, struct block *b)
{
	size_t size = SMALLEST + next(w) % SIZES;
	void *at;

	switch (next(w) % 4) {
	case 0:
		at = calloc(1, size);
		break;
	case 1:
		if (posix_memalign(&at, 64, size))
			abort();
		break;
	default:
		at = malloc(size);
	}
	note(w, b, at, size);
}

static void change(struct worker *w, struct block *b)
{
	size_t size = SMALLEST + next(w) % SIZES;
	void *at = realloc(b->at, size);

	w->ended++;
	note(w, b, at, size);
}

static void step(struct worker *w)
{
	struct block *b = &w->blocks[next(w) % BLOCKS];

	if (!b->at) {
		make(w, b);
	} else if (next(w) % 3) {
		free(b->at);
		w->ended++;
		b->at = NULL;
	} else {
		change(w, b);
	}
}

static void *work(void *argument)
{
	struct worker *w = argument;

	pthread_barrier_wait(&barrier);
	while (pthread_barrier_wait(&barrier), !over) {
		for (unsigned long i = 0; steps ? i < steps : !stop; i++) {
			step(w);
			if (!steps && i % 64 == 0)
				usleep(200);
		}
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

static void order(unsigned long number, bool in_pause)
{
	steps = number;
	paused = in_pause;
	pthread_barrier_wait(&barrier);
	if (number)
		pthread_barrier_wait(&barrier);
}

static void account(void)
{
	uint64_t made = 0, ended = 0, paused_count = 0, paused_bytes = 0;

	for (unsigned i = 0; i < count; i++) {
		struct worker *w = &workers[i];

		for (unsigned j = 0; j < BLOCKS; j++)
			if (w->blocks[j].at && !w->blocks[j].paused)
				printf("block 0x%lx %zu\n", (unsigned long)w->blocks[j].at, w->blocks[j].size);
		made += w->made;
		ended += w->ended;
		paused_count += w->paused_count;
		paused_bytes += w->paused_bytes;
	}
	printf("paused %lu %lu\nmade %lu\nended %lu\n", paused_count, paused_bytes, made, ended);
}

static void done(void)
{
	if (write(1, "done\n", 5) != 5)
		abort();
}

static void begin(void)
{
	pthread_barrier_init(&barrier, NULL, count + 1);
	for (unsigned i = 0; i < count; i++) {
		workers[i].random = 0x9e3779b97f4a7c15u * (i + 1);
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			abort();
	}
	pthread_barrier_wait(&barrier);
}

/* A line without stdio, which would allocate. */
static bool read_line(char *line, size_t size)
{
	size_t length = 0;

	while (length + 1 < size && read(0, line + length, 1) == 1)
		if (line[length++] == '\n') {
			line[length] = '\0';
			return true;
		}
	return false;
}

int main(int argc, char **argv)
{
	static char buffer[1 << 16];
	char line[64];

	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	count = argc > 1 ? (unsigned)atoi(argv[1]) : count;
	if (argc > 2 && strcmp(argv[2], "fork") == 0 && fork() > 0)
		return wait(NULL) < 0;		/* the child is what is looked at */
	begin();
	dprintf(1, "pid %d\n", (int)getpid());
	while (read_line(line, sizeof(line)) && *line != 'q') {
		if (*line == 'f') {
			stop = false;
			order(0, false);
			done();
			if (!read_line(line, sizeof(line)))
				break;
			stop = true;
			pthread_barrier_wait(&barrier);
		} else {
			order(strtoul(line + 1, NULL, 10), *line == 'p');
		}
		done();
	}
	account();
	fflush(stdout);
	done();
	_exit(0);
}
