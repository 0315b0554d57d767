/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* probes [-p PID] < LINES: counts how often places in code are passed, independently of memtrack.
 *
 * LINES, up to one that is empty:  LABEL FILE VADDR WHEN SUM
 *   VADDR	hexadecimal, as the disassembly of FILE says it
 *   WHEN	- always; REG or !REG: when that register is not, or is, 0; several with commas
 *   SUM	- or REG or REG*REG: what is added up
 * with di, si, dx as registers.  Then "ready", and for each further line the counts so far,
 * LABEL COUNT SUM, closed by an empty line.
 *
 * Each place is a uprobe with a BPF program that adds to a word; the kernel takes all of it away when this
 * ends.  It counts in every process that maps FILE, so FILE is a copy of the test's own, or, with -p, in one. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PROBES_MAX	512
#define CODE_MAX	32
#define SKIPS_MAX	3

struct probe {
	char label[64], file[256], when[16], sum[16];
	uint64_t vaddr;
};

struct count {
	uint64_t hits, sum;
};

/* The kernel's struct pt_regs; <asm/ptrace.h> is another one where glibc's is included. */
enum { PT_DX = 12 * 8, PT_SI = 13 * 8, PT_DI = 14 * 8 };

static struct probe probes[PROBES_MAX];
static unsigned probe_count;
static struct count *counts;
static int map_fd;
static uint32_t only_pid;

static void fail(const char *what)
{
	fprintf(stderr, "probes: %s: %s\n", what, strerror(errno));
	exit(errno == EPERM || errno == EACCES || errno == ENOSYS || errno == ENOENT ? 77 : 1);
}

static int bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static void make_map(void)
{
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = PROBES_MAX * sizeof(*counts),
				.max_entries = 1, .map_flags = BPF_F_MMAPABLE };

	map_fd = bpf(BPF_MAP_CREATE, &attr);
	if (map_fd < 0)
		fail("a BPF map");
	counts = mmap(NULL, PROBES_MAX * sizeof(*counts), PROT_READ, MAP_SHARED, map_fd, 0);
	if (counts == MAP_FAILED)
		fail("a BPF map");
}

static int16_t register_of(const char *name)
{
	if (strncmp(name, "di", 2) == 0)
		return PT_DI;
	if (strncmp(name, "si", 2) == 0)
		return PT_SI;
	if (strncmp(name, "dx", 2) == 0)
		return PT_DX;
	fprintf(stderr, "probes: no register '%s'\n", name);
	exit(1);
}

#define INSN(op, dst, src, offset, value) \
	((struct bpf_insn){ .code = (op), .dst_reg = (dst), .src_reg = (src), .off = (int16_t)(offset), .imm = (value) })
#define LOAD(dst, reg)	INSN(BPF_LDX | BPF_MEM | BPF_DW, dst, BPF_REG_6, register_of(reg), 0)

/* r6: the registers.  Jumps to the end are set when it is known. */
static unsigned make_code(const struct probe *p, unsigned index, struct bpf_insn *code)
{
	int at = (int)(index * sizeof(struct count));
	unsigned n = 0, skips[SKIPS_MAX], skip_count = 0;

	code[n++] = INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_6, BPF_REG_1, 0, 0);
	if (only_pid) {
		code[n++] = INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_current_pid_tgid);
		code[n++] = INSN(BPF_ALU64 | BPF_RSH | BPF_K, BPF_REG_0, 0, 0, 32);
		skips[skip_count++] = n;
		code[n++] = INSN(BPF_JMP | BPF_JNE | BPF_K, BPF_REG_0, 0, 0, (int)only_pid);
	}
	for (const char *w = p->when; w && *w != '-' && skip_count < SKIPS_MAX; w = strchr(w, ',')) {
		w += *w == ',';
		code[n++] = LOAD(BPF_REG_2, w + (*w == '!'));
		skips[skip_count++] = n;
		code[n++] = INSN(BPF_JMP | (*w == '!' ? BPF_JNE : BPF_JEQ) | BPF_K, BPF_REG_2, 0, 0, 0);
	}
	code[n++] = INSN(BPF_LD | BPF_DW | BPF_IMM, BPF_REG_7, BPF_PSEUDO_MAP_VALUE, 0, map_fd);
	code[n++] = INSN(0, 0, 0, 0, at);
	code[n++] = INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, 1);
	code[n++] = INSN(BPF_STX | BPF_ATOMIC | BPF_DW, BPF_REG_7, BPF_REG_2, offsetof(struct count, hits), BPF_ADD);
	if (p->sum[0] != '-') {
		code[n++] = LOAD(BPF_REG_2, p->sum);
		if (p->sum[2] == '*') {
			code[n++] = LOAD(BPF_REG_3, p->sum + 3);
			code[n++] = INSN(BPF_ALU64 | BPF_MUL | BPF_X, BPF_REG_2, BPF_REG_3, 0, 0);
		}
		code[n++] = INSN(BPF_STX | BPF_ATOMIC | BPF_DW, BPF_REG_7, BPF_REG_2, offsetof(struct count, sum),
				 BPF_ADD);
	}
	for (unsigned i = 0; i < skip_count; i++)
		code[skips[i]].off = (int16_t)(n - skips[i] - 1);
	code[n++] = INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0);
	code[n++] = INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	return n;
}

