// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "backend/stream_site.hpp"
#include "jitune/tuned_kernel.hpp"
#include "support/log.hpp"
#include "template/kernel_template.hpp"

namespace jitune::internal {

/// When it was asked to, writes the next call of a kernel as a CapturedCall. Thread-safe.
class CallCapture {
public:
    explicit CallCapture(Log log) : log_(std::move(log)) {}

    /// Asks for what the environment asks for: JITUNE_CAPTURE holds the kernel's name. A call that
    /// cannot be captured then causes a warning.
    void ask_environment(const std::string& kernel);

    /// Asks for a capture on the app's behalf: the call throws if it cannot be captured.
    void ask(std::filesystem::path folder, std::size_t most_bytes);

    /// True if a capture was asked for. Costs a warm call one load.
    [[nodiscard]] bool is_asked() const { return is_asked_.load(std::memory_order_relaxed); }

    /// Calls `launch`, and writes what its arrays held before and after, if no other thread has
    /// done so meanwhile. Waits for the stream. Throws as `launch` does. If the capture fails,
    /// throws only if the app has asked for it.
    void launch(const KernelTemplate& kernel, const Problem& problem,
                std::span<const KernelParameter> parameters, void* const* cells,
                const StreamSite& site, Stream stream, const std::function<void()>& launch);

private:
    struct Request {
        std::filesystem::path folder;
        std::size_t most_bytes = 0;
        bool is_of_app = false;
    };

    void fail(const Request& request, const std::string& reason) const;

    Log log_;
    std::atomic<bool> is_asked_{false};
    std::mutex mutex_;
    Request request_;
};

}  // namespace jitune::internal
