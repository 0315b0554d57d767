/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening an ELF file, its headers, and the way from mappings to file addresses. */
#include "symbols/elf_internal.h"

#include "base/alloc.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEGMENTS_MAX	4096u

Elf_Data *elf_chunk(struct elf_file *f, uint64_t offset, uint64_t size, Elf_Type type)
{
	if (size == 0 || size > ELF_TABLE_MAX || offset > f->size || size > f->size - offset)
		return NULL;
	return elf_getdata_rawchunk(f->elf, (int64_t)offset, size, type);
}

size_t elf_strings_clip(const char *strings, size_t len)
{
	while (len > 0 && strings[len - 1] != '\0')
		len--;
	return len;
}

static enum elf_libc libc_of(const char *interp)
{
	const char *base = strrchr(interp, '/');

	base = base ? base + 1 : interp;
	if (*base == '\0')
		return ELF_LIBC_NONE;
	if (strncmp(base, "ld-musl", 7) == 0)
		return ELF_LIBC_MUSL;
	if (strncmp(base, "ld-linux", 8) == 0 || strncmp(base, "ld64.so", 7) == 0 ||
	    strncmp(base, "ld.so", 5) == 0 || strncmp(base, "ld-2.", 5) == 0)
		return ELF_LIBC_GLIBC;
	return ELF_LIBC_OTHER;
}

static void read_interp(struct elf_file *f, const GElf_Phdr *ph)
{
	size_t size = ph->p_filesz < sizeof(f->facts.interp) ? ph->p_filesz
							     : sizeof(f->facts.interp) - 1;
	Elf_Data *data = elf_chunk(f, ph->p_offset, size, ELF_T_BYTE);

	if (data && data->d_buf)
		memcpy(f->facts.interp, data->d_buf, size);
}

static void read_segments(struct elf_file *f)
{
	size_t count = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(f->elf, &count) < 0)
		return;
	if (count > SEGMENTS_MAX)
		count = SEGMENTS_MAX;
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(f->elf, (int)i, &ph))
			continue;
		if (ph.p_type == PT_LOAD && ph.p_vaddr + ph.p_memsz >= ph.p_vaddr)
			vector_push(&f->segments, (struct elf_segment){
				.offset = ph.p_offset, .vaddr = ph.p_vaddr,
				.file_size = ph.p_filesz, .mem_size = ph.p_memsz,
				.execute = ph.p_flags & PF_X });
		if (ph.p_type == PT_INTERP)
			read_interp(f, &ph);
		if (ph.p_type == PT_DYNAMIC) {
			f->facts.dynamic = true;
			f->dynamic_offset = ph.p_offset;
			f->dynamic_size = ph.p_filesz;
		}
	}
}

#if defined(__x86_64__)
#define NATIVE_MACHINE EM_X86_64
#else
#define NATIVE_MACHINE EM_AARCH64
#endif

static bool is_native(const struct elf_file *f)
{
	return f->facts.machine == NATIVE_MACHINE && f->facts.bits == (int)(8 * sizeof(void *)) &&
	       !f->facts.big_endian;
}

static void read_facts(struct elf_file *f)
{
	struct elf_header_facts *facts = &f->facts;
	const void *id;
	ssize_t len;

	facts->bits = f->header.e_ident[EI_CLASS] == ELFCLASS32 ? 32 : 64;
	facts->big_endian = f->header.e_ident[EI_DATA] == ELFDATA2MSB;
	facts->machine = f->header.e_machine;
	facts->type = f->header.e_type;
	facts->entry = f->header.e_entry;
	read_segments(f);
	facts->native = is_native(f);
	facts->libc = libc_of(facts->interp);
	len = dwelf_elf_gnu_build_id(f->elf, &id);
	if (len > 0 && (size_t)len <= sizeof(facts->build_id)) {
		memcpy(facts->build_id, id, (size_t)len);
		facts->build_id_len = (size_t)len;
	}
	facts->is_static = facts->interp[0] == '\0' && facts->entry != 0 &&
			   (facts->type == ET_EXEC || facts->type == ET_DYN) && !elf_needed(f, 0);
}

