# trace/: the format, the channel and the tables that all programs share; freestanding

noinst_LIBRARIES += libtrace.a
libtrace_a_SOURCES = \
	trace/channel.h \
	trace/format.h \
	trace/functions.h \
	trace/ops.c trace/ops.h
