#include "event.h"
#include "fork.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

void safe_exec_collapse(int proc)
{
	enum { HUGE = 2 << 20, COLLAPSE = 25 }; /* MADV_COLLAPSE */
	static char line[256];
	FILE *maps;
	int fd = openat(proc, "self/maps", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || (maps = fdopen(fd, "r")) == NULL)
		return;
	while (fgets(line, sizeof(line), maps) != NULL) {
		unsigned long from, to;
		char mode[8];
		int inode;

		if (sscanf(line, "%lx-%lx %7s %*s %*s %d", &from, &to, mode, &inode) != 4 || inode != 0 || strcmp(mode, "rw-p") != 0)
			continue;
		from = (from + HUGE - 1) & ~(unsigned long)(HUGE - 1);
		to &= ~(unsigned long)(HUGE - 1);
		if (from < to)
			raw(SYS_madvise, from, to - from, COLLAPSE, 0, 0);
	}
	fclose(maps);
}
