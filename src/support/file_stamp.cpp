// SPDX-License-Identifier: Apache-2.0
#include "support/file_stamp.hpp"

#include <sys/stat.h>

#include <cstdint>
#include <system_error>

#include <fmt/format.h>

namespace jitune::internal {

std::string file_stamp(const std::filesystem::path& path) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(path, error);
    struct stat status {};
    if (error || ::stat(real.c_str(), &status) != 0) {
        return "";
    }
    return fmt::format("size={} mtime={}.{:09} file={}", std::int64_t{status.st_size},
                       std::int64_t{status.st_mtim.tv_sec}, std::int64_t{status.st_mtim.tv_nsec},
                       real.string());
}

}  // namespace jitune::internal
