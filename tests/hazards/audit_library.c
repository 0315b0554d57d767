/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* B18: an audit module: lives in a namespace of its own, sees each object and binding, allocates. */
#include <link.h>
#include <stdlib.h>

unsigned int la_version(unsigned int version)
{
	free(malloc(1818));
	return version < LAV_CURRENT ? version : LAV_CURRENT;
}

unsigned int la_objopen(struct link_map *map, Lmid_t namespace, uintptr_t *cookie)
{
	(void)map, (void)namespace, (void)cookie;
	free(malloc(1819));
	return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}

uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned int index, uintptr_t *from, uintptr_t *to,
	unsigned int *flags, const char *name)
{
	(void)index, (void)from, (void)to, (void)flags, (void)name;
	free(malloc(1820));
	return symbol->st_value;
}
