// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>

#include "backend/stream_site.hpp"
#include "jitune/element_type.hpp"
#include "jitune/tuned_kernel.hpp"
#include "support/log.hpp"
#include "template/kernel_template.hpp"

namespace jitune::internal {

/// One real call of a kernel in a folder: capture.toml, a file for each array as the call found it,
/// and one for each output. A file is named as a Fill names it: "in_a.npy", or "raw in_a.bin" for
/// the types that NumPy does not have.
struct CapturedCall {
    std::filesystem::path folder;
    std::string kernel;
    Problem problem;
    std::map<std::string, std::string> inputs;    ///< of arrays that are read
    std::map<std::string, std::string> outputs;   ///< of arrays that are written
    std::map<std::string, std::uint64_t> values;  ///< the bits of scalars
};

/// The name of the file that makes a folder a capture.
inline constexpr const char* kCaptureFile = "capture.toml";

/// Throws Error(usage): no capture, another kernel than the template's, a type, size or argument
/// that is missing.
CapturedCall read_capture(const std::filesystem::path& folder, const KernelTemplate& kernel);

/// Writes a capture argument by argument into a folder that is new or empty. It is one once
/// finish() has written capture.toml.
class CaptureWriter {
public:
    /// Throws Error(usage) if the folder has files, or cannot be made.
    CaptureWriter(std::filesystem::path folder, const KernelTemplate& kernel,
                  const Problem& problem);

    void add_value(const std::string& name, ElementType type, std::uint64_t bits);
    void add_input(const std::string& name, ElementType type, std::span<const std::byte> data);
    void add_output(const std::string& name, ElementType type, std::span<const std::byte> data);
    void finish();

private:
    std::string write_array(const std::string& name, ElementType type,
                            std::span<const std::byte> data) const;

    std::filesystem::path folder_;
    std::string head_, inputs_, outputs_, values_;
};

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
