// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "jitune/element_type.hpp"
#include "support/text_file.hpp"

namespace jitune::internal {

/// The header of a NumPy .npy file.
struct NpyHeader {
    ElementType type = ElementType::float32;
    std::vector<std::int64_t> shape;  ///< empty: one value
    bool fortran_order = false;
    std::size_t count = 0;        ///< elements
    std::size_t data_offset = 0;  ///< bytes before the first element
};

/// Reads the header of a whole .npy file of version 1.0, 2.0 or 3.0 and checks its sizes against
/// the file's. Throws Error(usage) whose message names `name`.
NpyHeader parse_npy(std::span<const std::byte> file, const std::string& name);

/// Writes a .npy file of version 1.0 in C order. `data` holds all elements of an array of that
/// shape and of `type`. Throws Error(usage) if the file cannot be written, and for bfloat16, a type
/// that NumPy does not have.
void write_npy(const std::filesystem::path& path, ElementType type,
               std::span<const std::int64_t> shape, std::span<const std::byte> data);

/// A .npy array, mapped into memory, of any element type that NumPy has: all but bfloat16. A bool
/// counts as a uint8.
class NpyFile {
public:
    /// Throws Error(usage) as parse_npy and MappedFile do.
    explicit NpyFile(const std::filesystem::path& path)
        : file_(path), header_(parse_npy(file_.bytes(), path.string())) {}

    [[nodiscard]] const NpyHeader& header() const { return header_; }

    /// The elements in the file's order. Not necessarily aligned.
    [[nodiscard]] const void* data() const { return file_.bytes().data() + header_.data_offset; }

private:
    MappedFile file_;
    NpyHeader header_;
};

}  // namespace jitune::internal
