// Random kernels of machine code, translated and run by the emulator, against the plain interpreter of tests/oracle: what each thread
// wrote, byte for byte.
//
// WARPLENS_RANDOM_PROGRAMS sets how many (100 by default), WARPLENS_RANDOM_SEED the first seed (1). A failure names the seed of its program.
#include "oracle/machine.h"
#include "oracle/machine_program.h"
#include "sim/harness.h"
#include "translate/translate.h"
#include <cstdlib>
#include <elf.h>
#include <fstream>
#include <sstream>
#include <zlib.h>

namespace warplens::translate {
namespace {

using oracle::MachineProgram;
using Bytes = std::vector<std::byte>;

u64 setting(const char* name, u64 otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 0) : otherwise;
}

std::vector<oracle::MachineWord> samples() {
  gzFile in = gzopen(WARPLENS_SOURCE_DIR "/tests/sass/data/instructions.tsv.gz", "rb");
  std::vector<oracle::MachineWord> out;
  std::vector<char> buffer(1024);
  while (in != nullptr && gzgets(in, buffer.data(), static_cast<int>(buffer.size())) != nullptr) {
    std::istringstream line(buffer.data());
    std::string architectures, address, low, high;
    for (std::string* column : {&architectures, &address, &low, &high}) std::getline(line, *column, '\t');
    if (("," + architectures + ",").find(",90,") != std::string::npos)
      out.push_back({std::stoull(low, nullptr, 16), std::stoull(high, nullptr, 16)});
  }
  if (in != nullptr) gzclose(in);
  return out;
}

// The kernel `neighbours` of merged.cubin, which takes two pointers and has 1 KiB of shared memory, with other code: it is put behind the
// image, where the section's header then says that it is.
Bytes image_with(const Bytes& code) {
  std::ifstream file(WARPLENS_SOURCE_DIR "/tests/machine_code/data/merged.cubin", std::ios::binary);
  std::string image{std::istreambuf_iterator<char>(file), {}};
  Elf64_Ehdr header;
  std::memcpy(&header, image.data(), sizeof header);
  auto section = [&](u32 n) {
    Elf64_Shdr out;
    std::memcpy(&out, image.data() + header.e_shoff + n * sizeof out, sizeof out);
    return out;
  };
  const u64 names = section(header.e_shstrndx).sh_offset;
  for (u32 n = 0; n < header.e_shnum; ++n) {
    Elf64_Shdr one = section(n);
    if (std::string_view(image.data() + names + one.sh_name) != ".text.neighbours") continue;
    one.sh_offset = image.size(), one.sh_size = code.size();
    std::memcpy(image.data() + header.e_shoff + n * sizeof one, &one, sizeof one);
  }
  image.append(reinterpret_cast<const char*>(code.data()), code.size());
  const auto bytes = std::as_bytes(std::span(image));
  return {bytes.begin(), bytes.end()};
}

Bytes input_of(u64 seed) {
  std::mt19937_64 random(seed);
  std::vector<u32> words(u64{MachineProgram::threads} * MachineProgram::words_in);
  for (u32& w : words) {
    w = static_cast<u32>(random());
    if (w % 3 == 0) w >>= random() % 32; // small numbers
    if (w % 3 == 1)
      w = std::bit_cast<u32>(static_cast<float>(static_cast<i32>(w)) / 65536.0f); // floats of a usual size
  }
  const auto bytes = std::as_bytes(std::span(words));
  return {bytes.begin(), bytes.end()};
}

// Empty: the emulator and the interpreter agree. `invalid`: the interpreter could not run it.
std::string disagreement(const MachineProgram& program, const Bytes& input, bool& invalid) {
  Bytes written(u64{MachineProgram::threads} * MachineProgram::words_out * 4);
  sim::Gpu gpu;
  const u64 in = gpu.buffer(input), out = gpu.buffer(written);
  std::map<u64, Bytes> memory{{in, input}, {out, written}};
  Bytes shared(u64{MachineProgram::threads} * MachineProgram::shared_bytes);
  for (u32 t = 0; t < MachineProgram::threads; ++t) {
    oracle::MachineThread thread{
        .index = t, .global = &memory, .shared = &shared, .shared_at = MachineProgram::shared_at};
    u64 at = MachineProgram::parameters_at;
    for (u64 pointer : {in, out})
      for (u32 half : {0, 32}) thread.constants[at] = static_cast<u32>(pointer >> half), at += 4;
    const std::string why = oracle::interpret(program.code, thread);
    invalid = !why.empty();
    if (invalid) return why;
  }
  MachineModule made = translate(image_with(program.bytes), 90, "random", {}, "neighbours");
  if (!made.refused.empty()) return made.refused.begin()->second;
  if (!gpu.load(std::move(made.module))) return "the module is not loaded";
  const sim::LaunchResult result =
      gpu.run("neighbours", {1, 1, 1}, {MachineProgram::threads, 1, 1}, {in, out});
  if (result.fault) return diag::render(result.fault->diagnostic);
  const std::vector<u32> got = gpu.read<u32>(out, written.size() / 4);
  for (std::size_t n = 0; n < got.size(); ++n) {
    u32 want;
    std::memcpy(&want, memory[out].data() + 4 * n, sizeof want);
    if (got[n] == want) continue;
    std::ostringstream text;
    text << std::hex << got[n] << " against " << want << std::dec << " in thread "
         << n / MachineProgram::words_out << ", word " << n % MachineProgram::words_out;
    return text.str();
  }
  return {};
}

// The program with as few instructions as still disagree.
MachineProgram reduced(MachineProgram program, const Bytes& input) {
  for (std::size_t n = program.code.size(); n-- > 0;) {
    const MachineProgram before = program;
    oracle::leave_out(program, n);
    bool invalid = false;
    if (disagreement(program, input, invalid).empty() || invalid) program = before;
  }
  return program;
}

TEST(RandomMachineCode, AgreesWithThePlainInterpreter) {
  const u64 first = setting("WARPLENS_RANDOM_SEED", 1), count = setting("WARPLENS_RANDOM_PROGRAMS", 100);
  const std::vector<oracle::MachineWord> all = samples();
  for (u64 seed = first; seed < first + count; ++seed) {
    const MachineProgram program = oracle::machine_program(all, seed);
    const Bytes input = input_of(seed);
    bool invalid = false;
    const std::string why = disagreement(program, input, invalid);
    if (why.empty()) continue;
    FAIL() << "seed " << seed << ": " << why << "\n"
           << oracle::listing(invalid ? program : reduced(program, input));
  }
}

} // namespace
} // namespace warplens::translate
