// SPDX-License-Identifier: LGPL-2.1-or-later
// C++ allocations of known number and size, as calls.c has it.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

struct large {
	char bytes[10007];
};
struct alignas(64) aligned {
	char bytes[12800];
};

/* Whatever goes through here is made in truth. */
template <typename T> static T *made(T *p)
{
	static void *volatile sink;

	sink = p;
	return p;
}

int main()
{
	std::vector<std::unique_ptr<large>> kept;

	for (int i = 0; i < 100; i++) {
		auto one = std::make_unique<large>();
		auto many = std::make_unique<char[]>(20011);
		delete made(new aligned);

		one->bytes[0] = many[0] = static_cast<char>(i);
		if (i < 7)
			made(new large);
	}
	puts("expect new-10007 107\nexpect new[]-20011 100\nexpect new-12800 100\n"
	     "live 10007 7\nlive 20011 0\nlive 12800 0");
}
