// SPDX-License-Identifier: Apache-2.0
#include "families/own/template_workload.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "backend/platform_table.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

std::unique_ptr<Platform> make_host() {
    if (auto host = make_platform(PlatformKind::host, Log(LogLevel::off))) {
        return host;
    }
    throw Error(ErrorKind::unavailable, "this build of jitune has no host backend");
}

}  // namespace

HostReference::HostReference(TemplateSource source)
    : source_(std::move(source)), host_(make_host()) {}

void HostReference::call(const Instance& instance, std::span<const std::uint64_t> cells) {
    Device& device = host_->device(0);
    const std::string function = fmt::format("the host reference of {}", source_.name);
    auto outcome = binaries_.find("", device.info().device_class, instance);
    if (!outcome) {
        outcome = binaries_.compile(device, source_, "", std::span(&instance, 1)).front();
    }
    if (const auto* failure = std::get_if<CompileFailure>(&*outcome)) {
        throw Error(ErrorKind::compile, fmt::format("compiling {}: {}", function, failure->log));
    }
    Launch launch{};
    launch.step_count = 1;
    launch.steps[0].argument_count = static_cast<std::uint8_t>(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
        launch.cells[i] = cells[i];
        launch.steps[0].arguments[i] = static_cast<std::uint8_t>(i);
    }
    try {
        device.load(std::get<Binary>(*outcome))->launch(launch, nullptr);
    } catch (const Error& error) {
        throw Error(error.kind(), fmt::format("calling {}: {}", function, error.what()),
                    error.native_code());
    }
}

namespace {

using Bytes = std::vector<std::byte>;

// Primes: no multiple of a block or a pack.
constexpr std::array<std::int64_t, 4> kSmall{37, 53, 29, 61};
constexpr std::array<std::int64_t, 4> kMiddle{131, 67, 97, 41};

Problem with_sizes(Problem problem, const std::array<std::int64_t, 4>& sizes) {
    for (std::size_t i = 0; i < problem.sizes.size(); ++i) {
        problem.sizes[i] = std::min(problem.sizes[i], sizes[i % sizes.size()]);
    }
    return problem;
}

/// The whole array as a launch finds it; zeros if it is only written.
Bytes expanded(const CaseArgument& input) {
    if (input.pattern == nullptr) {
        return Bytes(input.bytes);
    }
    Bytes result;
    result.reserve(input.bytes);
    while (result.size() < input.bytes) {
        const std::size_t step = std::min(input.pattern->size(), input.bytes - result.size());
        result.insert(result.end(), input.pattern->begin(),
                      input.pattern->begin() + static_cast<std::ptrdiff_t>(step));
    }
    return result;
}

std::uint64_t address(Bytes& bytes) {
    return reinterpret_cast<std::uintptr_t>(bytes.data());
}

/// The elements of an array of a captured call, which `file` names as a Fill.
Bytes captured_data(const CapturedCall& call, const std::string& file, ElementType type,
                    std::size_t count) {
    return fill_data(Fill::parse(file).value(), type, count, 1, call.folder);
}

std::string compare_outputs(const std::vector<OutputSpec>& specs, std::span<const Bytes> want,
                            std::span<const Bytes> got) {
    for (std::size_t i = 0; i < specs.size(); ++i) {
        if (std::string complaint = compare_output(specs[i], want[i], got[i]); !complaint.empty()) {
            return complaint;
        }
    }
    return {};
}

}  // namespace

TemplateWorkload::TemplateWorkload(const KernelTemplate& kernel, TemplateSource host,
                                   std::filesystem::path folder, std::optional<CapturedCall> call)
    : kernel_(kernel), folder_(std::move(folder)), call_(std::move(call)) {
    const auto& reference = kernel_.front_matter().reference;
    const std::string& name = kernel_.source().name;
    if (!reference) {
        throw Error(ErrorKind::usage,
                    fmt::format("{}: front matter needs [reference], the source of right answers: "
                                "entry = \"a plain kernel\", host = \"a host function\", npy = "
                                "{{ output = \"file.npy\" }} or default = true",
                                name));
    }
    for (const ArgumentSpec& argument : kernel_.front_matter().arguments) {
        if (argument.access == Access::value_array) {
            throw Error(ErrorKind::usage,
                        fmt::format("{}: argument {}: arrays by value are for jitune's own "
                                    "kernels; give it the access `in`",
                                    name, argument.name));
        }
    }
    if (reference->kind == ReferenceSpec::Kind::host) {
        if (host.text.empty()) {
            throw Error(ErrorKind::usage,
                        fmt::format("{}: the host reference \"{}\" must stand between #ifdef "
                                    "JITUNE_HOST and #endif",
                                    name, reference->launch.entry));
        }
        host_ = std::make_unique<HostReference>(std::move(host));
    }
}

