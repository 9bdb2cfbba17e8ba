// Kernels, run: PTX that parses is lowered and launched with buffers, a pointer to the host's memory, the ends of the address
// space, a texture, a surface and a tensor map as arguments. A kernel may fail; it may not write to the host, and the launch
// comes back.
#include "arch/table.h"
#include "fuzz/target.h"
#include "measure/collect.h"
#include "ptx/parse.h"
#include "sim/memory/tensor_map.h"
#include "sim/sim.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <sys/mman.h>

namespace {

using namespace warplens;
using namespace warplens::sim;

constexpr u64 device_bytes = u64{1} << 30;
constexpr unsigned char canary_byte = 0x5a;
std::array<unsigned char, 4096> canary;

// A device whose range of addresses is given back. (Memory keeps it, for a program's last moments.)
struct Gpu {
  Gpu() {
    auto memory = Memory::create(device_bytes);
    fuzz::require(memory.has_value(), "there is room for a device");
    device.memory = std::move(*memory);
    device.print = [this](std::string_view text) { printed += text.size(); };
  }
  ~Gpu() {
    u64 base = device.memory->shared_window();
    device.memory.reset();
    munmap(reinterpret_cast<void*>(base),
           align_up(Memory::all_windows_size, Memory::page_size) + device_bytes);
  }
  Device device;
  u64 printed = 0;
};

using Arguments = std::array<u64, 12>;

// 16 rows of 16 floats.
u64 texture(Gpu& gpu, u64 at, bool surface) {
  TextureObject object;
  object.is_surface = surface;
  Image& image = object.image;
  image.format = {ChannelKind::floating, 32, 1};
  image.layout = ImageLayout::array, image.dimensions = 2;
  image.begin = at, image.bytes = 1024;
  image.levels = {{at, 16, 16, 1, 64, 1024}};
  image.place_levels();
  object.sampler.linear = !surface;
  return gpu.device.textures.add(std::move(object));
}

// A tensor of 16 rows of 16 words, tiles of 8 by 4, in `at`; itself at `map`.
void write_tensor_map(u64 map, u64 at) {
  TensorMap tensor;
  tensor.address = at, tensor.rank = 2, tensor.element = TensorElement::u32, tensor.swizzle = 32;
  tensor.extent = {16, 16}, tensor.stride = {4, 64}, tensor.box = {8, 4};
  tensor.write(reinterpret_cast<void*>(map));
}

std::vector<std::byte> parameters(const KernelInfo& info, const Arguments& arguments) {
  std::vector<std::byte> bytes(info.parameter_bytes);
  for (std::size_t i = 0; i < info.parameters.size(); ++i) {
    auto [offset, size] = info.parameters[i];
    std::memcpy(bytes.data() + offset, &arguments[i % arguments.size()], std::min<u64>(size, 8));
  }
  return bytes;
}

void run(Gpu& gpu, const Program& program, ir::FunctionId kernel, const Arguments& arguments) {
  KernelInfo info = program.info(kernel);
  // What a launch refuses (runtime/launch.cpp).
  if (info.parameter_bytes > 32764 || info.static_shared > gpu.device.shape.max_shared_per_cta) return;
  std::vector<std::byte> values = parameters(info, arguments);
  const arch::Architecture* architecture = arch::find(90);
  for (auto [grid, block] : {std::pair<Dim3, Dim3>{{2, 1, 1}, {48, 1, 1}}, {{3, 2, 1}, {8, 4, 2}}}) {
    measure::Collector collector({&architecture, 1}, program.module().sites, 1);
    LaunchOptions options;
    options.workers = 1;
    options.sinks = collector.sinks();
    options.time_limit = std::chrono::milliseconds(100);
    LaunchResult result = launch(gpu.device, program, {kernel, grid, block, {}, 256, values, false}, options);
    fuzz::require(!result.fault || !result.fault->diagnostic.message.empty(), "a fault has a message");
    (void)collector.finish();
  }
}

} // namespace

FUZZ_TARGET(execution) {
  Result<ptx::Parsed> parsed = ptx::parse(input);
  if (!parsed) return;
  Gpu gpu;
  Result<std::unique_ptr<Program>> loaded = Program::load(std::move(parsed->module), gpu.device);
  if (!loaded) return;
  Result<u64> small = gpu.device.memory->allocate(4096), large = gpu.device.memory->allocate(65536);
  if (!small || !large) return;
  std::memset(reinterpret_cast<void*>(*small), 0, 4096);
  std::memset(reinterpret_cast<void*>(*large), 1, 65536);
  canary.fill(canary_byte);
  const u64 map = *small + 2048, tensor = *large + 32768;
  write_tensor_map(map, tensor);
  const Arguments arguments{*small,
                            *large,
                            reinterpret_cast<u64>(canary.data()),
                            64,
                            ~u64{0},
                            gpu.device.memory->shared_window(),
                            gpu.device.memory->local_window(),
                            7,
                            texture(gpu, tensor, false),
                            texture(gpu, tensor, true),
                            map,
                            tensor};
  int kernels = 0;
  for (const ir::Function& function : (*loaded)->module().functions)
    if (function.entry && kernels++ < 3)
      if (auto id = (*loaded)->kernel(function.name)) run(gpu, **loaded, *id, arguments);
  fuzz::require(std::all_of(canary.begin(), canary.end(), [](unsigned char c) { return c == canary_byte; }),
                "a kernel does not write to the host's memory");
}
