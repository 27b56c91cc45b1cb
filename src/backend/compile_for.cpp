// SPDX-License-Identifier: Apache-2.0
#include "backend/compile_for.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

namespace jitune::internal {
namespace {

bool is_plain_word(std::string_view word) {
    constexpr std::string_view kPlain = "_-+=./:,@%";
    return !word.empty() && std::all_of(word.begin(), word.end(), [&](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               kPlain.find(c) != std::string_view::npos;
    });
}

}  // namespace

std::vector<CompileOutcome> compile_together(
    std::span<const Instance> instances, std::string (*flaw_of)(const Instance&),
    const std::function<CompiledTogether(std::span<const Instance>)>& compile) {
    std::vector<CompileOutcome> outcomes(instances.size());
    std::vector<Instance> accepted;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < instances.size(); ++i) {
        if (std::string flaw = flaw_of(instances[i]); !flaw.empty()) {
            outcomes[i] = CompileFailure{std::move(flaw)};
        } else {
            accepted.push_back(instances[i]);
            places.push_back(i);
        }
    }
    if (accepted.empty()) {
        return outcomes;
    }
    CompiledTogether all = compile(accepted);
    for (std::size_t i = 0; i < accepted.size(); ++i) {
        CompileOutcome& outcome = all.outcomes[i];
        if (std::holds_alternative<CompileFailure>(outcome) && accepted.size() > 1 &&
            all.ended_by_itself) {
            outcome = compile({&accepted[i], 1}).outcomes.front();
        }
        outcomes[places[i]] = std::move(outcome);
    }
    return outcomes;
}

std::string shell_text(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        text += text.empty() ? "" : " ";
        if (is_plain_word(word)) {
            text += word;
            continue;
        }
        text += '\'';
        for (const char c : word) {
            text += c == '\'' ? std::string("'\\''") : std::string(1, c);
        }
        text += '\'';
    }
    return text;
}

}  // namespace jitune::internal
