/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver [OPTION]... -- COMMAND...: run COMMAND as if there were a /dev/kfd and its topology. The
 * system calls themselves are answered (seccomp_unotify(2)), with the numbers and structures of the
 * kernel's own header, so the caller does just what it does on a machine with a GPU. Exit status:
 * COMMAND's, or 77 if the kernel does not allow this.
 *
 *   -g ID@DOMAIN:LOCATION   a GPU of the topology; its id in hex, as the next two
 *   -x ID                   a GPU that is not for this process: its files can't be read
 *   -v MAJOR.MINOR          the interface's version; 1.11
 *   -o ERRNO                opening /dev/kfd fails
 *   -i ERRNO                asking for events fails; -i ID:ERRNO of one GPU
 *   -e N                    the first N system calls are interrupted
 *   -p OFFSET               by which the driver's process ids are others, as seen from a container
 *   -s MILLISECONDS         readlink() of threads other than the first is held up: so long from
 * when the first calls it -l FILE                 lines for each who asks for events: %t the time,
 * %p the process, %g the GPU, %z a NUL; only of events that were requested, unless one begins with
 * ! -b a byte at a time -r                      and again each 20 ms -w FILE                 what
 * is requested: "open PID", "events PID GPU", "mask PID GPU MASK", "read PID GPU" when that has
 * read all so far, "closed PID GPU"
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/kfd_ioctl.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SKIP     77
#define TOPOLOGY "/sys/class/kfd/kfd/topology/nodes/"

static struct gpu {
	unsigned id, domain, location, error;
	bool hidden;
} gpus[16];
static unsigned gpu_count;

static struct client {
	int fd, pid;
	unsigned gpu;
	uint64_t mask;
	bool unread; /* the latest events */
	size_t used;
	char pending[65536];
} clients[64];
static unsigned client_count;

static unsigned major = 1, minor = 11, open_error, events_error, interruptions;
static int pid_offset;
static char *lines;
static bool bytewise, again;
static int delay;
static FILE *log_file;

static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *format, ...)
{
	va_list arguments;

	if (!log_file)
		return;
	va_start(arguments, format);
	vfprintf(log_file, format, arguments);
	va_end(arguments);
	fflush(log_file);
}

static void die(const char *what)
{
	fprintf(stderr, "driver: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* ---- the events ---- */

static void end(struct client *client)
{
	close(client->fd);
	client->fd = -1;
	client->used = 0;
	note("closed %d %x\n", client->pid, client->gpu);
}

/* As much as there is room for: the reader may be waiting for us elsewhere. */
static void flush(struct client *client)
{
	size_t at = 0;

	while (at < client->used) {
		ssize_t sent = send(client->fd, client->pending + at,
				    bytewise ? 1 : client->used - at, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent < 0 && errno != EAGAIN) {
			end(client);
			return;
		}
		if (sent < 0)
			break;
		at += (size_t)sent;
	}
	client->used -= at;
	memmove(client->pending, client->pending + at, client->used);
}

static void look_whether_read(struct client *client)
{
	int left = 1;

	/* Of such a socket: what the other end has not read. */
	if (client->fd >= 0 && client->unread && !client->used &&
	    !ioctl(client->fd, SIOCOUTQ, &left) && !left) {
		client->unread = false;
		note("read %d %x\n", client->pid, client->gpu);
	}
}

static void send_bytes(struct client *client, const char *bytes, size_t size)
{
	if (size > sizeof(client->pending) - client->used)
		return; /* as the driver's buffer */
	memcpy(client->pending + client->used, bytes, size);
	client->unread = true;
	client->used += size;
}

static void tell(struct client *client)
{
	for (const char *line = lines, *end; line && *line; line = end) {
		char text[512];
		size_t used = 0;
		bool always = *line == '!';
		uint64_t kind;
		struct timespec now;

		end = strchr(line, '\n');
		end = end ? end + 1 : line + strlen(line);
		line += always;
		kind = strtoul(line, NULL, 16);
		if (!always && (!kind || kind > 64 || !(client->mask >> (kind - 1) & 1)))
			continue;
		clock_gettime(CLOCK_BOOTTIME, &now);
		for (const char *c = line; c < end && used < sizeof(text) - 32; c++) {
			if (*c != '%') {
				text[used++] = *c;
				continue;
			}
			c++;
			if (*c == 'z')
				text[used++] = 0;
			else if (*c == 't')
				used += (size_t)sprintf(text + used, "%lld",
							(long long)now.tv_sec * 1000000000 +
							    now.tv_nsec);
			else
				used += (size_t)sprintf(text + used, *c == 'p' ? "%d" : "%x",
							*c == 'p' ? client->pid + pid_offset
								  : (int)client->gpu);
		}
		send_bytes(client, text, used);
	}
	flush(client);
}

static void hear(struct client *client)
{
	uint64_t mask;
	ssize_t got = recv(client->fd, &mask, sizeof(mask), MSG_DONTWAIT);

	if (!got || (got < 0 && errno != EAGAIN)) {
		end(client);
	} else if (got == (ssize_t)sizeof(mask)) {
		client->mask = mask;
		if (mask)
			tell(client);
		/* Whoever reads this finds the events in the socket. */
		note("mask %d %x %llx\n", client->pid, client->gpu, (unsigned long long)mask);
	}
}

/* ---- the system calls ---- */

static int process_of(int thread)
{
	char path[64], line[256];
	int process = thread;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", thread);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Tgid: %d", &process) == 1)
			break;
	if (file)
		fclose(file);
	return process;
}

