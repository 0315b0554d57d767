/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The session's two environment entries. */
#include "hook/environment.h"

#include <stdatomic.h>
#include <stddef.h>

#include "hook/memory.h"
#include "hook/resolve.h"
#include "hook/standalone.h"
#include "trace/channel.h"

#define ENTRIES_MAX	4096
#define ENTRY_MAX	4096
#define PRELOAD		"LD_PRELOAD="
#define SOCKET		CHANNEL_ENV_SOCKET "="
#define ALONE		STANDALONE_ENV_RESUME "="

static char session_entry[512];
static const char *session_name = SOCKET;
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

static void remember(const char *entry, const char *preload, const char *own)
{
	size_t n = first_component(own);

	hook_copy_string(session_entry, entry, sizeof session_entry);
	hook_copy_string(preload_entry, preload, sizeof preload_entry);
	memcpy(hook_path, own, n);
	hook_path[n] = 0;
}

bool environment_take(char **envp, struct environment_session *session)
{
	char *socket = find(envp, SOCKET), *preload = find(envp, PRELOAD);

	if (!socket || !preload || hook_strlen(socket) >= sizeof session_entry ||
	    hook_strlen(preload) >= sizeof preload_entry)
		return false;
	remember(socket, preload, preload + sizeof PRELOAD - 1);
	session->socket = session_entry + sizeof SOCKET - 1;
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

static void drop_named(char **envp, const char *name)
{
	const char *entry = find(envp, name);

	if (entry)
		drop(envp, entry);
}

static bool is_named(const char *component, size_t n, const char *path)
{
	const char *base = path;

	for (const char *p = path; *p; p++) {
		if (*p == '/')
			base = p + 1;
	}
	while (n && component[n - 1] != '/' && component[n - 1])
		n--;
	component += n;
	n = first_component(component);
	return n == hook_strlen(base) && memcmp(component, base, n) == 0;
}

/* The component of a user's LD_PRELOAD that is this library: others may stand before it. */
static char *own_component(char *list)
{
	const char *path = resolve_own_name();

	while (*list && path) {
		size_t n = first_component(list);

		if (n && is_named(list, n, path))
			return list;
		list += n + (list[n] != 0);
	}
	return NULL;
}

void environment_take_alone(char **envp, const char *entry, struct environment_session *session)
{
	char *preload = find(envp, PRELOAD);
	char *own = preload && hook_strlen(preload) < sizeof preload_entry ?
		    own_component(preload + sizeof PRELOAD - 1) : NULL;

	drop_named(envp, ALONE);
	drop_named(envp, "MEMTRACK_OUTPUT=");
	drop_named(envp, "MEMTRACK_PORT=");
	session_name = ALONE;
	session->socket = NULL;
	session->preload = own ? preload : NULL;
	if (own)
		remember(entry, preload, own);
}

void environment_hide(char **envp, const struct environment_session *session)
{
	size_t n = hook_strlen(hook_path);
	char *list;

	drop_named(envp, session_name);
	if (!session->preload)
		return;
	list = session->preload + sizeof PRELOAD - 1;
	while (first_component(list) != n || memcmp(list, hook_path, n) != 0)
		list += first_component(list) + 1;
	if (list[n])
		memmove(list, list + n + 1, hook_strlen(list + n + 1) + 1);
	else if (list > session->preload + sizeof PRELOAD - 1)
		list[-1] = 0;
	else
		drop(envp, session->preload);
}

bool environment_carries(char *const *envp)
{
	const char *preload = find(envp, PRELOAD);
	const char *list = preload ? preload + sizeof PRELOAD - 1 : "";
	size_t n = hook_strlen(hook_path);

	if (!find(envp, session_name))
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

	if (!hook_path[0] || !atomic_compare_exchange_strong(&entries_used, &idle, 1))
		return NULL;
	for (; envp && *envp; envp++) {
		if (starts_with(*envp, PRELOAD) || starts_with(*envp, session_name))
			continue;
		if (n + 3 >= ENTRIES_MAX) {
			environment_give_back();
			return NULL;
		}
		entries[n++] = *envp;
	}
	entries[n++] = merge_preload(theirs);
	entries[n++] = session_entry;
	entries[n] = NULL;
	return entries;
}

void environment_give_back(void)
{
	entries_used = 0;
}
