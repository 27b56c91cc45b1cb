#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "cli/record_text.hpp"
#include "cli/sizes.hpp"
#include "cli/table.hpp"
#include "cli/units.hpp"
#include "engine/problem.hpp"
#include "jitune/error.hpp"
#include "measure/statistics.hpp"

namespace jitune {

namespace {

struct Arguments : CommonArguments {
    std::size_t row = 0;  ///< zero: by the filters
    std::string kernel;
    std::string type;
    std::string op;
    std::string n;
    std::string device_class;
};

bool has_type(const Winner& winner, const std::string& name, const std::string& value) {
    const std::string padded = " " + winner.key.types + " ";
    return value.empty() || padded.find(fmt::format(" {}={} ", name, value)) != std::string::npos;
}

std::optional<std::int64_t> wanted_bucket(const Arguments& arguments) {
    if (arguments.n.empty()) {
        return std::nullopt;
    }
    if (arguments.n.find('x') == std::string::npos) {
        return size_bucket(std::array{parse_size(arguments.n)});
    }
    const SizePair pair = parse_size_pair(arguments.n);
    return size_bucket(std::array{pair.outer, pair.inner});
}

bool matches(const Winner& winner, const Arguments& arguments, std::optional<std::int64_t> bucket) {
    return (arguments.kernel.empty() || winner.key.kernel == arguments.kernel) &&
           has_type(winner, "element", arguments.type) &&
           has_type(winner, "operation", arguments.op) &&
           (!bucket || winner.key.bucket == *bucket) &&
           winner.key.device_class.find(arguments.device_class) != std::string::npos;
}

const Winner& by_filters(const std::vector<Winner>& winners, const Arguments& arguments) {
    const auto bucket = wanted_bucket(arguments);
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < winners.size(); ++i) {
        if (matches(winners[i], arguments, bucket)) {
            rows.push_back(i + 1);
        }
    }
    if (rows.empty()) {
        throw Error(ErrorKind::usage, "no winner matches: see jitune db list");
    }
    if (rows.size() > 1) {
        throw Error(ErrorKind::usage,
                    fmt::format("{} winners match: name one by its row in jitune db list ({}), or "
                                "narrow it down with --kernel, --type, --op, -n, --device-class",
                                rows.size(), fmt::join(rows, ", ")));
    }
    return winners[rows.front() - 1];
}

const Winner& select(const std::vector<Winner>& winners, const Arguments& arguments) {
    if (arguments.row == 0) {
        return by_filters(winners, arguments);
    }
    if (arguments.row > winners.size()) {
        throw Error(ErrorKind::usage, fmt::format("there is no row {}: jitune db list has {}",
                                                  arguments.row, winners.size()));
    }
    return winners[arguments.row - 1];
}

std::string time_line(const Winner& winner) {
    std::string line =
        fmt::format("{}, noise {:.2f} %", time_text(winner.median_ns), winner.noise * 100);
    if (winner.certainty.uncertainty > 0) {
        line += fmt::format(", median within {:.2f} %", winner.certainty.uncertainty * 100);
    }
    return line;
}

std::string speed_up_line(const Winner& winner) {
    const std::string interval = speed_up_interval_text(winner.certainty);
    return speed_up_text(winner) + (interval.empty() ? "" : fmt::format(" ({})", interval));
}

std::string winner_text(const Winner& winner) {
    const auto& [key, sizes, configuration, median_ns, noise, default_ns, complete, format, image,
                 symbols, provenance, reproducibility, certainty] = winner;
    const std::vector<std::pair<const char*, std::string>> lines{
        {"kernel", key.kernel},
        {"types", key.types},
        {"tuned at", sizes},
        {"bucket", bucket_text(key.bucket, sizes)},
        {"alignment", fmt::format("{} bytes", key.alignment)},
        {"device class", key.device_class},
        {"template", key.template_hash},
        {"configuration", configuration},
        {"reproducibility", reproducibility},
        {"time", time_line(winner)},
        {"default", time_text(default_ns)},
        {"speed-up", speed_up_line(winner)},
        {"conditions", certainty.conditions},
        {"search", complete ? "complete" : "ended by its budget"},
        {"binary", fmt::format("{}, {}", format, bytes_text(std::ssize(image)))},
        {"entry points", fmt::format("{}", fmt::join(symbols, " "))},
        {"device", provenance.device_name},
        {"uuid", provenance.device_uuid},
        {"driver", provenance.driver},
        {"compiler", provenance.compiler},
        {"made", provenance.created_at},
    };
    std::string text;
    for (const auto& [name, value] : lines) {
        if (!value.empty()) {
            text += fmt::format("{:<15} {}\n", name, one_line(value));
        }
    }
    return text;
}

std::string measurements_text(const std::vector<Measurement>& measurements) {
    struct Row {
        std::optional<Summary> summary;
        const Measurement* measurement;
    };
    std::vector<Row> order;
    for (const Measurement& measurement : measurements) {
        const bool timed = measurement.verdict == Verdict::timed;
        order.push_back({timed ? std::optional(summarize(measurement.samples_ns)) : std::nullopt,
                         &measurement});
    }
    std::stable_sort(order.begin(), order.end(), [](const Row& left, const Row& right) {
        return left.summary &&
               (!right.summary || left.summary->median_ns < right.summary->median_ns);
    });
    std::vector<Table::Cells> rows;
    for (const auto& [summary, measurement] : order) {
        rows.push_back({to_string(measurement->verdict),
                        summary ? time_text(summary->median_ns) : "",
                        summary ? fmt::format("{:.2f} %", summary->noise * 100) : "",
                        fmt::format("{}", measurement->samples_ns.size()), measurement->sizes,
                        measurement->configuration, measurement->reproducibility,
                        one_line(measurement->reason).substr(0, 60)});
    }
    return Table::text({{"verdict"},
                        {"time", Align::right},
                        {"noise", Align::right},
                        {"samples", Align::right},
                        {"sizes"},
                        {"configuration"},
                        {"reproducibility"},
                        {"reason"}},
                       rows);
}

int run(const Arguments& arguments) {
    const auto store = open_database(arguments.options());
    const auto winners = store->winners();
    const auto winner = store->find(select(winners, arguments).key);
    if (!winner) {
        throw Error(ErrorKind::store,
                    "the row is bad or was replaced just now: try again, then "
                    "see jitune db verify");
    }
    const auto measurements = store->measurements(winner->key);
    if (!arguments.json) {
        print(winner_text(*winner) + fmt::format("\n{} measurements\n", measurements.size()) +
              measurements_text(measurements));
        return kExitOk;
    }
    Json document = to_json(*winner);
    document["image_bytes"] = winner->image.size();
    document["measurements"] = Json::array();
    for (const Measurement& measurement : measurements) {
        document["measurements"].push_back(to_json(measurement));
    }
    print_json(document);
    return kExitOk;
}

}  // namespace

Action add_db_show(CLI::App& app) {
    auto arguments = std::make_shared<Arguments>();
    app.add_option("ROW", arguments->row, "A row number of jitune db list");
    app.add_option("--kernel", arguments->kernel, "As in reduce");
    app.add_option("--type", arguments->type, "Element type, as in float32");
    app.add_option("--op", arguments->op, "Operation, as in sum");
    app.add_option("-n,--size", arguments->n,
                   "A size that the winner serves, as in 2^20 or, for rows x columns, 2^10x2^16");
    app.add_option("--device-class", arguments->device_class, "Part of the device class");
    arguments->add_database(app);
    arguments->add_log(app);
    arguments->add_json(app);
    return [arguments] { return run(*arguments); };
}

}  // namespace jitune
