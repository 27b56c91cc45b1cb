// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_memory.hpp"

#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "backend/host/available_memory.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

void HostMemory::Free::operator()(void* data) const noexcept {
    std::free(data);
}

HostMemory::HostMemory(std::size_t bytes, Content content) : bytes_(bytes) {
    constexpr std::size_t kAlignment = 256;
    refuse_unavailable_memory(bytes);
    void* data = nullptr;
    if (const int code = ::posix_memalign(&data, kAlignment, bytes > 0 ? bytes : 1); code != 0) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("allocate {} bytes of host memory: out of memory", bytes),
                    {NativeCode::Source::system, code});
    }
    data_.reset(data);
    if (content == Content::zero) {
        std::memset(data, 0, bytes);
    }
}

}  // namespace jitune::internal
