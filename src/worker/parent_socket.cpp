// SPDX-License-Identifier: Apache-2.0
#include "worker/parent_socket.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

void require_parent_socket(std::string_view command, std::string_view work) {
    struct stat status {};
    if (::fstat(STDIN_FILENO, &status) != 0 || !S_ISSOCK(status.st_mode)) {
        throw Error(ErrorKind::usage,
                    fmt::format("jitune {} is for jitune's own use: it {} for a parent process",
                                command, work));
    }
}

}  // namespace jitune::internal
