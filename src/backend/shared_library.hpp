// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace jitune::internal {

/// A library loaded with dlopen.
class SharedLibrary {
public:
    /// How long the code stays mapped. `process` is for libraries with threads or exit handlers of
    /// their own (CUDA, OpenMP): they must never be unmapped.
    enum class Lifetime { object, process };

    /// Opens the first of `names` that loads, with local symbols and all symbols resolved.
    /// Throws Error(unavailable) with dlopen's message for each name.
    static SharedLibrary open(const std::vector<std::string>& names, Lifetime lifetime);

    /// The address of `name`, or nullptr if the library does not have it.
    [[nodiscard]] void* find(const char* name) const;

    /// Sets the function pointer `function` to the address of `name`. Throws Error(unavailable) if
    /// the library does not have it.
    template <class Function>
    void resolve(const char* name, Function& function) const {
        function = reinterpret_cast<Function>(find_or_throw(name));
    }

private:
    struct Closer {
        void operator()(void* handle) const noexcept;
    };
    SharedLibrary(void* handle, std::string name) : handle_(handle), name_(std::move(name)) {}
    [[nodiscard]] void* find_or_throw(const char* name) const;

    std::unique_ptr<void, Closer> handle_;
    std::string name_;  ///< the name that loaded
};

}  // namespace jitune::internal
