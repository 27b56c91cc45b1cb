// SPDX-License-Identifier: Apache-2.0
#include "backend/shared_library.hpp"

#include <dlfcn.h>

#include "jitune/error.hpp"
#include "support/process_end.hpp"

namespace jitune::internal {

SharedLibrary SharedLibrary::open(const std::vector<std::string>& names) {
    std::string answers;
    for (const std::string& name : names) {
        if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
            process_end::come_before_destructors();
            return {handle, name};
        }
        const char* answer = dlerror();
        answers += answers.empty() ? "" : "; ";
        answers += answer != nullptr ? answer : name;
    }
    throw Error(ErrorKind::unavailable, "cannot load " + answers);
}

void* SharedLibrary::find(const char* name) const {
    return dlsym(handle_, name);
}

void* SharedLibrary::find_or_throw(const char* name) const {
    void* const address = find(name);
    if (address == nullptr) {
        throw Error(ErrorKind::unavailable, "the library " + name_ + " has no function " + name);
    }
    return address;
}

}  // namespace jitune::internal
