// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "jitune/error.hpp"
#include "jitune/export.hpp"
#include "jitune/options.hpp"

namespace jitune::internal {
class Engine;
}

JITUNE_BEGIN_NAMESPACE

/// Where the configuration that answers a call came from.
enum class Origin {
    tuned,             ///< tuned by this session
    stored,            ///< the database had the winner of this very problem
    nearest,           ///< the stored winner of another size
    template_default,  ///< the template's default configuration
    pinned,            ///< the configuration that the caller named
};

/// "tuned", "stored", "nearest", "default", "pinned".
JITUNE_API const char* to_string(Origin origin);

/// How a problem is answered.
struct DispatchInfo {
    Origin origin = Origin::template_default;
    std::string device;  ///< "cuda:0" or "host"
    std::string device_name;
    std::string configuration;  ///< "block=256 items_per_thread=8 …"
};

/// What a session has done so far.
struct Counters {
    std::int64_t compiles = 0;      ///< kernel instances given to a compiler, by workers too
    std::int64_t tunings = 0;       ///< problems tuned
    std::int64_t loads = 0;         ///< winners loaded from the database
    std::int64_t store_errors = 0;  ///< database operations that failed and were done without
};

struct DeviceDescription {
    std::string id;  ///< "cuda:0", "host"
    std::string name;
    std::string device_class;
    std::string driver;
    std::string missing;  ///< why the device cannot be used; empty if it can
};

/// Devices, compiled kernels and a tuning database: everything that calls share. Thread-safe. Most
/// apps never name one: the free functions use `Session::standard()`.
///
/// Do not fork with a Session alive and then use jitune in the child: calls there throw
/// Error(forked). fork and exec is fine.
class JITUNE_API Session {
public:
    /// Throws Error(usage) for options that make no sense. A database that cannot be used is a
    /// logged warning, and winners are then kept in memory only; one that cannot be written is
    /// read, and the warning comes with the first tuning.
    explicit Session(Options options = Options::from_environment());
    /// For tests and jitune's own operations: over an engine that is not null.
    explicit Session(std::unique_ptr<internal::Engine> engine);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// The session of the free functions, made on first use from the environment and never
    /// destroyed (threads may still be calling while the process exits). Throws as the constructor
    /// does, and tries again at the next call.
    static Session& standard();

    [[nodiscard]] Counters counters() const;

    /// Every device with, for a platform that has none, one entry that says why.
    [[nodiscard]] std::vector<DeviceDescription> devices();

    /// For jitune's own operations.
    [[nodiscard]] internal::Engine& engine() const { return *engine_; }

private:
    std::unique_ptr<internal::Engine> engine_;
};

JITUNE_END_NAMESPACE
