/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Folders, sockets and words of the control connection. */
#include "wire/control.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define BACKLOG		8
#define NAME_BYTES	16
#define LOCK_TRIES	200u
#define LOCK_NAP_NS	5000000L
#define SWEEP_MOST	4096u	/* entries of a folder */

/* i-th place to look for or make the folder; false: there is none any more. */
static bool folder_at(unsigned i, uid_t uid, const char *runtime, char path[WIRE_CONTROL_PATH])
{
	if (!runtime || *runtime != '/' || strlen(runtime) + strlen("/memtrack") >= WIRE_CONTROL_PATH - 12)
		i++;
	if (i == 0)
		return snprintf(path, WIRE_CONTROL_PATH, "%s/memtrack", runtime) > 0;
	return i == 1 && snprintf(path, WIRE_CONTROL_PATH, "/tmp/memtrack-%u", (unsigned)uid) > 0;
}

/* Whoever may write there could answer in our place. */
static int check_folder(const char *path, uid_t uid)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return -errno;
	return S_ISDIR(st.st_mode) && st.st_uid == uid && !(st.st_mode & 077) ? 0 : -EPERM;
}

static int make_folder(const char *path)
{
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return -errno;
	return check_folder(path, geteuid());
}

static void name_of(char name[NAME_BYTES], pid_t target)
{
	snprintf(name, NAME_BYTES, "%d", (int)target);
}

static int name_socket(struct sockaddr_un *address, const char *folder, const char *name)
{
	int n = snprintf(address->sun_path, sizeof(address->sun_path), "%s/%s", folder, name);

	address->sun_family = AF_UNIX;
	return n > 0 && (size_t)n < sizeof(address->sun_path) ? 0 : -ENAMETOOLONG;
}

static int new_socket(int flags)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);

	return fd < 0 ? -errno : fd;
}

static int connect_to(const struct sockaddr_un *address, int flags)
{
	int fd = new_socket(flags), rc;

	if (fd < 0)
		return fd;
	if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0)
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

/* A socket refuses also between bind() and listen(), so whoever makes or removes one locks the folder.  A descriptor, or
 * -errno; a holder that was stopped is not waited for for long. */
static int lock_folder(const char *path, unsigned tries)
{
	const struct timespec nap = { .tv_nsec = LOCK_NAP_NS };
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), rc;

	if (fd < 0)
		return -errno;
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		rc = -errno;
		if (rc == -EWOULDBLOCK && --tries) {
			nanosleep(&nap, NULL);
			continue;
		}
		close(fd);
		return rc;
	}
	return fd;
}

/* Left behind by one that was killed: nobody listens there.  The folder is locked, and nobody else may write into it. */
static void remove_dead(int folder, const char *name, const char *path)
{
	struct sockaddr_un address;
	struct stat st;
	int fd;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISSOCK(st.st_mode) || st.st_uid != geteuid())
		return;
	if (name_socket(&address, path, name))
		return;
	fd = connect_to(&address, SOCK_NONBLOCK);
	if (fd >= 0)
		close(fd);
	else if (fd == -ECONNREFUSED)
		unlinkat(folder, name, 0);
}

static void sweep(int folder, const char *path)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir && fd >= 0)
		close(fd);
	for (unsigned i = 0; dir && i < SWEEP_MOST && (entry = readdir(dir)); i++)
		if (entry->d_name[strspn(entry->d_name, "0123456789")] == '\0')
			remove_dead(folder, entry->d_name, path);
	if (dir)
		closedir(dir);
}

void wire_control_sweep(const char *runtime)
{
	char path[WIRE_CONTROL_PATH];

	for (unsigned i = 0; folder_at(i, geteuid(), runtime, path); i++) {
		int folder = check_folder(path, geteuid()) ? -1 : lock_folder(path, 1);

		if (folder < 0)
			continue;
		sweep(folder, path);
		close(folder);
	}
}

static int bind_in(const struct sockaddr_un *address)
{
	int fd = new_socket(SOCK_NONBLOCK), rc;

	if (fd < 0)
		return fd;
	if (bind(fd, (const struct sockaddr *)address, sizeof(*address)) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

static int listen_in(const char *path, pid_t target, struct sockaddr_un *address)
{
	char name[NAME_BYTES];
	int rc = make_folder(path), folder;

	name_of(name, target);
	if (!rc)
		rc = name_socket(address, path, name);
	if (rc)
		return rc;
	folder = lock_folder(path, LOCK_TRIES);
	if (folder < 0)
		return folder;
	remove_dead(folder, name, path);
	sweep(folder, path);
	rc = bind_in(address);
	close(folder);
	return rc;
}

int wire_control_listen(pid_t target, const char *runtime, char path[WIRE_CONTROL_PATH])
{
	struct sockaddr_un address;
	char folder[WIRE_CONTROL_PATH];
	int fd = -ENOENT;

	for (unsigned i = 0; fd < 0 && fd != -EADDRINUSE && folder_at(i, geteuid(), runtime, folder); i++)
		fd = listen_in(folder, target, &address);
	if (fd >= 0)
		memcpy(path, address.sun_path, WIRE_CONTROL_PATH);
	return fd;
}

static int identify(int fd, struct wire_peer *peer)
{
	struct ucred who;
	socklen_t length = sizeof(who);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &length) < 0)
		return -errno;
	*peer = (struct wire_peer){ who.pid, who.uid };
	return 0;
}

int wire_control_accept(int listener, struct wire_peer *peer)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), rc;

	if (fd < 0)
		return -errno;
	rc = identify(fd, peer);
	if (!rc)
		return fd;
	close(fd);
	return rc;
}

int wire_control_connect(pid_t target, uid_t uid, const char *runtime, struct wire_peer *peer)
{
	struct sockaddr_un address;
	char folder[WIRE_CONTROL_PATH], name[NAME_BYTES];
	int fd = -ENOENT, rc;

	name_of(name, target);
	for (unsigned i = 0; fd < 0 && folder_at(i, uid, runtime, folder); i++) {
		fd = check_folder(folder, uid);
		if (!fd)
			fd = name_socket(&address, folder, name);
		if (!fd)
			fd = connect_to(&address, 0);
	}
	if (fd < 0)
		return fd;
	rc = identify(fd, peer);
	if (!rc)
		return fd;
	close(fd);
	return rc;
}

int wire_control_read(int fd, struct wire_control_word *word)
{
	while (word->length < WIRE_CONTROL_WORD) {
		char *at = &word->text[word->length];
		ssize_t n = recv(fd, at, 1, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EPIPE;
		if (*at == '\n') {
			*at = '\0';
			return 0;
		}
		word->length++;
	}
	return -EMSGSIZE;
}

int wire_control_write(int fd, const char *text, size_t length)
{
	while (length) {
		ssize_t n = send(fd, text, length, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		length -= (size_t)n;
	}
	return 0;
}
