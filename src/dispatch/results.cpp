// SPDX-License-Identifier: Apache-2.0
#include "jitune/results.hpp"

#include <fmt/format.h>

#include "jitune/error.hpp"

JITUNE_BEGIN_NAMESPACE
namespace detail {

void throw_no_room(const char* call, std::int64_t count, std::size_t bytes) {
    throw Error(ErrorKind::unavailable,
                fmt::format("{}: there is no memory for {} results of {} bytes: ask for fewer, or "
                            "write them to memory of your own",
                            call, count, bytes));
}

}  // namespace detail
JITUNE_END_NAMESPACE
