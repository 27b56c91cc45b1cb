// SPDX-License-Identifier: Apache-2.0
#include "dispatch/answer/call_check.hpp"

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

void throw_bad_pointer(std::string_view call, std::string_view array, const void* pointer,
                       std::size_t bytes) {
    throw Error(ErrorKind::usage,
                pointer == nullptr
                    ? fmt::format("{}: {} is a null pointer", call, array)
                    : fmt::format("{}: {} is not aligned to {} bytes", call, array, bytes));
}

}  // namespace jitune::internal
