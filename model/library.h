/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which functions only pass an allocation on, by their names. */
#ifndef MODEL_LIBRARY_H
#define MODEL_LIBRARY_H

#include <stdbool.h>

/* Of the C++ or Rust standard library, or an allocation function: std::, __gnu_cxx::, Rust's
 * core:: and alloc:: whatever they return, operator new, malloc.  function is demangled. */
bool library_function(const char *function);

/* A well-known function of programs and other libraries that wraps malloc. */
bool library_wrapper(const char *function);

#endif
