// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "dispatch/dispatch_table.hpp"
#include "dispatch/session_store.hpp"
#include "template/kernel.hpp"
#include "tuning/binary_cache.hpp"
#include "tuning/tuner.hpp"

namespace jitune::internal {

/// What answers a miss in the dispatch table: the database, else what Options::on_miss says.
/// Thread-safe.
class Answers {
public:
    /// Tunes a problem whose workload is prepared and stores what it learns.
    using Tune =
        std::function<TuneReport(Device&, const Kernel&, const Problem&, const TuneOptions&)>;

    /// All that is referred to must outlive it.
    Answers(const Options& options, const Log& log, SessionStore& store, BinaryCache& binaries,
            Tune tune)
        : options_(options),
          log_(log),
          store_(store),
          binaries_(binaries),
          tune_(std::move(tune)) {}

    /// Never null. Throws Error where nothing can answer.
    std::unique_ptr<const Resolved> find(Device& device, const Kernel& kernel,
                                         const Problem& problem);

    /// Stored winners that have been loaded.
    [[nodiscard]] std::int64_t loads() const { return loads_; }

private:
    /// A stored winner that cannot be used is looked at once: `refused` remembers it.
    std::unique_ptr<const Resolved> from_store(Device& device, const Kernel& kernel,
                                               const Problem& problem, std::string& refused);
    /// Tunes, or waits for another process that does.
    std::unique_ptr<const Resolved> from_tuning(Device& device, const Kernel& kernel,
                                                const Problem& problem, std::string& refused);
    std::unique_ptr<const Resolved> from_nearest(Device& device, const Kernel& kernel,
                                                 const Problem& problem);
    std::unique_ptr<const Resolved> from_pinned(Device& device, const Kernel& kernel,
                                                const Problem& problem);
    std::unique_ptr<const Resolved> from_default(Device& device, const Kernel& kernel,
                                                 const Problem& problem);
    /// Compiles the configuration, or takes it from memory.
    std::unique_ptr<const Resolved> compiled(Device& device, const Kernel& kernel,
                                             const Problem& problem,
                                             const Configuration& configuration, Origin origin);
    /// nullptr where the stored winner is not legal here or does not load.
    std::unique_ptr<const Resolved> load(Device& device, const Kernel& kernel,
                                         const Problem& problem, const Winner& winner,
                                         Origin origin);
    static std::unique_ptr<const Resolved> make_resolved(Device& device, const Kernel& kernel,
                                                         const Problem& problem,
                                                         const Configuration& configuration,
                                                         const Binary& binary, Origin origin);

    const Options& options_;
    const Log& log_;
    SessionStore& store_;
    BinaryCache& binaries_;
    const Tune tune_;
    std::atomic<std::int64_t> loads_{0};
};

}  // namespace jitune::internal
