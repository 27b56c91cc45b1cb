// SPDX-License-Identifier: Apache-2.0
#include "families/own/template_workload.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "families/own/fill_data.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

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
    const auto value = kernel_.value_of(argument.amount, problem);
    const auto* count = value ? std::get_if<std::int64_t>(&*value) : nullptr;
    if (count == nullptr || *count < 0) {
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
                                             bool misaligned, std::uint64_t seed) const {
    const ElementType type = type_of(argument, problem);
    CaseArgument result;
    if (argument.access == Access::value) {
        const auto value = kernel_.value_of(argument.amount, problem);
        result.value = value_bits(type, value.value_or(Scalar{}), "value of " + argument.name);
        return result;
    }
    const std::size_t count = count_of(argument, problem);
    result.bytes = count * bytes_of(type);
    result.written = is_written(argument.access);
    if (!is_read(argument.access)) {
        return result;
    }
    result.pattern = std::make_shared<const Bytes>(
        fill_data(bound_fill(argument, problem), type, count, seed, folder_));
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

std::vector<Bytes> TemplateWorkload::answers(const Case& one, const Problem& problem) const {
    const FrontMatter& front = kernel_.front_matter();
    if (front.reference->kind == ReferenceSpec::Kind::host) {
        return host_answers(one, problem);
    }
    std::vector<Bytes> result;
    for (const ArgumentSpec& argument : front.arguments) {
        if (is_written(argument.access)) {
            result.push_back(file_data(
                folder_, named_file(front.reference->files.at(argument.name), front, problem),
                type_of(argument, problem), count_of(argument, problem)));
        }
    }
    return result;
}

Case TemplateWorkload::make_case(const Problem& problem, bool misaligned) const {
    const FrontMatter& front = kernel_.front_matter();
    Case one;
    one.name = sizes_text(problem, front.sizes);
    one.sizes = problem.sizes;
    std::vector<OutputSpec> outputs;
    for (const ArgumentSpec& argument : front.arguments) {
        if (is_given(argument.access)) {
            one.arguments.push_back(
                case_argument(argument, problem, misaligned, one.arguments.size() + 1));
        }
        if (is_written(argument.access)) {
            const ElementType type = type_of(argument, problem);
            outputs.push_back(
                {argument.name, type, argument.tolerance.value_or(default_tolerance(type))});
        }
    }
    if (front.reference->kind == ReferenceSpec::Kind::kernel ||
        front.reference->kind == ReferenceSpec::Kind::standard) {
        one.agree = [outputs](std::span<const Bytes> got, std::span<const Bytes> want) {
            return compare_outputs(outputs, want, got);
        };
    } else {
        auto want = std::make_shared<const std::vector<Bytes>>(answers(one, problem));
        one.judge = [outputs, want](std::span<const Bytes> got) {
            return compare_outputs(outputs, *want, got);
        };
    }
    return one;
}

bool TemplateWorkload::has_fills(const Problem& problem) const {
    const auto& arguments = kernel_.front_matter().arguments;
    return std::all_of(arguments.begin(), arguments.end(), [&](const ArgumentSpec& one) {
        if (!is_read(one.access) || !one.fill.has_bounds) {
            return true;
        }
        const auto low = kernel_.value_of(one.fill.low, problem);
        const auto high = kernel_.value_of(one.fill.high, problem);
        const auto* from = low ? std::get_if<std::int64_t>(&*low) : nullptr;
        const auto* to = high ? std::get_if<std::int64_t>(&*high) : nullptr;
        return from == nullptr || to == nullptr || one.fill.kind == Fill::Kind::normal ||
               *from <= *to;
    });
}

bool TemplateWorkload::has_textures(const Problem& problem) const {
    const auto& arguments = kernel_.front_matter().arguments;
    // Other values than integers are refused elsewhere, with their names.
    const auto number = [&](const Expression& expression) -> std::int64_t {
        const auto value = kernel_.value_of(expression, problem);
        const auto* integer = value ? std::get_if<std::int64_t>(&*value) : nullptr;
        return integer != nullptr ? *integer : 1;
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
            cases.push_back(make_case(small, true));
        }
    }
    return cases;
}

Case TemplateWorkload::captured_case(const Problem& problem) const {
    Case one;
    one.name = "the captured call";
    one.sizes = problem.sizes;
    std::vector<OutputSpec> outputs;
    std::vector<Bytes> want;
    for (const ArgumentSpec& argument : kernel_.front_matter().arguments) {
        if (!is_given(argument.access)) {
            continue;
        }
        const ElementType type = type_of(argument, problem);
        CaseArgument& given = one.arguments.emplace_back();
        if (argument.access == Access::value) {
            given.value = call_->values.at(argument.name);
            continue;
        }
        const std::size_t count = count_of(argument, problem);
        const auto data_of = [&](const std::string& file) {
            return fill_data(Fill::parse(file).value(), type, count, 1, call_->folder);
        };
        given.bytes = count * bytes_of(type);
        given.written = is_written(argument.access);
        if (is_read(argument.access)) {
            given.pattern = std::make_shared<const Bytes>(data_of(call_->inputs.at(argument.name)));
        }
        if (given.written) {
            outputs.push_back(
                {argument.name, type, argument.tolerance.value_or(default_tolerance(type))});
            want.push_back(data_of(call_->outputs.at(argument.name)));
        }
    }
    one.judge = [outputs, answers = std::make_shared<const std::vector<Bytes>>(std::move(want))](
                    std::span<const Bytes> got) { return compare_outputs(outputs, *answers, got); };
    return one;
}

Case TemplateWorkload::timed(const Problem& problem) const {
    const bool is_captured =
        call_ && call_->problem.sizes == problem.sizes && call_->problem.types == problem.types;
    return is_captured ? captured_case(problem) : make_case(problem, false);
}

}  // namespace jitune::internal
