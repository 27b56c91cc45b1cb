// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace jitune::internal {

/// While one exists, every `new` of its thread throws std::bad_alloc. For programs that are linked
/// with no_memory.cpp.
class NoMemory {
public:
    NoMemory();
    ~NoMemory();
    NoMemory(const NoMemory&) = delete;
    NoMemory& operator=(const NoMemory&) = delete;
};

}  // namespace jitune::internal
