// SPDX-License-Identifier: Apache-2.0
/*
 * The driver's requests about memory, without AMD's library: what they do, and what they answer to
 * arguments that are wrong. Errors are those of the kernel's driver (kfd_chardev.c, kfd_svm.c,
 * amdgpu_amdkfd_gpuvm.c). The driver is preloaded. TAP on stdout.
 */
#include "kernels/softgpu/softgpu.h"
#include "kernels/softkfd/abi.h"
#include "tests/e2e/softgpu/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern unsigned softgpu_page_state_now(uint64_t address) __attribute__((weak));

#define PAGE   ((uint64_t)SOFTGPU_PAGE_SIZE)
#define MIB    (UINT64_C(1) << 20)
#define GPU    0x5000u /* of the first; the second does not exist */
#define NO_GPU 0x5001u
#define BOTH   (KFD_ALLOC_WRITABLE | KFD_ALLOC_PUBLIC)

static int kfd, render;

/* 0 or the error. */
static int ask(unsigned number, void *argument, size_t size)
{
	return ioctl(kfd, _IOC(_IOC_READ | _IOC_WRITE, KFD_IOCTL_TYPE, number, size), argument)
		   ? errno
		   : 0;
}

enum {
	ALLOC = 0x16,
	FREE,
	MAP,
	UNMAP,
	INFO = 0x1c,
	IMPORT,
	SVM = 0x20,
	XNACK,
	AVAILABLE = 0x23,
	EXPORT
};
enum { IPC_IMPORT = 0x80, IPC_EXPORT };

static unsigned state(const void *address)
{
	return softgpu_page_state_now((uint64_t)(uintptr_t)address);
}

