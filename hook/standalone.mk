# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: what memtrack.so needs to run without a launcher, for hook/local.mk.

hook_standalone_c = \
	hook/interpose_exit.c \
	hook/log.c \
	hook/log_cursor.c \
	hook/log_file.c \
	hook/log_flush.c \
	hook/log_frames.c \
	hook/log_notice.c \
	hook/log_open.c \
	hook/log_out.c \
	hook/log_serve.c \
	hook/log_symbol.c \
	hook/log_threads.c \
	hook/standalone.c \
	hook/standalone_resume.c \
	hook/standalone_segment.c \
	hook/standalone_settings.c \
	trace/ops.c \
	trace/text_write.c

hook_standalone_h = \
	hook/log.h \
	hook/log_cursor.h \
	hook/log_file.h \
	hook/log_frames.h \
	hook/log_notice.h \
	hook/log_open.h \
	hook/log_out.h \
	hook/log_symbol.h \
	hook/log_threads.h \
	hook/standalone.h \
	hook/standalone_resume.h \
	hook/standalone_segment.h \
	hook/standalone_settings.h
