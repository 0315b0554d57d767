// SPDX-License-Identifier: LGPL-2.1-or-later
// containers [ROUNDS]: map, string, vector and an exception now and then.
#include "bench/workload.h"

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

std::string describe(long i)
{
	if (i % 1000 == 999)
		throw std::runtime_error("the description of item " + std::to_string(i) + " is missing");
	return "item number " + std::to_string(i) + " of the list of items";
}

} // namespace

int main(int argc, char **argv)
{
	long rounds = workload_rounds(argc, argv, 1000000), failed = 0;
	std::map<long, std::string> items;
	std::vector<std::string> last;

	for (long i = 0; i < rounds; i++) {
		try {
			items[i * 7919 % 20011] = describe(i);
			last.push_back(items.begin()->second);
		} catch (const std::runtime_error &) {
			failed++;
		}
		if (last.size() == 100)
			last = std::vector<std::string>();
	}
	std::printf("%zu items, %ld failed\n", items.size(), failed);
	return 0;
}
