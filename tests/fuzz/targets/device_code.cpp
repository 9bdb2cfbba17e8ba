// What compilers embed: fat binaries with PTX and cubins, plain and compressed, and ELF images.
#include "fuzz/target.h"
#include "os/elf.h"
#include "runtime/fatbin.h"

FUZZ_TARGET(device_code) {
  using namespace warplens;
  os::Bytes bytes(reinterpret_cast<const std::byte*>(input.data()), input.size());
  if (!bytes.empty()) {
    runtime::Fatbin fatbin = runtime::read_fatbin(bytes);
    for (u32 sm : {0u, 50u, 90u, 999u}) (void)runtime::choose_ptx(fatbin, sm);
    runtime::Fatbin all;
    runtime::append(all, std::move(fatbin));
  }
  if (std::optional<os::Elf> elf = os::Elf::parse(bytes)) {
    (void)elf->symbols();
    (void)elf->needed();
    (void)elf->find(".nv.info");
  }
}
