// SPDX-License-Identifier: Apache-2.0
#include "backend/elf_section.hpp"

#include <elf.h>

namespace jitune::internal {
namespace {

std::string_view content_of(std::string_view image, const Elf64_Shdr& section) {
    return section.sh_offset > image.size() || section.sh_size > image.size() - section.sh_offset
               ? std::string_view{}
               : image.substr(section.sh_offset, section.sh_size);
}

}  // namespace

std::optional<std::string_view> elf_section(std::string_view image, const std::string& name) {
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

}  // namespace jitune::internal
