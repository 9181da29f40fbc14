/*
 * The collector. What lies in the working directory was made by a program that
 * may have meant it for whoever reads it. So this runs with another uid, without
 * a capability, under Landlock and a filter, in the jail's own namespaces; every
 * way is resolved beneath the directory and over no link or mount; and kind,
 * number of names and bytes are those of the open file. Since no process of the
 * jail is left but this one, nothing changes meanwhile.
 */
#include "collect.h"
#include "event.h"

#include <asm/stat.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/openat2.h>

/* Of the C library's headers, which the kernel's own leave out or contradict. */
enum { DT_UNKNOWN = 0, DT_DIR = 4, DT_REG = 8, DT_LNK = 10 };
enum { FORMAT = 0170000, REGULAR = 0100000 };

enum { DEEPEST = 8, MOST_ENTRIES = 1000, LONGEST_NAME = 255, CHUNK = 32 << 10 };

/* Kinds of packets, the daemon's and ours: none is one of an event. */
enum { LIST = 16, READ, FILE, SKIPPED, DATA, END };

/* Why an entry is no file for the daemon. */
enum why { FINE, SYMLINK, HARD_LINK, SPECIAL, UNREADABLE, TOO_DEEP, CLOSED, FAILED, ABSENT };

/* Every packet is this, and then a path or bytes of a file. */
struct head {
	uint32_t kind;
	uint32_t why; /* SKIPPED, END */
	uint64_t size; /* FILE: as it says; READ: bytes at most; END of a file: as it says; END of a list: 1 if it is not whole */
};

struct entry { /* linux_dirent64, getdents64(2) */
	uint64_t inode, offset;
	unsigned short size;
	unsigned char type;
	char name[];
};

struct directory {
	int fd;
	size_t length; /* of its path, with the slash */
	long size, next; /* of what is read of it */
	_Alignas(8) char entries[2048];
};

static struct directory open_directories[DEEPEST];
static char path[DEEPEST * (LONGEST_NAME + 1)]; /* of the entry at hand, NUL-terminated */
static char chunk[CHUNK];
static int control;

static void tell(struct head head, const char *rest, size_t size)
{
	struct iovec parts[] = { { &head, sizeof(head) }, { (char *)(uintptr_t)rest, size } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };

	if (raw(SYS_sendmsg, (uint64_t)control, address(&message), MSG_NOSIGNAL, 0, 0) < 0)
		end(EXIT_NO_FRAME);
}

static long beneath(int directory, const char *name, uint64_t flags)
{
	struct open_how how = {
		.flags = O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | flags,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV,
	};

	return raw(SYS_openat2, (uint64_t)directory, address(name), address(&how), sizeof(how), 0);
}

static enum why reason(long error)
{
	switch (-error) {
	case ENOENT:
	case ENOTDIR:
		return ABSENT;
	case EACCES:
	case EPERM:
		return UNREADABLE;
	case ELOOP:
		return SYMLINK;
	case ENXIO:
	case ENODEV:
		return SPECIAL;
	}
	return FAILED;
}

/* What an open file is. */
static enum why look(int file, uint64_t *size)
{
	struct stat about;

	if (raw(SYS_fstat, (uint64_t)file, address(&about), 0, 0, 0) != 0)
		return FAILED;
	*size = (uint64_t)about.st_size;
	if ((about.st_mode & FORMAT) != REGULAR)
		return SPECIAL;
	return about.st_nlink == 1 ? FINE : HARD_LINK;
}

/* Opens what is to be a regular file with one name. Negative on any why but FINE. */
static int open_file(int directory, const char *name, uint64_t *size, enum why *why)
{
	long file = beneath(directory, name, 0);

	*why = file < 0 ? reason(file) : look((int)file, size);
	if (*why == FINE)
		return (int)file;
	if (file >= 0)
		raw(SYS_close, (uint64_t)file, 0, 0, 0, 0);
	return -1;
}

/* Puts a name behind a directory's path and returns the length of the whole, 0 if
 * it does not fit, which the kernel's own bound on names rules out. */
static size_t append(size_t length, const char *name)
{
	for (; *name != '\0'; name++) {
		if (length + 1 >= sizeof(path))
			return 0;
		path[length++] = *name;
	}
	path[length] = '\0';
	return length;
}

