// SPDX-License-Identifier: Apache-2.0
#include "support/no_memory.hpp"

#include <cstdlib>
#include <new>

namespace {

thread_local bool none_left = false;

}  // namespace

void* operator new(std::size_t bytes) {
    void* const memory = none_left ? nullptr : std::malloc(bytes > 0 ? bytes : 1);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}

void operator delete(void* memory) noexcept {
    std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace jitune::internal {

NoMemory::NoMemory() {
    none_left = true;
}

NoMemory::~NoMemory() {
    none_left = false;
}

}  // namespace jitune::internal
