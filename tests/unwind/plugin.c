/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plugin for hard.c.  Built twice, with another PLUGIN_BYTES: the same code addresses then belong
 * to frames of another size. */
#ifndef PLUGIN_BYTES
#define PLUGIN_BYTES 64
#endif

void plugin_enter(void (*call)(void));

void plugin_enter(void (*call)(void))
{
	volatile char bytes[PLUGIN_BYTES];

	bytes[0] = 1;
	call();
	bytes[PLUGIN_BYTES - 1] = bytes[0];
}
