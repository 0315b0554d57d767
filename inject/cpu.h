/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What differs from CPU to CPU: registers, system calls, the code that a hijacked thread runs. */
#ifndef INJECT_CPU_H
#define INJECT_CPU_H

#include "inject/state.h"

/* Whether memtrack can enter processes on this CPU. */
bool cpu_supported(void);

uint64_t cpu_pc(const struct user_regs_struct *);
uint64_t cpu_sp(const struct user_regs_struct *);
uint64_t cpu_thread_pointer(const struct user_regs_struct *);
void cpu_set_pc(struct user_regs_struct *, uint64_t pc);

/* As libdw numbers them. */
#define CPU_DWARF_REGISTERS	17u
#define CPU_DWARF_SP		7u
void cpu_dwarf_registers(const struct user_regs_struct *, uint64_t registers[CPU_DWARF_REGISTERS]);

/* The code that a signal handler returns to; bytes of it are at the address it returns to. */
#define CPU_SIGRETURN_SIZE	9u
bool cpu_is_sigreturn(const uint8_t code[CPU_SIGRETURN_SIZE]);

/* At a plain stop: whether the thread was inside a system call that the stop interrupted.  Some calls
 * would come back with EINTR although there is no signal; they are made to be restarted. */
bool cpu_interrupted(struct thread *);

/* The code of the cave, for a thread that is about to make a call.  Every way out of it leads back to what
 * the thread was doing, should there be no tracer any more. */
void cpu_cave(uint8_t code[CAVE_SIZE], const struct call_saved *);

/* What is put on the scratch stack for the way back; its place is 64-aligned.  At the call's end its result
 * (8 bytes) and a 1 (4 bytes) are stored in it. */
#define CPU_FRAME_SIZE		20480u
#define CPU_FRAME_RESULT	512
#define CPU_FRAME_DONE		520
void cpu_frame(uint8_t frame[CPU_FRAME_SIZE], uint64_t place, const struct call_saved *);

/* The registers with which the call starts; place is the frame's.  CALL_SYSTEM: arguments 0 and 1 are begin
 * and end of a table of struct remote_system. */
void cpu_begin(struct user_regs_struct *, const struct call *, uint64_t cave, uint64_t place);

/* At the end of an early call: what the system call gave. */
int64_t cpu_system_result(const struct user_regs_struct *);

/* The same state without the kernel's help for an interrupted system call: it is made again. */
struct user_regs_struct cpu_healed(const struct user_regs_struct *);

/* A return address that leads into the cave, and from there on to where the thread would have returned. */
void cpu_cave_return(uint8_t code[CAVE_SIZE], uint64_t onwards);
uint64_t cpu_return_into(uint64_t cave);

/* The bytes are one of these two. */
bool cpu_is_cave(const uint8_t code[CAVE_SIZE]);

/* At a system call stop: whether the thread came there; then its registers are made those it has
 * just behind the return.  -errno: its stack cannot be read. */
int cpu_returned(struct thread *, uint64_t cave, uint64_t onwards, bool *returned);

/* Extended registers into t->saved and back.  0 or -errno. */
int cpu_save_extended(struct thread *);
int cpu_restore_extended(struct thread *);

#endif
