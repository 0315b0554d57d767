# wire/: sockets between launcher and viewer

noinst_LIBRARIES += libwire.a
libwire_a_SOURCES = \
	wire/address.c wire/address.h \
	wire/command.c wire/command.h \
	wire/connect.c wire/connect.h \
	wire/control.c wire/control.h \
	wire/listen.c wire/listen.h \
	wire/stream.c wire/stream.h \
	wire/viewer.h

check_PROGRAMS += tests/unit/wire_test
tests_unit_wire_test_SOURCES = tests/unit/wire_test.c
tests_unit_wire_test_LDADD = libwire.a libbase.a
TESTS += tests/unit/wire_test
