/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings that the hook reads by itself when it has no launcher: variables, lists of thread
 * names, and the address of its server, which is compared with what libc makes of it.
 *
 * The input is words, each ended by a NUL. */
#include "tests/fuzz/target.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/alloc.h"
#define HOOK_MEMORY_H		/* libc has what it declares, but for */
size_t hook_strlen(const char *s);
#include "hook/log_serve.c"	/* its parser is nobody else's */
#include "hook/log_notice.h"
#include "hook/names.h"
#include "hook/standalone_settings.h"

#define WORDS_MAX	64

enum { VARIABLES, REFUSED, V4, V6, NO_ADDRESS, LISTED, UNLISTED, MARKS };

static struct fuzz_mark marks[MARKS + 1] = {
	[VARIABLES] = { "variables that are taken", 0 }, [REFUSED] = { "variables that are refused", 0 },
	[V4] = { "IPv4 addresses", 0 }, [V6] = { "IPv6 addresses", 0 }, [NO_ADDRESS] = { "what is no address", 0 },
	[LISTED] = { "names on a list", 0 }, [UNLISTED] = { "names on no list", 0 },
};

/* What the parsers need of the hook. */
size_t hook_strlen(const char *s)
{
	return strlen(s);
}

void log_notice(const char *before, const char *value, const char *after)
{
	fuzz_rule(before && strlen(before) < 80 && (!value || strlen(value) < 1u << 20) && strlen(after) < 120);
	marks[REFUSED].count++;
}

static void read_settings(char **envp)
{
	struct standalone_settings s;

	standalone_settings_read(&s, envp);
	fuzz_rule(s.stack_depth <= 256 && s.buffer_size <= 64 << 20 && s.min_size <= 0xffffffffffff);
	fuzz_rule(!s.output || (*s.output && strlen(s.output) <= 4095));
	fuzz_rule(!s.port || (*s.port && strlen(s.port) <= 300));
	fuzz_rule(!s.stack_threads || strlen(s.stack_threads) < 512);
	fuzz_rule(!s.track_threads || strlen(s.track_threads) < 512);
	marks[VARIABLES].count += s.output || s.port || s.min_size;
}

/* The bytes that libc reads there, if it does. */
static bool libc_reads(const char *text, int family, uint8_t bytes[16])
{
	const char *colon = strrchr(text, ':');
	char host[64];
	size_t length = colon ? (size_t)(colon - text) : 0, cut = family == AF_INET6;

	if (length < 2 * cut || length >= sizeof(host) || (cut && (text[0] != '[' || colon[-1] != ']')))
		return false;
	memcpy(host, text + cut, length - 2 * cut);
	host[length - 2 * cut] = '\0';
	return inet_pton(family, host, bytes) == 1;
}

static void check_address(const char *text)
{
	uint8_t v4[16], v6[16];
	bool is_v4 = libc_reads(text, AF_INET, v4), is_v6 = libc_reads(text, AF_INET6, v6);
	union address a;
	socklen_t size = 0;

	if (!parse_address(text, &a, &size)) {
		marks[NO_ADDRESS].count++;
		return;
	}
	fuzz_rule(a.v4.sin_port && (a.any.sa_family == AF_INET || a.any.sa_family == AF_INET6));
	fuzz_rule(size == (a.any.sa_family == AF_INET ? sizeof(a.v4) : sizeof(a.v6)));
	fuzz_rule(!is_v4 || (a.any.sa_family == AF_INET && !memcmp(&a.v4.sin_addr, v4, 4)));
	fuzz_rule(!is_v6 || (a.any.sa_family == AF_INET6 && !memcmp(&a.v6.sin6_addr, v6, 16)));
	/* All that is taken in brackets is an address for libc as well. */
	fuzz_rule(a.any.sa_family != AF_INET6 || is_v6);
	marks[a.any.sa_family == AF_INET ? V4 : V6].count++;
}

static void check_list(const char *list, const char *name)
{
	char *copy = xstrdup(list), *rest = copy;
	bool listed = !*list;

	for (char *part = strsep(&rest, ","); part; part = strsep(&rest, ","))
		listed |= *part && strstr(name, part);
	fuzz_rule(names_match(list, name) == listed);
	marks[listed ? LISTED : UNLISTED].count++;
	free(copy);
}

static void run(const uint8_t *data, size_t size)
{
	char *text = xmalloc(size + 1), *words[WORDS_MAX + 1] = { NULL };
	size_t count = 0;

	memcpy(text, data, size);
	text[size] = '\0';
	for (size_t at = 0; at < size && count < WORDS_MAX; at += strlen(text + at) + 1)
		words[count++] = text + at;
	read_settings(words);
	for (size_t i = 0; i < count; i++) {
		check_address(words[i]);
		check_list(words[i], words[count - 1 - i]);
	}
	free(text);
}

const struct fuzz_target fuzz_standalone = { "standalone", marks, NULL, run };
