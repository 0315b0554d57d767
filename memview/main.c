/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* memview: the viewer of memtrack's traces. */
#include "memview/viewer.h"

int main(int argc, char **argv)
{
	return viewer_main(argc, argv);
}
