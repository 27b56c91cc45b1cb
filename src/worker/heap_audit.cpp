// SPDX-License-Identifier: Apache-2.0
#include "worker/heap_audit.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace jitune::internal {

namespace {

constexpr std::size_t kSizes[] = {24, 40, 104, 1000, 1032, 4072, 16'000, 100'000};
constexpr std::size_t kOfEachSize = 8;
constexpr std::byte kContent{0x5a};

std::size_t size_of(std::size_t sentinel) {
    return kSizes[sentinel % std::size(kSizes)];
}

}  // namespace

HeapAudit::HeapAudit() {
    std::vector<std::unique_ptr<std::byte[]>> gaps;  // freed at the end, for others to fill
    for (std::size_t i = 0; i < kOfEachSize * std::size(kSizes); ++i) {
        sentinels_.push_back(std::make_unique<std::byte[]>(size_of(i)));
        std::memset(sentinels_.back().get(), std::to_integer<int>(kContent), size_of(i));
        gaps.push_back(std::make_unique<std::byte[]>(size_of(i)));
    }
}

HeapAudit::~HeapAudit() = default;

bool HeapAudit::is_whole() const {
    for (const std::size_t size : kSizes) {
        void* blocks[kOfEachSize];
        for (void*& block : blocks) {
            block = std::malloc(size);
            if (block != nullptr) {
                *static_cast<volatile char*>(block) = 0;  // so that the call is not left out
            }
        }
        std::for_each(std::begin(blocks), std::end(blocks), [](void* block) { std::free(block); });
    }
    for (std::size_t i = 0; i < sentinels_.size(); ++i) {
        const std::byte* const begin = sentinels_[i].get();
        if (!std::all_of(begin, begin + size_of(i), [](std::byte b) { return b == kContent; })) {
            return false;
        }
    }
    return true;
}

}  // namespace jitune::internal
