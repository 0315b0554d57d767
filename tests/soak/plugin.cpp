// SPDX-License-Identifier: LGPL-2.1-or-later
// What soak loads and unloads: a library that allocates when it comes, while it is there, and
// when it goes, and throws.
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

namespace {
struct resident {
	char *name = strdup("a resident of the plugin");
	int *numbers = new int[100];

	~resident()
	{
		free(name);
		delete[] numbers;
	}
} here;

struct alignas(64) wide {
	char bytes[192];
};
}

extern "C" int plugin_work(unsigned n)
{
	char *volatile block = static_cast<char *>(malloc(100 + n % 500));
	wide *volatile aligned = new wide;
	std::string text(30 + n % 70, 'x');
	int sum = here.numbers[0] * 0;

	for (unsigned i = 0; i < n % 8; i++)
		text += text.substr(0, 20);
	delete aligned;
	free(block);
	return sum + static_cast<int>(text.size());
}

// Throws through the hook: operator new has no such block.
extern "C" int plugin_throw(unsigned n)
{
	try {
		if (n % 3 == 0) {
			char *volatile much = new char[(1ul << 40) + n];
			delete[] much;
		}
		if (n % 3 == 1) {
			char *volatile much = new (std::nothrow) char[(1ul << 40) + n];
			return much == nullptr;
		}
		throw std::runtime_error("thrown in the plugin");
	} catch (const std::exception &e) {
		return e.what()[0] != 0;
	}
	return 0;
}
