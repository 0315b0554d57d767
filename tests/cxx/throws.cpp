// SPDX-License-Identifier: LGPL-2.1-or-later
// Exceptions through the hook, ten thousand times: out of operator new, out of a new_handler, past
// frames that free as they unwind; a new_handler that makes room and lets new try again.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

static const int rounds = 10000;
static const std::size_t too_much = static_cast<std::size_t>(-1) / 2 - 4096;

// Frees in the middle of the unwinding, and throws and catches there.
struct Unwound {
	void *block;

	explicit Unwound(std::size_t size) : block(std::malloc(size)) {}
	~Unwound()
	{
		std::free(block);
		try {
			throw 5;
		} catch (int) {
			std::free(std::malloc(3003));
		}
	}
};

static __attribute__((noinline)) void deep(int n)
{
	Unwound here(3002);

	if (n > 0)
		deep(n - 1);
	else
		throw std::runtime_error(std::string(300, 'x'));
}

static void *reserve;
static unsigned handled;

static void make_room()
{
	handled++;
	if (!reserve)
		throw std::bad_alloc();
	std::free(reserve);
	reserve = nullptr;
}

// new fails, the handler frees, new fails again, the handler throws.
static unsigned without_memory()
{
	unsigned caught = 0;

	std::set_new_handler(make_room);
	for (int i = 0; i < rounds; i++) {
		reserve = std::malloc(3001);
		try {
			::operator delete(::operator new(too_much));
		} catch (const std::bad_alloc &) {
			caught++;
		}
		char *volatile after = new char[3004];
		delete[] after;
	}
	std::set_new_handler(nullptr);
	for (int i = 0; i < rounds; i++) {
		try {
			::operator delete[](::operator new[](too_much, std::align_val_t(64)), std::align_val_t(64));
		} catch (const std::bad_alloc &) {
			caught++;
		}
		if (::operator new(too_much, std::nothrow) == nullptr)
			caught++;
		std::free(std::malloc(3005));
	}
	return caught;
}

static unsigned unwinding()
{
	unsigned caught = 0;

	for (int i = 0; i < rounds / 100; i++) {
		try {
			deep(i % 10);
		} catch (...) {
			std::exception_ptr again = std::current_exception();

			caught++;
			try {
				std::rethrow_exception(again);
			} catch (const std::exception &) {
				caught++;
			}
		}
		std::free(std::malloc(3006));
	}
	return caught;
}

int main()
{
	unsigned caught = without_memory(), more = unwinding();

	std::thread([&more] { more += unwinding(); }).join();
	std::printf("%u and %u caught, %u handled\n", caught, more, handled);
	std::printf("expect malloc 3001 %d\nlive 3001 0\n", rounds);
	std::printf("expect malloc 3002 %d\nexpect malloc 3003 %d\nlive 3002 0\n", 11 * rounds / 100, 11 * rounds / 100);
	std::printf("expect new[] 3004 %d\nexpect malloc 3005 %d\nexpect malloc 3006 %d\n", rounds, rounds,
		rounds / 50);
	std::printf("live 3004 0\nlive 3005 0\nlive 3006 0\n");
	std::printf("frames malloc 3002 ^Unwound::Unwound\\(unsigned long\\);deep\\(int\\);.*unwinding\n");
	std::printf("frames malloc 3005 ^without_memory\\(\\);main;\n");
	return 0;
}
