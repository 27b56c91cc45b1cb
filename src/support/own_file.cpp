// SPDX-License-Identifier: Apache-2.0
#include "support/own_file.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <system_error>

namespace jitune::internal {

std::filesystem::path own_file() {
    Dl_info info{};
    void* extra = nullptr;
    const auto* const here = reinterpret_cast<const void*>(&own_file);
    if (::dladdr1(here, &info, &extra, RTLD_DL_LINKMAP) != 0) {
        const auto* const library = static_cast<const link_map*>(extra);
        if (*library->l_name != '\0') {  // the program itself has an empty name
            return library->l_name;
        }
    }
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/exe", error);
}

bool is_foreign(const std::filesystem::path& named) {
    struct stat status {};
    return ::stat(named.c_str(), &status) == 0 &&
           ((status.st_uid != 0 && status.st_uid != ::geteuid()) ||
            (status.st_mode & S_IWOTH) != 0);
}

}  // namespace jitune::internal
