/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The writing end of the .mtk container: records in, compressed chunks appended to a descriptor.
 *
 * What was written is whole chunks at every moment but inside a write(), so a reader of a growing
 * or cut file always finds everything up to the last chunk. */
#ifndef STORE_WRITER_H
#define STORE_WRITER_H

#include <stddef.h>
#include <stdint.h>

struct store_writer;
struct store_stream;

/* A writer that appends at the descriptor's position: a file, pipe or socket, blocking.  The
 * descriptor stays the caller's.  Nothing is written before the first chunk is closed. */
struct store_writer *store_writer_new(int fd);

/* Number of the session in the head and in each chunk, so that several processes' traces can
 * share one stream; 0 unless set.  Before the first store_put(). */
void store_writer_session(struct store_writer *w, uint32_t session);

/* breathe(owner) is called every half a millisecond or so while a chunk is being compressed. */
void store_writer_breathe(struct store_writer *w, void (*breathe)(void *owner), void *owner);

/* One stream that several writers append to, each the chunks of its own session, by turns (no two
 * calls at a time).  The descriptor stays the caller's; the stream outlives its writers. */
struct store_stream *store_stream_new(int fd);
struct store_writer *store_writer_join(struct store_stream *stream, uint32_t session);

/* The index and the trailer of all sessions, when every writer has finished.  0 or -errno. */
int store_stream_finish(struct store_stream *stream);
void store_stream_free(struct store_stream *stream);

/* Appends whole records.  The stamps are those of the oldest and the newest event or record
 * among them, both 0 when they carry no time.  Closes the chunk when it is large enough.
 * 0 or -errno of the write; after an error every call returns it again. */
int store_put(struct store_writer *w, const uint8_t *records, size_t length,
	      uint64_t first_stamp, uint64_t last_stamp, uint64_t events);

/* Closes the chunk, if it holds anything, and writes it. */
int store_flush(struct store_writer *w);

/* Flushes, and writes the index and the trailer unless others share the stream.  Nothing may be
 * put after it. */
int store_finish(struct store_writer *w);

/* Bytes written so far, all of them in whole chunks: a length up to which the file is good. */
uint64_t store_written(const struct store_writer *w);

/* Frees; what was put and not flushed is dropped. */
void store_writer_free(struct store_writer *w);

#endif