static ssize_t copy(int thread, uint64_t address, void *bytes, size_t size, bool to)
{
	struct iovec ours = { bytes, size }, theirs = { (void *)(uintptr_t)address, size };

	return to ? process_vm_writev(thread, &ours, 1, &theirs, 1, 0)
		  : process_vm_readv(thread, &ours, 1, &theirs, 1, 0);
}

/* As a descriptor of the caller's; its number or -errno. */
static int give(int listener, uint64_t id, int fd, int flags)
{
	struct seccomp_notif_addfd add = { .id = id,
					   .srcfd = (uint32_t)fd,
					   .newfd_flags = (uint32_t)flags };
	int rc = ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add);

	return rc < 0 ? -errno : rc;
}

static int text_file(const char *text, bool readable)
{
	int fd = (int)syscall(SYS_memfd_create, "sysfs", 1u), other;
	char path[64];

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die("memfd");
	lseek(fd, 0, SEEK_SET);
	if (readable)
		return fd;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	other = open(path, O_WRONLY | O_CLOEXEC);
	close(fd);
	return other;
}

/* A file of the topology, or -ENOENT. */
static int node_file(const char *path)
{
	unsigned node;
	char name[64], text[256];
	const struct gpu *gpu;

	if (sscanf(path, TOPOLOGY "%u/%63s", &node, name) != 2 || node > gpu_count)
		return -ENOENT;
	if (!node)
		return text_file(strcmp(name, "gpu_id") ? "cpu_cores_count 8\n" : "0\n", true);
	gpu = &gpus[node - 1];
	if (!strcmp(name, "gpu_id"))
		snprintf(text, sizeof(text), "%u\n", gpu->id);
	else
		snprintf(
		    text, sizeof(text),
		    "cpu_cores_count 0\nsimd_count 440\nvendor_id 4098\nlocation_id %u\ndomain %u\n"
		    "drm_render_minor 128\n",
		    gpu->location, gpu->domain);
	return text_file(text, !gpu->hidden);
}

/* The descriptor's number in the caller, or -errno; 1 << 30: it is nothing to do with us. */
#define NOT_OURS (1 << 30)

static int on_open(int listener, const struct seccomp_notif *call)
{
	char path[256] = "";
	uint64_t address = call->data.args[1];
	int flags = (int)call->data.args[2] & O_CLOEXEC, fd, rc;

#ifdef SYS_open
	if (call->data.nr == SYS_open) {
		address = call->data.args[0];
		flags = (int)call->data.args[1] & O_CLOEXEC;
	}
#endif
	if (copy((int)call->pid, address, path, sizeof(path) - 1, false) <= 0)
		return NOT_OURS;
	path[sizeof(path) - 1] = 0;
	if (!strcmp(path, "/dev/kfd")) {
		note("open %d\n", process_of((int)call->pid));
		if (open_error)
			return -(int)open_error;
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	} else if (!strncmp(path, TOPOLOGY, strlen(TOPOLOGY))) {
		fd = node_file(path);
	} else {
		return NOT_OURS;
	}
	if (fd < 0)
		return fd;
	rc = give(listener, call->id, fd, flags);
	close(fd);
	return rc;
}

