/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Saying what is wrong. */
#include "hook/log_notice.h"

#include <errno.h>

#include "hook/log_file.h"
#include "hook/memory.h"
#include "trace/text_write.h"

#define TEXT_MAX	250u	/* of each part */

static struct log_file stderr_file = { .fd = -1 };

struct line {
	char text[3 * TEXT_MAX + 32];
	size_t length;
};

void log_notice_init(void)
{
	log_file_know(&stderr_file, 2);
}

static void add(struct line *l, const char *text)
{
	size_t n = hook_strlen(text);

	l->length += text_clean(l->text + l->length, text, n < TEXT_MAX ? n : TEXT_MAX);
}

void log_notice(const char *before, const char *value, const char *after)
{
	struct line l;
	size_t written;

	l.length = 0;
	add(&l, "memtrack.so: ");
	add(&l, before);
	if (value) {
		add(&l, " '");
		add(&l, value);
		add(&l, "'");
	}
	add(&l, after);
	l.text[l.length++] = '\n';
	log_file_write(&stderr_file, l.text, l.length, &written);
}

const char *log_error(long error)
{
	static char other[24];
	size_t n;

	switch (-error) {
	case EACCES: return "Permission denied";
	case EADDRINUSE: return "Address already in use";
	case EADDRNOTAVAIL: return "Cannot assign requested address";
	case EAGAIN: return "nobody reads it";
	case ECONNRESET: case EPIPE: return "the reader is gone";
	case EDQUOT: return "Disk quota exceeded";
	case EFBIG: return "File too large";
	case EIO: return "Input/output error";
	case EISDIR: return "Is a directory";
	case ELOOP: return "Too many levels of symbolic links";
	case EMFILE: return "Too many open files";
	case ENAMETOOLONG: return "File name too long";
	case ENOENT: return "No such file or directory";
	case ENOMEM: return "Cannot allocate memory";
	case ENOSPC: return "No space left on device";
	case ENOTDIR: return "Not a directory";
	case ENXIO: return "No such device or address";
	case EROFS: return "Read-only file system";
	}
	hook_copy_string(other, "error ", sizeof other);
	n = 6 + text_decimal(other + 6, (uint64_t)-error, 0);
	other[n] = 0;
	return other;
}
