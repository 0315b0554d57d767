/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A library that wants WANT bytes of the static TLS block. */
char *touch(void);

static __thread char memory[WANT] __attribute__((tls_model("initial-exec")));

char *touch(void)
{
	memory[0]++;
	return memory;
}
