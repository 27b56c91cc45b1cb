// SPDX-License-Identifier: Apache-2.0
// jitune db delete, pin, unpin, prune, compact

#include <map>
#include <optional>
#include <set>

#include "cli/app/common_options.hpp"
#include "cli/db/winner_filter.hpp"
#include "cli/families/sizes.hpp"
#include "jitune/session.hpp"
#include "support/embedded.hpp"
#include "support/utf8.hpp"
#include "template/kernel_template.hpp"
#include "template/template_headers.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"
#include "tuner_db/winners/precedence.hpp"
#include "tuner_db/winners/trust.hpp"

namespace jitune::internal::db_edit_command {

namespace {

struct Arguments : FilterArguments {
    bool all = false;
    bool measurements = false;
    bool dry_run = false;
};

std::string name_of(const Winner& winner) {
    return one_line(
        fmt::format("{} {} {} {}, {}", short_id(winner), winner.key.kernel,
                    short_types(winner.key.types), short_served_text(winner), server_text(winner)),
        kShownCharacters);
}

void print_result(const Arguments& arguments, const Options& options, const char* done,
                  const std::vector<Winner>& winners) {
    std::string text;
    for (const Winner& winner : winners) {
        text += fmt::format("{}: {}\n", done, name_of(winner));
    }
    print_either(arguments.json,
                 {{"path", options.database.string()},
                  {"dry_run", arguments.dry_run},
                  {"winners", json_list(winners, winner_id)}},
                 text);
}

int run_delete(const Arguments& arguments) {
    const Options options = arguments.options();
    if (arguments.filter.is_empty() != arguments.all) {
        throw Error(ErrorKind::usage,
                    arguments.all ? "--all deletes every winner: leave the filters out, or --all"
                                  : "nothing says which winners to delete: name an ID, give "
                                    "filters such as --kernel, or --all for every one");
    }
    const auto store = change_database(options);
    const std::vector<Winner> winners =
        arguments.filter.of(store->winners(), Log(options.log_level, options.log_sink));
    if (!arguments.dry_run) {
        store->remove(winners, arguments.measurements);
    }
    print_result(arguments, options, arguments.dry_run ? "would delete" : "deleted", winners);
    return kExitOk;
}

int run_pin(const Arguments& arguments, bool pinned) {
    const Options options = arguments.options();
    const auto store = change_database(options);
    const std::vector<Winner> winners = store->winners();
    const Winner& winner = arguments.filter.only_one(winners);
    if (pinned && !may_serve(trust_of(winner))) {
        throw Error(ErrorKind::usage,
                    fmt::format("cannot pin {}: calls do not use it, because it {}: tune it first",
                                name_of(winner),
                                winner.image_format == kNoCode ? "has no code" : "is unsure"));
    }
    store->pin(winner_id(winner), pinned);
    print_result(arguments, options, pinned ? "pinned" : "not pinned any more", {winner});
    return kExitOk;
}

struct PruneArguments : CommonArguments {
    bool old_templates = false;
    bool other_devices = false;
    std::optional<std::int64_t> measurements;
    std::string most_bytes;
    bool dry_run = false;
};

/// The hashes of the built-in templates by the names of their kernels.
std::map<std::string, std::set<std::string>> built_in_hashes() {
    std::map<std::string, std::set<std::string>> hashes;
    for (const embedded::File& file : embedded::kernel_templates) {
        const std::string kernel(kernel_of_template(file.name));
        if (!kernel.empty()) {
            hashes[kernel].insert(KernelTemplate(builtin_template(file.name)).hash());
        }
    }
    return hashes;
}

/// The classes of the devices of this machine.
std::set<std::string> own_device_classes(Options options) {
    options.database.clear();
    Session session(options);
    std::set<std::string> classes;
    for (const DeviceDescription& device : session.devices()) {
        classes.insert(device.device_class);
    }
    return classes;
}

PruneRules rules_of(const PruneArguments& arguments, const Options& options) {
    PruneRules rules;
    rules.dry_run = arguments.dry_run;
    rules.measurements_per_key = arguments.measurements.value_or(PruneRules::kAll);
    if (rules.measurements_per_key < 0) {
        throw Error(ErrorKind::usage, fmt::format("--measurements {}: give a number, 0 or more",
                                                  rules.measurements_per_key));
    }
    if (!arguments.most_bytes.empty()) {
        rules.bytes = parse_size(arguments.most_bytes);
    }
    if (arguments.old_templates || arguments.other_devices) {
        const auto hashes = arguments.old_templates
                                ? built_in_hashes()
                                : std::map<std::string, std::set<std::string>>{};
        const auto classes =
            arguments.other_devices ? own_device_classes(options) : std::set<std::string>{};
        rules.is_dead = [hashes, classes](const RecordKey& key) {
            const auto known = hashes.find(key.kernel);
            const bool is_old = known != hashes.end() && !has_custom_operation(key.types) &&
                                !known->second.contains(key.template_hash);
            return is_old || (!classes.empty() && !classes.contains(key.device_class));
        };
    }
    return rules;
}

int run_prune(const PruneArguments& arguments) {
    const Options options = arguments.options();
    const PruneRules rules = rules_of(arguments, options);
    const auto store = change_database(options);
    const PruneReport report = store->prune(rules);
    if (!arguments.dry_run && rules.bytes != PruneRules::kAll) {
        store->compact();
    }
    print_either(
        arguments.json,
        {{"path", options.database.string()},
         {"dry_run", arguments.dry_run},
         {"winners", report.winners},
         {"measurements", report.measurements},
         {"binaries", report.binaries}},
        fmt::format("{}: {}, {} and {}{}\n", arguments.dry_run ? "would delete" : "deleted",
                    count_text(report.winners, "winner"),
                    count_text(report.measurements, "measurement"),
                    report.binaries == 1 ? "1 binary" : fmt::format("{} binaries", report.binaries),
                    rules.bytes == PruneRules::kAll && report.winners + report.measurements > 0
                        ? "; jitune db compact gives their room back"
                        : ""));
    return kExitOk;
}

int run_compact(const CommonArguments& arguments) {
    const Options options = arguments.options();
    const auto store = change_database(options);
    const std::int64_t before = store->status().bytes;
    store->compact();
    const std::int64_t after = store->status().bytes;
    const std::string path = options.database.string();
    print_either(arguments.json, {{"path", path}, {"bytes_before", before}, {"bytes", after}},
                 fmt::format("{}: {}, was {}\n", path, bytes_text(after), bytes_text(before)));
    return kExitOk;
}

}  // namespace

Invocation delete_invocation() {
    return invocation_of<Arguments>(run_delete, [](Arguments& given) {
        return given.usual_options(
            {{"--all", &given.all, "Every winner"},
             {"--measurements", &given.measurements,
              "Also all measurements of their kernels, types and devices"},
             {"--dry-run", &given.dry_run, "Say what would go, and change nothing"}});
    });
}

Invocation pin_invocation() {
    return invocation_of<Arguments>([](const Arguments& given) { return run_pin(given, true); });
}

Invocation unpin_invocation() {
    return invocation_of<Arguments>([](const Arguments& given) { return run_pin(given, false); });
}

Invocation prune_invocation() {
    auto arguments = std::make_shared<PruneArguments>();
    return {
        {{"--old-templates", &arguments->old_templates,
          "Rows of built-in kernels, and of others of their names, in versions that this jitune "
          "does not have"},
         {"--other-devices", &arguments->other_devices,
          "Rows of classes of devices that this machine does not have; the host's class has its "
          "number of cores"},
         {"--measurements", &arguments->measurements,
          "Leave so many measurements of each kernel, types, device and bucket: the younger "
          "ones"},
         {"--max-size", &arguments->most_bytes,
          "Delete kept code, then the oldest measurements, until the file is that small, as in "
          "100M"},
         {"--dry-run", &arguments->dry_run, "Say what would go, and change nothing"},
         arguments->database_option(),
         arguments->log_option(),
         arguments->json_option()},
        [arguments] { return run_prune(*arguments); }};
}

Invocation compact_invocation() {
    return invocation_of<CommonArguments>(run_compact);
}

}  // namespace jitune::internal::db_edit_command
