// SPDX-License-Identifier: LGPL-2.1-or-later
// Threads that a runtime starts: OpenMP's pool, std::thread, std::async.
#include <cstdio>
#include <cstdlib>
#include <future>
#include <thread>
#include <vector>

static const int tasks = 200;

__attribute__((noinline)) static void work(std::size_t size)
{
	std::free(std::malloc(size));
}

int main()
{
	std::vector<std::thread> threads;
	std::vector<std::future<void>> futures;

#pragma omp parallel for num_threads(4) schedule(static, 1)
	for (int i = 0; i < tasks; i++)
		work(9001);
	for (int i = 0; i < 8; i++)
		threads.emplace_back(work, 9002);
	for (std::thread &thread : threads)
		thread.join();
	for (int i = 0; i < 8; i++)
		futures.push_back(std::async(std::launch::async, work, 9003));
	for (std::future<void> &future : futures)
		future.get();
	std::printf("expect malloc 9001 %d\nexpect malloc 9002 8\nexpect malloc 9003 8\n", tasks);
	std::printf("frames malloc 9001 ^work[^;]*;(main._omp_fn.0|[^;]*omp[^;]*);.*(start_thread|main);\n");
	std::printf("frames malloc 9002 ^work[^;]*;.*start_thread;\nframes malloc 9003 ^work[^;]*;.*start_thread;\n");
	return 0;
}
