// SPDX-License-Identifier: LGPL-2.1-or-later
// Exceptions and new_handler through the hook: what comes after a throw is recorded all the same,
// from deeper frames too.
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <new>

static volatile unsigned long handled;

static __attribute__((noinline)) void deep(int n)
{
	volatile char frame[200];

	frame[0] = static_cast<char>(n);
	if (n > 0) {
		deep(n - 1);
	} else {
		void *volatile p = std::malloc(6001);
		std::free(p);
	}
	frame[1] = frame[0];
}

static void give_up()
{
	if (++handled % 2 == 0)
		throw std::bad_alloc();
	void *volatile p = std::malloc(6002);
	std::free(p);
}

// A handler that leaves operator new for good; then a frame that covers it and overwrites nothing.
static std::jmp_buf back;

static void jump_back()
{
	std::longjmp(back, 1);
}

static __attribute__((noinline)) void hole()
{
	volatile char frame[4096];

	frame[0] = 1;
	void *volatile p = std::malloc(6004);
	std::free(p);
}

static __attribute__((noinline)) void jump_over()
{
	if (!setjmp(back)) {
		char *volatile p = new char[static_cast<std::size_t>(-1) / 2 - 1000];
		delete[] p;
	}
	hole();
}

int main()
{
	std::set_new_handler(give_up);
	for (int i = 0; i < 200; i++) {
		try {
			char *volatile p = new char[static_cast<std::size_t>(-1) / 2 - 1000];
			delete[] p;
		} catch (const std::bad_alloc &) {
		}
		deep(20);
		char *volatile p = new char[6003];
		delete[] p;
		int *volatile q = new (std::nothrow) int;
		delete q;
	}
	std::set_new_handler(jump_back);
	for (int i = 0; i < 200; i++)
		jump_over();
	std::printf("expect malloc-6004 200\nexpect malloc-6001 200\nexpect new[]-6003 200\nexpect new-4 200\n");
	return 0;
}
