// SPDX-License-Identifier: Apache-2.0
#include "formula/hints.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "formula/vocabulary.hpp"

namespace jitune::internal {

namespace {

struct Hint {
    std::string_view word, ours;
};

/// Words in lower case without underscores, and what they are here.
constexpr std::array kHints{
    Hint{"prod", "product"},
    Hint{"multiply", "product"},
    Hint{"amax", "max"},
    Hint{"amin", "min"},
    Hint{"maximum", "max"},
    Hint{"minimum", "min"},
    Hint{"average", "mean"},
    Hint{"avg", "mean"},
    Hint{"variance", "var"},
    Hint{"stddev", "std"},
    Hint{"stdev", "std"},
    Hint{"asum", "sum_abs"},
    Hint{"nrm2", "norm"},
    Hint{"count", "count_nonzero"},
    Hint{"iamax", "arg_max"},
    Hint{"maxelement", "max"},
    Hint{"minelement", "min"},
    Hint{"absolute", "abs"},
    Hint{"power", "pow"},
    Hint{"ln", "log"},
    Hint{"round", "rint"},
    Hint{"mod", "fmod"},
    Hint{"remainder", "fmod"},
    Hint{"arcsin", "asin"},
    Hint{"arccos", "acos"},
    Hint{"arctan", "atan"},
    Hint{"arctan2", "atan2"},
    Hint{"arcsinh", "asinh"},
    Hint{"arccosh", "acosh"},
    Hint{"arctanh", "atanh"},
    Hint{"gamma", "tgamma"},
    Hint{"gammaln", "lgamma"},
    Hint{"select", "where"},
    Hint{"if", "where"},
    Hint{"long", "int64"},
    Hint{"half", "float32"},
    Hint{"float16", "float32"},
    Hint{"bfloat16", "float32"},
    Hint{"dot", "sum(x * y)"},
    Hint{"vdot", "sum(x * y)"},
    Hint{"inner", "sum(x * y)"},
    Hint{"innerproduct", "sum(x * y)"},
    Hint{"square", "x * x"},
    Hint{"reciprocal", "1.0 / x"},
    Hint{"sign", "where(x > 0, 1, where(x < 0, -1, 0))"},
    Hint{"clip", "min(max(x, low), high)"},
    Hint{"clamp", "min(max(x, low), high)"},
    Hint{"relu", "max(x, 0)"},
    Hint{"sigmoid", "1 / (1 + exp(-x))"},
    Hint{"softmax", "t = max(x); s = sum(exp(x - t)); y[i] = exp(x - t) / s"},
    Hint{"bool", "x != 0"},
    Hint{"len", "n, the number of elements,"},
    Hint{"size", "n, the number of elements,"},
};

constexpr std::array<std::string_view, 16> kModules{
    "np",     "numpy", "cp",     "cupy", "jnp", "xp",      "math", "torch",
    "linalg", "std",   "thrust", "cub",  "tl",  "special", "nn",   "functional",
};

/// In lower case without underscores.
std::string plain(std::string_view word) {
    std::string text;
    for (const char c : word) {
        if (c != '_') {
            text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        }
    }
    return text;
}

/// What formulas have in place of the word, or nothing.
std::string ours(std::string_view word) {
    if (formula_function(word) != nullptr || formula_operation(word) != nullptr ||
        formula_cast_type(word)) {
        return std::string(word);
    }
    const std::string text = plain(word);
    const auto* const found = std::find_if(kHints.begin(), kHints.end(),
                                           [&](const Hint& one) { return one.word == text; });
    if (found != kHints.end()) {
        return std::string(found->ours);
    }
    if (const std::string_view same = formula_operation_like(text); !same.empty()) {
        return std::string(same);
    }
    if (text.starts_with("nan")) {
        const std::string operation = ours(std::string_view(text).substr(3));
        return formula_operation(operation) == nullptr ? "" : operation + "(x, not isnan(x))";
    }
    return "";
}

}  // namespace

std::string formula_hint(std::string_view word) {
    const std::string text = ours(word);
    return text.empty() ? "" : "write " + text;
}

std::string qualified_hint(std::string_view qualified) {
    const std::size_t end = qualified.find_first_of(".:");
    const std::size_t last = qualified.find_last_of(".:") + 1;
    const std::string_view owner = qualified.substr(0, end), word = qualified.substr(last);
    std::string text = ours(word);
    if (std::find(kModules.begin(), kModules.end(), owner) == kModules.end()) {
        text = formula_operation(text) == nullptr ? "" : fmt::format("{}({})", text, owner);
    } else if (text.empty()) {
        text = word;
    }
    return text.empty() ? "names of formulas hold no dots and colons"
                        : fmt::format("write {} in place of {}", text, qualified);
}

}  // namespace jitune::internal
