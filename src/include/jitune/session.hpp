// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "jitune/error.hpp"
#include "jitune/export.hpp"
#include "jitune/options.hpp"

namespace jitune::internal {
class Engine;
struct SessionAccess;
}  // namespace jitune::internal

JITUNE_BEGIN_NAMESPACE

/// Where the configuration that answers a call came from.
enum class Origin {
    tuned,             ///< tuned by this session
    stored,            ///< the database held the winner for this problem
    nearest,           ///< the stored winner for another size
    template_default,  ///< the defaults of the template's parameters
    pinned,            ///< the configuration that the caller named
    rule,              ///< the default that a table [[default]] of the template gives
};

/// True for both kinds of default: they answer where nothing has been measured for the problem.
inline bool is_default(Origin origin) {
    return origin == Origin::template_default || origin == Origin::rule;
}

/// "tuned", "stored", "nearest", "default", "pinned", "rule". Throws Error(usage) for a value
/// outside the enum.
JITUNE_API const char* to_string(Origin origin);

/// How calls for a problem are answered.
struct DispatchInfo {
    Origin origin = Origin::template_default;
    std::string device;  ///< the device id: "cuda:0", "host", or "machine" for a placement
    std::string device_name;
    std::string configuration;  ///< "block=256 items_per_thread=8 …"
    /// A tuning of these sizes waited or was under way when this answer was taken.
    bool pending = false;
    /// For a prepared handle: how long preparing it waited for an answer.
    std::chrono::microseconds waited{0};
    std::string kernel = {};  ///< "reduce", or the name of a kernel of your own
    /// As databases have them: "accumulator=float32 element=float32 operation=sum". Those of a
    /// formula have its text, too.
    std::string types = {};
};

/// Numbers of events since the session was made.
struct Counters {
    std::int64_t compiles = 0;      ///< kernel instances given to a compiler, also by workers
    std::int64_t tunings = 0;       ///< problems that a tuning found a winner for
    std::int64_t loads = 0;         ///< winners loaded from the database
    std::int64_t store_errors = 0;  ///< failed database operations; calls went on without them
    /// Under Options::frozen: problems that the template's default answered. Sizes within half an
    /// octave that share that answer are one problem.
    std::int64_t unserved = 0;
    // Tunings behind the calls: see TunePolicy.
    std::int64_t pending = 0;   ///< problems that wait for a tuning, with the one under way
    std::int64_t replaced = 0;  ///< answers in memory that winners have replaced
    // Winners in use: see Options::watch_winners.
    std::int64_t sampled = 0;  ///< calls that were timed, or tried to be
    std::int64_t doubted = 0;  ///< answers that were found too slow, or made for another driver
    std::int64_t raced = 0;    ///< winners in doubt that were measured again
    /// Calls that waited for an answer for 1 ms or longer: for the database, a compiler, a tuning,
    /// or another thread that needed the same answer.
    std::int64_t pauses = 0;
    std::chrono::microseconds longest_pause{};
    /// Its problem and what answered: "reduce element=float32 … n=1000 on cuda:0: tuned".
    std::string longest_pause_of = {};
};

/// A device, or a platform without a device.
struct DeviceDescription {
    std::string id;  ///< "cuda:0", "host"
    std::string name;
    std::string device_class;
    std::string driver;
    std::string missing;  ///< the reason why the device cannot be used; empty if it can
};

/// Devices, compiled kernels and a tuning database: everything that calls share. Thread-safe. Most
/// apps never name one: the free functions use `Session::standard()`.
///
/// Do not fork with a Session alive and then use jitune in the child: calls there throw
/// Error(forked). fork and exec is fine.
class JITUNE_API Session {
public:
    /// Throws Error(usage) for invalid options. Opens nothing yet. If the database cannot be opened
    /// later, a warning is logged and winners are kept in memory only. A read-only database still
    /// serves its winners; the warning comes with the first tuning.
    explicit Session(const Options& options = Options::from_environment());
    /// Under Options::frozen, logs a warning with the number of problems that were not served, if
    /// there are any.
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// The session of the free functions. It is made from the environment on first use and never
    /// destroyed, because threads may still be calling while the process exits; what ~Session()
    /// would log is logged by std::exit(). Throws as the constructor does, and then tries again at
    /// the next call.
    static Session& standard();

    /// Throws Error(unavailable) without memory for the text.
    [[nodiscard]] Counters counters() const;

    /// A digest, 32 hexadecimal digits, of the table that the database holds: of each intact winner
    /// its kernel, types, alignment, template hash, device class, the sizes that it serves, its
    /// configuration and whether it is unsure. Neither order nor times, devices' names or binaries
    /// count. Processes with equal digests find the same winners for all problems; to keep it so,
    /// they set Options::frozen. Reads the whole file anew, every row with its binary: call it
    /// once, at the start. Thread-safe. Throws Error(store) if the session has no database or
    /// cannot read it: all failures would have the same digest.
    [[nodiscard]] std::string table_digest() const;

    /// All devices, and one entry with the reason for each platform that has no device.
    [[nodiscard]] std::vector<DeviceDescription> devices();

private:
    friend struct internal::SessionAccess;
    explicit Session(std::unique_ptr<internal::Engine> engine);

    std::unique_ptr<internal::Engine> engine_;
};

JITUNE_END_NAMESPACE
