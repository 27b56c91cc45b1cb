// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace jitune::internal {

/// What a formula has in place of a word of NumPy, PyTorch, Thrust or C++: "write arg_max" for
/// "argmax". Empty: nothing is known of the word.
std::string formula_hint(std::string_view word);

/// What to do about a word with dots or colons: "write sum in place of np.sum", "write sum(x) in
/// place of x.sum".
std::string qualified_hint(std::string_view qualified);

}  // namespace jitune::internal
