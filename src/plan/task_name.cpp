// SPDX-License-Identifier: Apache-2.0
#include "plan/task_name.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/process_identity.hpp"

namespace jitune::internal {

namespace {

constexpr std::array<std::string_view, 5> kFields{"host=", "boot=", "pids=", "pid=", "start="};
constexpr char kSeparator = '+';
constexpr std::size_t kMostLength = 180;  // a file's name has 255 bytes, and holds more

bool is_kept(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '.' || letter == '-' || letter == '_';
}

std::vector<std::string_view> parts_of(std::string_view task) {
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin <= task.size();) {
        const std::size_t end = std::min(task.find(kSeparator, begin), task.size());
        parts.push_back(task.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

}  // namespace

std::string task_name(std::string_view identity, std::size_t part) {
    std::string name;
    std::size_t field = 0;
    while (!identity.empty() && field < kFields.size()) {
        const std::size_t end = std::min(identity.find(' '), identity.size());
        std::string_view word = identity.substr(0, end);
        identity.remove_prefix(std::min(end + 1, identity.size()));
        word.remove_prefix(std::min(word.find('=') + 1, word.size()));
        std::string value(word);
        std::replace_if(
            value.begin(), value.end(), [](char letter) { return !is_kept(letter); }, '_');
        name += value.substr(0, 64) + kSeparator;
        ++field;
    }
    return fmt::format("{}{}", name, part);
}

bool is_task_name(std::string_view text) {
    return text.size() <= kMostLength && parts_of(text).size() == kFields.size() + 1 &&
           std::all_of(text.begin(), text.end(),
                       [](char letter) { return is_kept(letter) || letter == kSeparator; });
}

bool has_task_ended(std::string_view task) {
    if (!is_task_name(task)) {
        return false;
    }
    const std::vector<std::string_view> parts = parts_of(task);
    std::vector<std::string> words;
    for (std::size_t i = 0; i < kFields.size(); ++i) {
        words.push_back(fmt::format("{}{}", kFields.at(i), parts[i]));
    }
    return has_ended(fmt::format("{}", fmt::join(words, " ")));
}

std::string task_text(std::string_view task) {
    const std::vector<std::string_view> parts = parts_of(task);
    return parts.size() <= kFields.size() ? std::string(task)
                                          : fmt::format("{}, process {}", parts[0], parts[3]);
}

}  // namespace jitune::internal
