// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/cubin_parameters.hpp"

#include <elf.h>

#include <cstring>
#include <map>
#include <string>

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

/// Reads a T at a place of `bytes`; false where they end before.
template <typename T>
bool read_at(std::string_view bytes, std::uint64_t at, T& value) {
    if (at > bytes.size() || sizeof value > bytes.size() - at) {
        return false;
    }
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return true;
}

std::string_view content_of(std::string_view image, const Elf64_Shdr& section) {
    return section.sh_offset > image.size() || section.sh_size > image.size() - section.sh_offset
               ? std::string_view{}
               : image.substr(section.sh_offset, section.sh_size);
}

/// Returns the content of the section with this name, or nothing if the image has no such section.
std::optional<std::string_view> find_section(std::string_view image, const std::string& name) {
    Elf64_Ehdr header{};
    Elf64_Shdr section{};
    if (!read_at(image, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_shentsize != sizeof section) {
        return std::nullopt;
    }
    const auto read_section = [&](std::uint64_t index) {
        return header.e_shoff <= image.size() &&
               read_at(image, header.e_shoff + index * sizeof section, section);
    };
    if (!read_section(header.e_shstrndx)) {
        return std::nullopt;
    }
    const std::string_view names = content_of(image, section);
    for (std::uint64_t i = 0; i < header.e_shnum && read_section(i); ++i) {
        if (section.sh_name < names.size() &&
            names.substr(section.sh_name)
                .starts_with(std::string_view(name.c_str(), name.size() + 1))) {
            return content_of(image, section);
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::vector<std::int64_t>> cubin_parameters(std::string_view image,
                                                          std::string_view symbol) {
    const auto info = find_section(image, ".nv.info." + std::string(symbol));
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
