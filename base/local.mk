# base/: helpers of the host programs

noinst_LIBRARIES += libbase.a
libbase_a_SOURCES = \
	base/alloc.c base/alloc.h \
	base/buffer.c base/buffer.h \
	base/hash.c base/hash.h \
	base/intern.c base/intern.h \
	base/map.c base/map.h \
	base/options.c base/options.h \
	base/options_completion.c \
	base/options_text.c \
	base/text.c base/text.h \
	base/units.c base/units.h \
	base/vector.c base/vector.h
