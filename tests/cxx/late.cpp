// SPDX-License-Identifier: LGPL-2.1-or-later
// late [quick]: what is freed after main: by static destructors, atexit and at_quick_exit handlers,
// destructor functions, thread_local destructors of threads and of main.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

static std::map<int, std::string> names;
static std::vector<void *> blocks;
static void *last, *quick;

struct Late {
	~Late()
	{
		for (void *block : blocks)
			std::free(block);
		std::free(std::malloc(5003));
	}
};
static Late late;

struct PerThread {
	std::vector<char> bytes;

	~PerThread()
	{
		std::free(std::malloc(5004));
		bytes.assign(5005, 1);
	}
};
static thread_local PerThread per_thread;

static void at_exit()
{
	names.clear();
	std::free(std::malloc(5006));
}

static void at_quick_exit_handler()
{
	std::free(quick);
}

__attribute__((destructor(101))) static void very_late()
{
	std::free(last);
	std::free(std::malloc(5007));
}

static void expect_normal()
{
	std::printf("live 5001 0\nlive 5002 0\nlive 101 0\nexpect malloc 5003 1\nexpect malloc 5004 101\n");
	std::printf("expect new 5005 101\nlive 5005 0\nexpect malloc 5006 1\nexpect malloc 5007 1\n");
	std::printf("live 5008 1\n");
}

// Static destructors do not run then.
static void expect_quick()
{
	std::printf("live 5001 100\nlive 5002 1\nlive 5008 0\nexpect malloc 5003 0\nexpect malloc 5004 100\n");
}

int main(int argc, char **argv)
{
	bool quickly = argc > 1 && !std::strcmp(argv[1], "quick");

	std::setbuf(stdout, nullptr);
	std::atexit(at_exit);
	std::at_quick_exit(at_quick_exit_handler);
	for (int i = 0; i < 100; i++) {
		names[i] = std::string(100, 'z');
		blocks.push_back(std::malloc(5001));
		std::thread([] { per_thread.bytes.push_back(1); }).join();
	}
	per_thread.bytes.push_back(1);
	last = std::malloc(5002);
	quick = std::malloc(5008);
	if (quickly) {
		expect_quick();
		std::quick_exit(3);
	}
	expect_normal();
	std::exit(0);
}