/* Goes into a directory, or says why not. Returns how many are open then. */
static int enter(int depth, long fd, size_t length)
{
	struct directory *d = &open_directories[depth];

	if (fd < 0) {
		enum why why = reason(fd);

		if (length > 0)
			tell((struct head){ .kind = SKIPPED, .why = why == UNREADABLE ? CLOSED : why }, path, length);
		return depth;
	}
	d->fd = (int)fd;
	d->length = length;
	d->size = d->next = 0;
	if (length > 0)
		path[d->length++] = '/'; /* the NUL has its place behind: a name is shorter than its part of the path */
	return depth + 1;
}

/* Tells of one entry of the innermost directory. Returns how many are open then. */
static int consider(int depth, const struct entry *e)
{
	struct directory *d = &open_directories[depth - 1];
	size_t length = append(d->length, e->name);
	struct head head = { .kind = SKIPPED, .why = SPECIAL };
	enum why why = SPECIAL;
	int file;

	if (length == 0)
		return depth;
	if (e->type == DT_DIR && depth < DEEPEST)
		return enter(depth, beneath(d->fd, e->name, O_DIRECTORY), length);
	if (e->type == DT_DIR) {
		why = TOO_DEEP;
	} else if (e->type == DT_LNK) {
		why = SYMLINK;
	} else if (e->type == DT_REG || e->type == DT_UNKNOWN) {
		file = open_file(d->fd, e->name, &head.size, &why);
		if (file >= 0) {
			raw(SYS_close, (uint64_t)file, 0, 0, 0, 0);
			head.kind = FILE;
		}
	}
	head.why = why;
	tell(head, path, length);
	return depth;
}

/* The next entry of a directory, NULL behind the last. */
static const struct entry *next(struct directory *d)
{
	const struct entry *e;

	if (d->next >= d->size) {
		d->next = 0;
		d->size = raw(SYS_getdents64, (uint64_t)d->fd, address(d->entries), sizeof(d->entries), 0, 0);
		if (d->size <= 0)
			return NULL;
	}
	e = (const struct entry *)(d->entries + d->next);
	d->next += e->size;
	return e;
}

static int is_dots(const char *name)
{
	return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

static void list(void)
{
	int depth = enter(0, beneath(AT_FDCWD, ".", O_DIRECTORY), 0), seen = 0;
	struct head last = { .kind = END, .why = depth == 0 ? FAILED : FINE };

	while (depth > 0) {
		const struct entry *e = next(&open_directories[depth - 1]);

		if (e != NULL && is_dots(e->name))
			continue;
		if (e != NULL && seen < MOST_ENTRIES) {
			seen++;
			depth = consider(depth, e);
			continue;
		}
		last.size |= e != NULL;
		depth--;
		raw(SYS_close, (uint64_t)open_directories[depth].fd, 0, 0, 0, 0);
	}
	tell(last, NULL, 0);
}

/* Hands over the first bytes of a file, as many as the daemon wants, since its size
 * is believed by nobody. None are wanted of a file that is only looked for. */
static void hand_over(const char *name, uint64_t most)
{
	struct head last = { .kind = END };
	enum why why;
	int file = open_file(AT_FDCWD, name, &last.size, &why);
	long n = 0;

	while (file >= 0 && most > 0) {
		n = raw(SYS_read, (uint64_t)file, address(chunk), most < CHUNK ? most : CHUNK, 0, 0);
		if (n <= 0)
			break;
		tell((struct head){ .kind = DATA }, chunk, (size_t)n);
		most -= (uint64_t)n;
	}
	if (file >= 0)
		raw(SYS_close, (uint64_t)file, 0, 0, 0, 0);
	last.why = n < 0 ? FAILED : why;
	tell(last, NULL, 0);
}

void serve_collector(int socket)
{
	static struct {
		struct head head;
		char path[sizeof(path)];
	} request;
	long n;

	control = socket;
	n = raw(SYS_read, (uint64_t)socket, address(&request), sizeof(request) - 1, 0, 0);
	if (n == 0)
		end(0); /* the daemon's end is closed */
	if (n < (long)sizeof(request.head))
		end(EXIT_NO_FRAME);
	((char *)&request)[n] = '\0';
	if (request.head.kind == LIST)
		list();
	else if (request.head.kind == READ)
		hand_over(request.path, request.head.size);
	else
		end(EXIT_NO_FRAME);
}
