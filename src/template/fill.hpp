// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "space/expression.hpp"

namespace jitune::internal {

/// The content of an `in` array while a kernel is tuned.
struct Fill {
    enum class Kind {
        random,       ///< each value between low and high, both included
        whole,        ///< the same, but whole numbers: in floats, too
        sorted,       ///< as random, in ascending order
        normal,       ///< with the mean `low` and the standard deviation `high`
        permutation,  ///< 0 to the count - 1, each once, in random order
        offsets,  ///< 0 first, `high` last, ascending between: where rows of random length begin
        zeros,
        ones,
        iota,
        constant,
        file,  ///< a .npy file beside the template
        raw,   ///< a file of plain bytes
    } kind = Kind::random;
    bool has_bounds = false;  ///< else those of the type
    Expression low = {}, high = {};
    std::string file = {};  ///< may hold names of sizes in braces: "x_{n}.npy"
    double value = 0;       ///< of a constant

    /// "random", "random 0..n - 1", "whole -8..8", "sorted", "sorted 0..9", "normal", "normal 0,
    /// 2", "permutation", "offsets nonzeros", "zeros", "ones", "iota", "constant 2.5", the name of
    /// a .npy file or "raw FILE"; nothing for another text. `expression` reads bounds, and may
    /// throw.
    static std::optional<Fill> parse(
        std::string_view text,
        const std::function<Expression(const std::string&)>& expression = Expression::parse);

    /// With the values of its expressions and of the names in its file.
    [[nodiscard]] Fill bound(
        const std::function<std::optional<Scalar>(const Expression&)>& value_of,
        const std::function<std::string(const std::string&)>& text_of) const;
};

}  // namespace jitune::internal
