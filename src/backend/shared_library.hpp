// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace jitune::internal {

/// A library loaded with dlopen. Its code stays mapped for good: libraries with threads or exit
/// handlers of their own (CUDA, OpenMP) must never lose theirs.
class SharedLibrary {
public:
    /// Opens the first of `names` that loads, with local symbols and all symbols resolved.
    /// Throws Error(unavailable) with dlopen's message for each name.
    static SharedLibrary open(const std::vector<std::string>& names);

    /// The address of `name`, or nullptr if the library does not have it.
    [[nodiscard]] void* find(const char* name) const;

    /// Sets the function pointer `function` to the address of `name`. Throws Error(unavailable) if
    /// the library does not have it.
    template <class Function>
    void resolve(const char* name, Function& function) const {
        function = reinterpret_cast<Function>(find_or_throw(name));
    }

private:
    SharedLibrary(void* handle, std::string name) : handle_(handle), name_(std::move(name)) {}
    [[nodiscard]] void* find_or_throw(const char* name) const;

    void* handle_;
    std::string name_;  ///< the name that loaded
};

}  // namespace jitune::internal
