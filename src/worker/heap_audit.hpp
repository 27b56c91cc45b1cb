// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace jitune::internal {

/// Finds out whether something has written into the heap that it does not own, while it is still
/// known which candidate ran: by memory of its own all over the heap, and by work for the
/// allocator, which ends the process when it finds its records damaged.
class HeapAudit {
public:
    HeapAudit();
    ~HeapAudit();

    /// False if the audit's own memory was changed. Does not return where the allocator's was.
    [[nodiscard]] bool is_whole() const;

private:
    std::vector<std::unique_ptr<std::byte[]>> sentinels_;
};

}  // namespace jitune::internal
