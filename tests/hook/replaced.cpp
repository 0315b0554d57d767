/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Replaces one operator new and one delete, as many programs do; the sized delete that the
 * compiler calls is libstdc++'s, which calls ours. */
#include <stdio.h>
#include <stdlib.h>

#include <new>
#include <string>
#include <vector>

void *operator new(size_t size)
{
	return malloc(size);
}

void operator delete(void *block) noexcept
{
	free(block);
}

int main()
{
	std::vector<std::string> texts;

	for (int i = 0; i < 200; i++)
		texts.push_back(std::string((size_t)i, 'x'));
	puts("done");
	return 0;
}
