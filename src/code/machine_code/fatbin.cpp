// Walks containers and entries with every size checked against what is left; fatbin.h has the layout.
#include "machine_code/fatbin.h"
#include "machine_code/cubin.h"
#include "os/elf.h"
#include "os/readable.h"
#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fmt/format.h>
#include <lz4.h>
#include <memory>
#include <zstd.h>

namespace warplens::fatbin {
namespace {

constexpr u32 container_magic = 0xba55ed50;
constexpr u64 lz4_flag = 0x2000, zstd_flag = 0x8000;

// What the images of one fatbinary may take when decompressed. Real device code shrinks to a tenth; large libraries hold a
// few gigabytes of it in hundreds of megabytes. Beyond that it is made to fill memory.
u64 most_plain(u64 size) { return (u64{1} << 30) + 64 * size; }

struct Container {
  u32 magic;
  u16 version, header;
  u64 size;
};
static_assert(sizeof(Container) == 16);

struct Entry {
  u16 kind, version;
  u32 header;
  u64 size;
  u32 compressed, options;
  u16 minor, major;
  u32 sm, name_offset, name_size;
  u64 flags, unused, plain;
};
static_assert(sizeof(Entry) == 64);

template <class T> bool read(Bytes data, u64 offset, T& out) {
  if (offset > data.size() || data.size() - offset < sizeof(T)) return false;
  std::memcpy(&out, data.data() + offset, sizeof(T));
  return true;
}

diag::Diagnostic damaged(std::string what) {
  return diag::error("fatbin-damaged", fmt::format("this device code is damaged: {}", what), {},
                     "build it again; of a program that was packed or stripped of data, run the original");
}

// The first few tell what is wrong; a hundred thousand entries may have as many faults.
void note(Fatbin& fatbin, diag::Diagnostic diagnostic) {
  constexpr std::size_t most = 8;
  if (fatbin.diagnostics.size() < most) fatbin.diagnostics.push_back(std::move(diagnostic));
}

// What `compressed` bytes can yield at most: LZ4 says up to 255 bytes with one, zstd a block of 128 KiB with four.
u64 most_from(u64 compressed, bool zstd) {
  return zstd ? (compressed / 4 + 1) * ZSTD_BLOCKSIZE_MAX : compressed * 255 + 255;
}

// How many bytes came out, at most `plain`.
Result<u64> decode(Bytes payload, bool zstd, char* to, u64 plain) {
  if (zstd) {
    std::size_t size = ZSTD_decompress(to, plain, payload.data(), payload.size());
    if (ZSTD_isError(size)) return failure(damaged(fmt::format("zstd: {}", ZSTD_getErrorName(size))));
    return size;
  }
  int size = LZ4_decompress_safe(reinterpret_cast<const char*>(payload.data()), to,
                                 static_cast<int>(payload.size()), static_cast<int>(plain));
  if (size < 0) return failure(damaged("LZ4 data does not decompress"));
  return static_cast<u64>(size);
}

// `budget`: bytes that may still come out of this fatbinary.
Result<std::string> decompress(const Entry& entry, Bytes payload, u64& budget) {
  bool zstd = (entry.flags & zstd_flag) != 0;
  if ((entry.flags & (lz4_flag | zstd_flag)) == 0) return std::string(os::as_text(payload));
  if (entry.compressed > payload.size()) return failure(damaged("compressed data ends early"));
  if (entry.plain == 0 || entry.plain > most_from(entry.compressed, zstd) ||
      (!zstd && entry.plain > LZ4_MAX_INPUT_SIZE))
    return failure(damaged("it states a size that it cannot have"));
  if (entry.plain > budget) return failure(damaged("decompressed, it would take gigabytes"));
  std::unique_ptr<char[]> buffer(
      new char[entry.plain]); // not zeroed: what nothing is decoded to takes no memory
  Result<u64> size = decode(payload.first(entry.compressed), zstd, buffer.get(), entry.plain);
  if (!size) return failure(size.error());
  budget -= *size;
  return std::string(buffer.get(), *size);
}

// What nvlink still has to join (-rdc) has no addresses yet, and is no code that runs.
bool is_linked(Bytes image) {
  Elf64_Ehdr header;
  return read(image, 0, header) && header.e_type == ET_EXEC;
}

// Of an image that no container describes. Where the flags have it depends on the version of the ABI (readelf -h, CUDA 11 to 13).
u32 capability_of(Bytes image) {
  Elf64_Ehdr header;
  constexpr u8 in_second_byte = 8;
  if (!read(image, 0, header)) return 0;
  return (header.e_ident[EI_ABIVERSION] >= in_second_byte ? header.e_flags >> 8 : header.e_flags) & 0xff;
}

void read_entry(Fatbin& fatbin, const Entry& entry, Bytes payload, u64& budget, bool keep_cubins) {
  constexpr u16 kind_ptx = 1, kind_cubin = 2;
  if (entry.kind != kind_ptx && entry.kind != kind_cubin) return; // e.g. LTO intermediate code
  Result<std::string> plain = decompress(entry, payload, budget);
  if (!plain) {
    note(fatbin, plain.error());
    return;
  }
  if (entry.kind == kind_cubin) {
    const Bytes image = std::as_bytes(std::span(*plain));
    read_cubin(fatbin, image, entry.sm);
    if (keep_cubins && is_linked(image))
      fatbin.machine_code.push_back({entry.sm, {image.begin(), image.end()}});
    return;
  }
  plain->resize(strnlen(plain->data(), plain->size()));
  fatbin.ptx.push_back({entry.sm, std::move(*plain), false});
}

// Entries of one container.
void read_entries(Fatbin& fatbin, Bytes entries, u64& budget, bool keep_cubins) {
  for (u64 at = 0; at < entries.size();) {
    Entry entry;
    if (!read(entries, at, entry)) {
      note(fatbin, damaged("an entry is cut off"));
      return;
    }
    u64 left = entries.size() - at;
    if (entry.header < sizeof(Entry) || entry.header > left || entry.size > left - entry.header) {
      note(fatbin, damaged("an entry is larger than its container"));
      return;
    }
    read_entry(fatbin, entry, entries.subspan(at + entry.header, entry.size), budget, keep_cubins);
    at += entry.header + entry.size;
  }
}

// The capability in ".target sm_90a"; 0 where there is none.
u32 target_of(std::string_view text) {
  std::size_t at = text.find(".target");
  if (at == text.npos) return 0;
  at = text.find("sm_", at);
  u32 sm = 0;
  for (at = at == text.npos ? text.size() : at + 3; at < text.size() && text[at] >= '0' && text[at] <= '9';
       ++at)
    sm = sm * 10 + static_cast<u32>(text[at] - '0');
  return sm;
}

bool looks_like_ptx(std::string_view text) {
  std::string_view start = text.substr(0, 4096);
  return start.find(".version") != start.npos && start.find('\0') == start.npos;
}

// Does it lack the content of a section that it lists?
bool is_cut_off(Bytes image) {
  const std::optional<os::Elf> elf = os::Elf::parse(image);
  return !elf || std::ranges::any_of(elf->sections(), [](const os::Elf::Section& section) {
    const bool has_content =
        section.type == SHT_PROGBITS || section.type == SHT_SYMTAB || section.type == SHT_STRTAB;
    return has_content && section.size != 0 && section.data.empty();
  });
}

} // namespace

Fatbin read_fatbin(Bytes data, bool keep_cubins) {
  Fatbin fatbin;
  std::string_view text(reinterpret_cast<const char*>(data.data()), data.size());
  text = text.substr(0, text.find('\0'));
  if (looks_like_ptx(text)) {
    fatbin.ptx.push_back({target_of(text), std::string(text), false});
    return fatbin;
  }
  if (os::elf_kind(data) != os::ElfKind::none) {
    if (is_cut_off(data)) note(fatbin, damaged("it is cut off"));
    read_cubin(fatbin, data, 0);
    for (PtxImage& image : fatbin.ptx) image.sm = target_of(image.text);
    if (keep_cubins && is_linked(data))
      fatbin.machine_code.push_back({capability_of(data), {data.begin(), data.end()}});
    return fatbin;
  }
  bool any = false;
  u64 budget = most_plain(data.size());
  for (u64 at = 0; at < data.size();) {
    Container container;
    if (!read(data, at, container) || container.magic != container_magic) break;
    any = true;
    u64 left = data.size() - at;
    if (container.header < sizeof(Container) || container.header > left) {
      note(fatbin, damaged("its header is cut off"));
      break;
    }
    u64 size = std::min(container.size, left - container.header);
    if (size < container.size) note(fatbin, damaged("it is cut off"));
    read_entries(fatbin, data.subspan(at + container.header, size), budget, keep_cubins);
    at += container.header + size;
  }
  if (!any) note(fatbin, damaged("it is neither a fatbinary nor a cubin nor PTX text"));
  return fatbin;
}

// Of a container that cannot be right its whole header belongs to the extent, so that read_fatbin says what is wrong.
Bytes fatbin_extent(const std::byte* start) {
  Bytes readable = os::readable_from(start);
  u64 size = 0;
  for (Container container;
       os::begins_with(readable.subspan(size), container_magic) && read(readable, size, container);) {
    u64 left = readable.size() - size;
    if (container.header < sizeof(Container) || container.header > left ||
        container.size > left - container.header)
      return readable.first(size + std::min<u64>(left, std::max<u64>(container.header, sizeof(Container))));
    size += container.header + container.size;
    if (container.size != 0) break; // an empty container may precede the real one
  }
  if (std::optional<os::Elf> elf = os::Elf::parse(readable))
    size = std::min<u64>(elf->extent(), readable.size());
  if (size == 0 && !readable.empty())
    size = strnlen(reinterpret_cast<const char*>(readable.data()), readable.size());
  return readable.first(size);
}

void append(Fatbin& to, Fatbin from) {
  for (PtxImage& image : from.ptx) to.ptx.push_back(std::move(image));
  for (CubinImage& image : from.machine_code) to.machine_code.push_back(std::move(image));
  to.cubins += from.cubins;
  to.registers.merge(from.registers);
  for (diag::Diagnostic& diagnostic : from.diagnostics) to.diagnostics.push_back(std::move(diagnostic));
}

const CubinImage* choose_machine_code(const Fatbin& fatbin, u32 sm) {
  auto generation = [](u32 capability) { return capability / 10; };
  const CubinImage* best = nullptr;
  for (const CubinImage& image : fatbin.machine_code)
    if (generation(image.sm) == generation(sm) && image.sm <= sm && (best == nullptr || image.sm > best->sm))
      best = &image;
  return best;
}

PtxChoice choose_ptx(const Fatbin& fatbin, u32 sm) {
  PtxChoice choice;
  for (const PtxImage& image : fatbin.ptx) {
    bool above = image.sm > sm;
    const PtxImage* best = choice.image;
    bool better = !best || (choice.above && !above) ||
                  (choice.above == above && (above ? image.sm < best->sm : image.sm > best->sm)) ||
                  (choice.above == above && image.sm == best->sm && best->from_cubin && !image.from_cubin);
    if (better && !(best && above && !choice.above)) choice = {&image, above};
  }
  return choice;
}

} // namespace warplens::fatbin
