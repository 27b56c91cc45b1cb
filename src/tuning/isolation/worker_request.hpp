// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "support/message.hpp"
#include "tuning/tuner.hpp"

namespace jitune::internal {

/// What is said between a supervisor and its worker. The first field of a message says what it is.
namespace worker_words {
// to the worker
inline constexpr const char* kTune = "tune";  ///< then a WorkerRequest
inline constexpr const char* kGo = "go";      ///< what was announced is on the disk
inline constexpr const char* kStop = "stop";  ///< TuneOptions::stop
// from the worker
inline constexpr const char* kReady = "ready";          ///< then kProtocol; before all else
inline constexpr const char* kAnnounce = "announce";    ///< then the configurations
inline constexpr const char* kCompiling = "compiling";  ///< then the batch and its configurations
inline constexpr const char* kCompiled = "compiled";    ///< then the batch
inline constexpr const char* kCompiles = "compiles";    ///< then the instances since the last one
inline constexpr const char* kCheck = "check";          ///< then the configuration that begins
inline constexpr const char* kTime = "time";            ///< likewise
inline constexpr const char* kMeasured = "measured";    ///< then a Measurement
inline constexpr const char* kProgress = "progress";    ///< then a TuneProgress
inline constexpr const char* kReport = "report";        ///< then the Winner; the tuning is done
inline constexpr const char* kLog = "log";              ///< then a line for the log
inline constexpr const char* kError = "error";          ///< then the kind and the text; likewise
/// Changes with any of this.
inline constexpr const char* kProtocol = "jitune worker 3";
}  // namespace worker_words

/// A tuning for a worker.
struct WorkerRequest {
    std::vector<std::string> kernel;  ///< Kernel::spec
    std::string template_hash;        ///< of the kernel that is meant
    std::string device;               ///< "cuda:0" or "host"
    Problem problem;
    std::string incumbent;  ///< TuneOptions::incumbent as text; empty: none
    TuneOptions options;    ///< without what cannot travel: incumbent, stop, progress, observer
};

void write_request(MessageWriter& writer, const WorkerRequest& request);
void write_progress(MessageWriter& writer, const TuneProgress& progress);

/// Throw Error(unavailable) for fields that are none.
WorkerRequest read_request(MessageReader& reader);
TuneProgress read_progress(MessageReader& reader);

}  // namespace jitune::internal
