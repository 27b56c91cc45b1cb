// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace jitune::internal {

/// The bytes of a regular file, mapped read-only. The file must not be shortened while it is
/// mapped.
class MappedFile {
public:
    /// Throws Error(usage): the file is missing, not readable or not a regular file.
    explicit MappedFile(const std::filesystem::path& path);

    [[nodiscard]] std::span<const std::byte> bytes() const {
        return {data_.get(), data_.get_deleter().size};
    }

private:
    struct Unmapper {
        std::size_t size;
        void operator()(const std::byte* data) const noexcept;
    };

    std::unique_ptr<const std::byte, Unmapper> data_;
};

}  // namespace jitune::internal
