/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An operator new that has no memory, called by way of the hook. */
#include <cstddef>
#include <new>

extern "C" int attach_throw(void *(*operator_new)(std::size_t));

int attach_throw(void *(*operator_new)(std::size_t))
{
	try {
		operator_new(std::size_t(1) << 62);
	} catch (const std::bad_alloc &) {
		return 1;
	}
	return 0;
}
