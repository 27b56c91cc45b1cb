#pragma once

#include <memory>
#include <string>
#include <vector>

namespace jitune {

/// A library loaded with dlopen.
class SharedLibrary {
public:
    /// How long the code stays mapped. `process` is for libraries with threads or exit handlers of
    /// their own (CUDA, OpenMP): they must never be unmapped.
    enum class Lifetime { object, process };

    /// Opens the first of `names` that loads, with local symbols and all symbols resolved.
    /// Throws Error(unavailable) with the answer of dlopen for each name.
    static SharedLibrary open(const std::vector<std::string>& names, Lifetime lifetime);

    /// The address of `name`, or nullptr where the library has none.
    [[nodiscard]] void* find(const char* name) const;

private:
    struct Closer {
        void operator()(void* handle) const noexcept;
    };
    explicit SharedLibrary(void* handle) : handle_(handle) {}

    std::unique_ptr<void, Closer> handle_;
};

}  // namespace jitune
