// SPDX-License-Identifier: LGPL-2.1-or-later
// handler: what a new_handler allocates and frees itself, by malloc, new and free.
#include <cstdio>
#include <cstdlib>
#include <new>
#include <sys/resource.h>

static void *reserve, *from_new;
static int calls;

static constexpr unsigned long block = 1ul << 30;

static unsigned long address_space()
{
	unsigned long pages = 0;
	std::FILE *f = std::fopen("/proc/self/statm", "r");

	if (!f || std::fscanf(f, "%lu", &pages) != 1)
		std::abort();
	std::fclose(f);
	return pages * 4096;
}

static void make_room()
{
	struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };

	calls++;
	setrlimit(RLIMIT_AS, &none);
	std::free(reserve);
	std::free(std::malloc(6001));
	std::malloc(6002);
	from_new = ::operator new(6003);
}

int main()
{
	struct rlimit limit = { address_space() + block / 2, RLIM_INFINITY };
	void *large;

	setbuf(stdout, nullptr);
	reserve = std::malloc(6004);
	std::set_new_handler(make_room);
	setrlimit(RLIMIT_AS, &limit);
	large = ::operator new(block);
	::operator delete(large);
	::operator delete(from_new);
	::operator delete[](::operator new[](6005));
	std::printf("expect malloc 6001 1\nlive 6001 0\nexpect malloc 6002 1\nlive 6002 1\n");
	std::printf("expect new 6003 1\nlive 6003 0\nlive 6004 0\nexpect new %lu 1\nlive %lu 0\n", block, block);
	std::printf("expect new[] 6005 1\nlive 6005 0\n");
	return calls != 1;
}