/* Addresses that nobody uses. */
static char *reserve(uint64_t size)
{
	return mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static char *pages(uint64_t size)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static int allocate(const void *address, uint64_t size, uint32_t flags, uint64_t offset,
		    struct kfd_arg_alloc_memory *result)
{
	*result = (struct kfd_arg_alloc_memory){ .address = (uint64_t)(uintptr_t)address,
						 .size = size,
						 .mmap_offset = offset,
						 .gpu_id = GPU,
						 .flags = flags };
	return ask(ALLOC, result, sizeof *result);
}

static int change(unsigned number, uint64_t handle, uint32_t gpu)
{
	struct kfd_arg_map_memory map = { .handle = handle,
					  .gpu_ids = (uint64_t)(uintptr_t)&gpu,
					  .count = 1 };

	return ask(number, &map, sizeof map);
}

static int release(uint64_t handle)
{
	struct kfd_arg_free_memory free = { handle };

	return ask(FREE, &free, sizeof free);
}

static void *view(void *address, uint64_t size, uint64_t offset)
{
	return mmap(address, size, PROT_READ | PROT_WRITE, MAP_SHARED | (address ? MAP_FIXED : 0),
		    render, (off_t)offset);
}

/* ---- objects ---- */

static void test_allocation(void)
{
	struct kfd_arg_available_memory before = { .gpu_id = GPU }, after = { .gpu_id = GPU };
	struct kfd_arg_alloc_memory object, second;
	char *place = reserve(4 * MIB), *page = pages(PAGE), *other;
	struct kfd_arg_version version;
	const unsigned vram = KFD_ALLOC_VRAM | BOTH;

	check(allocate(place, 0, vram, 0, &object) == EINVAL, "no bytes");
	check(allocate(place, PAGE, BOTH, 0, &object) == EINVAL, "no kind");
	check(allocate(place, PAGE, vram | KFD_ALLOC_GTT, 0, &object) == EINVAL, "two kinds");
	check(allocate(place, UINT64_MAX - 5, vram, 0, &object) != 0, "nearly 2^64 bytes");
	check(allocate(place, UINT64_C(1) << 46, vram, 0, &object) == ENOMEM, "more than there is");
	check(allocate(place, PAGE, KFD_ALLOC_DOORBELL | BOTH, 0, &object) == EINVAL,
	      "half a page of doorbells");
	check(allocate(place, 2 * PAGE, KFD_ALLOC_MMIO_REMAP | BOTH, 0, &object) == EINVAL,
	      "two pages of registers");
	object = (struct kfd_arg_alloc_memory){ .size = PAGE, .gpu_id = NO_GPU, .flags = vram };
	check(ask(ALLOC, &object, sizeof object) == EINVAL, "of a GPU that does not exist");
	check(release(UINT64_MAX) == EINVAL && release((uint64_t)GPU << 32 | 0xffffffff) == EINVAL,
	      "free what there is not");
	check(change(MAP, (uint64_t)GPU << 32 | 0xffffff, GPU) == ENOMEM, "map what there is not");

	check(!ask(AVAILABLE, &before, sizeof before) && !allocate(place, MIB, vram, 0, &object) &&
		  !ask(AVAILABLE, &after, sizeof after) &&
		  after.available + MIB == before.available,
	      "one MiB of VRAM: %#lx less", before.available - after.available);
	check(view(place, MIB, object.mmap_offset) == place && !place[0] && !place[MIB - 1],
	      "the program maps it, and reads zeros");
	place[0] = 7;
	other =
	    (char *)syscall(SYS_mmap, NULL, MIB, PROT_READ, MAP_SHARED, render, object.mmap_offset);
	check(other != MAP_FAILED && other[0] == 7, "... by a system call of the program's own");
	check(syscall(SYS_ioctl, kfd, _IOC(_IOC_READ, KFD_IOCTL_TYPE, 1, sizeof version),
		      &version) == 0 &&
		  version.major == 1,
	      "a request by a system call of the program's own");
	place[0] = 0;
	check(view(NULL, MIB + PAGE, object.mmap_offset) == MAP_FAILED, "no more than it has");
	check(view(NULL, PAGE, object.mmap_offset + 64 * MIB) == MAP_FAILED,
	      "nor where nothing is");
	check(view(NULL, PAGE, 0) == MAP_FAILED &&
		  mmap(NULL, PAGE, PROT_READ, MAP_SHARED, kfd, 0) == MAP_FAILED,
	      "device files themselves hold nothing");
	check(!state(place), "no GPU reaches it");
	check(change(MAP, object.handle, NO_GPU) == EINVAL, "map it for no GPU");
	check(!change(MAP, object.handle, GPU) && state(place) == SOFTGPU_PAGE_MAPPED &&
		  state(place + MIB - 1) == SOFTGPU_PAGE_MAPPED && !state(place + MIB),
	      "mapped, and nothing behind it");
	check(!change(MAP, object.handle, GPU), "once more");
	check(!allocate(place + MIB / 2, MIB, vram, 0, &second) &&
		  change(MAP, second.handle, GPU) == EINVAL && !release(second.handle),
	      "another one can't be mapped over it");
	check(!allocate(place + 2 * MIB + 1, MIB, vram, 0, &second) &&
		  change(MAP, second.handle, GPU) == EINVAL && !release(second.handle),
	      "nor at an odd address");
	memset(place, 0x5a, MIB);
	check(release(object.handle) == EBUSY, "it is in use");
	check(!change(UNMAP, object.handle, GPU) && !state(place), "unmapped");
	check(change(UNMAP, object.handle, GPU) == EINVAL, "only once");
	check(!release(object.handle) && release(object.handle) == EINVAL, "freed once");
	check(!allocate(place, MIB, vram, 0, &object) &&
		  view(place, MIB, object.mmap_offset) == place && !place[0] && !place[MIB - 1] &&
		  !release(object.handle),
	      "whoever comes next reads zeros");

	check(allocate(place, PAGE, KFD_ALLOC_USERPTR | BOTH, 0, &object) == EINVAL,
	      "the program's memory at 0");
	check(allocate(place, PAGE, KFD_ALLOC_USERPTR | BOTH, 64 * PAGE, &object) == EFAULT,
	      "where nothing is mapped");
	check(allocate(place, PAGE, KFD_ALLOC_USERPTR | BOTH, UINT64_MAX - 10, &object) != 0,
	      "at the end of all addresses");
	mprotect(page, PAGE, PROT_READ);
	check(allocate(place, PAGE, KFD_ALLOC_USERPTR | BOTH, (uint64_t)(uintptr_t)page, &object) ==
		  EFAULT,
	      "where it may not write itself");
	mprotect(page, PAGE, PROT_READ | PROT_WRITE);
	check(!allocate(place, PAGE, KFD_ALLOC_USERPTR | KFD_ALLOC_COHERENT,
			(uint64_t)(uintptr_t)page, &object) &&
		  !change(MAP, object.handle, GPU) &&
		  state(place) == (SOFTGPU_PAGE_MAPPED | SOFTGPU_PAGE_FINE | SOFTGPU_PAGE_HOST |
				   SOFTGPU_PAGE_ALIAS | SOFTGPU_PAGE_READ),
	      "at another address, to be read only: %#x", state(place));
	check(!state(page), "not at its own");
	munmap(page, PAGE);
	check(!state(place), "nor anywhere once the program has unmapped it");
	check(!change(UNMAP, object.handle, GPU) && !release(object.handle), "freed");
	munmap(place, 4 * MIB);
}

static void test_gpu_ids(void)
{
	struct kfd_arg_alloc_memory object;
	uint32_t ids[2] = { GPU, NO_GPU };
	struct kfd_arg_map_memory map = { .gpu_ids = (uint64_t)(uintptr_t)ids };
	char *place = reserve(MIB);

	check(!allocate(place, MIB, KFD_ALLOC_GTT | BOTH, 0, &object), "host memory of the driver");
	map.handle = object.handle;
	check(ask(MAP, &map, sizeof map) == EINVAL, "no ids");
	map.count = 1;
	map.done = 2;
	check(ask(MAP, &map, sizeof map) == EINVAL, "more done than there are");
	map.done = 0;
	map.gpu_ids = 64;
	check(ask(MAP, &map, sizeof map) == EFAULT, "ids nowhere");
	map.count = UINT32_MAX;
	check(ask(MAP, &map, sizeof map) == ENOMEM, "too many ids");
	map.count = 2;
	map.gpu_ids = (uint64_t)(uintptr_t)ids;
	check(ask(MAP, &map, sizeof map) == EINVAL && map.done == 1, "the first of two is done: %u",
	      map.done);
	check(!change(UNMAP, object.handle, GPU) && !release(object.handle), "and undone");
	munmap(place, MIB);
}

/* ---- attributes ---- */

struct svm {
	struct kfd_arg_svm args;
	struct kfd_svm_attribute attributes[2];
};

static int svm_request(unsigned operation, const void *start, uint64_t size, uint32_t count,
		       struct svm *svm)
{
	svm->args.start = (uint64_t)(uintptr_t)start;
	svm->args.size = size;
	svm->args.operation = operation;
	svm->args.count = count;
	return ask(SVM, svm, sizeof *svm);
}

static int set(const void *start, uint64_t size, unsigned type, uint32_t value)
{
	struct svm svm = { .attributes = { { type, value } } };

	return svm_request(KFD_SVM_SET, start, size, 1, &svm);
}

/* Flags that all pages have, and in *any those that any has. */
static uint32_t flags_of(const void *start, uint64_t size, uint32_t *any)
{
	struct svm svm = { .attributes = { { KFD_SVM_SET_FLAGS, 0 }, { KFD_SVM_CLEAR_FLAGS, 0 } } };

	if (svm_request(KFD_SVM_GET, start, size, 2, &svm))
		return UINT32_MAX;
	*any = ~svm.attributes[1].value;
	return svm.attributes[0].value;
}

static unsigned access_of(const void *start)
{
	struct svm svm = { .attributes = { { KFD_SVM_ACCESS, GPU } } };

	return svm_request(KFD_SVM_GET, start, PAGE, 1, &svm) ? UINT32_MAX : svm.attributes[0].type;
}

static void test_attributes(void)
{
	const uint32_t preset = KFD_SVM_HOST_ACCESS | KFD_SVM_COHERENT;
	char *memory = pages(16 * PAGE), *place = reserve(MIB);
	struct kfd_arg_alloc_memory object;
	struct svm svm = { .attributes = { { KFD_SVM_GRANULARITY, 9 }, { 99, 0 } } };
	uint32_t any;

	check(set(memory + 1, PAGE, KFD_SVM_ACCESS, GPU) == EINVAL, "odd address");
	check(set(memory, PAGE + 1, KFD_SVM_ACCESS, GPU) == EINVAL, "odd size");
	check(set(memory, 0, KFD_SVM_ACCESS, GPU) == EINVAL, "no bytes");
	check(set(NULL, PAGE, KFD_SVM_ACCESS, GPU) == EINVAL, "at 0");
	check(set(memory, -PAGE, KFD_SVM_ACCESS, GPU) == EINVAL ||
		  set(memory, -PAGE, KFD_SVM_ACCESS, GPU) == EFAULT,
	      "around the end of all addresses");
	check(set((void *)(uintptr_t)(64 * PAGE), PAGE, KFD_SVM_ACCESS, GPU) == EFAULT,
	      "where nothing is mapped");
	check(set(memory, PAGE, KFD_SVM_ACCESS, NO_GPU) == EINVAL, "a GPU that does not exist");
	check(set(memory, PAGE, KFD_SVM_PREFERRED, NO_GPU) == EINVAL, "nor can be preferred");
	check(svm_request(KFD_SVM_SET, memory, PAGE, 2, &svm) == EINVAL, "unknown attribute");
	check(svm_request(7, memory, PAGE, 1, &svm) == EINVAL, "unknown operation");
	check(svm_request(KFD_SVM_SET, memory, PAGE, 3, &svm) == EINVAL &&
		  svm_request(KFD_SVM_SET, memory, PAGE, UINT32_MAX, &svm) == EINVAL,
	      "more attributes than the request has room for");

	check(flags_of(memory, 16 * PAGE, &any) == preset && any == preset, "presets");
	check(access_of(memory) == KFD_SVM_NO_ACCESS && !state(memory), "without access");
	check(!set(memory, 16 * PAGE, KFD_SVM_ACCESS, GPU) && access_of(memory) == KFD_SVM_ACCESS &&
		  state(memory) == (SOFTGPU_PAGE_MAPPED | SOFTGPU_PAGE_FINE | SOFTGPU_PAGE_HOST),
	      "with access");
	check(!set(memory + 4 * PAGE, 4 * PAGE, KFD_SVM_CLEAR_FLAGS, KFD_SVM_COHERENT) &&
		  state(memory + 4 * PAGE) == (SOFTGPU_PAGE_MAPPED | SOFTGPU_PAGE_HOST) &&
		  state(memory + 3 * PAGE) & SOFTGPU_PAGE_FINE &&
		  state(memory + 8 * PAGE) & SOFTGPU_PAGE_FINE,
	      "four pages in the middle are coarse-grained");
	check(flags_of(memory, 16 * PAGE, &any) == KFD_SVM_HOST_ACCESS && any == preset,
	      "so not all pages have one flag");
	check(flags_of(memory + 4 * PAGE, 4 * PAGE, &any) == KFD_SVM_HOST_ACCESS &&
		  any == KFD_SVM_HOST_ACCESS,
	      "and four have not");
	check(!set(memory + 12 * PAGE, PAGE, KFD_SVM_SET_FLAGS, KFD_SVM_GPU_READ_ONLY) &&
		  state(memory + 12 * PAGE) & SOFTGPU_PAGE_READ,
	      "one may only be read");
	check(!set(memory + 13 * PAGE, PAGE, KFD_SVM_NO_ACCESS, GPU) &&
		  !state(memory + 13 * PAGE) && state(memory + 14 * PAGE),
	      "one can't be reached");
	check(allocate(memory, 16 * PAGE, KFD_ALLOC_USERPTR | BOTH, (uint64_t)(uintptr_t)memory,
		       &object) == EADDRINUSE &&
		  allocate(place, PAGE, KFD_ALLOC_USERPTR | BOTH,
			   (uint64_t)(uintptr_t)memory + 15 * PAGE, &object) == EADDRINUSE,
	      "none becomes an object");
	munmap(memory + 4 * PAGE, 4 * PAGE);
	check(flags_of(memory, 16 * PAGE, &any) == UINT32_MAX, "four are unmapped");
	check(mmap(memory + 4 * PAGE, 4 * PAGE, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == memory + 4 * PAGE &&
		  access_of(memory + 4 * PAGE) == KFD_SVM_NO_ACCESS && !state(memory + 4 * PAGE),
	      "what is mapped there then has presets");
	check(state(memory) && state(memory + 8 * PAGE), "around it nothing changed");
	munmap(memory, 16 * PAGE);

	check(!allocate(place, MIB, KFD_ALLOC_VRAM | BOTH, 0, &object) &&
		  !change(MAP, object.handle, GPU) &&
		  set(place, MIB, KFD_SVM_ACCESS, GPU) == EADDRINUSE &&
		  !set(place, MIB, KFD_SVM_PREFETCH, 0) && !change(UNMAP, object.handle, GPU) &&
		  !release(object.handle),
	      "an object has none, nor is it prefetched");
	munmap(place, MIB);
}

/* ---- sharing ---- */

static void test_sharing(void)
{
	char *place = reserve(MIB), *other = reserve(MIB), *page = pages(PAGE);
	struct kfd_arg_alloc_memory object;
	struct kfd_arg_export_dmabuf export = { .flags = O_CLOEXEC };
	struct kfd_arg_import_dmabuf import = { .address = (uint64_t)(uintptr_t)other,
						.gpu_id = GPU };
	struct kfd_arg_dmabuf_info info = { 0 };
	struct kfd_arg_ipc_export key = { .gpu_id = GPU, .flags = 77 };
	struct kfd_arg_ipc_import opened = { .address = (uint64_t)(uintptr_t)other, .gpu_id = GPU };
	char *seen;

	check(ask(EXPORT, &export, sizeof export) == EINVAL, "export nothing");
	check(!allocate(place, MIB, KFD_ALLOC_VRAM | KFD_ALLOC_COHERENT | BOTH, 0, &object) &&
		  view(place, MIB, object.mmap_offset) == place && !change(MAP, object.handle, GPU),
	      "VRAM");
	strcpy(place + 5 * PAGE, "kept");
	export.handle = object.handle;
	check(!ask(EXPORT, &export, sizeof export) &&
		  fcntl((int)export.fd, F_GETFD) == FD_CLOEXEC &&
		  lseek((int)export.fd, 0, SEEK_END) == (off_t)MIB,
	      "a descriptor of it");
	check(!strcmp(place + 5 * PAGE, "kept") && !place[0] && state(place) & SOFTGPU_PAGE_FINE,
	      "it is still there");
	info.fd = export.fd;
	check(!ask(INFO, &info, sizeof info) && info.size == MIB && info.gpu_id == GPU &&
		  info.flags == (KFD_ALLOC_VRAM | KFD_ALLOC_PUBLIC),
	      "the descriptor tells what it is: flags %#x", info.flags);
	info.fd = 999999;
	check(ask(INFO, &info, sizeof info) == EBADF, "another does not exist");
	info.fd = (uint32_t)kfd;
	check(ask(INFO, &info, sizeof info) == EINVAL, "or is none of memory");
	import.fd = (uint32_t)kfd;
	check(ask(IMPORT, &import, sizeof import) == EINVAL, "and can't be imported");
	import.fd = export.fd;
	check(!ask(IMPORT, &import, sizeof import) && !change(MAP, import.handle, GPU) &&
		  state(other) == state(place),
	      "it is imported");
	seen = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED, (int)export.fd, 0);
	check(seen != MAP_FAILED && !strcmp(seen + 5 * PAGE, "kept"), "and mapped");
	strcpy(place, "written later");
	check(seen != MAP_FAILED && !strcmp(seen, "written later"), "all have the same bytes");
	munmap(seen, MIB);
	close((int)export.fd);
	check(!change(UNMAP, import.handle, GPU) && !release(import.handle) && !state(other),
	      "and free it one by one");

	key.handle = object.handle;
	check(!ask(IPC_EXPORT, &key, sizeof key), "a key of it");
	memcpy(opened.share, key.share, sizeof key.share);
	check(!ask(IPC_IMPORT, &opened, sizeof opened) && opened.flags == 77 &&
		  view(other, MIB, opened.mmap_offset) == other &&
		  !strcmp(other, "written later") && !release(opened.handle),
	      "opens it");
	check(!change(UNMAP, object.handle, GPU) && !release(object.handle) &&
		  ask(IPC_IMPORT, &opened, sizeof opened) == EINVAL,
	      "until it is freed");
	memset(opened.share, 0xff, sizeof opened.share);
	check(ask(IPC_IMPORT, &opened, sizeof opened) == EINVAL, "no key at all");
	check(!allocate(other, PAGE, KFD_ALLOC_USERPTR | BOTH, (uint64_t)(uintptr_t)page, &object),
	      "the program's own memory");
	export.handle = key.handle = object.handle;
	check(ask(EXPORT, &export, sizeof export) == EPERM &&
		  ask(IPC_EXPORT, &key, sizeof key) == EPERM && !release(object.handle),
	      "is not shared");
}

/* ---- buffers of the render node: <drm/drm.h>, <drm/amdgpu_drm.h> ---- */

static int ask_node(unsigned number, void *argument, size_t size)
{
	return ioctl(render, _IOC(_IOC_READ | _IOC_WRITE, 'd', number, size), argument) ? errno : 0;
}

static void test_buffers(void)
{
	struct prime {
		uint32_t handle, flags;
		int32_t fd;
	} prime = { .fd = -1 };
	struct {
		uint32_t handle, pad, operation, flags;
		uint64_t address, offset, size;
	} map = { .operation = 1, .flags = 6 };
	struct kfd_arg_alloc_memory object;
	struct kfd_arg_export_dmabuf export = { .flags = O_CLOEXEC };
	uint32_t handle[2] = { 0, 0 };
	uint64_t mapped;
	char *place = reserve(2 * MIB);

	check(ask_node(0x2e, &prime, sizeof prime) == EBADF, "no descriptor");
	check(ask_node(0x48, &map, sizeof map) == ENOENT, "no buffer");
	check(ask_node(0x09, handle, sizeof handle) == EINVAL, "nor to be closed");
	check(!allocate(NULL, MIB, KFD_ALLOC_VRAM | BOTH, 0, &object), "memory without address");
	export.handle = object.handle;
	check(!ask(EXPORT, &export, sizeof export), "its descriptor");
	prime.fd = (int32_t) export.fd;
	check(!ask_node(0x2e, &prime, sizeof prime) && prime.handle, "is a buffer");
	handle[0] = prime.handle;
	check(!ask_node(0x2e, &prime, sizeof prime) && prime.handle == handle[0],
	      "the same if it comes again");
	close((int)export.fd);
	map.handle = handle[0];
	map.address = (uint64_t)(uintptr_t)place;
	map.size = MIB + PAGE;
	check(ask_node(0x48, &map, sizeof map) == EINVAL, "more than it has");
	map.offset = UINT64_MAX - PAGE + 1;
	check(ask_node(0x48, &map, sizeof map) == EINVAL, "from where it is not");
	map.offset = MIB / 2;
	map.size = MIB / 2;
	map.flags = 0x80000000;
	check(ask_node(0x48, &map, sizeof map) == EINVAL, "unknown flags");
	map.flags = 2;
	check(!ask_node(0x48, &map, sizeof map) &&
		  state(place) == (SOFTGPU_PAGE_MAPPED | SOFTGPU_PAGE_READ) &&
		  !state(place + MIB / 2),
	      "half of it is mapped, to be read");
	mapped = handle[0];
	check(!ask_node(0x41, &mapped, sizeof mapped) && view(place, MIB, mapped) == place &&
		  !strcpy(place + MIB / 2, "half")[4],
	      "the program maps it");
	map.operation = 2;
	check(!ask_node(0x48, &map, sizeof map) && !state(place), "unmapped");
	check(ask_node(0x48, &map, sizeof map) == ENOENT, "once");
	map.operation = 1;
	map.flags = 6;
	check(!ask_node(0x48, &map, sizeof map) && state(place) == SOFTGPU_PAGE_MAPPED &&
		  !release(object.handle) && state(place),
	      "it outlives what it was made of");
	check(!ask_node(0x09, handle, sizeof handle) && !state(place), "and is closed");
	munmap(place, 2 * MIB);
}

/* Of a buffer and of what it was made of, as libdrm's amdgpu_bo_query_info() reads it. */
static void test_metadata(void)
{
	struct {
		uint64_t size, alignment, domains, flags;
	} create = { MIB, 0, 4, 0 };
	struct {
		uint32_t handle, operation;
		uint64_t flags, tiling;
		uint32_t size, data[64], pad;
	} data = { .handle = 99, .operation = 2, .flags = 1, .tiling = 1, .size = 1 };
	struct {
		uint32_t handle, operation;
		uint64_t value;
	} question = { .value = (uint64_t)(uintptr_t)&create };
	struct prime {
		uint32_t handle, flags;
		int32_t fd;
	} prime = { .fd = -1 };
	char words[8] = "";
	struct kfd_arg_dmabuf_info info = { .metadata = (uint64_t)(uintptr_t)words };
	struct kfd_arg_import_dmabuf import = { .gpu_id = GPU };

	check(ask_node(0x46, &data, sizeof data) == ENOENT, "metadata of no buffer");
	check(ask_node(0x50, &question, sizeof question) == ENOENT, "nor a question about one");
	check(!ask_node(0x40, &create, sizeof create), "a buffer");
	memcpy(&prime.handle, &create, sizeof prime.handle);
	data.handle = question.handle = prime.handle;
	check(!ask_node(0x46, &data, sizeof data) && !data.size && !data.flags && !data.tiling,
	      "has none at first");
	check(!ask_node(0x50, &question, sizeof question) && create.size == MIB &&
		  create.domains == 4,
	      "says how it was made");
	question.operation = 2;
	check(ask_node(0x50, &question, sizeof question) == EINVAL, "and nothing unknown");
	data.size = sizeof data.data + 4;
	data.operation = 1;
	check(ask_node(0x46, &data, sizeof data) == EINVAL, "more than there is room for");
	data.operation = 3;
	data.size = 4;
	check(ask_node(0x46, &data, sizeof data) == EINVAL, "an unknown operation");
	data.operation = 1;
	data.flags = 5;
	data.tiling = 6;
	memcpy(data.data, "pid", 4);
	check(!ask_node(0x46, &data, sizeof data), "it is noted");
	memset(data.data, 0, sizeof data.data);
	data.operation = 2;
	data.size = 0;
	data.flags = data.tiling = 0;
	check(!ask_node(0x46, &data, sizeof data) && data.size == 4 && data.flags == 5 &&
		  data.tiling == 6 && !memcmp(data.data, "pid", 4),
	      "and read");
	check(!ask_node(0x2d, &prime, sizeof prime), "its descriptor");
	check(lseek(prime.fd, 0, SEEK_END) == (off_t)MIB, "ends with the memory");
	info.fd = (uint32_t)prime.fd;
	check(ask(INFO, &info, sizeof info) == EINVAL, "no room to tell it");
	info.metadata_size = sizeof words;
	check(!ask(INFO, &info, sizeof info) && info.metadata_size == 4 && info.size == MIB &&
		  !strcmp(words, "pid"),
	      "the descriptor has it, too");
	import.fd = (uint32_t)prime.fd;
	check(!ask(IMPORT, &import, sizeof import) && !release(import.handle), "it is imported");
	close(prime.fd);
	check(!ask_node(0x09, &prime, 8), "closed");
}

/* XNACK: asked for (-1) and set. A kernel without shared virtual memory has no such request. */
static int node_code(unsigned number, size_t size, void *argument)
{
	return ioctl(render, _IOC(_IOC_READ | _IOC_WRITE, 'd', number, size), argument) ? errno : 0;
}

/* Memory that is not there, or only to be read, is the caller's error and not the driver's end. */
static void test_bad_pointers(void)
{
	void *bad[] = { NULL, (void *)(uintptr_t)0x10, pages(PAGE), reserve(PAGE) };
	unsigned wrong = 0, tried = 0;
	struct kfd_arg_apertures_new apertures = { .apertures = 0x10, .count = 1 };
	struct kfd_arg_wait_events wait = { .events = 0x10, .count = 1 };
	struct {
		int32_t version[3];
		uint64_t name_length, name, others[4];
	} version = { .name_length = 8, .name = 0x10 };
	struct {
		uint64_t answer;
		uint32_t size, query, more[4];
	} info = { .answer = 0x10, .size = 4 };

	mprotect(bad[2], PAGE, PROT_READ);
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		for (unsigned number = 1; number < 0x23; number++) {
			int error = ask(number, bad[i], 32);

			tried++;
			wrong += !error;
		}
		check(ioctl(kfd, _IOC(_IOC_READ, KFD_IOCTL_TYPE, 1, 8), bad[i]) && errno == EFAULT,
		      "the version, to %p", bad[i]);
		/* The question for information is only read. */
		check(node_code(0x00, sizeof version, bad[i]) == EFAULT &&
			  node_code(0x45, sizeof info, bad[i]) == (i == 2 ? 0 : EFAULT),
		      "a render node's version, to %p", bad[i]);
	}
	check(write(kfd, "12345678", 8) < 0 && ftruncate(kfd, 4096) && !lseek(kfd, 0, SEEK_END),
	      "nothing is written to a device");
	check(syscall(SYS_openat, AT_FDCWD, "/dev/kfd", O_RDWR | O_CLOEXEC) >= 0 &&
		  syscall(SYS_open, "/dev/dri/renderD128", O_RDWR | O_CLOEXEC) >= 0,
	      "devices are opened by syscall()");
	check(!wrong, "arguments that are no memory: %u of %u", wrong, tried);
	check(ask(0x14, &apertures, sizeof apertures) == EFAULT &&
		  ask(0x0c, &wait, sizeof wait) == EFAULT &&
		  node_code(0x00, sizeof version, &version) == EFAULT &&
		  node_code(0x45, sizeof info, &info) == EFAULT,
	      "buffers that arguments name");
}

