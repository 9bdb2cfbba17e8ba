// What compilers embed: fat binaries with PTX and cubins, plain and compressed, and ELF images; the machine code of cubins, beside their PTX.
#include "fuzz/target.h"
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
    const fatbin::MachineCode code(bytes);
    (void)code.opcode("k", 0);
    (void)translate::translate(bytes, 90, "fuzz");
    for (const fatbin::PtxImage& image : fatbin::read_fatbin(bytes).ptx)
      if (Result<ptx::Parsed> parsed = ptx::parse(image.text, {"fuzz", false}); parsed) {
        translate::MachineModule made = translate::translate(bytes, 90, "fuzz", {&parsed->module, 1});
        std::vector<ir::Module> machine;
        machine.push_back(std::move(made.module));
        (void)translate::join(std::move(parsed->module), std::move(machine));
      }
  }
}
