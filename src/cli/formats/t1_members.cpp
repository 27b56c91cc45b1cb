// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/t1_members.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

constexpr std::string_view kRead;                 // an empty reason
constexpr std::string_view kDescribes = "quiet";  // describes the problem, or repeats what is read

struct T1Member {
    std::string_view object, name;
    std::string_view reason = kRead;
    bool is_refused = false;
};

constexpr std::string_view kProblem = "";
constexpr std::string_view kSpace = "ConfigurationSpace";
constexpr std::string_view kParameter = "TuningParameters";
constexpr std::string_view kCondition = "Conditions";
constexpr std::string_view kKernel = "KernelSpecification";
constexpr std::string_view kArgument = "Arguments";

constexpr std::array kT1Members{
    T1Member{kProblem, "ConfigurationSpace"},
    T1Member{kProblem, "KernelSpecification"},
    T1Member{kProblem, "General", kDescribes},
    T1Member{kProblem, "$schema", kDescribes},
    T1Member{kProblem, "schema_version", kDescribes},
    T1Member{kProblem, "BenchmarkConfig", "jitune takes sizes and limits from the other members"},
    T1Member{kProblem, "Search", "--strategy says how to search"},
    T1Member{kProblem, "Budget", "--budget and --evaluations say how long to search"},

    T1Member{kSpace, "TuningParameters"},
    T1Member{kSpace, "Conditions"},
    T1Member{kSpace, "Constraints"},

    T1Member{kParameter, "Name"},
    T1Member{kParameter, "Values"},
    T1Member{kParameter, "Default"},
    T1Member{kParameter, "Type", kDescribes},
    T1Member{kParameter, "Description", kDescribes},

    T1Member{kCondition, "Expression"},
    T1Member{kCondition, "Parameters", kDescribes},

    T1Member{kKernel, "Language"},
    T1Member{kKernel, "KernelName"},
    T1Member{kKernel, "KernelFile"},
    T1Member{kKernel, "CompilerOptions"},
    T1Member{kKernel, "ProblemSize"},
    T1Member{kKernel, "GridDivX"},
    T1Member{kKernel, "GridDivY"},
    T1Member{kKernel, "GridDivZ"},
    T1Member{kKernel, "GlobalSizeType"},
    T1Member{kKernel, "GlobalSize"},
    T1Member{kKernel, "LocalSize"},
    T1Member{kKernel, "SharedMemory"},
    T1Member{kKernel, "Arguments"},
    T1Member{kKernel, "BenchmarkName", kDescribes},
    T1Member{kKernel, "Description", kDescribes},
    T1Member{kKernel, "Device", "--device says where to tune"},
    T1Member{kKernel, "Profiling", "jitune reads no hardware counters"},
    T1Member{kKernel, "SimulationInput", "replay and --from read recorded results"},
    T1Member{kKernel, "Misc", "jitune always compiles with NVRTC"},
    T1Member{kKernel, "Stream", "jitune launches in a stream of its own: leave it out", true},
    T1Member{kKernel, "ReferenceArguments",
             "jitune compares with the results of the default configuration: leave it out, or "
             "write a kernel template with [reference]",
             true},

    T1Member{kArgument, "Name"},
    T1Member{kArgument, "Type"},
    T1Member{kArgument, "TypeSize"},
    T1Member{kArgument, "Size"},
    T1Member{kArgument, "MemoryType"},
    T1Member{kArgument, "MemType"},
    T1Member{kArgument, "AccessType"},
    T1Member{kArgument, "FillType"},
    T1Member{kArgument, "FillValue"},
    T1Member{kArgument, "DataSource"},
    T1Member{kArgument, "Output"},
    T1Member{kArgument, "Description", kDescribes},
    T1Member{kArgument, "RandomSeed", "jitune's random data are the same in every run"},
};

class UnreadMembers {
public:
    std::vector<std::string> lines(const ParsedJson& document) {
        add(document, kProblem);
        if (const ParsedJson* const space = find_member(document, "ConfigurationSpace")) {
            add(*space, kSpace);
            add_each(*space, "TuningParameters", kParameter);
            add_each(*space, "Conditions", kCondition);
            add_each(*space, "Constraints", kCondition);
        }
        if (const ParsedJson* const kernel = find_member(document, "KernelSpecification")) {
            add(*kernel, kKernel);
            add_each(*kernel, "Arguments", kArgument);
        }
        return std::move(lines_);
    }

private:
    void add_each(const ParsedJson& object, const char* key, std::string_view kind) {
        const ParsedJson* const list = find_member(object, key);
        for (std::size_t i = 0; list != nullptr && list->is_array() && i < list->size(); ++i) {
            add((*list)[i], kind);
        }
    }

    void add(const ParsedJson& object, std::string_view kind) {
        if (!object.is_object()) {
            return;
        }
        for (const auto& [name, value] : object.items()) {
            if (!value.is_null()) {
                add_member(kind, name);
            }
        }
    }

    void add_member(std::string_view kind, const std::string& name) {
        const auto* const row = std::find_if(
            kT1Members.begin(), kT1Members.end(),
            [&](const T1Member& one) { return one.object == kind && one.name == name; });
        const std::string path = kind.empty() ? name : fmt::format("{}.{}", kind, name);
        if (row == kT1Members.end()) {
            add_line(fmt::format("{} is not used: jitune does not know it", path));
        } else if (row->is_refused) {
            throw Error(ErrorKind::usage,
                        fmt::format("{} is not supported: {}", path, row->reason));
        } else if (row->reason != kRead && row->reason != kDescribes) {
            add_line(fmt::format("{} is not used: {}", path, row->reason));
        }
    }

    void add_line(std::string line) {
        if (std::find(lines_.begin(), lines_.end(), line) == lines_.end()) {
            lines_.push_back(std::move(line));
        }
    }

    std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> unread_t1_members(const ParsedJson& document) {
    return UnreadMembers().lines(document);
}

}  // namespace jitune::internal