static int load_program(const struct probe *p, unsigned index)
{
	struct bpf_insn code[CODE_MAX];
	static char log[1 << 16];
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_KPROBE, .insns = (uintptr_t)code,
				.insn_cnt = make_code(p, index, code), .license = (uintptr_t)"GPL",
				.log_buf = (uintptr_t)log, .log_size = sizeof(log), .log_level = 1 };
	int fd = bpf(BPF_PROG_LOAD, &attr);

	if (fd < 0) {
		fputs(log, stderr);
		fail("a BPF program");
	}
	return fd;
}

/* Where in the file an address is. */
static uint64_t file_offset(const char *file, uint64_t vaddr)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr h;
	Elf64_Phdr p;

	if (fd < 0 || pread(fd, &h, sizeof(h), 0) != (ssize_t)sizeof(h))
		fail(file);
	for (unsigned i = 0; i < h.e_phnum; i++)
		if (pread(fd, &p, sizeof(p), (off_t)(h.e_phoff + i * sizeof(p))) == (ssize_t)sizeof(p) &&
		    p.p_type == PT_LOAD && vaddr >= p.p_vaddr && vaddr - p.p_vaddr < p.p_filesz) {
			close(fd);
			return vaddr - p.p_vaddr + p.p_offset;
		}
	fprintf(stderr, "probes: %s has no address %llx\n", file, (unsigned long long)vaddr);
	exit(1);
}

static uint32_t uprobe_type(void)
{
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	unsigned type;

	if (!f || fscanf(f, "%u", &type) != 1)
		fail("the kernel's uprobes");
	fclose(f);
	return type;
}

/* One event, on whatever CPU it was opened: the program runs on all. */
static void plant(const struct probe *p, unsigned index, uint32_t type)
{
	struct perf_event_attr attr = { .type = type, .size = sizeof(attr), .config1 = (uintptr_t)p->file,
					.config2 = file_offset(p->file, p->vaddr) };
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		fail("a uprobe");
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, load_program(p, index)) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		fail("a program for a uprobe");
}

static void print_counts(void)
{
	for (unsigned i = 0; i < probe_count; i++)
		printf("%s %llu %llu\n", probes[i].label,
		       (unsigned long long)__atomic_load_n(&counts[i].hits, __ATOMIC_ACQUIRE),
		       (unsigned long long)__atomic_load_n(&counts[i].sum, __ATOMIC_ACQUIRE));
	putchar('\n');
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	char line[512];
	uint32_t type;

	if (argc == 3 && strcmp(argv[1], "-p") == 0)
		only_pid = (uint32_t)atoi(argv[2]);
	else if (argc > 1)
		return 2;
	setrlimit(RLIMIT_MEMLOCK, &unlimited);
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 4096, 4096 });
	type = uprobe_type();
	make_map();
	while (fgets(line, sizeof(line), stdin) && line[0] != '\n') {
		struct probe *p = &probes[probe_count];
		unsigned long long vaddr;

		if (probe_count == PROBES_MAX ||
		    sscanf(line, "%63s %255s %llx %15s %15s", p->label, p->file, &vaddr, p->when, p->sum) != 5) {
			fprintf(stderr, "probes: not understood: %s", line);
			return 1;
		}
		p->vaddr = vaddr;
		plant(p, probe_count++, type);
	}
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		print_counts();
	return 0;
}
