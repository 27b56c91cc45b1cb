// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "backend/launch.hpp"
#include "backend/platform_kind.hpp"
#include "jitune/error.hpp"

// The same type as cudaStream_t and CUstream; nullptr is the legacy default stream. The host
// backend ignores streams.
struct CUstream_st;

namespace jitune::internal {

using Stream = CUstream_st*;

/// The properties of one device.
struct DeviceInfo {
    PlatformKind platform = PlatformKind::host;
    std::string id;            ///< "cuda:0", "host" or "machine"
    std::string name;          ///< product name; provenance only
    std::string uuid;          ///< provenance only
    std::string driver;        ///< provenance only
    std::string device_class;  ///< equal for devices that share winners; part of the key
    /// Names that constraints and launch rules may use: sm_count, cores, warp_size …
    std::map<std::string, std::int64_t> attributes;
};

/// The text of a kernel template and the headers it may include, by the name in its #include.
struct TemplateSource {
    std::string name;  ///< for compiler messages: "reduce.cu"
    std::string text;
    std::vector<std::pair<std::string, std::string>> headers;
    /// Options for the compiler that a run adds to those of the template's front matter.
    std::vector<std::string> options = {};
    /// Absolute paths of the folders in which the compiler looks for further headers.
    std::vector<std::string> include_folders = {};
    /// Changes with the headers that it finds there.
    std::string folders_digest = {};
};

/// The C++ expressions that one configuration instantiates, one per launch step of the template.
struct Instance {
    std::vector<std::string> expressions;
    /// Lines of #define that stand before the template's text; BinaryCache puts them there.
    std::string defines = {};
    /// The line of the template's file that each expression comes from, for compilers' messages; or
    /// no lines.
    std::vector<int> lines = {};
    /// Options for the compiler, behind jitune's own: "--use_fast_math".
    std::vector<std::string> options = {};

    /// Equal for instances that may stand in one program: defines and options.
    [[nodiscard]] std::string program() const {
        std::string text;
        for (const std::string& option : options) {
            text += "// " + option + "\n";
        }
        return text + defines;
    }
};

/// Compiled code. Several instances may share one image.
struct Binary {
    std::string format;  ///< "cubin", "ptx" or "so"
    std::shared_ptr<const std::string> image;
    std::vector<std::string> symbols;  ///< entry points, in the order of Instance::expressions
    /// The compiler's log, with warnings. Null if the log was not kept.
    std::shared_ptr<const std::string> log = {};
};

struct CompileFailure {
    std::string log;
};
using CompileOutcome = std::variant<Binary, CompileFailure>;

/// Thrown by a compile that was stopped on request.
class CompileStopped : public std::exception {
public:
    [[nodiscard]] const char* what() const noexcept override { return "the compile was stopped"; }
};

/// One call of a compiler: how to stop it, and what it has cost.
struct CompileCall {
    std::stop_token stop = {};
    std::chrono::nanoseconds processor_time{0};
    /// True if the compile ran in a process of its own: then no other thread's compile had to wait.
    bool in_own_process = false;
};

/// A launch of a program with everything worked out: nothing is left to do but to hand it over. Its
/// calls are thread-safe; they must end before the program does.
class ReadyLaunch {
public:
    virtual ~ReadyLaunch() = default;

    /// Enqueues every step on `stream`, in the calling thread's current context (the device's
    /// primary context if none is current), with these Launch::array_count pointers for its
    /// arrays. The host backend returns when the work is done. Throws Error(device) that names the
    /// call and its answer.
    void operator()(void* const* arrays, Stream stream) const { call_(*this, arrays, stream); }

protected:
    using Call = void (*)(const ReadyLaunch& self, void* const* arrays, Stream stream);
    explicit ReadyLaunch(Call call) : call_(call) {}

private:
    Call call_;  // no virtual function, whose table is one more cold cache line for each call
};

/// Loaded code. Thread-safe.
class Program {
public:
    virtual ~Program() = default;

    /// Puts `launch` without its arrays into `ready`. If `ready` came from a program of the same
    /// backend, its memory is used again. Throws Error(device) if the program has no such entry,
    /// and Error(usage) if the device has no such texture objects.
    virtual void prepare(const Launch& launch, std::unique_ptr<ReadyLaunch>& ready) const = 0;

