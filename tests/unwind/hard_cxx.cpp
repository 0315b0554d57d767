// SPDX-License-Identifier: LGPL-2.1-or-later
// C++ whose stacks are hard to unwind: exceptions in flight, rethrown and nested, virtual calls,
// iostreams, regular expressions, function objects, threads.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct Guard {
	std::string text;
	~Guard() { text += std::string(100, 'x'); }
};

__attribute__((noinline)) static int thrower(int depth)
{
	Guard guard{std::to_string(depth)};

	if (depth == 0)
		throw std::runtime_error(std::string(200, 'e'));
	try {
		return thrower(depth - 1) + 1;
	} catch (const std::runtime_error &e) {
		if (depth % 3 == 0)
			throw std::logic_error(std::string(e.what()) + "more");
		throw;
	}
}

static void exceptions()
{
	for (int i = 0; i < 200; i++) {
		try {
			thrower(i % 11);
		} catch (const std::exception &e) {
			std::string copy(e.what());
		}
	}
}

static void containers()
{
	std::map<std::string, std::vector<std::function<int(int)>>> all;

	for (int i = 0; i < 2000; i++)
		all[std::to_string(i % 97)].push_back([i](int x) { return x + i; });
	std::vector<std::string> words;
	for (auto &entry : all)
		words.push_back(entry.first + std::string(40, 'y'));
	std::sort(words.begin(), words.end(), [](std::string a, std::string b) { return b < a; });
	std::ostringstream out;
	for (auto &word : words)
		out << word << 1.5 << std::endl;
	std::regex pattern("(a|b|y)*([0-9]+|y+)");
	for (auto &word : words)
		std::regex_search(word, pattern);
}

int main()
{
	exceptions();
	containers();
	std::vector<std::thread> threads;
	for (int i = 0; i < 4; i++)
		threads.emplace_back([] { exceptions(); containers(); });
	for (auto &thread : threads)
		thread.join();
	std::puts("OK");
}
