#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <variant>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/npy.hpp"
#include "cli/output.hpp"
#include "cli/units.hpp"
#include "ops/reduce_kernel.hpp"

namespace jitune {

namespace {

using Number = std::variant<std::int32_t, std::int64_t, float, double>;

struct Arguments : CommonArguments {
    std::string file;
    std::string op = "sum";
    std::string device = "auto";
};

struct Answer {
    Number value;
    std::optional<DispatchInfo> info;  ///< nothing was dispatched for an empty array
    double seconds = 0;
    double gb_per_s = 0;
    std::int64_t compiles = 0;
};

template <class T>
T identity(ReduceOp op) {
    using Limits = std::numeric_limits<T>;
    switch (op) {
        case ReduceOp::sum:
            return T{};
        case ReduceOp::min:
            return Limits::has_infinity ? Limits::infinity() : Limits::max();
        case ReduceOp::max:
            break;
    }
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
}

template <class T>
T read(const std::byte* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

/// The identity of `op`, or the value in `bytes`.
template <class T>
Number number(ReduceOp op, const std::byte* bytes) {
    return bytes == nullptr ? identity<T>(op) : read<T>(bytes);
}

Number number(ElementType type, ReduceOp op, const std::byte* bytes) {
    switch (type) {
        case ElementType::int32:
            return number<std::int32_t>(op, bytes);
        case ElementType::int64:
            return number<std::int64_t>(op, bytes);
        case ElementType::float32:
            return number<float>(op, bytes);
        case ElementType::float64:
            break;
    }
    return number<double>(op, bytes);
}

Answer answer(const Arguments& arguments, const NpyFile& file, ReduceOp op) {
    const NpyHeader& header = file.header();
    Options options = arguments.options();
    if (header.count == 0) {
        return {.value = number(header.type, op, nullptr), .info = std::nullopt};
    }
    Session session(options);
    Engine& engine = session.engine();
    const TimedReduction reduction = timed_reduce(engine, engine.backend(arguments.device),
                                                  header.type, file.data(), header.count, op);
    const auto bytes = static_cast<double>(header.count * bytes_of(header.type));
    return {.value = number(header.type, op, reduction.value),
            .info = reduction.info,
            .seconds = reduction.seconds,
            .gb_per_s = bytes / reduction.seconds / 1e9,
            .compiles = engine.counters().compiles};
}

Json to_json(const Answer& answer, ElementType type, ReduceOp op, std::size_t n) {
    Json document;
    document["value"] = std::visit(
        [](auto value) -> Json {
            if constexpr (std::is_integral_v<decltype(value)>) {
                return value;
            } else {
                return json_number(value);
            }
        },
        answer.value);
    document["type"] = to_string(type);
    document["n"] = n;
    document["op"] = to_string(op);
    document["device"] = answer.info ? Json(answer.info->device) : Json();
    document["origin"] = answer.info ? Json(to_string(answer.info->origin)) : Json();
    document["configuration"] = answer.info ? Json(answer.info->configuration) : Json();
    document["seconds"] = answer.seconds;
    document["gb_per_s"] = answer.gb_per_s;
    document["compiles"] = answer.compiles;
    return document;
}

std::string to_text(const Answer& answer, ElementType type, ReduceOp op, std::size_t n) {
    const std::string value =
        std::visit([](auto number) { return fmt::format("{}", number); }, answer.value);
    std::string text = fmt::format("{:<14} {}\n", fmt::format("{}", to_string(op)), value);
    text += fmt::format("{:<14} {} {}\n", "of", n, to_string(type));
    if (!answer.info) {
        return text + fmt::format("{:<14} nothing to launch for an empty array\n", "device");
    }
    text +=
        fmt::format("{:<14} {} ({})\n", "device", answer.info->device, answer.info->device_name);
    text += fmt::format("{:<14} {}\n", "configuration", answer.info->configuration);
    text += fmt::format("{:<14} {}\n", "origin", to_string(answer.info->origin));
    text += fmt::format("{:<14} {}\n", "time", time_text(answer.seconds * 1e9));
    text += fmt::format("{:<14} {} GB/s\n", "rate", rate_text(answer.gb_per_s));
    return text;
}

int run(const Arguments& arguments) {
    const ReduceOp op = parse_reduce_op(arguments.op);
    const NpyFile file(arguments.file);
    const NpyHeader& header = file.header();
    const Answer result = answer(arguments, file, op);
    if (arguments.json) {
        print_json(to_json(result, header.type, op, header.count));
    } else {
        print(to_text(result, header.type, op, header.count));
    }
    return kExitOk;
}

}  // namespace

Action add_reduce(CLI::App& app) {
    auto arguments = std::make_shared<Arguments>();
    app.add_option("FILE", arguments->file,
                   "A .npy array of little-endian int32, int64, float32 or float64")
        ->required();
    app.add_option("--op", arguments->op, "sum, min or max [sum]");
    app.add_option("--device", arguments->device, "auto, host, cuda or cuda:N [auto]");
    app.add_option("--tune", arguments->tune,
                   "Without a stored winner: now, nearest or default [JITUNE_TUNE, else now]");
    app.add_option("--budget", arguments->budget,
                   "Seconds that tuning may take [JITUNE_BUDGET, else 2]");
    arguments->add_database(app);
    arguments->add_log(app);
    arguments->add_json(app);
    return [arguments] { return run(*arguments); };
}

}  // namespace jitune
