// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace jitune::internal {

/// All that a candidate can change in its own process to the harm of later ones, but memory. Read
/// by the thread that runs candidates.
class ProcessState {
public:
    /// `scratch`: the worker's folder for temporary files.
    explicit ProcessState(const std::filesystem::path& scratch);

    /// What differs from an earlier state, as the end of "the candidate …"; empty if nothing does.
    [[nodiscard]] std::string change_since(const ProcessState& earlier) const;

private:
    std::string folder_;
    std::string umask_;
    std::string locale_;
    std::string environment_;
    std::vector<std::uint64_t> floating_point_;  ///< rounding and traps
    std::vector<rlimit> limits_;
    std::vector<std::uint64_t> signal_handlers_;
    std::vector<bool> blocked_signals_;
    std::vector<std::uint64_t> standard_streams_;
    bool has_alarm_;
    int priority_;
    std::set<pid_t> threads_;
    std::size_t open_files_ = 0;
    std::uint64_t scratch_inode_ = 0;  ///< zero: there is no such folder
    std::uintmax_t scratch_bytes_ = 0;
};

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
