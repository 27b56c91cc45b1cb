#include "engine/plan_memo.hpp"

#include <algorithm>

namespace jitune {

namespace {

constexpr std::size_t kRemembered = 8;

std::size_t slot_of(std::uint64_t serial, std::span<const std::int64_t> sizes) {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
    std::uint64_t hash = serial;
    for (const std::int64_t size : sizes) {
        hash = (hash ^ static_cast<std::uint64_t>(size)) * kOdd;
    }
    return static_cast<std::size_t>(hash >> 61);
}

}  // namespace

bool RememberedPlan::is_of(const Resolved& resolved, std::span<const std::int64_t> sizes) const {
    return serial_ == resolved.serial && std::equal(sizes.begin(), sizes.end(), sizes_.begin());
}

void RememberedPlan::remember(const Resolved& resolved, std::span<const std::int64_t> sizes) {
    serial_ = 0;  // plan() may throw
    bound_ = false;
    plan_ = resolved.rule.plan(sizes);
    if (sizes.size() <= kMostSizes) {
        std::copy(sizes.begin(), sizes.end(), sizes_.begin());
        serial_ = resolved.serial;
    }
}

void RememberedPlan::bind(const Resolved& resolved, const Scratch& scratch) {
    launch_ = resolved.rule.bind(plan_, scratch);
    scratch_ = scratch;
    bound_ = true;
}

RememberedPlan& remembered_plan(const Resolved& resolved, std::span<const std::int64_t> sizes) {
    static_assert(kRemembered == 1 << 3, "slot_of() gives 3 bits");
    thread_local std::array<RememberedPlan, kRemembered> memories{};
    RememberedPlan& memory = memories[slot_of(resolved.serial, sizes)];
    if (!memory.is_of(resolved, sizes)) [[unlikely]] {
        memory.remember(resolved, sizes);
    }
    return memory;
}

}  // namespace jitune
