// SPDX-License-Identifier: Apache-2.0
#include "families/reduce/custom_operation.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "support/hash.hpp"
#include "support/source_scanner.hpp"
#include "template/name_rules.hpp"

namespace jitune::internal {

namespace {

struct CustomField {
    std::string_view name;
    std::string CustomOperation::*text;
    bool needed;
};
constexpr std::array kFields{
    CustomField{"name", &CustomOperation::name, true},
    CustomField{"definitions", &CustomOperation::definitions, false},
    CustomField{"state", &CustomOperation::state, true},
    CustomField{"identity", &CustomOperation::identity, true},
    CustomField{"map", &CustomOperation::map, true},
    CustomField{"combine", &CustomOperation::combine, true},
    CustomField{"finish", &CustomOperation::finish, true},
};

/// The end of the comment or quoted text that begins at `at`; `at` if none begins there.
std::size_t end_of_aside(std::string_view text, std::size_t at) {
    const auto past = [&](std::string_view mark, std::size_t from) {
        const std::size_t found = text.find(mark, from);
        return found == text.npos ? text.size() : found + mark.size();
    };
    if (text.substr(at, 2) == "//") {
        return past("\n", at);
    }
    if (text.substr(at, 2) == "/*") {
        return past("*/", at + 2);
    }
    const bool separates_digits = at > 0 && std::isalnum(static_cast<unsigned char>(text[at - 1]));
    if (text[at] != '"' && (text[at] != '\'' || separates_digits)) {
        return at;
    }
    std::size_t end = at + 1;
    while (end < text.size() && text[end] != text[at]) {
        end += text[end] == '\\' ? 2 : 1;
    }
    return std::min(end + 1, text.size());
}

/// A bracket without its pair, or 0. Such a bracket would move the error into the generated code
/// around the text. Brackets in comments and quotes do not count.
char unbalanced(std::string_view text) {
    constexpr std::string_view kOpen = "([{";
    constexpr std::string_view kClose = ")]}";
    std::string open;
    for (std::size_t i = 0; i < text.size();) {
        if (const std::size_t end = end_of_aside(text, i); end != i) {
            i = end;
            continue;
        }
        const char c = text[i++];
        if (kOpen.find(c) != kOpen.npos) {
            open.push_back(c);
        } else if (const std::size_t kind = kClose.find(c); kind != kClose.npos) {
            if (open.empty() || open.back() != kOpen[kind]) {
                return c;
            }
            open.pop_back();
        }
    }
    return open.empty() ? '\0' : open.back();
}

/// The functions that the operation's text may use.
constexpr const char* kBefore = R"(#ifndef __CUDACC__  // CUDA knows them without a header
extern "C" {
float expf(float) noexcept; float logf(float) noexcept; float sqrtf(float) noexcept;
float powf(float, float) noexcept; float fabsf(float) noexcept; float tanhf(float) noexcept;
double exp(double) noexcept; double log(double) noexcept; double sqrt(double) noexcept;
double pow(double, double) noexcept; double fabs(double) noexcept; double tanh(double) noexcept;
}
#endif
)";

}  // namespace

void refuse_bad_operation(const CustomOperation& operation) {
    for (const CustomField& field : kFields) {
        const std::string& text = operation.*field.text;
        if (const char bracket = unbalanced(text); bracket != 0) {
            throw Error(ErrorKind::usage,
                        fmt::format("custom operation \"{}\": its {} has an unmatched \"{}\"",
                                    operation.name, field.name, bracket));
        }
        if (const auto directives = directives_in(text); !directives.empty()) {
            throw Error(ErrorKind::usage,
                        fmt::format("custom operation \"{}\": its {} has the line \"{}\": leave "
                                    "preprocessor directives out, because the database would not "
                                    "know what they bring",
                                    operation.name, field.name, directives.front()));
        }
        if (field.needed && text.find_first_not_of(" \t\r\n") == std::string::npos) {
            throw Error(ErrorKind::usage, fmt::format("custom operation \"{}\": its {} is empty",
                                                      operation.name, field.name));
        }
    }
    if (!is_identifier(operation.name)) {
        throw Error(ErrorKind::usage, fmt::format("custom operation \"{}\": its name must be "
                                                  "letters, digits and _, at most 64",
                                                  operation.name));
    }
    if (!(operation.tolerance >= 0 && operation.tolerance < 1)) {
        throw Error(ErrorKind::usage,
                    fmt::format("custom operation {}: its tolerance is {}: give 0 for exact "
                                "operations, or a relative difference below 1",
                                operation.name, operation.tolerance));
    }
}