ElementType TemplateWorkload::type_of(const ArgumentSpec& argument, const Problem& problem) const {
    const auto type = problem.types.find(argument.type);
    return parse_element_type(type == problem.types.end() ? argument.type : type->second);
}

std::size_t TemplateWorkload::count_of(const ArgumentSpec& argument, const Problem& problem) const {
    const auto count = integer(argument.amount, problem);
    if (count.value_or(-1) < 0) {
        throw Error(ErrorKind::usage,
                    fmt::format("{}: the count of argument {}, \"{}\", is not a number of "
                                "elements for {}; it may use sizes and types",
                                kernel_.source().name, argument.name, argument.amount.text(),
                                sizes_text(problem, kernel_.front_matter().sizes)));
    }
    return static_cast<std::size_t>(*count);
}

Fill TemplateWorkload::bound_fill(const ArgumentSpec& argument, const Problem& problem) const {
    return argument.fill.bound(
        [&](const Expression& expression) { return kernel_.value_of(expression, problem); },
        [&](const std::string& name) {
            return named_file("{" + name + "}", kernel_.front_matter(), problem);
        });
}

CaseArgument TemplateWorkload::case_argument(const ArgumentSpec& argument, const Problem& problem,
                                             bool misaligned, std::uint64_t seed,
                                             const CapturedCall* call) const {
    const ElementType type = type_of(argument, problem);
    CaseArgument result;
    if (argument.access == Access::value) {
        const auto value = kernel_.value_of(argument.amount, problem);
        result.value = call != nullptr ? call->values.at(argument.name)
                                       : value_bits(type, value.value_or(Scalar{}),
                                                    "value of " + argument.name);
        return result;
    }
    const std::size_t count = count_of(argument, problem);
    result.bytes = count * bytes_of(type);
    result.written = is_written(argument.access);
    if (!is_read(argument.access)) {
        return result;
    }
    result.pattern = std::make_shared<const Bytes>(
        call != nullptr ? captured_data(*call, call->inputs.at(argument.name), type, count)
                        : fill_data(bound_fill(argument, problem), type, count, seed, folder_));
    const auto element = static_cast<std::int64_t>(bytes_of(type));
    result.offset = misaligned ? static_cast<std::size_t>(argument.alignment.value_or(element)) : 0;
    return result;
}

std::vector<Bytes> TemplateWorkload::host_answers(const Case& one, const Problem& problem) const {
    const FrontMatter& front = kernel_.front_matter();
    std::vector<Bytes> arrays;
    arrays.reserve(front.arguments.size());
    std::map<std::string, std::uint64_t> cells;
    std::vector<std::size_t> outputs;
    auto given = one.arguments.begin();
    for (const ArgumentSpec& argument : front.arguments) {
        if (argument.access == Access::value) {
            cells[argument.name] = *(given++)->value;
        } else if (is_given(argument.access)) {
            if (given->written) {
                outputs.push_back(arrays.size());
            }
            cells[argument.name] = address(arrays.emplace_back(expanded(*given++)));
        } else if (const auto value = kernel_.value_of(argument.amount, problem)) {
            cells[argument.name] = value_bits(type_of(argument, problem), *value, argument.name);
        }
    }
    std::vector<std::uint64_t> called;
    for (const std::string& name : front.reference->launch.arguments) {
        const auto cell = cells.find(name);
        if (cell == cells.end()) {
            throw Error(ErrorKind::usage,
                        fmt::format("{}: the host reference takes \"{}\", which depends on the "
                                    "configuration",
                                    kernel_.source().name, name));
        }
        called.push_back(cell->second);
    }
    host_->call(kernel_.host_reference(problem), called);
    std::vector<Bytes> result;
    for (const std::size_t output : outputs) {
        result.push_back(std::move(arrays[output]));
    }
    return result;
}

std::vector<Bytes> TemplateWorkload::answers(const Case& one, const Problem& problem,
                                             const CapturedCall* call) const {
    const FrontMatter& front = kernel_.front_matter();
    if (call == nullptr && front.reference->kind == ReferenceSpec::Kind::host) {
        return host_answers(one, problem);
    }
    std::vector<Bytes> result;
    for (const ArgumentSpec& argument : front.arguments) {
        if (!is_written(argument.access)) {
            continue;
        }
        const ElementType type = type_of(argument, problem);
        const std::size_t count = count_of(argument, problem);
        const auto named = [&](const std::string& file) {
            return named_file(file, front, problem);
        };
        result.push_back(
            call != nullptr
                ? captured_data(*call, call->outputs.at(argument.name), type, count)
                : file_data(folder_, named(front.reference->files.at(argument.name)), type, count));
    }
    return result;
}

