/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of functions that only pass an allocation on. */
#include "tests/tap.h"

#include "model/library.h"

static const char *const library[] = {
	"std::string::reserve(unsigned long)",
	"std::__cxx11::basic_string<char>::_M_create(unsigned long&, unsigned long)",
	"void std::vector<int, std::allocator<int> >::_M_realloc_insert<int>(int&&)",
	"std::pair<int, my::T>& std::vector<my::T>::emplace_back<my::T>(my::T&&)",
	"std::enable_if<a<(b)1>, c>::type std::make_unique<my::T>()",
	"decltype (auto) std::invoke<my::F>(my::F&&)",
	"char* std::__detail::f<char>(char*)", "__gnu_cxx::new_allocator<int>::allocate(unsigned long, void const*)",
	"my::T* __gnu_cxx::f<my::T>()", "std::ostream& std::operator<< <char>(std::ostream&, char)",
	"std::function<void (my::T)>::operator()(my::T) const",
	"operator new(unsigned long)", "malloc", "strdup", "__rust_alloc", "alloc::raw_vec::RawVec<T,A>::grow_one",
	"alloc::alloc::exchange_malloc", "core::ops::function::FnOnce::call_once", "std::io::stdio::print_to",
	"<alloc::vec::Vec<my::T> as core::clone::Clone>::clone", "<T as alloc::slice::ConvertVec>::to_vec",
	"<&mut alloc::string::String as core::fmt::Write>::write_str", "<str as alloc::string::ToString>::to_string",
};

static const char *const program[] = {
	"std::vector<int> my::make<int>(int)", "std::string make<std::string>(std::string)", "main", "my::std::f()",
	"void f<std::string>(std::string)", "(anonymous namespace)::f(std::string)", "mallocator(int)", "malloc_more",
	"core::engine::start()", "alloc::pool::take(std::string)", "T::operator std::string() const",
	"my::f(std::vector<int>)::{lambda(int)#1}::operator()(int) const", "<my::T as core::clone::Clone>::clone",
	"my::main", "<my::Vec<core::T> as core::fmt::Debug>::fmt", "", "<", "operator", "f(", "a < b", ")>]} x",
	"std", "decltype (std::f()) my::g<int>()",
};

int main(void)
{
	for (size_t i = 0; i < sizeof(library) / sizeof(library[0]); i++)
		ok(library_function(library[i]), "library: %s", library[i]);
	for (size_t i = 0; i < sizeof(program) / sizeof(program[0]); i++)
		ok(!library_function(program[i]), "program: %s", program[i]);
	ok(library_wrapper("zmalloc") && library_wrapper("g_malloc0") && library_wrapper("Perl_safesysmalloc"),
	   "wrappers");
	ok(!library_wrapper("createStringObject") && !library_wrapper("xmallocs"), "no wrappers");
	return done_testing();
}
