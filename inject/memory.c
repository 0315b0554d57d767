/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Through one descriptor of /proc/PID/mem, which stays with the memory it was opened on: after an
 * exec it reads nothing, and the new program is out of reach. */
#include "inject/memory.h"

#include "inject/state.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

ssize_t memory_read_some(struct injection *i, uint64_t address, void *data, size_t size)
{
	ssize_t n = pread(i->mem, data, size, (off_t)address);

	if (n == 0 && size)
		return -ESRCH;
	return n < 0 ? -errno : n;
}

int memory_read(struct injection *i, uint64_t address, void *data, size_t size)
{
	ssize_t n;

	for (char *to = data; size; to += n, address += (size_t)n, size -= (size_t)n) {
		n = memory_read_some(i, address, to, size);
		if (n < 0)
			return (int)n;
	}
	return 0;
}

int memory_write(struct injection *i, uint64_t address, const void *data, size_t size)
{
	ssize_t n;

	for (const char *from = data; size; from += n, address += (size_t)n, size -= (size_t)n) {
		n = pwrite(i->mem, from, size, (off_t)address);
		if (n <= 0)
			return n < 0 ? -errno : -ESRCH;
	}
	return 0;
}

int memory_read_string(struct injection *i, uint64_t address, char *text, size_t size)
{
	size_t length = 0;

	while (length < size) {
		/* Not across a page: the next one may not be there. */
		size_t piece = 4096 - (size_t)((address + length) & 4095);
		ssize_t n = memory_read_some(i, address + length, text + length,
					     piece < size - length ? piece : size - length);

		if (n < 0) {
			text[length] = '\0';
			return (int)n;
		}
		if (memchr(text + length, '\0', (size_t)n))
			return 0;
		length += (size_t)n;
	}
	text[size - 1] = '\0';
	return -ENAMETOOLONG;
}
