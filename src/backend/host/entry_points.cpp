// SPDX-License-Identifier: Apache-2.0
#include "backend/host/entry_points.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace jitune::internal {

namespace {

// Braced initialisers are evaluated from left to right, so each argument takes the next address.
constexpr std::string_view kCall = R"(
namespace jitune_host {

template <class... Parameters>
struct Call {
    Call(void (*kernel)(Parameters...), Parameters... arguments) { kernel(arguments...); }
};

template <class... Parameters>
int call(void (*kernel)(Parameters...), void** arguments, int count) {
    if (count == sizeof...(Parameters)) {
        Call<Parameters...>{kernel, *static_cast<Parameters*>(*arguments++)...};
    }
    return sizeof...(Parameters);
}

template <unsigned long kCount>
struct ParameterBytes {
    unsigned long of[kCount];
};

template <class... Parameters>
constexpr ParameterBytes<1 + sizeof...(Parameters)> parameter_bytes(void (*)(Parameters...)) {
    return {{sizeof...(Parameters), sizeof(Parameters)...}};
}

}  // namespace jitune_host

#ifdef JITUNE_TELLS_PARAMETERS
#define JITUNE_TELL_PARAMETERS(name, kernel)                \
    __attribute__((section(name), used)) static constexpr \
        auto jitune_host_bytes = jitune_host::parameter_bytes(kernel);
#else
#define JITUNE_TELL_PARAMETERS(name, kernel)
#endif
)";

// The long names leave the short ones to kernels. One line, so that a compiler that cannot call the
// kernel so speaks of the line that names it.
constexpr const char* kEntry =
    "extern \"C\" __attribute__((visibility(\"default\"))) "
    "int {}(void** jitune_host_arguments, int jitune_host_count) {{ "
    "constexpr auto jitune_host_kernel = &{}; JITUNE_TELL_PARAMETERS(\"{}\", jitune_host_kernel) "
    "return jitune_host::call(jitune_host_kernel, jitune_host_arguments, jitune_host_count); }}\n";

bool allowed(char character) {
    constexpr std::string_view kPunctuation = "_:<>,-*& ";
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9') ||
           kPunctuation.find(character) != std::string_view::npos;
}

std::string in_quotes(std::string_view text) {
    std::string result = "\"";
    for (const char character : text) {
        // A file name for messages: what would need an escape is not worth one.
        result += character == '"' || character == '\\' || character < ' ' ? '?' : character;
    }
    return result + '"';
}

}  // namespace

std::string entry_symbol(std::size_t instance, std::size_t step) {
    return fmt::format("{}{}_{}", kEntryPrefix, instance, step);
}

std::string parameter_section(std::string_view symbol) {
    return fmt::format(".jitune.parameters.{}", symbol);
}

std::string expression_objection(const Instance& instance) {
    for (const std::string& expression : instance.expressions) {
        const auto bad = std::find_if_not(expression.begin(), expression.end(), allowed);
        if (bad != expression.end()) {
            return fmt::format(
                "name expression refused: character {:#04x} at position {}; it may have letters, "
                "digits, spaces and any of _:<>,-*&",
                static_cast<unsigned char>(*bad), bad - expression.begin());
        }
    }
    return "";
}

std::string translation_unit(const TemplateSource& source, std::span<const Instance> instances) {
    const std::string name = in_quotes(source.name);
    std::string text = fmt::format("#line 1 {}\n{}\n#line 1 \"entry points\"\n", name, source.text);
    text += kCall;
    for (std::size_t i = 0; i < instances.size(); ++i) {
        for (std::size_t k = 0; k < instances[i].expressions.size(); ++k) {
            if (k < instances[i].lines.size()) {
                text += fmt::format("#line {} {}\n", instances[i].lines[k], name);
            }
            const std::string symbol = entry_symbol(i, k);
            text +=
                fmt::format(kEntry, symbol, instances[i].expressions[k], parameter_section(symbol));
        }
    }
    return text;
}

}  // namespace jitune::internal
