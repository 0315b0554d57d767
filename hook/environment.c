/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The session's two environment entries. */
#include "hook/environment.h"

#include <stdatomic.h>
#include <stddef.h>

#include "hook/memory.h"
#include "trace/channel.h"

#define ENTRIES_MAX	4096
#define ENTRY_MAX	4096
#define PRELOAD		"LD_PRELOAD="
#define SOCKET		CHANNEL_ENV_SOCKET "="

static char socket_entry[256];
static char preload_entry[ENTRY_MAX];	/* as the launcher set it */
static char hook_path[ENTRY_MAX];	/* its first component: ourselves */
static char merged_preload[2 * ENTRY_MAX];
static char *entries[ENTRIES_MAX];
static _Atomic unsigned entries_used;

static bool starts_with(const char *s, const char *prefix)
{
	while (*prefix) {
		if (*s++ != *prefix++)
			return false;
	}
	return true;
}

static char *find(char *const *envp, const char *prefix)
{
	for (; envp && *envp; envp++) {
		if (starts_with(*envp, prefix))
			return *envp;
	}
	return NULL;
}

static size_t first_component(const char *list)
{
	size_t n = 0;

	while (list[n] && list[n] != ':' && list[n] != ' ')
		n++;
	return n;
}

bool environment_take(char **envp, struct environment_session *session)
{
	char *socket = find(envp, SOCKET), *preload = find(envp, PRELOAD);
	size_t n;

	if (!socket || !preload || hook_strlen(socket) >= sizeof socket_entry ||
	    hook_strlen(preload) >= sizeof preload_entry)
		return false;
	hook_copy_string(socket_entry, socket, sizeof socket_entry);
	hook_copy_string(preload_entry, preload, sizeof preload_entry);
	n = first_component(preload + sizeof PRELOAD - 1);
	memcpy(hook_path, preload + sizeof PRELOAD - 1, n);
	hook_path[n] = 0;
	session->socket = socket_entry + sizeof SOCKET - 1;
	session->preload = preload;
	return true;
}

static void drop(char **envp, const char *entry)
{
	while (*envp && *envp != entry)
		envp++;
	for (; *envp; envp++)
		envp[0] = envp[1];
}

void environment_hide(char **envp, const struct environment_session *session)
{
	char *list = session->preload + sizeof PRELOAD - 1;
	char *rest = list + first_component(list);

	drop(envp, find(envp, SOCKET));
	if (*rest)
		memmove(list, rest + 1, hook_strlen(rest + 1) + 1);
	else
		drop(envp, session->preload);
}

bool environment_carries(char *const *envp)
{
	const char *preload = find(envp, PRELOAD);
	const char *list = preload ? preload + sizeof PRELOAD - 1 : "";
	size_t n = hook_strlen(hook_path);

	if (!find(envp, SOCKET))
		return false;
	for (; *list; list++) {
		size_t m = first_component(list);

		if (m == n && memcmp(list, hook_path, n) == 0)
			return true;
		list += m;
		if (!*list)
			break;
	}
	return false;
}

/* Ourselves in front of what this environment preloads. */
static char *merge_preload(const char *theirs)
{
	size_t n = sizeof PRELOAD - 1, path = hook_strlen(hook_path);

	memcpy(merged_preload, PRELOAD, n);
	memcpy(merged_preload + n, hook_path, path + 1);
	n += path;
	if (theirs && theirs[sizeof PRELOAD - 1]) {
		merged_preload[n++] = ':';
		hook_copy_string(merged_preload + n, theirs + sizeof PRELOAD - 1,
				 sizeof merged_preload - n);
	}
	return merged_preload;
}

char **environment_with_session(char *const *envp)
{
	const char *theirs = find(envp, PRELOAD);
	unsigned idle = 0;
	size_t n = 0;

	if (!atomic_compare_exchange_strong(&entries_used, &idle, 1))
		return NULL;
	for (; envp && *envp; envp++) {
		if (starts_with(*envp, PRELOAD) || starts_with(*envp, SOCKET))
			continue;
		if (n + 3 >= ENTRIES_MAX) {
			environment_give_back();
			return NULL;
		}
		entries[n++] = *envp;
	}
	entries[n++] = merge_preload(theirs);
	entries[n++] = socket_entry;
	entries[n] = NULL;
	return entries;
}

void environment_give_back(void)
{
	entries_used = 0;
}
