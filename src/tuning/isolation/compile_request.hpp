// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/device.hpp"
#include "support/message.hpp"

namespace jitune::internal {

/// The messages between a worker and its compiler processes, which are of the same program. The
/// first field of a message is its name. worker_messages::kReady and kError belong to them, too.
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
