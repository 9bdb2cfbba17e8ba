// What compilers embed: fat binaries with PTX and cubins, plain and compressed, and ELF images; the machine code of cubins, held against their PTX.
#include "fuzz/target.h"
#include "machine_code/assembled.h"
#include "machine_code/fatbin.h"
#include "machine_code/machine_code.h"
#include "os/elf.h"
#include "ptx/parse.h"
#include "translate/translate.h"

FUZZ_TARGET(device_code) {
  using namespace warplens;
  os::Bytes bytes(reinterpret_cast<const std::byte*>(input.data()), input.size());
  if (!bytes.empty()) {
    fatbin::Fatbin fatbin = fatbin::read_fatbin(bytes);
    for (u32 sm : {0u, 50u, 90u, 999u}) (void)fatbin::choose_ptx(fatbin, sm);
    fatbin::Fatbin all;
    fatbin::append(all, std::move(fatbin));
  }
  if (std::optional<os::Elf> elf = os::Elf::parse(bytes)) {
    (void)elf->symbols();
    (void)elf->needed();
    (void)elf->find(".nv.info");
    (void)translate::translate(bytes, 90, "fuzz");
    const fatbin::MachineCode code(bytes);
    for (const std::string& function : code.functions()) (void)code.accesses(function);
    for (const fatbin::PtxImage& image : fatbin::read_fatbin(bytes).ptx)
      if (Result<ptx::Parsed> parsed = ptx::parse(image.text, {"fuzz", false}); parsed)
        (void)assembly::apply(parsed->module, code);
  }
}