static int on_events(int listener, const struct seccomp_notif *call)
{
	struct kfd_ioctl_smi_events_args args;
	int pid = process_of((int)call->pid), ends[2], fd;
	const struct gpu *gpu = NULL;

	if (copy((int)call->pid, call->data.args[2], &args, sizeof(args), false) != sizeof(args))
		return -EFAULT;
	for (unsigned i = 0; i < gpu_count; i++)
		if (gpus[i].id == args.gpuid && !gpus[i].hidden)
			gpu = &gpus[i];
	note("events %d %x\n", pid, args.gpuid);
	if (!gpu || events_error || gpu->error)
		return -(int)(events_error        ? events_error
			      : gpu && gpu->error ? gpu->error
						  : EINVAL);
	if (client_count == sizeof(clients) / sizeof(clients[0]) ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -ENOMEM;
	/* Not closed by an exec of its own, as the driver's. */
	fd = give(listener, call->id, ends[1], 0);
	close(ends[1]);
	args.anon_fd = (uint32_t)fd;
	if (fd < 0 || copy((int)call->pid, call->data.args[2], &args, sizeof(args), true) < 0) {
		close(ends[0]);
		return fd < 0 ? fd : -EFAULT;
	}
	clients[client_count].fd = ends[0];
	clients[client_count].pid = pid;
	clients[client_count++].gpu = args.gpuid;
	return 0;
}

/*
 * ---- readlink() of threads other than the first ----
 *
 * The recorder's thread calls it before it reads. It is held up until the first thread has called
 * readlink() for GO_ON, and `delay` ms after that.
 */
#define GO_ON         "/proc/self/go-on"
#define LONGEST_DELAY 20000

static struct delayed {
	uint64_t id;
	long long due; /* ms */
} delayed[64];
static unsigned delayed_count;

static long long milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void let_go_on(int listener, uint64_t id)
{
	struct seccomp_notif_resp answer = { .id = id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };

	(void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

static void on_readlink(int listener, const struct seccomp_notif *call)
{
	bool first = process_of((int)call->pid) == (int)call->pid;
	char path[sizeof(GO_ON)] = "";
	bool go_on =
	    copy((int)call->pid, call->data.args[0], path, sizeof(path), false) == sizeof(path) &&
	    !memcmp(path, GO_ON, sizeof(path));

	for (unsigned i = 0; go_on && i < delayed_count; i++)
		delayed[i].due = milliseconds() + delay;
	if (first || delayed_count == sizeof(delayed) / sizeof(delayed[0]))
		let_go_on(listener, call->id);
	else
		delayed[delayed_count++] =
		    (struct delayed){ call->id, milliseconds() + LONGEST_DELAY };
}

static void let_delayed_go_on(int listener)
{
	for (unsigned i = delayed_count; i-- > 0;) {
		if (delayed[i].due > milliseconds())
			continue;
		let_go_on(listener, delayed[i].id);
		delayed[i] = delayed[--delayed_count];
	}
}

static int on_version(const struct seccomp_notif *call)
{
	struct kfd_ioctl_get_version_args args = { .major_version = major, .minor_version = minor };

	return copy((int)call->pid, call->data.args[2], &args, sizeof(args), true) < 0 ? -EFAULT
										       : 0;
}

static void serve(int listener)
{
	struct seccomp_notif call = { 0 };
	struct seccomp_notif_resp answer = { 0 };
	int rc;

	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call))
		return; /* the caller has ended */
	if (call.data.nr == SYS_readlink) {
		on_readlink(listener, &call);
		return;
	}
	if (call.data.nr != SYS_ioctl)
		rc = on_open(listener, &call);
	else if (interruptions && interruptions--)
		rc = -EINTR;
	else if ((uint32_t)call.data.args[1] == (uint32_t)AMDKFD_IOC_SMI_EVENTS)
		rc = on_events(listener, &call);
	else
		rc = on_version(&call);
	answer.id = call.id;
	if (rc == NOT_OURS)
		answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	else if (rc < 0)
		answer.error = rc;
	else
		answer.val = rc;
	(void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

/* ---- the start ---- */

static void send_fd(int socket, int fd)
{
	char byte = fd >= 0, control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec part = { &byte, 1 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	struct cmsghdr *header;

	if (fd >= 0) {
		message.msg_control = control;
		message.msg_controllen = sizeof(control);
		header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	}
	if (sendmsg(socket, &message, 0) != 1)
		_exit(2);
}

static int receive_fd(int socket)
{
	char byte = 0, control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec part = { &byte, 1 };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	int fd = -1;

	if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) == 1 && byte && CMSG_FIRSTHDR(&message))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	return fd;
}

#define FIELD(name)        ((uint32_t)offsetof(struct seccomp_data, name))
#define IS(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), yes, no)

static int listen_to_calls(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIELD(nr)),
		IS(SYS_openat, 7, 0),
#ifdef SYS_open
		IS(SYS_open, 6, 0),
#else
		IS(SYS_openat, 6, 0),
#endif
		IS(delay ? SYS_readlink : SYS_openat, 5, 0),
		IS(SYS_ioctl, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIELD(args[1])),
		IS(AMDKFD_IOC_SMI_EVENTS, 2, 0),
		IS(AMDKFD_IOC_GET_VERSION, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
			    &program);
}

static char *read_lines(const char *path)
{
	static char text[65536];
	FILE *file = fopen(path, "re");

	if (!file)
		die(path);
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	return text;
}

static void option(int letter, char *value)
{
	struct gpu *gpu = &gpus[gpu_count];
	unsigned id, error;

	switch (letter) {
	case 'x':
		gpu->hidden = true;
		/* fallthrough */
	case 'g':
		if (gpu_count == 16 ||
		    sscanf(value, "%x@%x:%x", &gpu->id, &gpu->domain, &gpu->location) < 1)
			die(value);
		gpu_count++;
		break;
	case 'v':
		if (sscanf(value, "%u.%u", &major, &minor) != 2)
			die(value);
		break;
	case 'i':
		if (sscanf(value, "%x:%u", &id, &error) == 2) {
			for (unsigned i = 0; i < gpu_count; i++)
				if (gpus[i].id == id)
					gpus[i].error = error;
		} else {
			events_error = (unsigned)atoi(value);
		}
		break;
	case 'o':
		open_error = (unsigned)atoi(value);
		break;
	case 'e':
		interruptions = (unsigned)atoi(value);
		break;
	case 'p':
		pid_offset = atoi(value);
		break;
	case 'l':
		lines = read_lines(value);
		break;
	case 'w':
		log_file = fopen(value, "ae");
		if (!log_file)
			die(value);
		break;
	case 's':
		delay = atoi(value);
		break;
	case 'b':
		bytewise = true;
		break;
	case 'r':
		again = true;
		break;
	default:
		exit(2);
	}
}

static int watch(int listener, pid_t child)
{
	int status, process = (int)syscall(SYS_pidfd_open, child, 0);

	for (;;) {
		struct pollfd fds[66] = { { .fd = listener, .events = POLLIN },
					  { .fd = process, .events = POLLIN } };

		bool waiting = again || delayed_count;

		let_delayed_go_on(listener);
		for (unsigned i = 0; i < client_count; i++) {
			look_whether_read(&clients[i]);
			waiting |= clients[i].unread && clients[i].fd >= 0;
			fds[2 + i] = (struct pollfd){
				.fd = clients[i].fd,
				.events = (short)(clients[i].used ? POLLIN | POLLOUT : POLLIN),
			};
		}
		poll(fds, 2 + client_count, waiting ? 20 : -1);
		for (unsigned i = 0, count = client_count; i < count; i++) {
			if (fds[2 + i].revents & ~POLLOUT && clients[i].fd >= 0)
				hear(&clients[i]);
			if (clients[i].used)
				flush(&clients[i]);
			if (again && clients[i].fd >= 0 && clients[i].mask && !clients[i].unread)
				tell(&clients[i]);
		}
		if (fds[0].revents & POLLIN)
			serve(listener);
		if (fds[1].revents)
			break;
	}
	if (waitpid(child, &status, 0) != child)
		die("waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	int letter, sockets[2], listener;
	pid_t child;

	while ((letter = getopt(argc, argv, "+g:x:v:o:i:e:p:s:l:w:br")) != -1)
		option(letter, optarg);
	if (optind >= argc || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
		die("no command");
	child = fork();
	if (child < 0)
		die("fork");
	if (!child) {
		listener = listen_to_calls();
		send_fd(sockets[1], listener);
		if (listener < 0)
			_exit(SKIP);
		close(listener);
		execvp(argv[optind], argv + optind);
		_exit(127);
	}
	close(sockets[1]);
	listener = receive_fd(sockets[0]);
	if (listener < 0) {
		waitpid(child, NULL, 0);
		fprintf(stderr, "driver: no system calls can be answered here\n");
		return SKIP;
	}
	return watch(listener, child);
}
