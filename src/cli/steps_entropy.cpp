// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "articles/entropy_steps.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/sizes.hpp"
#include "cli/table.hpp"
#include "cli/units.hpp"
#include "dispatch/session_access.hpp"
#include "families/entropy/entropy_kernel.hpp"
#include "jitune/session.hpp"
#include "placement/machine.hpp"

namespace jitune::internal::steps_entropy_command {

namespace {

struct Arguments : CommonArguments {
    std::string sizes = "400,2560,10240";
    std::string devices;  ///< empty: a GPU, where there is one, and the host
};

/// A version with its times, one for each size.
struct Line {
    std::string step;
    std::string change;
    std::string device;
    std::vector<EntropyTime> times;
};

/// Rows of square arrays that an entropy can have.
std::vector<std::int64_t> parse_rows(std::string_view text) {
    const std::vector<std::int64_t> sizes = parse_sizes(text);
    for (const std::int64_t size : sizes) {
        refuse_bad_entropy({ElementType::float32, size, size, {}});
    }
    return sizes;
}

std::string_view word(EntropyTime::Outcome outcome) {
    switch (outcome) {
        case EntropyTime::Outcome::timed:
            return "timed";
        case EntropyTime::Outcome::skipped:
            return "skipped";
        case EntropyTime::Outcome::failed:
            break;
    }
    return "failed";
}

/// One run under way: version after version, each shown when it has all its times.
class Steps {
public:
    explicit Steps(const Arguments& arguments)
        : sizes_(parse_rows(arguments.sizes)),
          json_(arguments.json),
          session_(arguments.options()),
          table_(columns(sizes_)) {
        if (arguments.devices.empty()) {
            Device& first = SessionAccess::engine(session_).device("auto");
            Device& host = SessionAccess::engine(session_).device(to_string(PlatformKind::host));
            devices_ = &first == &host ? std::vector{&host} : std::vector{&first, &host};
            return;
        }
        for (const std::string& id : parse_list("--devices", arguments.devices)) {
            devices_.push_back(&SessionAccess::engine(session_).device(id));
        }
    }

    int run() {
        for (const Device* device : devices_) {
            show(fmt::format("{}: {}\n", device->info().id, device->info().name));
        }
        show(
            "entropies of 5 x 5 windows, float32, 16 levels; time: kernel / with copies from and "
            "to host memory\n");
        show(table_.header());
        for (Device* device : devices_) {
            run_on(*device);
        }
        if (std::any_of(devices_.begin(), devices_.end(), [](const Device* device) {
                return device->info().platform == PlatformKind::host;
            })) {
            Device& machine =
                device_of(SessionAccess::engine(session_), to_string(PlatformKind::machine));
            add("v14", "placed: cores, GPUs or both", machine, [&](std::int64_t size) {
                return run_placed_entropy_step(SessionAccess::engine(session_), size,
                                               interrupt_.requested());
            });
        }
        if (json_) {
            print_json(to_json());
        }
        if (interrupt_.requested()) {
            return kExitInterrupted;
        }
        return failed_ ? kExitFailed : kExitOk;
    }

private:
    static std::vector<Column> columns(const std::vector<std::int64_t>& sizes) {
        std::vector<Column> columns{
            {"step", Align::left, 7}, {"change", Align::left, 31}, {"device", Align::left, 7}};
        for (const std::int64_t size : sizes) {
            columns.push_back({fmt::format("{}^2", size), Align::right, 19});
        }
        return columns;
    }

    void run_on(Device& device) {
        Engine& engine = SessionAccess::engine(session_);
        const bool is_host = device.info().platform == PlatformKind::host;
        for (const EntropyStep& step : entropy_steps()) {
            if ((step.platform == PlatformKind::host) == is_host) {
                add(std::string(step.name), std::string(step.change), device,
                    [&](std::int64_t size) {
                        return run_entropy_step(engine, device, step, size, interrupt_.requested());
                    });
            }
        }
        add("jitune", "the tuned winner", device, [&](std::int64_t size) {
            return run_own_entropy(engine, device, size, interrupt_.requested());
        });
    }

    template <class Measure>
    void add(std::string step, std::string change, const Device& device, const Measure& measure) {
        Line line{std::move(step), std::move(change), device.info().id, {}};
        for (const std::int64_t size : sizes_) {
            if (interrupt_.requested()) {
                return;
            }
            line.times.push_back(measure(size));
            failed_ = failed_ || line.times.back().outcome == EntropyTime::Outcome::failed;
        }
        Table::Cells cells{line.step, line.change, line.device};
        for (const EntropyTime& time : line.times) {
            cells.push_back(text(time));
        }
        show(table_.line(cells));
        lines_.push_back(std::move(line));
    }

    static std::string text(const EntropyTime& time) {
        if (time.outcome != EntropyTime::Outcome::timed) {
            return std::string(word(time.outcome));
        }
        return fmt::format("{} / {}", time.kernel_ns > 0 ? time_text(time.kernel_ns) : "-",
                           time_text(time.whole_ns()));
    }

    void show(const std::string& text) const {
        if (!json_) {
            print(text);
        }
    }

    [[nodiscard]] Json to_json() const {
        Json steps = Json::array();
        for (const Line& line : lines_) {
            for (std::size_t i = 0; i < line.times.size(); ++i) {
                const EntropyTime& time = line.times[i];
                Json json{{"step", line.step},
                          {"change", line.change},
                          {"device", line.device},
                          {"size", sizes_[i]},
                          {"outcome", word(time.outcome)}};
                if (time.outcome == EntropyTime::Outcome::timed) {
                    json["configuration"] = time.configuration;
                    if (time.placed_ns == 0) {
                        json["kernel_ns"] = time.kernel_ns;
                        json["copies_ns"] = time.copies_ns;
                    }
                    json["whole_ns"] = time.whole_ns();
                } else {
                    json["note"] = time.note;
                }
                steps.push_back(std::move(json));
            }
        }
        return {{"kernel", "entropy"},
                {"interrupted", interrupt_.requested().load()},
                {"steps", steps}};
    }

    const std::vector<std::int64_t> sizes_;
    const bool json_;
    Session session_;
    std::vector<Device*> devices_;
    const Interrupt interrupt_;
    const Table table_;
    std::vector<Line> lines_;
    bool failed_ = false;
};

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<Arguments>();
    Arguments& given = *arguments;
    std::vector<Option> options{
        {"--sizes", &given.sizes, "Rows of square arrays, by comma [400,2560,10240]"},
        {"--devices", &given.devices, "Of cuda, cuda:N and host [those there are]"},
        given.budget_option("Seconds for tuning jitune's own kernel [JITUNE_BUDGET, else 2]"),
        given.database_option(),
        given.log_option(),
        given.json_option()};
    return {std::move(options), [arguments] { return Steps(*arguments).run(); }};
}

}  // namespace jitune::internal::steps_entropy_command
