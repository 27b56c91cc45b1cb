// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/image_check.hpp"

#include <elf.h>

#include <cstring>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

/// The reason why the image cannot be loaded, or nullptr.
const char* flaw_of_cubin(const std::string& image) {
    Elf64_Ehdr header{};
    if (image.size() < sizeof header) {
        return "it is shorter than an ELF header";
    }
    std::memcpy(&header, image.data(), sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
        return "it is not an ELF file";
    }
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
        return "it is not a 64-bit little-endian ELF file";
    }
    if (header.e_machine != EM_CUDA) {
        return "it is an ELF file for another machine";
    }
    const auto table_fits = [&](std::uint64_t offset, std::uint64_t count, std::uint64_t size) {
        return offset <= image.size() && count * size <= image.size() - offset;
    };
    if (!table_fits(header.e_shoff, header.e_shnum, header.e_shentsize) ||
        !table_fits(header.e_phoff, header.e_phnum, header.e_phentsize)) {
        return "it is cut short";
    }
    return nullptr;
}

const char* flaw_of_ptx(const std::string& image) {
    if (image.empty() || image.back() != '\0') {
        return "its text does not end with NUL";
    }
    if (image.find('\0') != image.size() - 1) {
        return "its text has a NUL inside";
    }
    return image.find(".version") == std::string::npos ? "it has no .version directive" : nullptr;
}

}  // namespace

void check_image(const std::string& format, const std::string& image) {
    const char* flaw = "its format is not known here";
    if (format == "cubin") {
        flaw = flaw_of_cubin(image);
    } else if (format == "ptx") {
        flaw = flaw_of_ptx(image);
    }
    if (flaw != nullptr) {
        throw Error(ErrorKind::device,
                    fmt::format("load a binary of format \"{}\" and {} bytes: {}; compile it again",
                                format, image.size(), flaw));
    }
}

}  // namespace jitune::internal