int elf_file_open_fd(int fd, struct elf_file **out)
{
	struct elf_file *f = xcalloc(1, sizeof(*f));
	struct stat st;
	int error = 0;

	f->fd = fd;
	if (fstat(fd, &st) < 0)
		error = -errno;
	else if (!S_ISREG(st.st_mode))
		error = -ENOEXEC;
	if (error)
		goto fail;
	f->size = (uint64_t)st.st_size;
	elf_version(EV_CURRENT);
	f->elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!f->elf || elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &f->header)) {
		error = -ENOEXEC;
		goto fail;
	}
	read_facts(f);
	*out = f;
	return 0;
fail:
	elf_file_close(f);
	return error;
}

int elf_file_open(const char *path, struct elf_file **out)
{
	/* O_NONBLOCK: a FIFO under a hostile name must not hold us up. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	return fd < 0 ? -errno : elf_file_open_fd(fd, out);
}

void elf_file_close(struct elf_file *f)
{
	if (!f)
		return;
	elf_end(f->elf);
	close(f->fd);
	vector_release(&f->segments);
	vector_release(&f->dynamic.needed);
	free(f);
}

const struct elf_header_facts *elf_facts(const struct elf_file *f)
{
	return &f->facts;
}

int elf_bias(const struct elf_file *f, uint64_t start, uint64_t offset, bool executable, uint64_t *bias)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE) - 1;
	int best = -1;

	for (size_t i = 0; i < f->segments.count; i++) {
		const struct elf_segment *s = &f->segments.items[i];
		uint64_t first = s->offset & ~page;
		uint64_t last = (s->offset + s->file_size + page) & ~page;
		int score = 2 * (s->execute == executable) + (first == offset);

		if (offset < first || offset >= last || score <= best)
			continue;
		best = score;
		*bias = start - (s->vaddr - s->offset + offset);
	}
	return best < 0 ? -ENOENT : 0;
}

int elf_vaddr_to_offset(const struct elf_file *f, uint64_t vaddr, uint64_t *offset)
{
	for (size_t i = 0; i < f->segments.count; i++) {
		const struct elf_segment *s = &f->segments.items[i];

		if (vaddr >= s->vaddr && vaddr - s->vaddr < s->file_size) {
			*offset = vaddr - s->vaddr + s->offset;
			return 0;
		}
	}
	return -ENOENT;
}

int elf_offset_to_vaddr(const struct elf_file *f, uint64_t offset, uint64_t *vaddr)
{
	for (size_t i = 0; i < f->segments.count; i++) {
		const struct elf_segment *s = &f->segments.items[i];

		if (offset >= s->offset && offset - s->offset < s->file_size) {
			*vaddr = offset - s->offset + s->vaddr;
			return 0;
		}
	}
	return -ENOENT;
}

size_t elf_read(const struct elf_file *f, uint64_t vaddr, void *data, size_t size)
{
	uint64_t offset;
	ssize_t got;

	if (elf_vaddr_to_offset(f, vaddr, &offset) < 0)
		return 0;
	got = pread(f->fd, data, size, (off_t)offset);
	return got > 0 ? (size_t)got : 0;
}

int elf_code_range(const struct elf_file *f, uint64_t vaddr, uint64_t *start, uint64_t *end)
{
	for (size_t i = 0; i < f->segments.count; i++) {
		const struct elf_segment *s = &f->segments.items[i];

		if (s->execute && vaddr >= s->vaddr && vaddr - s->vaddr < s->mem_size) {
			*start = s->vaddr;
			*end = s->vaddr + s->mem_size;
			return 0;
		}
	}
	return -ENOENT;
}

void elf_build_id_text(const uint8_t *id, size_t len, char *text)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < len; i++) {
		*text++ = digits[id[i] >> 4];
		*text++ = digits[id[i] & 15];
	}
	*text = '\0';
}
