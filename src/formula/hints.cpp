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
    bool is_sentence = false;  ///< else `ours` stands in a formula in place of the word
};
constexpr bool kSentence = true;

constexpr std::string_view kNoOrder = "formulas have no sort, scan or quantile";
constexpr std::string_view kPi = "3.141592653589793";
constexpr std::string_view kOfCall =
    "axis= and keepdims= belong to the call; in C++ it takes each_row(rows, columns)";
constexpr std::string_view kScalar = "give it as an input, a scalar";

/// Words in lower case without underscores, and what they are here. With =: arguments by name.
constexpr std::array kHints{
    Hint{"prod", "product"},
    Hint{"multiply", "x * y"},
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
    Hint{"maxelement", "arg_max"},
    Hint{"minelement", "arg_min"},
    Hint{"minmaxelement", "low = arg_min(x); high = arg_max(x)"},
    Hint{"minmax", "low = min(x); high = max(x)"},
    Hint{"countif", "count_nonzero(x > 3)"},
    Hint{"allof", "all"},
    Hint{"anyof", "any"},
    Hint{"reduce", "sum(x), max(x) or another operation"},
    Hint{"accumulate", "sum(x), max(x) or another operation"},
    Hint{"transformreduce", "sum(x * y)"},
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
    Hint{"astype", "float64(x)"},
    Hint{"len", "n"},
    Hint{"size", "n"},
    Hint{"shape", "n"},
    Hint{"true", "true"},
    Hint{"false", "false"},
    Hint{"pi", kPi},
    Hint{"mpi", kPi},
    Hint{"none", "formulas have no None", kSentence},
    Hint{"nan", kScalar, kSentence},
    Hint{"inf", kScalar, kSentence},
    Hint{"infinity", kScalar, kSentence},
    Hint{"median", kNoOrder, kSentence},
    Hint{"percentile", kNoOrder, kSentence},
    Hint{"quantile", kNoOrder, kSentence},
    Hint{"sort", kNoOrder, kSentence},
    Hint{"argsort", kNoOrder, kSentence},
    Hint{"cumsum", kNoOrder, kSentence},
    Hint{"cumprod", kNoOrder, kSentence},
    Hint{"inclusivescan", kNoOrder, kSentence},
    Hint{"exclusivescan", kNoOrder, kSentence},
    Hint{"transpose", "rows and columns are the call's, as in each_column(rows, columns)",
         kSentence},
    Hint{"axis=", kOfCall, kSentence},
    Hint{"dim=", kOfCall, kSentence},
    Hint{"keepdims=", kOfCall, kSentence},
    Hint{"keepdim=", kOfCall, kSentence},
    Hint{"out=", "places of results belong to the call", kSentence},
    Hint{"dtype=", "a type stands in the expression, as in sum(float64(x))", kSentence},
    Hint{"ddof=", "var and std are those of ddof=0; of 1, var is var(x) * n / (n - 1)", kSentence},
    Hint{"where=", "the condition stands second without a name, as in sum(x, x > 0)", kSentence},
    Hint{"initial=", "an initial value stands in the expression, as in start + sum(x)", kSentence},
};

constexpr std::array<std::string_view, 16> kModules{
    "np",     "numpy", "cp",     "cupy", "jnp", "xp",      "math", "torch",
    "linalg", "std",   "thrust", "cub",  "tl",  "special", "nn",   "functional",
};

/// Words that are not called.
constexpr std::array<std::string_view, 8> kConstants{"true", "false", "none",     "nan",
                                                     "pi",   "mpi",   "infinity", "inf"};

template <class Table>
bool holds(const Table& table, std::string_view word) {
    return std::find(table.begin(), table.end(), word) != table.end();
}

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

/// What formulas have in place of the word, or a sentence about it; empty if nothing is known.
struct Answer {
    std::string ours;
    bool is_sentence = false;
};

Answer answer(std::string_view word) {
    if (formula_function(word) != nullptr || formula_operation(word) != nullptr ||
        formula_cast_type(word)) {
        return {std::string(word)};
    }
    const std::string text = plain(word);
    const auto* const found = std::find_if(kHints.begin(), kHints.end(),
                                           [&](const Hint& one) { return one.word == text; });
    if (found != kHints.end()) {
        return {std::string(found->ours), found->is_sentence};
    }
    if (const std::string_view same = formula_operation_like(text); !same.empty()) {
        return {std::string(same)};
    }
    if (text.starts_with("nan")) {
        const std::string operation = answer(std::string_view(text).substr(3)).ours;
        return {formula_operation(operation) == nullptr ? "" : operation + "(x, not isnan(x))"};
    }
    return {};
}

}  // namespace

std::string formula_hint(std::string_view word) {
    const Answer known = answer(word);
    return known.is_sentence || known.ours.empty() ? known.ours : "write " + known.ours;
}

std::string constant_hint(std::string_view name) {
    return holds(kConstants, plain(name)) ? formula_hint(name) : "";
}

std::string qualified_hint(std::string_view qualified) {
    const std::size_t end = qualified.find_first_of(".:");
    const std::size_t last = qualified.find_last_of(".:") + 1;
    const std::string_view owner = end == 0 ? "expression" : qualified.substr(0, end);
    const std::string_view word = qualified.substr(last);
    const auto [ours, is_sentence] = answer(word == "T" ? "transpose" : word);
    if (is_sentence) {
        return ours;
    }
    if (ours.empty()) {
        return fmt::format("formulas have no {}; operations are {}", qualified,
                           formula_operation_names());
    }
    const FormulaFunction* const function = formula_function(ours);
    const bool takes_owner =
        !holds(kModules, owner) && (formula_operation(ours) != nullptr || formula_cast_type(ours) ||
                                    (function != nullptr && function->least == 1));
    return fmt::format("write {} in place of {}",
                       takes_owner ? fmt::format("{}({})", ours, owner) : ours, qualified);
}

}  // namespace jitune::internal
