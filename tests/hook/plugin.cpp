// SPDX-License-Identifier: LGPL-2.1-or-later
// A C++ plugin for a C program.
#include <new>

struct thing {
	char bytes[777];
};

extern "C" int plugin_run()
{
	for (int i = 0; i < 10; i++) {
		thing *volatile t = new thing;
		delete t;
	}
	return 0;
}

struct gift {
	long a[5];
};

extern "C" void plugin_drop(gift *t)
{
	delete t;
}

extern "C" gift *plugin_make()
{
	return new gift;
}
