#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "backend/platform.hpp"
#include "engine/binary_cache.hpp"
#include "engine/dispatch_table.hpp"
#include "engine/isolation.hpp"
#include "engine/kernel.hpp"
#include "engine/single_flight.hpp"
#include "engine/tuner.hpp"
#include "engine/workload.hpp"
#include "jitune/session.hpp"
#include "support/fork_guard.hpp"
#include "support/log.hpp"
#include "tuner_db/tuning_store.hpp"

namespace jitune {

/// What a Session owns: platforms, database, compiled and resolved kernels. Thread-safe.
class Engine {
public:
    explicit Engine(const Options& options);
    /// With platforms of the caller's own: tests.
    Engine(Options options, std::vector<std::unique_ptr<Platform>> platforms);
    ~Engine();

    [[nodiscard]] const Options& options() const { return options_; }
    [[nodiscard]] const Log& log() const { return log_; }
    [[nodiscard]] Counters counters() const {
        return {binaries_.compiles(), tunings_, loads_, store_errors_};
    }
    [[nodiscard]] std::vector<DeviceDescription> devices();

    /// The device of an id: "host", "cuda", "cuda:N" or "auto" (the first device there is, cuda
    /// before host). Throws Error(usage) for another word, Error(unavailable) with the reason.
    Backend& backend(std::string_view id);

    /// platform("cuda") and platform("host"), cheap enough for every call.
    Platform& cuda() { return known(cuda_, "cuda"); }
    Platform& host() { return known(host_, "host"); }

    /// True if Options::device is the host, where host memory then stays.
    [[nodiscard]] bool keeps_host_data() const { return keeps_host_data_; }

    /// The platform "cuda" or "host". Throws Error(unavailable) with the reason if it has no
    /// device.
    Platform& platform(std::string_view name);

    /// The database, or nullptr where winners are kept in memory only. Opened on first use; where
    /// that fails, the next call tries again.
    TuningStore* store();

    /// The answer to a miss in the dispatch table: from the database, else by Options::on_miss. One
    /// thread per key works, others that need the same key wait for it. The result lives as long as
    /// the engine.
    const Resolved& resolve(const DispatchKey& key, Backend& backend, const Kernel& kernel,
                            const Problem& problem);

    /// Tunes whether or not a winner is stored, with that one as the incumbent, and stores what was
    /// measured, also where it throws. Goes on with a tuning that did not come to its end. In a
    /// worker where Isolation says so.
    TuneReport tune_and_store(Backend& backend, const Kernel& kernel, const Problem& problem,
                              TuneOptions options);

    [[nodiscard]] const DispatchTable& table() const { return table_; }

    /// Throws Error(forked) in a process forked from the one that made the engine.
    void refuse_fork() const {
        if (fork_guard_.forked()) [[unlikely]] {
            throw_forked();
        }
    }

private:
    [[noreturn]] static void throw_forked();
    Platform& known(std::atomic<Platform*>& place, std::string_view name) {
        Platform* const found = place.load(std::memory_order_acquire);
        return found != nullptr ? *found : find(place, name);
    }
    Platform& find(std::atomic<Platform*>& place, std::string_view name);
    TuneReport tune_recorded(Backend& backend, const Kernel& kernel, const Problem& problem,
                             const TuneOptions& options, const Recorder& recorder);
    std::unique_ptr<const Resolved> find_answer(Backend& backend, const Kernel& kernel,
                                                const Problem& problem);
    /// A stored winner that cannot be used is looked at once: `refused` remembers it.
    std::unique_ptr<const Resolved> from_store(Backend& backend, const Kernel& kernel,
                                               const Problem& problem, std::string& refused);
    /// Tunes, or waits for another process that does.
    std::unique_ptr<const Resolved> from_tuning(Backend& backend, const Kernel& kernel,
                                                const Problem& problem, std::string& refused);
    std::unique_ptr<const Resolved> from_nearest(Backend& backend, const Kernel& kernel,
                                                 const Problem& problem);
    std::unique_ptr<const Resolved> from_pinned(Backend& backend, const Kernel& kernel,
                                                const Problem& problem);
    std::unique_ptr<const Resolved> from_default(Backend& backend, const Kernel& kernel,
                                                 const Problem& problem);
    /// nullptr where there is no database or it fails, which is logged and counted.
    std::unique_ptr<const Resolved> ask_store(
        const std::function<std::unique_ptr<const Resolved>(TuningStore&)>& question);
    /// Compiles the configuration, or takes it from memory.
    std::unique_ptr<const Resolved> compiled(Backend& backend, const Kernel& kernel,
                                             const Problem& problem,
                                             const Configuration& configuration, Origin origin);
    /// nullptr where the stored winner is not legal here or does not load.
    std::unique_ptr<const Resolved> load(Backend& backend, const Kernel& kernel,
                                         const Problem& problem, const Winner& winner,
                                         Origin origin);
    static std::unique_ptr<const Resolved> make_resolved(Backend& backend, const Kernel& kernel,
                                                         const Problem& problem,
                                                         const Configuration& configuration,
                                                         const Binary& binary, Origin origin);

    // What each call reads is together.
    ForkGuard fork_guard_;
    std::atomic<Platform*> cuda_{nullptr}, host_{nullptr};  // once it is known to have a device
    const bool keeps_host_data_;
    Options options_;
    Log log_;
    std::vector<std::unique_ptr<Platform>> platforms_;
    std::mutex store_mutex_;
    bool store_warned_ = false;
    std::unique_ptr<TuningStore> store_;
    std::once_flag recovered_;  // the journals of processes that have ended
    BinaryCache binaries_;
    Isolation isolation_;
    DispatchTable table_;
    SingleFlight flights_;
    std::atomic<std::int64_t> tunings_{0}, loads_{0}, store_errors_{0};
};

}  // namespace jitune
