# wire/: sockets between launcher and viewer

noinst_LIBRARIES += libwire.a
libwire_a_SOURCES = \
	wire/address.c wire/address.h \
	wire/connect.c wire/connect.h \
	wire/listen.c wire/listen.h \
	wire/stream.c wire/stream.h
