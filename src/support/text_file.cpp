// SPDX-License-Identifier: Apache-2.0
#include "support/text_file.hpp"

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "support/mapped_file.hpp"

namespace jitune::internal {

std::string read_text_file(const std::filesystem::path& path) {
    constexpr std::size_t kMost = std::size_t{16} << 20;
    const MappedFile file(path);
    const auto bytes = file.bytes();
    if (bytes.size() > kMost) {
        throw Error(ErrorKind::usage, fmt::format("cannot read \"{}\": it has {} bytes, and a "
                                                  "source file may have at most 16 MiB",
                                                  path.string(), bytes.size()));
    }
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace jitune::internal
