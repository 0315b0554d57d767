// SPDX-License-Identifier: LGPL-2.1-or-later
// Opened by a program that is not C++: allocates as a static object, when called, and by a failing new.
#include <new>

struct Static {
	char *block;

	Static() : block(new char[6003]) {}
	~Static() { delete[] block; }
};
static Static object;

extern "C" int opened_run();
int opened_run()
{
	char *volatile array = new char[6002];
	void *volatile one = ::operator new(6001);
	int caught = 0;

	array[0] = object.block[0] = 0;
	::operator delete(one);
	delete[] array;
	try {
		::operator delete(::operator new(static_cast<std::size_t>(-1) / 2 - 4096));
	} catch (const std::bad_alloc &) {
		caught++;
	}
	return caught;
}
