// A module as bytes and back, for keeping one between runs. The bytes mean something only to the very build
// that wrote them (enumerators are written as numbers): whoever stores them also stores that build's name.
#pragma once
#include "ir/module.h"

namespace warplens::ir {

std::vector<std::byte> encode(const Module&);
// None where the bytes are no module that encode() wrote and verify() accepts.
std::optional<Module> decode(std::span<const std::byte>);

} // namespace warplens::ir
