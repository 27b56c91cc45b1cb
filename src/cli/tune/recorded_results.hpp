// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/formats/json.hpp"
#include "cli/formats/json_file.hpp"
#include "strategy/recorded_space.hpp"

namespace jitune::internal {

/// Kernel Tuner's mark of a failure, in place of a time.
constexpr double kFailureOfKernelTuner = 1e20;

/// Results that another program has measured, to be made a space.
class RecordedResults {
public:
    explicit RecordedResults(std::vector<std::string> names) : names_(std::move(names)) {}

    /// Adds the result of a configuration, an object whose members have the parameters' names; of
    /// equal configurations the last one counts. `result` names it in messages: "result 3". Throws
    /// Error(usage) for a parameter without a value and for a value that is a list or an object.
    void add(const ParsedJson& configuration, const std::string& result,
             std::optional<double> time_ns);

    /// The space of these results. Integers stay integers; if a parameter has other values, all of
    /// its values become texts. Throws Error(usage) if there are no results, or none works.
    [[nodiscard]] RecordedSpace space() const;

private:
    std::vector<std::string> names_;
    std::map<std::vector<Value>, std::optional<double>> times_;
};

/// The names and values of a stored configuration, "block=32 mode=fast": integers are numbers.
std::vector<std::pair<std::string, Json>> configuration_members(const std::string& configuration);

/// The recorded results in the text of a document: a cache of Kernel Tuner, also one that it has
/// not closed, or T4. Throws Error(usage) with the document's name.
RecordedSpace parse_recorded(const std::string& text, const std::string& name);

/// As above, from a file, plain or gzip.
RecordedSpace read_recorded(const std::filesystem::path& path);

}  // namespace jitune::internal
