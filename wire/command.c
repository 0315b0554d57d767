/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines of commands, read with bounds. */
#include "wire/command.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>

static const char *const words[] = {
#define X(id, word) [WIRE_##id] = word,
	WIRE_COMMANDS(X)
#undef X
};

#define WORDS	(sizeof(words) / sizeof(*words))

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

static int take_name(const char *name, size_t length, struct wire_command *command)
{
	if (length >= sizeof(command->name))
		return -EINVAL;
	for (size_t i = 0; i < length; i++)
		if (is_control(name[i]))
			return -EINVAL;
	memcpy(command->name, name, length);
	command->name[length] = '\0';
	return 0;
}

int wire_command_parse(const char *line, size_t length, struct wire_command *command)
{
	const char *blank = memchr(line, ' ', length);
	size_t word = blank ? (size_t)(blank - line) : length;

	memset(command, 0, sizeof(*command));
	for (size_t i = 0; i < WORDS; i++) {
		if (strlen(words[i]) != word || memcmp(line, words[i], word) != 0)
			continue;
		command->kind = (enum wire_command_kind)i;
		if (!blank)
			return 0;
		return i == WIRE_MARK ? take_name(blank + 1, length - word - 1, command) : -EINVAL;
	}
	return -EINVAL;
}

size_t wire_command_format(const struct wire_command *command, char line[WIRE_COMMAND_LINE + 1])
{
	size_t name = strnlen(command->name, sizeof(command->name) - 1), length = strlen(words[command->kind]);

	memcpy(line, words[command->kind], length);
	if (command->kind == WIRE_MARK && name) {
		line[length++] = ' ';
		memcpy(line + length, command->name, name);
		length += name;
	}
	line[length++] = '\n';
	line[length] = '\0';
	return length;
}

void wire_command_name(struct wire_command *command, const char *name)
{
	size_t length = strlen(name);

	if (length >= sizeof(command->name)) {
		length = sizeof(command->name) - 1;
		while (length && ((unsigned char)name[length] & 0xc0) == 0x80)
			length--;
	}
	for (size_t i = 0; i < length; i++)
		command->name[i] = is_control(name[i]) ? ' ' : name[i];
	command->name[length] = '\0';
}

static bool is_hello(const struct wire_command_reader *reader)
{
	return reader->length == strlen(WIRE_COMMAND_HELLO) &&
		memcmp(reader->line, WIRE_COMMAND_HELLO, reader->length) == 0;
}

/* A complete line: 1 a command, 0 the greeting, or -EPROTO. */
static int take_line(struct wire_command_reader *reader, struct wire_command *command)
{
	int rc;

	if (!reader->greeted) {
		reader->greeted = is_hello(reader);
		rc = reader->greeted ? 0 : -EPROTO;
	} else {
		rc = wire_command_parse(reader->line, reader->length, command) ? -EPROTO : 1;
	}
	reader->length = 0;
	return rc;
}

int wire_command_read(struct wire_command_reader *reader, const char **at, const char *end,
		      struct wire_command *command)
{
	int rc = 0;

	while (!rc && *at < end) {
		char c = *(*at)++;

		if (c == '\n')
			rc = take_line(reader, command);
		else if (reader->length + 1 >= sizeof(reader->line))
			rc = -EPROTO;
		else
			reader->line[reader->length++] = c;
	}
	return rc;
}

static bool is_loopback(const struct in6_addr *address)
{
	return IN6_IS_ADDR_LOOPBACK(address) || (IN6_IS_ADDR_V4MAPPED(address) && address->s6_addr[12] == 127);
}

static bool is_near(const struct sockaddr_storage *address)
{
	if (address->ss_family == AF_INET)
		return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == 127;
	if (address->ss_family == AF_UNIX)
		return true;
	return address->ss_family == AF_INET6 && is_loopback(&((const struct sockaddr_in6 *)address)->sin6_addr);
}

bool wire_command_peer_is_near(int fd)
{
	struct sockaddr_storage address = { 0 };
	socklen_t length = sizeof(address);

	return getpeername(fd, (struct sockaddr *)&address, &length) == 0 && is_near(&address);
}
