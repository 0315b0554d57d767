// SPDX-License-Identifier: LGPL-2.1-or-later
// header: operators new and delete of the program's own, which put a header in front of each block; the forms
// that it does not define come from the library and build on these.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

static constexpr std::size_t head = 32;

void *operator new(std::size_t size)
{
	char *p = static_cast<char *>(std::malloc(size + head));

	if (!p)
		throw std::bad_alloc();
	std::memcpy(p, "header", 7);
	return p + head;
}

void operator delete(void *p) noexcept
{
	if (p && std::strcmp(static_cast<char *>(p) - head, "header"))
		std::abort();
	if (p)
		std::free(static_cast<char *>(p) - head);
}

void operator delete(void *p, std::size_t) noexcept
{
	::operator delete(p);
}

int main()
{
	setbuf(stdout, nullptr);
	for (int i = 0; i < 10; i++) {
		::operator delete(::operator new(7001 - head));
		::operator delete(::operator new(7002 - head, std::nothrow));
		::operator delete[](::operator new[](7003 - head));
		::operator delete[](::operator new[](7004 - head, std::nothrow), std::nothrow);
	}
	::operator new[](7005 - head);
	std::printf("expect malloc 7001 10\nlive 7001 0\nexpect malloc 7002 10\nlive 7002 0\n");
	std::printf("expect malloc 7003 10\nlive 7003 0\nexpect malloc 7004 10\nlive 7004 0\n");
	std::printf("expect malloc 7005 1\nlive 7005 1\nexpect new * 0\nexpect new[] * 0\n");
	return 0;
}
