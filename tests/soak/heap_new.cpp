// SPDX-License-Identifier: LGPL-2.1-or-later
// operator new and delete of the soaking heap, in all their forms.
#include <cstddef>
#include <cstdint>
#include <new>

extern "C" {
void *heap_take(int op, size_t size, size_t alignment);
void heap_give(int op, void *block);
void shadow_silence(bool release);
}

namespace {
#define _Static_assert static_assert
#include "trace/functions.h"

void *take(op which, size_t size, size_t alignment)
{
	for (;;) {
		void *block = heap_take(which, size, alignment);
		std::new_handler handler;

		if (block)
			return block;
		handler = std::get_new_handler();
		if (!handler) {
			shadow_silence(false);	// the exception's malloc, inside this call
			throw std::bad_alloc();
		}
		handler();
	}
}

void *try_take(op which, size_t size, size_t alignment) noexcept
{
	try {
		return take(which, size, alignment);
	} catch (const std::bad_alloc &) {
		shadow_silence(true);
		return nullptr;
	}
}
}

#define NEW(id, symbol) \
	void *operator symbol(size_t n) { return take(OP_##id, n, 16); } \
	void *operator symbol(size_t n, const std::nothrow_t &) noexcept \
	{ \
		return try_take(OP_##id##_NT, n, 16); \
	} \
	void *operator symbol(size_t n, std::align_val_t a) { return take(OP_##id##_AL, n, (size_t)a); } \
	void *operator symbol(size_t n, std::align_val_t a, const std::nothrow_t &) noexcept \
	{ \
		return try_take(OP_##id##_AL_NT, n, (size_t)a); \
	}

#define DELETE(id, symbol) \
	void operator symbol(void *p) noexcept { heap_give(OP_##id, p); } \
	void operator symbol(void *p, size_t) noexcept { heap_give(OP_##id##_SZ, p); } \
	void operator symbol(void *p, const std::nothrow_t &) noexcept { heap_give(OP_##id##_NT, p); } \
	void operator symbol(void *p, std::align_val_t) noexcept { heap_give(OP_##id##_AL, p); } \
	void operator symbol(void *p, size_t, std::align_val_t) noexcept { heap_give(OP_##id##_SZ_AL, p); } \
	void operator symbol(void *p, std::align_val_t, const std::nothrow_t &) noexcept \
	{ \
		heap_give(OP_##id##_AL_NT, p); \
	}

NEW(NEW, new)
NEW(NEWA, new[])
DELETE(DELETE, delete)
DELETE(DELETEA, delete[])
