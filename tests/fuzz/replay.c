/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a fuzz target over files, and over deterministic mutations of them, without a fuzzer.
 *
 *	replay TARGET MUTATIONS FILE...
 *
 * Speaks TAP.  The run that is under way when the program dies is left in replay.TARGET.input of
 * the working folder. */
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/target.h"
#include "tests/tap.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#define INPUT_MAX	(256u << 10)
#define RUN_SECONDS	20

struct input {
	uint8_t *data;
	size_t size;
};

static const struct fuzz_target *const targets[] = {
#define X(name) &fuzz_##name,
	FUZZ_TARGETS(X)
#undef X
};

/* The input under way, in a file so that a crash leaves it. */
static struct {
	size_t size;
	uint8_t data[INPUT_MAX];
} *current;

static const struct fuzz_target *target_find(const char *name)
{
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
		if (!strcmp(targets[i]->name, name))
			return targets[i];
	return NULL;
}

static struct input input_read(const char *path)
{
	struct input in = { malloc(INPUT_MAX), 0 };
	FILE *f = fopen(path, "rb");

	if (!in.data || !f) {
		fprintf(stderr, "replay: cannot read %s\n", path);
		exit(1);
	}
	in.size = fread(in.data, 1, INPUT_MAX, f);
	fclose(f);
	return in;
}

static void current_map(const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "replay.%s.input", name);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
	if (fd >= 0 && ftruncate(fd, sizeof(*current)) == 0)
		current = mmap(NULL, sizeof(*current), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd < 0 || !current || current == MAP_FAILED) {
		perror(path);
		exit(1);
	}
	close(fd);
}

/* The target gets a copy of just that size, so that a sanitizer or valgrind sees reads beyond. */
static void run(const struct fuzz_target *target)
{
	uint8_t *exact = malloc(current->size ? current->size : 1);

	memcpy(exact, current->data, current->size);
	alarm(RUN_SECONDS);
	target->run(exact, current->size);
	free(exact);
}

static void run_files(const struct fuzz_target *target, const struct input *inputs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		current->size = inputs[i].size;
		memcpy(current->data, inputs[i].data, inputs[i].size);
		run(target);
	}
	ok(count > 0, "%s: %zu files", target->name, count);
	for (const struct fuzz_mark *m = target->marks; m->what; m++)
		ok(m->count > 0, "%s: they reach %s", target->name, m->what);
}

static void run_mutations(const struct fuzz_target *target, const struct input *inputs, size_t count, unsigned long runs)
{
	uint64_t seed = 20;

	for (unsigned long i = 0; i < runs; i++) {
		const struct input *in = &inputs[i % count], *other = &inputs[(i * 7 + i / count) % count];

		memcpy(current->data, in->data, in->size);
		current->size = mutate(current->data, in->size, INPUT_MAX, other->data, other->size, &seed);
		run(target);
	}
	ok(1, "%s: %lu mutations", target->name, runs);
}

int main(int argc, char **argv)
{
	const struct fuzz_target *target = argc > 3 ? target_find(argv[1]) : NULL;
	size_t count = argc > 3 ? (size_t)argc - 3 : 0;
	struct input *inputs = calloc(count + 1, sizeof(*inputs));

	if (!target || !inputs) {
		fprintf(stderr, "usage: replay TARGET MUTATIONS FILE...\n");
		return 1;
	}
	for (size_t i = 0; i < count; i++)
		inputs[i] = input_read(argv[3 + i]);
	current_map(target->name);
	if (target->start)
		target->start();
	run_files(target, inputs, count);
	run_mutations(target, inputs, count, strtoul(argv[2], NULL, 10));
	for (size_t i = 0; i < count; i++)
		free(inputs[i].data);
	free(inputs);
	return done_testing();
}
