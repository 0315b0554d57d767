/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One fuzz target as a libFuzzer program; FUZZ_TARGET names it. */
#include "tests/fuzz/target.h"

#define TARGET_NAMED(name)	fuzz_##name
#define TARGET(name)		TARGET_NAMED(name)

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	if (TARGET(FUZZ_TARGET).start)
		TARGET(FUZZ_TARGET).start();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	TARGET(FUZZ_TARGET).run(data, size);
	return 0;
}