static void test_xnack(bool svm)
{
	struct kfd_arg_xnack_mode mode = { .enabled = -1 };
	int error = ask(XNACK, &mode, sizeof mode);

	check(svm ? !error && mode.enabled == 0 : error == EPERM, "the mode of XNACK: %d, error %d",
	      mode.enabled, error);
	mode.enabled = 1;
	error = ask(XNACK, &mode, sizeof mode);
	check(svm ? !error : error == EPERM, "XNACK on: error %d", error);
	mode.enabled = 0;
	error = ask(XNACK, &mode, sizeof mode);
	check(svm ? !error : error == EPERM, "XNACK off: error %d", error);
}

/* There is no device where its memory could not be. */
static void test_limit(void)
{
	const struct rlimit limit = { 10000ul << 20, 10000ul << 20 };
	int status = -1;
	pid_t child = fork();

	if (!child) {
		setrlimit(RLIMIT_AS, &limit);
		_exit(open("/dev/kfd", O_RDWR | O_CLOEXEC) >= 0);
	}
	waitpid(child, &status, 0);
	check(!status, "too few addresses");
}

/* An argument: the driver is without shared virtual memory (SOFTGPU_SVM=0). */
int main(int argc, char **argv)
{
	(void)argv;
	test_limit();
	kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	render = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
	if (kfd < 0 || render < 0 || !softgpu_page_state_now) {
		printf("Bail out! the driver is not preloaded\n");
		return 2;
	}
	test_xnack(argc == 1);
	if (argc > 1)
		return tap_end();
	test_allocation();
	test_gpu_ids();
	test_attributes();
	test_sharing();
	test_buffers();
	test_metadata();
	test_bad_pointers();
	return tap_end();
}