Case TemplateWorkload::make_case(const Problem& problem, bool misaligned,
                                 const CapturedCall* call) const {
    const FrontMatter& front = kernel_.front_matter();
    Case one;
    one.name = call != nullptr ? "the captured call" : sizes_text(problem, front.sizes);
    one.sizes = problem.sizes;
    std::vector<OutputSpec> outputs;
    for (const ArgumentSpec& argument : front.arguments) {
        if (is_given(argument.access)) {
            one.arguments.push_back(
                case_argument(argument, problem, misaligned, one.arguments.size() + 1, call));
        }
        if (is_written(argument.access)) {
            const ElementType type = type_of(argument, problem);
            outputs.push_back(
                {argument.name, type, argument.tolerance.value_or(default_tolerance(type))});
        }
    }
    if (call == nullptr && (front.reference->kind == ReferenceSpec::Kind::kernel ||
                            front.reference->kind == ReferenceSpec::Kind::standard)) {
        one.agree = [outputs](std::span<const Bytes> got, std::span<const Bytes> want) {
            return compare_outputs(outputs, want, got);
        };
    } else {
        auto want = std::make_shared<const std::vector<Bytes>>(answers(one, problem, call));
        one.judge = [outputs, want](std::span<const Bytes> got) {
            return compare_outputs(outputs, *want, got);
        };
    }
    return one;
}

std::optional<std::int64_t> TemplateWorkload::integer(const Expression& expression,
                                                      const Problem& problem) const {
    const auto value = kernel_.value_of(expression, problem);
    const auto* integer = value ? std::get_if<std::int64_t>(&*value) : nullptr;
    return integer == nullptr ? std::nullopt : std::optional(*integer);
}

bool TemplateWorkload::has_fills(const Problem& problem) const {
    const auto& arguments = kernel_.front_matter().arguments;
    return std::all_of(arguments.begin(), arguments.end(), [&](const ArgumentSpec& one) {
        if (!is_read(one.access) || !one.fill.has_bounds) {
            return true;
        }
        const auto low = integer(one.fill.low, problem);
        const auto high = integer(one.fill.high, problem);
        return !low || !high || one.fill.kind == Fill::Kind::normal || *low <= *high;
    });
}

bool TemplateWorkload::has_textures(const Problem& problem) const {
    const auto& arguments = kernel_.front_matter().arguments;
    // Other values than integers are refused elsewhere, with their names.
    const auto number = [&](const Expression& expression) {
        return integer(expression, problem).value_or(1);
    };
    return std::all_of(arguments.begin(), arguments.end(), [&](const ArgumentSpec& one) {
        if (!one.texture) {
            return true;
        }
        const std::int64_t channels = one.texture->sampling.channels;
        const std::int64_t texels = number(one.amount) / channels;
        const std::int64_t width = number(one.texture->width);
        if (!one.texture->height) {
            return width >= 1 && width <= texels;
        }
        const std::int64_t height = number(*one.texture->height);
        const std::int64_t pitch = number(*one.texture->pitch);
        const auto texel_bytes =
            channels * static_cast<std::int64_t>(bytes_of(type_of(one, problem)));
        return width >= 1 && height >= 1 && pitch >= width &&
               pitch * texel_bytes % kTexturePitchAlignment == 0 &&
               pitch * (height - 1) + width <= texels;
    });
}

bool TemplateWorkload::is_for_one_size_only() const {
    const FrontMatter& front = kernel_.front_matter();
    return front.reference->kind == ReferenceSpec::Kind::files || front.constrains_sizes() ||
           std::any_of(front.arguments.begin(), front.arguments.end(), [](const ArgumentSpec& one) {
               return one.fill.kind == Fill::Kind::file || one.fill.kind == Fill::Kind::raw;
           });
}

std::vector<Case> TemplateWorkload::checks(const Problem& problem) const {
    if (is_for_one_size_only()) {
        return {};
    }
    std::vector<Case> cases;
    std::vector<std::vector<std::int64_t>> seen{problem.sizes};
    for (const auto& sizes : {std::array<std::int64_t, 4>{1, 1, 1, 1}, kSmall, kMiddle}) {
        const Problem small = with_sizes(problem, sizes);
        if (std::find(seen.begin(), seen.end(), small.sizes) == seen.end() && has_fills(small) &&
            has_textures(small)) {
            seen.push_back(small.sizes);
            cases.push_back(make_case(small, true, nullptr));
        }
    }
    return cases;
}

Case TemplateWorkload::timed(const Problem& problem) const {
    const bool is_captured =
        call_ && call_->problem.sizes == problem.sizes && call_->problem.types == problem.types;
    return make_case(problem, false, is_captured ? &*call_ : nullptr);
}

}  // namespace jitune::internal
