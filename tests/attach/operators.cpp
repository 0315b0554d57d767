// SPDX-License-Identifier: LGPL-2.1-or-later
// operators library|operators ROUNDS: C++ that allocates, as its library does it or by all forms of the operators.
//
// Says "ready", waits for a line, works, says "live" and waits for another one.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <new>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <unordered_map>
#include <vector>

static void say(const char *line)
{
	if (write(1, line, std::strlen(line)) < 0)
		_exit(1);
}

static void wait_for_line()
{
	char c;

	while (read(0, &c, 1) == 1)
		if (c == '\n')
			return;
	_exit(1);
}

static int throws(const std::string &text)
{
	try {
		throw std::runtime_error(text + ", and this is why it does not fit into the object itself");
	} catch (const std::exception &e) {
		return static_cast<int>(std::strlen(e.what()));
	}
}

static std::size_t library(unsigned rounds)
{
	static std::map<std::string, std::vector<int>> kept;
	std::size_t sum = 0;

	for (unsigned i = 0; i < rounds; i++) {
		std::ostringstream out;
		std::unordered_map<int, std::string> numbers;
		std::regex expression("([a-z]+)-([0-9]+)");
		std::smatch match;
		std::string text = "number-" + std::to_string(i) + std::string(i % 60, 'x');

		out << text << ' ' << i * 1.5 << '\n';
		for (int n = 0; n < 20; n++)
			numbers[n] = text;
		if (std::regex_search(text, match, expression))
			kept[match[1].str() + std::to_string(i % 37)].push_back(static_cast<int>(i));
		sum += out.str().size() + numbers.size() + static_cast<std::size_t>(throws(text));
		sum += std::make_shared<std::string>(text)->size();
	}
	return sum;
}

struct alignas(64) wide {
	char bytes[192];
};

static void *volatile held;	// or the pairs would be left out

// Each pair once: what it calls is in its name.
static void one_of_each(std::size_t size)
{
	held = ::operator new(size);
	::operator delete(held);
	held = ::operator new(size);
	::operator delete(held, size);
	held = ::operator new(size, std::nothrow);
	::operator delete(held, std::nothrow);
	held = ::operator new[](size);
	::operator delete[](held);
	held = ::operator new[](size);
	::operator delete[](held, size);
	held = ::operator new[](size, std::nothrow);
	::operator delete[](held, std::nothrow);
	held = ::operator new(size * 64, std::align_val_t(64));
	::operator delete(held, std::align_val_t(64));
	held = ::operator new(size * 64, std::align_val_t(64));
	::operator delete(held, size * 64, std::align_val_t(64));
	held = ::operator new(size * 64, std::align_val_t(64), std::nothrow);
	::operator delete(held, std::align_val_t(64), std::nothrow);
	held = ::operator new[](size * 64, std::align_val_t(64));
	::operator delete[](held, std::align_val_t(64));
	held = ::operator new[](size * 64, std::align_val_t(64));
	::operator delete[](held, size * 64, std::align_val_t(64));
	held = ::operator new[](size * 64, std::align_val_t(64), std::nothrow);
	::operator delete[](held, std::align_val_t(64), std::nothrow);
	held = new wide;
	delete static_cast<wide *>(held);
}

int main(int argc, char **argv)
{
	std::size_t sum = 0;
	unsigned rounds;

	if (argc != 3)
		return 2;
	rounds = static_cast<unsigned>(std::atoi(argv[2]));
	say("ready\n");
	wait_for_line();
	if (std::strcmp(argv[1], "library") == 0)
		sum = library(rounds);
	else
		for (unsigned i = 0; i < rounds; i++)
			one_of_each(1 + i % 100);
	say("live\n");
	wait_for_line();
	return sum == 1;
}
