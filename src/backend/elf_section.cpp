// SPDX-License-Identifier: Apache-2.0
#include "backend/elf_section.hpp"

#include <elf.h>

namespace jitune::internal {
namespace {

std::string_view content_of(std::string_view image, const Elf64_Shdr& section) {
    return is_within(image, section.sh_offset, section.sh_size)
               ? image.substr(section.sh_offset, section.sh_size)
               : std::string_view{};
}

}  // namespace

std::string_view flaw_of_elf(std::string_view image, unsigned machine) {
    Elf64_Ehdr header{};
    if (!read_at(image, 0, header)) {
        return "it is shorter than an ELF header";
    }
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
        return "it is not an ELF file";
    }
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
        return "it is not a 64-bit little-endian ELF file";
    }
    return header.e_machine == machine ? "" : "it is an ELF file for another machine";
}

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
