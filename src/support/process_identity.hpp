// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace jitune::internal {

/// A line that identifies this process among all processes of all machines:
/// "host=node7 boot=8d… pids=4026531836 pid=4711 start=123456". Unknown values are empty.
std::string process_identity();

/// True if the process of that identity has certainly ended: it ran in this boot and in this
/// namespace of process numbers, and no process has its number and start time. False for any other
/// text.
bool has_ended(std::string_view identity);

/// Detects that this process is a fork of the one that made the object. Costs one memory read.
class ForkGuard {
public:
    ForkGuard();
    [[nodiscard]] bool forked() const {
        return forks_.load(std::memory_order_relaxed) != generation_;
    }
    /// Throws Error(forked) in such a fork.
    void refuse() const {
        if (forked()) [[unlikely]] {
            throw_forked();
        }
    }

private:
    [[noreturn]] static void throw_forked();

    /// The number of forks between the first guard of the program and this process. Only fork
    /// changes it.
    static std::atomic<std::uint64_t> forks_;

    std::uint64_t generation_;
};

/// A number above 0 that no other call in this process returns.
inline std::uint64_t next_serial() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

/// An environment variable by which the processes of one worker know each other: those that a
/// candidate starts inherit it, also in a session of their own.
inline constexpr const char* kFamilyVariable = "JITUNE_WORKER_FAMILY";

/// A value for kFamilyVariable that no other worker has.
std::string new_family();

/// Kills the processes of a session and those whose environment has this value of kFamilyVariable
/// (empty: none), but not the caller. Allocates no memory, because destructors call it.
void kill_session(pid_t session, std::string_view family) noexcept;

}  // namespace jitune::internal
