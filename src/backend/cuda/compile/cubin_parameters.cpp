// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/compile/cubin_parameters.hpp"

#include <map>
#include <string>

#include "backend/elf_section.hpp"

namespace jitune::internal {
namespace {

// Attributes of a section .nv.info.<symbol>, which NVIDIA does not document: cuobjdump --dump-elf
// shows them by name. Each has 4 bytes, and behind them as many as `value` says where its form is
// kSized.
struct InfoAttribute {
    std::uint8_t form, name;
    std::uint16_t value;
};
constexpr std::uint8_t kSized = 4;             // EIFMT_SVAL
constexpr std::uint8_t kParameter = 0x17;      // EIATTR_KPARAM_INFO
constexpr std::uint8_t kLongParameter = 0x45;  // EIATTR_KPARAM_INFO_V2

/// The bytes that follow an attribute kParameter or kLongParameter.
struct InfoParameter {
    std::uint32_t index;
    std::uint16_t ordinal, offset;
    std::uint32_t size;  ///< of kParameter the upper 14 bits
};
constexpr int kSizeShift = 18;

}  // namespace

std::optional<std::vector<std::int64_t>> cubin_parameters(std::string_view image,
                                                          std::string_view symbol) {
    const auto info = elf_section(image, ".nv.info." + std::string(symbol));
    if (!info || info->empty()) {
        return std::nullopt;
    }
    std::map<std::uint16_t, std::int64_t> sizes;
    InfoAttribute attribute{};
    for (std::uint64_t at = 0; read_at(*info, at, attribute);) {
        at += sizeof attribute;
        if (attribute.form != kSized) {
            continue;
        }
        InfoParameter parameter{};
        if (attribute.name == kParameter || attribute.name == kLongParameter) {
            if (!read_at(*info, at, parameter)) {
                return std::nullopt;
            }
            sizes[parameter.ordinal] =
                attribute.name == kParameter ? parameter.size >> kSizeShift : parameter.size;
        }
        at += attribute.value;
    }
    std::vector<std::int64_t> result;
    for (const auto& [ordinal, size] : sizes) {
        if (ordinal != result.size()) {
            return std::nullopt;
        }
        result.push_back(size);
    }
    return result;
}

}  // namespace jitune::internal
