/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The abstract unix socket at which a hook asks for its segment. */
#ifndef LAUNCHER_DOOR_H
#define LAUNCHER_DOOR_H

#include <sys/types.h>

struct door {
	int fd;			/* listening, non-blocking, O_CLOEXEC: poll it for input */
	char name[48];		/* value of CHANNEL_ENV_SOCKET, without the leading NUL */
};

/* Who knocks, as the kernel says. */
struct door_guest {
	int fd;
	pid_t pid;		/* in our pid namespace; 0 when it is in none below ours */
	uid_t uid;
};

/* Opens a door with a name nobody can guess.  0 or -errno. */
int door_open(struct door *door);
void door_close(struct door *door);

/* The next guest, without waiting.  0, -EAGAIN when there is none, -errno.  Every guest is to be
 * admitted or refused, which closes its socket. */
int door_accept(struct door *door, struct door_guest *guest);

/* Sends one byte and the segment's fd.  0 or -errno (the guest went away). */
int door_admit(struct door_guest *guest, int segment_fd, int life_fd);
void door_refuse(struct door_guest *guest);

#endif
