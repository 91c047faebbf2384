/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What LTTng-UST's thread does after the program closed its descriptors by a direct system call: it
 * lists a new descriptor whose number it has listed already. Alone, LTTng-UST ends the process for
 * that. Linked with liblttng-ust-common.
 */
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Between LTTng-UST's own libraries; in none of its headers. */
void lttng_ust_lock_fd_tracker(void);
void lttng_ust_unlock_fd_tracker(void);
int lttng_ust_add_fd_to_tracker(int fd);
void lttng_ust_delete_fd_from_tracker(int fd);

static int open_listed(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	return lttng_ust_add_fd_to_tracker(fd);
}

int main(void)
{
	int first, second;

	lttng_ust_lock_fd_tracker();
	first = open_listed();
	syscall(SYS_close, first);
	second = open_listed();
	lttng_ust_delete_fd_from_tracker(second);
	close(second);
	lttng_ust_unlock_fd_tracker();
	printf("the same number again: %s\n", first == second ? "yes" : "no");
	return 0;
}