    /// Launches once, with the arrays that are in the cells.
    void launch(const Launch& launch, Stream stream) const {
        std::unique_ptr<ReadyLaunch> ready;
        prepare(launch, ready);
        (*ready)(arrays_of(launch).data(), stream);
    }
};

/// Why a trial launch gave no result.
struct LaunchFailure {
    bool timed_out = false;
    /// The device or its context is lost for this process: no further candidate can run.
    bool fatal = false;
    std::string reason;
    NativeCode native_code = {};
};

/// The present clock of a device's processors.
struct ClockReading {
    unsigned mhz = 0;
    bool held_down = false;  ///< by power, heat or the board
};

/// Processor time of this process's threads, all together.
struct ProcessorUse {
    std::chrono::nanoseconds ran{0};     ///< on a processor
    std::chrono::nanoseconds waited{0};  ///< for a processor that another thread had
    /// How slow the calling thread's processor is, over its best within the last minute: 1 or more.
    double slowdown = 1;
};

/// The value of one hardware counter for one launch.
struct CounterValue {
    std::string name;  ///< "dram_throughput"
    double value = 0;
    std::string unit;  ///< "%", "bytes", "ns" or "warps"
};
/// The counters, or a sentence that says why the device gives none.
using CounterOutcome = std::variant<std::vector<CounterValue>, std::string>;

/// Device memory. Freed with the object, after the device has finished with it.
class DeviceMemory {
public:
    virtual ~DeviceMemory() = default;
    [[nodiscard]] virtual void* data() const = 0;
    [[nodiscard]] virtual std::size_t bytes() const = 0;
};

/// A part of device memory that begins at a multiple of 16 bytes.
struct MemoryRegion {
    const void* data = nullptr;
    std::size_t bytes = 0;
};

/// Bench::checksums() of memory that the host reads.
std::vector<std::uint64_t> host_checksums(std::span<const MemoryRegion> regions);

/// Times one chain of launches again and again.
class Timer {
public:
    virtual ~Timer() = default;
    /// Runs the chain once: nanoseconds per launch of the chain.
    virtual std::variant<double, LaunchFailure> sample(std::chrono::milliseconds limit) = 0;
};

/// Throws Error(usage) unless some of the launches of `chain` are untimed and some are timed.
void require_timed(std::span<const Launch> chain, std::size_t untimed);

/// Where candidates are checked and timed, away from the app's streams. Used by one thread, the one
/// that made it; everything happens in that thread's current context, else in the primary one.
/// Memory functions throw Error(unavailable) when memory runs out and Error(device) otherwise; all
/// of them are ordered with run() and sample().
class Bench {
public:
    virtual ~Bench() = default;

    virtual std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) = 0;
    virtual void upload(void* device, std::span<const std::byte> data) = 0;
    virtual void download(std::span<std::byte> data, const void* device) = 0;
    virtual void fill(void* device, std::byte value, std::size_t bytes) = 0;
    virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
    /// True if two pieces of device memory, of any alignment, hold the same bytes. If the device
    /// has to compare them, this needs the compiler: throws Error(unavailable) if there is none.
    virtual bool equal(const void* one, const void* other, std::size_t bytes) = 0;
    /// A number for each region that changes when any of its bytes does. Needs the compiler as
    /// equal() does.
    virtual std::vector<std::uint64_t> checksums(std::span<const MemoryRegion> regions) = 0;

    /// Launches once and waits.
    virtual std::optional<LaunchFailure> run(const Program& program, const Launch& launch,
                                             std::chrono::milliseconds limit) = 0;

    /// Prepares to time all launches of `chain` but the first `untimed`, which load the kernel's
    /// code and work memory and let the clocks settle (on CUDA: one graph, captured from launches
    /// on a stream). With `flush_cache`, other memory is read before each sample until the chain's
    /// data has left the last-level cache. Throws Error(usage) if no launch comes before those that
    /// are timed, or none is timed.
    virtual std::unique_ptr<Timer> timer(const Program& program, std::span<const Launch> chain,
                                         std::size_t untimed, bool flush_cache) = 0;

    /// The way in which timer() launches its chains: "graph", or "loop" for one call after the
    /// other.
    [[nodiscard]] virtual std::string_view chain_kind() const { return "loop"; }

    /// The device's clocks, or nothing if they cannot be read. Takes up to some 100 us.
    virtual std::optional<ClockReading> clocks() { return std::nullopt; }

    /// Returns nothing if launches do not run on the host's processors, or if the system does not
    /// count. Takes some 4 us for each thread of the process, and 10 us.
    virtual std::optional<ProcessorUse> processor_use() { return std::nullopt; }

    /// Figures of hardware counters for one launch, of those that the device has; or, as text for a
    /// person, why they cannot be read: a missing library, missing rights, or kernels that another
    /// thread launched in the context meanwhile. The launch runs several times, with its memory put
    /// back between runs. All its kernels have one figure: the sum of times and bytes, else the
    /// mean over their time. Takes up to seconds, in which the process is slow, and has no limit of
    /// time: the launch must have passed run(). Throws Error(device) if it fails.
    virtual CounterOutcome counters(const Program& /*program*/, const Launch& /*launch*/) {
        return "this device has none that jitune reads";
    }
};

/// Copies and launches on one device, one after the other, away from the app's streams and whatever
/// context is current. Used by one thread at a time; of the host's device each call returns when
/// its work is done. Memory of a queue may outlive it, not the work that uses it. All throw
/// Error(device), allocations Error(unavailable) if memory runs out.
class Queue {
public:
    Queue() = default;
    virtual ~Queue() = default;
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;

