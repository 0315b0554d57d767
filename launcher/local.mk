# launcher/: the memtrack command.  One source a line.
noinst_LIBRARIES += liblauncher.a
liblauncher_a_SOURCES =
liblauncher_a_SOURCES += launcher/segment.c
liblauncher_a_SOURCES += launcher/segment.h
