/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PATH, #! lines, setuid bits and file capabilities, as execve takes them. */
#include "symbols/target_start.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#define SCRIPT_LINE_MAX		256u	/* BINPRM_BUF_SIZE of the kernel */
#define SCRIPT_DEPTH_MAX	4

static int check_executable(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || access(path, X_OK) < 0)
		return -EACCES;
	return 0;
}

int target_search(const char *command, char *path)
{
	const char *dirs = getenv("PATH");
	int result = -ENOENT;

	if (command[0] == '\0' || strlen(command) >= TARGET_PATH_MAX)
		return -ENOENT;
	if (strchr(command, '/')) {
		strcpy(path, command);
		return check_executable(path);
	}
	for (dirs = dirs ? dirs : "/bin:/usr/bin"; ; dirs++) {
		int len = (int)strcspn(dirs, ":"), error = -ENOENT;
		int n = snprintf(path, TARGET_PATH_MAX, "%.*s%s%s", len, dirs, len ? "/" : "./", command);

		if (n > 0 && (size_t)n < TARGET_PATH_MAX)
			error = check_executable(path);
		if (error == 0)
			return 0;
		if (error == -EACCES)
			result = error;
		dirs += len;
		if (*dirs == '\0')
			return result;
	}
}

/* The first line of a script without "#!", or false.  line holds SCRIPT_LINE_MAX + 1 bytes. */
static int read_script_line(const char *path, char *line, bool *is_script)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;
	ssize_t got;

	*is_script = false;
	if (fd < 0)
		return -errno;
	got = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? pread(fd, line, SCRIPT_LINE_MAX, 0) : 0;
	close(fd);
	if (got < 2 || line[0] != '#' || line[1] != '!')
		return 0;
	line[got] = '\0';
	line[strcspn(line, "\n")] = '\0';
	memmove(line, line + 2, strlen(line + 2) + 1);
	*is_script = true;
	return 0;
}

/* "  /bin/sh  -e  " -> "/bin/sh", "-e": the kernel makes one argument of all the rest. */
static void split_line(char *line, char **interpreter, char **argument)
{
	size_t len = strlen(line);

	while (len > 0 && strchr(" \t", line[len - 1]))
		line[--len] = '\0';
	*interpreter = line + strspn(line, " \t");
	*argument = *interpreter + strcspn(*interpreter, " \t");
	if (**argument) {
		*(*argument)++ = '\0';
		*argument += strspn(*argument, " \t");
	}
}

/* The command that "env [-S] [NAME=VALUE] command ..." runs; false when it cannot be told. */
static bool env_command(const char *argument, char *path)
{
	char word[SCRIPT_LINE_MAX + 1];

	while (*argument) {
		size_t len = strcspn(argument, " \t");

		memcpy(word, argument, len);
		word[len] = '\0';
		argument += len + strspn(argument + len, " \t");
		if (word[0] != '-' && !strchr(word, '='))
			return target_search(word, path) == 0;
	}
	return false;
}

static bool is_env(const char *path)
{
	const char *base = strrchr(path, '/');

	return strcmp(base ? base + 1 : path, "env") == 0;
}

int target_follow_scripts(const char *path, struct target_facts *facts)
{
	char line[SCRIPT_LINE_MAX + 1], *interpreter, *argument;
	bool is_script;

	facts->kind = TARGET_OTHER;
	if (strlen(path) >= sizeof(facts->path))
		return -ENAMETOOLONG;
	strcpy(facts->path, path);
	for (int depth = 0; depth <= SCRIPT_DEPTH_MAX; depth++) {
		int error = read_script_line(facts->path, line, &is_script);

		if (error || !is_script)
			return error;
		split_line(line, &interpreter, &argument);
		if (*interpreter == '\0')
			return 0;
		if (depth == 0) {
			facts->kind = TARGET_SCRIPT;
			strcpy(facts->script, facts->path);
			snprintf(facts->script_argument, sizeof(facts->script_argument), "%s", argument);
		}
		if (!is_env(interpreter) || !env_command(argument, facts->path))
			snprintf(facts->path, sizeof(facts->path), "%s", interpreter);
	}
	return -ELOOP;
}

void target_read_rights(struct target_facts *facts)
{
	struct statvfs fs;
	struct stat st;

	if (stat(facts->path, &st) < 0)
		return;
	if ((statvfs(facts->path, &fs) == 0 && (fs.f_flag & ST_NOSUID)) ||
	    prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
		return;
	facts->setuid = (st.st_mode & S_ISUID) && st.st_uid != getuid();
	facts->setgid = (st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st.st_gid != getgid();
	facts->capabilities = getxattr(facts->path, "security.capability", NULL, 0) > 0;
	/* The kernel sets AT_SECURE for capabilities gained, which root has already. */
	facts->secure = facts->setuid || facts->setgid || (facts->capabilities && getuid() != 0);
}