    virtual std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) = 0;
    /// Host memory from and to which the device copies at its full speed, while the queue goes on:
    /// page-locked.
    virtual std::unique_ptr<DeviceMemory> allocate_staging(std::size_t bytes) = 0;

    /// Copies from and to any host memory. Staging memory must stay until wait().
    virtual void upload(void* device, std::span<const std::byte> data) = 0;
    virtual void download(std::span<std::byte> data, const void* device) = 0;
    virtual void fill_zero(void* device, std::size_t bytes) = 0;
    virtual void launch(const ReadyLaunch& launch, void* const* arrays) = 0;

    /// Returns when all enqueued work is done, also if it throws.
    virtual void wait() = 0;
};

/// Times single calls of an app where they run, and never waits for one. Thread-safe.
class LaunchTimer {
public:
    virtual ~LaunchTimer() = default;

    struct Time {
        std::uint64_t tag = 0;
        double ns = 0;  ///< 0: too short to tell
    };

    /// True if launch() may time a call on the stream; false while the stream is captured, for
    /// example. Throws nothing.
    [[nodiscard]] virtual bool may_time(Stream stream) = 0;

    /// Launches, with the errors of `launch`. Times the launch if that takes no waiting and
    /// disturbs nothing. Returns true if take() will have its time, or if the device has failed.
    virtual bool launch(const ReadyLaunch& launch, void* const* arrays, Stream stream,
                        std::uint64_t tag) = 0;

    /// The times of the calls that have ended since the last take(). A few that nobody takes are
    /// kept, others are lost.
    virtual std::vector<Time> take() = 0;
};

/// One device with its compiler. Thread-safe but for the Bench it makes.
class Device {
public:
    virtual ~Device() = default;

    [[nodiscard]] virtual const DeviceInfo& info() const = 0;

    /// "NVRTC 13.0", or the host compiler's version line. Loads the compiler; throws
    /// Error(unavailable) if there is none.
    virtual std::string compiler() = 0;

    /// Tells the compiler that compile() uses from others and from what it becomes when its files
    /// change. Empty if compile() costs so little that its code is not worth keeping. Throws as
    /// compiler() does.
    virtual std::string compiler_key() { return {}; }

    /// True if a compiler with this key is installed, as far as can be seen without loading it.
    virtual bool has_compiler(const std::string& /*key*/) { return false; }

    /// Compiles all instances as one program for this device; if that fails, each by itself, so
    /// that one bad instance costs only itself. One outcome per instance; all have the options of
    /// the first. Needs no current context. Throws Error(unavailable) if there is no compiler,
    /// and CompileStopped after a stop of the `call`, if the compiler is another process.
    virtual std::vector<CompileOutcome> compile(const TemplateSource& source,
                                                std::span<const Instance> instances,
                                                CompileCall& call) = 0;
    std::vector<CompileOutcome> compile(const TemplateSource& source,
                                        std::span<const Instance> instances) {
        CompileCall call;
        return compile(source, instances, call);
    }

    /// Says that so many threads will soon call compile(), so that processes that take long to
    /// start can start now. May throw as compile() does.
    virtual void expect_compiles(std::size_t /*threads*/, const std::stop_token& /*stop*/) {}

    /// Throws Error(device), also for an image that is not of this device's kind.
    virtual std::shared_ptr<const Program> load(const Binary& binary) = 0;

    virtual std::unique_ptr<Bench> make_bench() = 0;

    /// The share of about the last second in which the device worked, for any process. For the
    /// host, waits 100 ms and returns the share of its processors that other processes take.
    /// Nothing if the system does not say.
    virtual std::optional<double> utilization() { return std::nullopt; }

    /// True if calls have launched on the device since the last call of this function. Launches of
    /// a Bench do not count, nor do graphs that an app launches. Always false for the host.
    virtual bool take_launched() { return false; }

    /// The joules that the device has used since its driver was loaded. The counter moves some ten
    /// times a second. Nothing if it has none that can be read. Takes some milliseconds.
    virtual std::optional<double> energy_j() { return std::nullopt; }

    /// Makes a queue in the device's primary context, whatever context is current.
    virtual std::unique_ptr<Queue> make_queue() = 0;

    /// Allocates device memory for the caller in the current context (else the primary one), with
    /// any content.
    virtual std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) = 0;

    /// As allocate(), all zero.
    virtual std::unique_ptr<DeviceMemory> allocate_zeroed(std::size_t bytes) = 0;

    /// Blocks until all work of `stream` is done, then copies. Used by the calls that return a
    /// value.
    virtual void read_back(std::span<std::byte> data, const void* device, Stream stream) = 0;

    /// Enqueues a write of `value`, of 1, 4 or 8 bytes, `count` times in a row, to device memory of
    /// that alignment. Does not read host memory later, and can be captured.
    virtual void write(void* device, std::span<const std::byte> value, std::size_t count,
                       Stream stream) = 0;

    /// Enqueues a copy within device memory.
    virtual void copy(void* to, const void* from, std::size_t bytes, Stream stream) = 0;

    /// Times calls of an app; nullptr if single calls of this device cannot be timed. It may
    /// outlive the device.
    virtual std::unique_ptr<LaunchTimer> make_launch_timer() { return nullptr; }
};

}  // namespace jitune::internal
