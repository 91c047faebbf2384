// SPDX-License-Identifier: Apache-2.0
// Makes the calls that its argument selects, which do not return.
#include <hip/hip_runtime.h>

#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

__global__ void set(volatile int *flag, int value)
{
	*flag = value;
}

__global__ void spin(volatile int *flag)
{
	while (!*flag) {
	}
}

static sigjmp_buf back;

static void leave(int)
{
	siglongjmp(back, 1);
}

static void end(int)
{
	_exit(3);
}

static void say(const char *what)
{
	puts(what);
	fflush(stdout);
}

static int *flag;
static void *volatile block;
static hipStream_t stream, idle;

static void begin(bool twice)
{
	(void)hipMalloc((void **)&flag, 4096);
	(void)hipStreamCreate(&stream);
	(void)hipStreamCreate(&idle);
	set<<<1, 1, 0, stream>>>(flag, 0);
	(void)hipStreamSynchronize(stream);
	if (twice)
		set<<<1, 1, 0, stream>>>(flag, 0);
	spin<<<1, 1, 0, stream>>>(flag);
}

static void hang()
{
	begin(false);
	say("waiting");
	(void)hipDeviceSynchronize(); // HANG
}

static void copy_freed()
{
	static char host[1 << 22];
	char *freed;

	(void)hipMalloc((void **)&freed, sizeof(host));                    // ALLOCATED
	(void)hipFree(freed);                                              // FREED
	(void)hipMemcpy(host, freed, sizeof(host), hipMemcpyDeviceToHost); // it is refused
	(void)hipMemcpy(host, freed, sizeof(host), hipMemcpyDefault);      // COPIED
	// The runtime takes it for memory of the host's, which is not there, or refuses it as well; 6.4.3 does the one or the other.
	say("refused");
	_exit(4);
}

// A thread waits in the stream; others come and go.
static void wait_in_thread()
{
	begin(true);
	for (int i = 0; i < 20; i++)
		std::thread([] { (void)hipStreamSynchronize(idle); }).join();
	std::thread([] { (void)hipStreamSynchronize(stream); }).detach();
	sleep(1);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "freed"))
		copy_freed();
	if (!strcmp(what, "hang"))
		hang();
	if (!strcmp(what, "thread")) {
		wait_in_thread();
		_exit(0);
	}
	if (!strcmp(what, "killed-thread")) {
		wait_in_thread();
		raise(SIGKILL);
	}
	if (!strcmp(what, "alarm")) {
		signal(SIGALRM, end);
		begin(false);
		alarm(2);
		(void)hipStreamSynchronize(stream);
	}
	if (!strcmp(what, "jump")) {
		signal(SIGALRM, leave);
		begin(false);
		if (!sigsetjmp(back, 1)) {
			alarm(2);
			(void)hipStreamSynchronize(stream);
		}
		block = malloc(1 << 20);
		raise(SIGKILL);
	}
	if (!strcmp(what, "fork")) {
		if (fork() == 0) {
			copy_freed();
			_exit(1);
		}
		hang();
	}
	if (!strcmp(what, "exec")) {
		begin(false);
		execl("/nonexistent", "nonexistent", (char *)NULL);
		execl("/bin/true", "true", (char *)NULL);
	}
	// The program is started on standby; the recording begins when the file is there.
	if (!strcmp(what, "later")) {
		(void)hipFree(NULL);
		while (access(argv[2], F_OK))
			usleep(50000);
		hang();
	}
	return 0;
}
