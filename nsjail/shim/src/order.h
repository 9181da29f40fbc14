/*
 * The order of a fork, as package child writes it (ForkOrder): which system calls
 * the processes of a jail make, in which order. What stands in it is decided
 * there; here it is taken apart, with nothing believed, and performed.
 */
#ifndef SAFE_EXEC_ORDER_H
#define SAFE_EXEC_ORDER_H

#include "event.h"

enum { ORDER_SIZE = 64 << 10 };

/* An order is this header, its operations (A's before the fork, the payload's,
 * A's after it), relocations, and data, all in the machine's byte order. */
struct header {
	uint32_t version;
	uint32_t v2; /* the one group is the leaf's directory of cgroup v2 */
	uint64_t flags; /* of clone3 */
	uint32_t before, payload, after; /* how many operations */
	uint32_t relocations; /* how many: offsets of offsets in data that become addresses */
	uint32_t size; /* bytes of data; the last is NUL */
	uint32_t map, map_size; /* text of the id maps, in data */
	uint32_t reserved;
};

enum safe_exec_check { MUST_SUCCEED, MUST_RETURN, MUST_FAIL, MAY_FAIL };

struct op {
	uint64_t args[5];
	uint32_t nr;
	uint32_t step; /* its name, in data */
	uint32_t check;
	uint32_t want; /* the value or errno that check means */
	uint32_t store; /* where in data the result goes; 0 is nowhere */
	uint32_t reserved;
};

/* The two highest bits of an argument; both or none is the argument itself. */
#define MARKS (3ULL << 62)
#define POINTER (1ULL << 62) /* an offset in data: its address */
#define STORED (2ULL << 62) /* an offset in data: the 32-bit number there */

/* No system call: every line of the file must name the root of its hierarchy. */
enum { PROVE_CGROUP_ROOT = 1 << 20 };

/* Where an order is received, and what it is made of once it is understood. */
struct order {
	_Alignas(8) unsigned char bytes[ORDER_SIZE];
	const struct header *header;
	const struct op *ops;
	unsigned char *data;
};

/* Says whether an order of that many bytes is whole, and makes its addresses. */
int safe_exec_understand(struct order *order, size_t size);

/* Performs count operations from the first on, by system calls alone. The first
 * that fails ends them, is named in f, and makes the result 1. */
int safe_exec_perform(const struct order *order, uint32_t first, uint32_t count, struct failure *f);

#endif
