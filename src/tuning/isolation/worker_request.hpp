// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/device.hpp"
#include "jitune/error.hpp"
#include "support/message.hpp"
#include "template/problem.hpp"
#include "tuning/search/search_plan.hpp"
#include "tuning/tune_hooks.hpp"

namespace jitune::internal {

/// The messages between a supervisor and its worker. The first field of a message is its name.
namespace worker_messages {
// to the worker
inline constexpr const char* kTune = "tune";  ///< then a WorkerRequest
inline constexpr const char* kGo = "go";      ///< the announced configurations are on disk
inline constexpr const char* kStop = "stop";  ///< TuneHooks::stop
inline constexpr const char* kTurn = "turn";  ///< then 1 or 0: what TuneHooks::has_turn says now
// from the worker
inline constexpr const char* kReady = "ready";          ///< then protocol(); the first message
inline constexpr const char* kPrepare = "prepare";      ///< then a step; empty: the step is over
inline constexpr const char* kAnnounce = "announce";    ///< then the configurations
inline constexpr const char* kCompiling = "compiling";  ///< then the batch and its configurations
inline constexpr const char* kCompiled = "compiled";    ///< then the batch
inline constexpr const char* kCompiles = "compiles";    ///< then the number of instances since
inline constexpr const char* kLoad = "load";            ///< then the configuration that begins
inline constexpr const char* kCheck = "check";          ///< then the configuration that begins
inline constexpr const char* kTime = "time";            ///< then the configuration that begins
inline constexpr const char* kRests = "rests";          ///< TuneObserver::rests()
inline constexpr const char* kMeasured = "measured";    ///< then a Measurement
inline constexpr const char* kProgress = "progress";    ///< then a TuneProgress
inline constexpr const char* kReport =
    "report";                               ///< then the Winner and a TuneProgress; ends the tuning
inline constexpr const char* kLog = "log";  ///< then a line for the log
inline constexpr const char* kError = "error";  ///< then an Error; ends the tuning
/// Names the version of jitune and a digest of the sources that say what is in a message.
std::string protocol();
}  // namespace worker_messages

using SharedImage = std::shared_ptr<const std::string>;

/// A tuning for a worker.
struct WorkerRequest {
    std::vector<std::string> kernel;  ///< Kernel::spec
    std::string template_hash;        ///< of that kernel: the worker's must be the same
    std::string device;               ///< "cuda:0" or "host"
    Problem problem;
    SearchPlan plan;
    std::vector<std::string> compared = {};  ///< not empty: for compare(), else for tune()
};

void write_request(MessageWriter& writer, const WorkerRequest& request);
/// Writes the image of an incumbent's binary only once: `last` is the image that the other side
/// has, or null, and becomes the image of `progress`.
void write_progress(MessageWriter& writer, const TuneProgress& progress, SharedImage& last);
void write_error(MessageWriter& writer, const Error& error);

/// Throw Error(unavailable) for malformed fields.
WorkerRequest read_request(MessageReader& reader);
TuneProgress read_progress(MessageReader& reader, SharedImage& last);
Error read_error(MessageReader& reader);

/// The messages between a worker and its compiler processes, which run the same program as the
/// worker. The first field of a message is its name. worker_messages::kReady and kError belong to
/// them, too.
namespace compiler_messages {
inline constexpr const char* kCompile = "compile";    ///< to a compiler; then a CompileRequest
inline constexpr const char* kOutcomes = "outcomes";  ///< from a compiler; then one per instance
}  // namespace compiler_messages

/// A program to compile.
struct CompileRequest {
    DeviceInfo device;  ///< only its platform and its attributes travel
    TemplateSource source;
    std::vector<Instance> instances;
};

void write_compile_request(MessageWriter& writer, const CompileRequest& request);
/// Throws Error(unavailable) for malformed fields.
CompileRequest read_compile_request(MessageReader& reader);

void write_outcomes(MessageWriter& writer, const std::vector<CompileOutcome>& outcomes);
/// Neighbouring binaries that shared an image when they were sent share one again. Throws
/// Error(unavailable) for malformed fields.
std::vector<CompileOutcome> read_outcomes(MessageReader& reader);

}  // namespace jitune::internal
