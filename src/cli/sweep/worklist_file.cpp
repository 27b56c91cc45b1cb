// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/worklist_file.hpp"

#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "cli/db/record_json.hpp"
#include "cli/formats/json_file.hpp"
#include "families/families.hpp"
#include "jitune/error.hpp"
#include "support/message.hpp"
#include "template/problem.hpp"

namespace jitune::internal {

namespace {

constexpr const char* kSpec = "kernel_spec";
constexpr std::string_view kLeftOut = "winner_at";  // of a winner of this database

/// Throws Error(usage) for code of another kernel than the key names: its winners would not be
/// those of the key. Code that this build cannot make is for another one.
void check_kernel(const CallRecord& miss, const Message& spec) {
    std::optional<Kernel> kernel;
    try {
        kernel = make_kernel(families(), spec);
    } catch (const Error&) {
        return;
    }
    const std::string& name = kernel->kernel_template.front_matter().kernel;
    if (miss.key.kernel != name && !miss.key.kernel.starts_with(name + ":")) {
        throw Error(ErrorKind::usage,
                    fmt::format("{} {} {}: its code is of the kernel {}", miss.key.kernel,
                                miss.key.types, miss.sizes, name));
    }
    kernel->kernel_template.check({miss.key.kernel, miss.problem_types().value(),
                                   miss.problem_sizes().value(), miss.key.alignment});
}

CallRecord miss_from(const Json& row) {
    auto miss = internal::from_json<CallRecord>(row, kLeftOut);  // not that of nlohmann
    Message spec;
    read_member(row, {kSpec}, spec);
    const bool is_sound = !spec.empty() && !miss.key.kernel.empty() &&
                          !miss.key.template_hash.empty() && !miss.key.device_class.empty() &&
                          miss.key.alignment > 0 && miss.calls > 0 && miss.sessions > 0 &&
                          !miss.origin.empty() && miss.problem_sizes() && miss.problem_types();
    if (!is_sound) {
        throw Error(ErrorKind::usage,
                    fmt::format("{} {} {}: a number is below 1, a text is empty, or types or sizes "
                                "are not written as in \"n=1000\"",
                                miss.key.kernel, miss.key.types, miss.sizes));
    }
    check_kernel(miss, spec);
    miss.key.bucket = size_bucket(miss.problem_sizes().value());
    miss.kernel_spec = frame(spec);
    return miss;
}

/// An error names the problem by its place.
std::vector<CallRecord> misses_in(const Json& document) {
    std::vector<CallRecord> misses;
    for (const Json& row : list_member(document, "worklist")) {
        try {
            misses.push_back(miss_from(row));
        } catch (const Error& error) {
            throw Error(ErrorKind::usage,
                        fmt::format("problem {}: {}", misses.size() + 1, error.what()));
        }
    }
    return misses;
}

}  // namespace

Json worklist_json(std::span<const WorkItem> items) {
    Json rows = Json::array();
    for (const WorkItem& item : items) {
        for (const CallRecord& miss : item.misses) {
            Json row = to_json(miss, kLeftOut);
            row[kSpec] = miss.spec().value_or(Message{});
            row["estimated_call_ns"] = item.call_ns;
            row["estimated_saved_s"] = item.saved_s;
            row["estimated_tuning_s"] = item.tune_s;
            row["provisional"] = item.is_provisional;
            rows.push_back(row);
        }
    }
    Json document = Json::object();
    document["worklist"] = rows;
    return document;
}

std::vector<CallRecord> read_worklist(const std::filesystem::path& path) {
    return misses_of(read_json_text(path), path.string());
}

std::vector<CallRecord> misses_of(const std::string& text, const std::string& path) {
    const Json document = parse_json(text, path);
    try {
        return misses_in(document);
    } catch (const Error& error) {
        throw Error(ErrorKind::usage,
                    fmt::format("{}: {}: give a file that \"jitune worklist export\" has written",
                                path, error.what()));
    }
}

}  // namespace jitune::internal
