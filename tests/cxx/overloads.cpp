// SPDX-License-Identifier: LGPL-2.1-or-later
// Every operator new and delete there is, and a class with its own.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

static const int rounds = 50;
static unsigned misaligned;

struct alignas(128) Aligned {
	char bytes[128];
};

// Its memory is the program's own, so only what it takes itself is an event.
struct Own {
	char bytes[72];

	static void *operator new(std::size_t size) { return std::malloc(size + 4000); }
	static void operator delete(void *block) { std::free(block); }
};

struct Destroying {
	char bytes[56];

	static void operator delete(Destroying *block, std::destroying_delete_t)
	{
		block->~Destroying();
		::operator delete(block, sizeof(Destroying));
	}
};

static void *at(void *block, std::size_t alignment)
{
	if (reinterpret_cast<std::uintptr_t>(block) % alignment)
		misaligned++;
	return block;
}

static void plain()
{
	::operator delete(::operator new(1001));
	::operator delete(::operator new(1002), std::size_t(1002));
	::operator delete(::operator new(1003, std::nothrow), std::nothrow);
	::operator delete[](::operator new[](1004));
	::operator delete[](::operator new[](1005), std::size_t(1005));
	::operator delete[](::operator new[](1006, std::nothrow), std::nothrow);
}

static void aligned()
{
	const std::align_val_t to{256};

	::operator delete(at(::operator new(1101, to), 256), to);
	::operator delete(at(::operator new(1102, to), 256), std::size_t(1102), to);
	::operator delete(at(::operator new(1103, to, std::nothrow), 256), to, std::nothrow);
	::operator delete[](at(::operator new[](1104, to), 256), to);
	::operator delete[](at(::operator new[](1105, to), 256), std::size_t(1105), to);
	::operator delete[](at(::operator new[](1106, to, std::nothrow), 256), to, std::nothrow);
	delete static_cast<Aligned *>(at(new Aligned, 128));
}

static void classes()
{
	char place[sizeof(Aligned)];
	Own *volatile own = new Own;
	Destroying *volatile destroying = new Destroying;

	delete own;
	delete destroying;
	(void)new (place) char;		// placement: no event
}

int main()
{
	for (int i = 0; i < rounds; i++) {
		plain();
		aligned();
		classes();
	}
	std::printf("%u misaligned\n", misaligned);
	for (int size = 1001; size <= 1006; size++)
		std::printf("expect %s %d %d\nlive %d 0\n", size < 1004 ? "new" : "new[]", size, rounds, size);
	for (int size = 1101; size <= 1106; size++)
		std::printf("expect %s %d %d\nlive %d 0\n", size < 1104 ? "new" : "new[]", size, rounds, size);
	std::printf("expect new 128 %d\nexpect malloc 4072 %d\nexpect new 56 %d\n", rounds, rounds, rounds);
	std::printf("expect delete - %d\nexpect delete[] - %d\nlive 4072 0\nlive 56 0\nlive 128 0\n", 8 * rounds,
		6 * rounds);
	std::printf("expect malloc 1001 0\nexpect aligned_alloc 1101 0\nexpect memalign 1101 0\n");
	std::printf("frames new 1001 ^plain\\(\\);main;\nframes new[] 1104 ^aligned\\(\\);main;\n");
	return misaligned != 0;
}
