/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gets the hook into this very process as an injector would: a copy with its mark set, by dlopen; or mapped
 * and relocated.  Both give the addresses of what it exports. */
#ifndef TESTS_HOOK_ATTACH_LOAD_H
#define TESTS_HOOK_ATTACH_LOAD_H

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#ifndef ATTACH_STATIC
#include <dlfcn.h>
#endif

#include "trace/attach.h"

struct loaded {
	attach_fn *attach;
	const struct attach_entry *entries;
	struct attach_state *state;
};

static char *load_file(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat s;
	char *image;

	if (fd < 0 || fstat(fd, &s))
		return NULL;
	*size = (size_t)s.st_size;
	image = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	close(fd);
	return image == MAP_FAILED ? NULL : image;
}

static const Elf64_Phdr *load_headers(const char *image)
{
	return (const void *)(image + ((const Elf64_Ehdr *)image)->e_phoff);
}

/* A symbol's vaddr, by the section headers; 0: none. */
static uint64_t load_symbol(const char *image, const char *name)
{
	const Elf64_Ehdr *e = (const void *)image;
	const Elf64_Shdr *s = (const void *)(image + e->e_shoff);

	for (unsigned i = 0; i < e->e_shnum; i++) {
		const Elf64_Sym *symbol = (const void *)(image + s[i].sh_offset);

		if (s[i].sh_type != SHT_DYNSYM)
			continue;
		for (uint64_t n = s[i].sh_size / sizeof(*symbol); n; n--, symbol++)
			if (symbol->st_value &&
			    !strcmp(image + s[s[i].sh_link].sh_offset + symbol->st_name, name))
				return symbol->st_value;
	}
	return 0;
}

static struct loaded load_exports(const char *image, uint64_t base)
{
	return (struct loaded){
		(attach_fn *)(base + load_symbol(image, ATTACH_FUNCTION)),
		(const void *)(base + load_symbol(image, ATTACH_ENTRIES)),
		(void *)(base + load_symbol(image, ATTACH_STATE)),
	};
}

#ifndef ATTACH_STATIC
static bool load_dlopen(const char *path, struct loaded *l)
{
	size_t size;
	char *image = load_file(path, &size), name[32];
	const Elf64_Phdr *p = image ? load_headers(image) : NULL;
	uint64_t mark = image ? load_symbol(image, ATTACH_INJECTED) : 0;
	int fd = memfd_create("memtrack.so", MFD_CLOEXEC);
	void *handle;

	for (unsigned i = 0; mark && i < ((const Elf64_Ehdr *)image)->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && mark - p[i].p_vaddr < p[i].p_filesz)
			*(uint32_t *)(image + p[i].p_offset + (mark - p[i].p_vaddr)) = 1;
	if (!mark || write(fd, image, size) != (ssize_t)size)
		return false;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		fprintf(stderr, "%s\n", dlerror());
		return false;
	}
	*l = load_exports(image, (uint64_t)dlsym(handle, ATTACH_STATE) - load_symbol(image, ATTACH_STATE));
	close(fd);
	return true;
}

/* What the loader has to offer to the mapped form. */
static uint64_t load_wanted(const char *name)
{
	return (uint64_t)dlsym(RTLD_DEFAULT, name);
}
#else
static uint64_t load_wanted(const char *name)
{
	(void)name;
	return 0;
}
#endif

static void load_relocate(const char *image, uint64_t base)
{
	const Elf64_Ehdr *e = (const void *)image;
	const Elf64_Shdr *s = (const void *)(image + e->e_shoff);

	for (unsigned i = 0; i < e->e_shnum; i++) {
		const Elf64_Rela *r = (const void *)(image + s[i].sh_offset);

		if (s[i].sh_type != SHT_RELA || !(s[i].sh_flags & SHF_ALLOC))
			continue;
		for (uint64_t n = s[i].sh_size / sizeof(*r); n; n--, r++) {
			const Elf64_Shdr *t = &s[s[i].sh_link];
			const Elf64_Sym *symbol = (const Elf64_Sym *)(image + t->sh_offset) +
						  ELF64_R_SYM(r->r_info);
			uint64_t value = ELF64_R_TYPE(r->r_info) == R_X86_64_RELATIVE ?
				base + (uint64_t)r->r_addend :
				load_wanted(image + s[t->sh_link].sh_offset + symbol->st_name);

			*(uint64_t *)(base + r->r_offset) = value;
		}
	}
}

static bool load_mapped(const char *path, struct loaded *l)
{
	size_t size;
	char *image = load_file(path, &size);
	const Elf64_Phdr *p = image ? load_headers(image) : NULL;
	unsigned n = image ? ((const Elf64_Ehdr *)image)->e_phnum : 0;
	uint64_t end = 0, base;
	int fd = memfd_create("memtrack-map.so", MFD_CLOEXEC);

	for (unsigned i = 0; i < n; i++)
		if (p[i].p_type == PT_LOAD)
			end = (p[i].p_vaddr + p[i].p_memsz + 4095) & ~4095ull;
	if (!end || ftruncate(fd, (off_t)end))
		return false;
	for (unsigned i = 0; i < n; i++)
		if (p[i].p_type == PT_LOAD &&
		    pwrite(fd, image + p[i].p_offset, p[i].p_filesz, (off_t)p[i].p_vaddr) < 0)
			return false;
	/* From a file, zeros and all: so must be what an injector maps where memory may not become executable. */
	base = (uint64_t)mmap(NULL, end, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	if (base == (uint64_t)MAP_FAILED)
		return false;
	load_relocate(image, base);
	*l = load_exports(image, base);
	return true;
}

#endif
