// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/app/command.hpp"
#include "cli/formats/json.hpp"
#include "dispatch/engine.hpp"
#include "families/own/npy.hpp"

namespace jitune::internal {

/// What a family makes of the array in a file: a problem, how it is launched, and how it is shown.
struct FileProblem {
    /// A launch of the problem on a device.
    struct Launch {
        const Resolved& answer;
        Task task;
        Case data;
    };
    /// Null if the call launches no kernel.
    std::function<Launch(Engine& engine, Device& device)> launch = nullptr;
    std::string nothing;  ///< why there is nothing to launch, for the text
    double bytes = 0;     ///< that a launch reads and writes

    ElementType output_type = ElementType::float32;
    std::vector<std::int64_t> output_shape = {};
    std::vector<std::byte> output = {};  ///< of the launch; the family's if nothing is launched

    /// The problem in the JSON document, and in lines of name and value.
    Json json = {};
    std::vector<std::pair<std::string, std::string>> lines = {};
};

/// A family's command that runs its kernel on the array in a file. Each family derives its own.
struct FileCommand {
    virtual ~FileCommand() = default;

    /// The options of the family, FILE among them.
    virtual std::vector<Option> options() = 0;
    /// Throws Error(usage) for arguments that are wrong whatever the array is. Before it is read.
    virtual void check() {}
    /// The problem in `file`, which outlives it. Throws Error(usage) for an array or for arguments
    /// that the family does not take.
    virtual FileProblem problem(const NpyFile& file) = 0;
    /// Adds to a problem that has its output what only the output tells.
    virtual void complete(FileProblem& /*problem*/) const {}

    std::string file;
    std::string output;          ///< empty: the output is not written
    bool can_be_placed = false;  ///< the device may be "machine"
};

/// The command: reads the file, launches and times the kernel that answers, writes the output, and
/// prints what was launched and how fast it was.
Invocation file_invocation(std::shared_ptr<FileCommand> command);

/// An input with a copy of `bytes` bytes of memory, which need not be aligned.
CaseArgument input_of(const void* data, std::size_t bytes);

}  // namespace jitune::internal
