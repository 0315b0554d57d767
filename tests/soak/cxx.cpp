// SPDX-License-Identifier: LGPL-2.1-or-later
// The C++ calls of the soaking program, for its C parts.
#include <cstddef>
#include <new>

extern "C" {
void *cxx_new(size_t n) { return ::operator new(n); }
void *cxx_new_nothrow(size_t n) { return ::operator new(n, std::nothrow); }
void *cxx_new_aligned(size_t n) { return ::operator new(n, std::align_val_t(64)); }
void *cxx_new_array(size_t n) { return ::operator new[](n); }
void *cxx_new_array_nothrow(size_t n) { return ::operator new[](n, std::nothrow); }
void *cxx_new_array_aligned(size_t n) { return ::operator new[](n, std::align_val_t(128)); }
void cxx_delete(void *p) { ::operator delete(p); }
void cxx_delete_sized(void *p, size_t n) { ::operator delete(p, n); }
void cxx_delete_aligned(void *p) { ::operator delete(p, std::align_val_t(64)); }
void cxx_delete_array(void *p) { ::operator delete[](p); }
void cxx_delete_array_sized(void *p, size_t n) { ::operator delete[](p, n); }
void cxx_delete_array_aligned(void *p) { ::operator delete[](p, std::align_val_t(128)); }

int cxx_throw(size_t n)
{
	try {
		return cxx_new(n + (1ul << 40)) == nullptr;
	} catch (const std::bad_alloc &) {
		return 1;
	}
}
}