std::string custom_header(const CustomOperation& operation) {
    return "#pragma once\n#include \"jitune_operations.h\"\n" + custom_source(operation, "");
}

std::string custom_source(const CustomOperation& operation, std::string_view suffix) {
    const auto expression = [&](std::string_view field, const std::string& text,
                                std::string_view cast = "") {
        return fmt::format("return {}(\n#line 1 \"{}.{}\"\n{}\n);", cast, operation.name, field,
                           text);
    };
    const bool rounds =
        operation.result == ElementType::float16 || operation.result == ElementType::bfloat16;
    return kBefore +
           fmt::format(
               R"(namespace jitune_custom{7} {{  // not in jitune, so that names do not collide
#line 1 "{0}.definitions"
{1}
using jitune_state =
#line 1 "{0}.state"
{2}
;
static_assert(sizeof(jitune_state) <= 16 && (sizeof(jitune_state) < 4 || sizeof(jitune_state) % 4 == 0),
              "the state of a custom operation has 1 to 4, 8, 12 or 16 bytes");
static_assert(__is_trivially_copyable(jitune_state), "the state is trivially copyable");
JITUNE_FUNCTION jitune_state jitune_identity() {{ {3} }}
template <class X>
JITUNE_FUNCTION jitune_state jitune_map(X x, unsigned long long i) {{
    (void)x, (void)i;
    {4}
}}
JITUNE_FUNCTION jitune_state jitune_combine(jitune_state a, jitune_state b) {{ {5} }}
template <class R>
JITUNE_FUNCTION R jitune_finish(jitune_state a, unsigned long long n) {{
    (void)n;
    {6}
}}
template <class T>
JITUNE_FUNCTION auto jitune_element(T value) {{
    if constexpr (requires {{ jitune::to_float(value); }}) {{
        return jitune::to_float(value);
    }} else {{
        return value;
    }}
}}
}}
namespace jitune {{
/// The operation as the kernels call it.
template <class T, class A, class R>
struct Custom{7} {{
    using State = jitune_custom{7}::jitune_state;
    static constexpr Combination kCombination = Combination::other;
    static JITUNE_FUNCTION State identity() {{ return jitune_custom{7}::jitune_identity(); }}
    static JITUNE_FUNCTION State map(T x, Index i) {{
        return jitune_custom{7}::jitune_map(jitune_custom{7}::jitune_element(x), i);
    }}
    static JITUNE_FUNCTION State combine(State a, State b) {{
        return jitune_custom{7}::jitune_combine(a, b);
    }}
    static JITUNE_FUNCTION R result(State a, Index n) {{
        return jitune_custom{7}::jitune_finish<R>(a, n);
    }}
}};
}}
)",
               operation.name, operation.definitions, operation.state,
               expression("identity", operation.identity), expression("map", operation.map),
               expression("combine", operation.combine),
               expression("finish", operation.finish, rounds ? "static_cast<R>" : ""), suffix);
}

std::vector<std::string> fields_of(const CustomOperation& operation) {
    std::vector<std::string> fields{std::string(to_string(operation.result)),
                                    fmt::format("{}", operation.tolerance)};
    for (const CustomField& field : kFields) {
        fields.push_back(operation.*field.text);
    }
    return fields;
}

CustomOperation custom_operation_of(std::span<const std::string> fields) {
    constexpr std::size_t kOthers = 2;
    CustomOperation operation;
    const auto tolerance = [&] {
        const std::string& text = fields[1];
        return std::from_chars(text.data(), text.data() + text.size(), operation.tolerance).ec;
    };
    if (fields.size() != kFields.size() + kOthers || tolerance() != std::errc()) {
        throw Error(ErrorKind::usage, "cannot build a custom operation: malformed worker spec");
    }
    operation.result = parse_element_type(fields[0]);
    for (std::size_t i = 0; i < kFields.size(); ++i) {
        operation.*kFields.at(i).text = fields[kOthers + i];
    }
    return operation;
}

std::uint64_t fingerprint(const CustomOperation& operation) {
    std::uint64_t hash = quick_hash(
        {reinterpret_cast<const char*>(&operation.tolerance), sizeof operation.tolerance},
        static_cast<std::uint64_t>(operation.result));
    for (const CustomField& field : kFields) {
        hash = quick_hash(operation.*field.text, hash);
    }
    return hash;
}

}  // namespace jitune::internal
