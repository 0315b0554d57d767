# trace/: the format, the channel and the tables that all programs share; freestanding

noinst_LIBRARIES += libtrace.a
libtrace_a_SOURCES = \
	trace/attach.h \
	trace/channel.h \
	trace/decode.c trace/decode.h \
	trace/decode_events.c \
	trace/encode.c trace/encode.h \
	trace/encode_events.c \
	trace/format.h \
	trace/functions.h \
	trace/ops.c trace/ops.h \
	trace/places.h \
	trace/resident.c trace/resident.h \
	trace/settings.h \
	trace/text_write.c trace/text_write.h \
	trace/varint.h

check_PROGRAMS += tests/unit/codec_test
tests_unit_codec_test_SOURCES = tests/unit/codec_test.c
tests_unit_codec_test_LDADD = libtrace.a
check_PROGRAMS += tests/unit/resident_test
tests_unit_resident_test_SOURCES = tests/unit/resident_test.c
tests_unit_resident_test_LDADD = libtrace.a
TESTS += tests/unit/codec_test tests/unit/resident_test
