// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace jitune::internal {

/// The content of an `in` array while a kernel is tuned.
struct Fill {
    enum class Kind { random, zeros, ones, iota, file } kind = Kind::random;
    double low = 0, high = 0;  ///< random: between them, both included; equal: the type's own range
    std::string file;          ///< file: a .npy file beside the template

    /// "random", "random 0..16", "zeros", "ones", "iota" or the name of a .npy file; nothing for
    /// another text.
    static std::optional<Fill> parse(std::string_view text);
};

}  // namespace jitune::internal
