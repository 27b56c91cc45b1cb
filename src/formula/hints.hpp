// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace jitune::internal {

/// What a formula has in place of a word of NumPy, PyTorch, Thrust or C++: "write arg_max" for
/// "argmax". With = behind it, the word is the name of an argument. Empty: nothing is known of it.
std::string formula_hint(std::string_view word);

/// Answers a name that is not called: True, nan, pi and such, which inputs may have, too.
std::string constant_hint(std::string_view name);

/// What to do about a word with dots or colons: "write sum in place of np.sum", "write sum(x) in
/// place of x.sum", "write sum(expression) in place of .sum".
std::string qualified_hint(std::string_view qualified);

}  // namespace jitune::internal
