# memview/: the viewer.  memview is a thin main on libmemview.a.  It is built as memview/memview,
# because the folder has its name.

if HAVE_MEMVIEW
noinst_LIBRARIES += libmemview.a
libmemview_a_CFLAGS = $(AM_CFLAGS) $(CURSES_CFLAGS)
libmemview_a_SOURCES = \
	memview/act.c \
	memview/actions.c memview/actions.h \
	memview/ahead.c memview/ahead.h \
	memview/answer.c \
	memview/batch.c memview/batch.h \
	memview/settings.c memview/settings.h \
	memview/settings_file.c \
	memview/cancel.c memview/cancel.h \
	memview/commands.c memview/commands.h \
	memview/connection.c memview/connection.h \
	memview/cursors.c \
	memview/detail.c memview/detail.h \
	memview/draw.c memview/draw.h \
	memview/draw_header.c \
	memview/draw_help.c \
	memview/draw_histogram.c \
	memview/draw_panes.c \
	memview/draw_timeline.c \
	memview/export_file.c memview/export_file.h \
	memview/findings.c \
	memview/flame.c \
	memview/interrupts.c memview/interrupts.h \
	memview/key_names.c memview/key_names.h \
	memview/keys.h \
	memview/layout.c memview/layout.h \
	memview/leave.c memview/leave.h \
	memview/loop.c memview/loop.h \
	memview/markers.c memview/markers.h \
	memview/mouse.c memview/mouse.h \
	memview/now.h \
	memview/options.c memview/options.h \
	memview/pen.c memview/pen.h \
	memview/prefix.c memview/prefix.h \
	memview/prompt.c memview/prompt.h \
	memview/recorder.c memview/recorder.h \
	memview/records.c \
	memview/select_time.c memview/select_time.h \
	memview/sessions.c \
	memview/sites.c \
	memview/source.c memview/source.h \
	memview/summary.c \
	memview/thread_list.c \
	memview/tree.c \
	memview/trees.c memview/trees.h \
	memview/trees_detail.c \
	memview/input.c memview/input.h memview/input_kinds.h \
	memview/input_growing.c \
	memview/input_socket.c \
	memview/target_output.c memview/target_output.h \
	memview/target_output_line.c \
	memview/term.c memview/term.h \
	memview/term_keys.c memview/term_keys.h \
	memview/terminfo.c memview/terminfo.h \
	memview/view.c memview/view.h \
	memview/viewer.c memview/viewer.h

dist_man_MANS += doc/memview.1
bin_PROGRAMS += memview/memview
memview_memview_SOURCES = memview/main.c
memview_memview_LDADD = libmemview.a libmodel.a libsymbols.a libstore.a libwire.a libtrace.a libbase.a \
	$(DW_LIBS) $(ELF_LIBS) $(DEMANGLE_LIBS) $(ZSTD_LIBS) $(XXHASH_LIBS) $(CURSES_LIBS)
endif
