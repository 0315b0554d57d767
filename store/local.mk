# store/: the .mtk container

noinst_LIBRARIES += libstore.a
libstore_a_SOURCES = \
	store/chunk.c store/chunk.h \
	store/columns.c store/columns.h \
	store/index.c store/index.h \
	store/reader.c store/reader.h \
	store/writer.c store/writer.h

check_PROGRAMS += tests/unit/store_test
tests_unit_store_test_SOURCES = tests/unit/store_test.c
tests_unit_store_test_LDADD = libstore.a libtrace.a libbase.a $(ZSTD_LIBS) $(XXHASH_LIBS)
check_PROGRAMS += tests/unit/columns_test
tests_unit_columns_test_SOURCES = tests/unit/columns_test.c
tests_unit_columns_test_LDADD = libstore.a libtrace.a libbase.a $(ZSTD_LIBS) $(XXHASH_LIBS)
TESTS += tests/unit/store_test tests/unit/columns_test

dist_man_MANS += doc/memtrack-trace.5
