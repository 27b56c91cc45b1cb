// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace jitune::internal {

/// For the handler `catch (...)` of a public function: throws Error(unavailable) in the place of
/// std::bad_alloc and std::system_error, else what was caught.
[[noreturn]] void throw_as_error();

}  // namespace jitune::internal
