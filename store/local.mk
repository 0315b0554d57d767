# store/: the .mtk container

noinst_LIBRARIES += libstore.a
libstore_a_SOURCES = \
	store/chunk.c store/chunk.h \
	store/index.c store/index.h \
	store/reader.c store/reader.h \
	store/writer.c store/writer.h
