#include "order.h"

#include <linux/errno.h>
#include <string.h>

enum { VERSION = 1 };

static int within(const struct header *header, uint64_t offset, uint64_t size)
{
	return offset <= header->size && offset + size <= header->size;
}

int safe_exec_understand(struct order *order, size_t size)
{
	const struct header *header = (const struct header *)order->bytes;
	const struct op *ops = (const struct op *)(order->bytes + sizeof(*header));
	unsigned char *data;
	uint64_t count, want;
	const uint32_t *relocations;
	uint32_t i, k;

	if (size < sizeof(*header) || header->version != VERSION)
		return 0;
	count = (uint64_t)header->before + header->payload + header->after;
	want = sizeof(*header) + count * sizeof(*ops) + (uint64_t)header->relocations * 8 + header->size;
	if (want != size || header->size == 0 || order->bytes[size - 1] != '\0' || !within(header, header->map, header->map_size))
		return 0;
	relocations = (const uint32_t *)(ops + count);
	data = order->bytes + size - header->size;
	for (i = 0; i < count; i++) {
		const struct op *o = &ops[i];

		if (o->step >= header->size || o->check > MAY_FAIL || !within(header, o->store, 4))
			return 0;
		for (k = 0; k < 5; k++) {
			uint64_t mark = o->args[k] & MARKS, offset = o->args[k] & ~MARKS;

			if ((mark == POINTER && !within(header, offset, 1)) || (mark == STORED && !within(header, offset, 4)))
				return 0;
		}
	}
	for (i = 0; i < header->relocations; i++) {
		uint32_t at = relocations[2 * i];
		uint64_t offset;

		if (!within(header, at, sizeof(offset)))
			return 0;
		memcpy(&offset, data + at, sizeof(offset));
		if (!within(header, offset, 1))
			return 0;
		offset += (uint64_t)(uintptr_t)data;
		memcpy(data + at, &offset, sizeof(offset));
	}
	order->header = header;
	order->ops = ops;
	order->data = data;
	return 1;
}

/* proveCgroupRoot of package child, on an open file. */
static long prove_cgroup_root(int file)
{
	static char text[8192];
	size_t size = 0, i;
	long n;

	while (size < sizeof(text) &&
	       (n = raw(SYS_read, (uint64_t)file, address(text + size), sizeof(text) - size, 0, 0)) > 0)
		size += (size_t)n;
	if (size == 0 || size == sizeof(text))
		return -EPROTO;
	for (i = 0; i < size; i++)
		if (text[i] == '\n' && (i < 2 || text[i - 1] != '/' || text[i - 2] != ':'))
			return -EXDEV;
	return 0;
}

static uint64_t value(const struct order *order, uint64_t arg)
{
	uint32_t number;

	switch (arg & MARKS) {
	case POINTER:
		return address(order->data + (arg & ~MARKS));
	case STORED:
		memcpy(&number, order->data + (arg & ~MARKS), sizeof(number));
		return number;
	}
	return arg;
}

int safe_exec_perform(const struct order *order, uint32_t first, uint32_t count, struct failure *f)
{
	uint32_t i;

	for (i = first; i < first + count; i++) {
		const struct op *o = &order->ops[i];
		const uint64_t *a = o->args;
		long result;
		uint32_t number, kept;

		if (o->nr == PROVE_CGROUP_ROOT)
			result = prove_cgroup_root((int)value(order, a[0]));
		else
			result = raw(o->nr, value(order, a[0]), value(order, a[1]), value(order, a[2]), value(order, a[3]), value(order, a[4]));
		number = result < 0 ? (uint32_t)-result : 0;
		if ((o->check == MUST_SUCCEED && number != 0) ||
		    (o->check == MUST_RETURN && (number != 0 || (uint64_t)result != o->want)) ||
		    (o->check == MUST_FAIL && number != o->want) ||
		    (o->check == MAY_FAIL && number != 0 && number != o->want)) {
			f->number = number;
			strncpy(f->step, (const char *)order->data + o->step, STEP_SIZE - 1);
			f->step[STEP_SIZE - 1] = '\0';
			return 1;
		}
		if (o->store != 0) {
			kept = (uint32_t)result;
			memcpy(order->data + o->store, &kept, sizeof(kept));
		}
	}
	return 0;
}
