/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* J100: ends with 3 before main. */
#include <unistd.h>

__attribute__((constructor)) static void leave(void)
{
	_exit(3);
}

int main(void)
{
	return 0;
}
