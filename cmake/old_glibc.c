/* What GCC 12's libraries and WarpLens ask glibc for, and glibc 2.31 does not have. scripts/package.sh links it into each binary of the
 * packages, which therefore start on distributions of 2020 and later. With a newer glibc these are used all the same: nothing that is
 * here is called often. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

/* libstdc++ counts references without atomics where this is set (glibc 2.32): never. */
HIDDEN char __libc_single_threaded = 0;

/* std::random_device (glibc 2.36). */
HIDDEN uint32_t arc4random(void) {
  uint32_t value;
  while (getrandom(&value, sizeof value, 0) != sizeof value) {
  }
  return value;
}

/* glibc 2.34, Linux 5.9. */
HIDDEN int close_range(unsigned first, unsigned last, int flags) {
  if (syscall(SYS_close_range, first, last, flags) == 0) return 0;
  if (errno != ENOSYS || flags != 0) return -1;
  const long limit = sysconf(_SC_OPEN_MAX);
  for (long file = first; file <= (long)last && file < limit; ++file) close((int)file);
  return 0;
}

struct search {
  ElfW(Addr) address;
  struct dl_find_object* found;
};

static int holds(struct dl_phdr_info* object, size_t size, void* data) {
  struct search* search = data;
  void* frames = NULL;
  int inside = 0;
  (void)size;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* segment = &object->dlpi_phdr[i];
    const ElfW(Addr) start = object->dlpi_addr + segment->p_vaddr;
    if (segment->p_type == PT_GNU_EH_FRAME) frames = (void*)start;
    if (segment->p_type != PT_LOAD || search->address < start || search->address >= start + segment->p_memsz) continue;
    inside = 1;
    search->found->dlfo_map_start = (void*)start;
    search->found->dlfo_map_end = (void*)(start + segment->p_memsz);
  }
  search->found->dlfo_eh_frame = frames;
  return inside && frames;
}

/* Where the unwinder finds the frames of the code at `address` (glibc 2.35); 0 if it was found. */
HIDDEN int _dl_find_object(void* address, struct dl_find_object* found) {
  struct search search = {(ElfW(Addr))address, found};
  found->dlfo_flags = 0;
  found->dlfo_link_map = NULL;
  return dl_iterate_phdr(holds, &search) ? 0 : -1;
}
