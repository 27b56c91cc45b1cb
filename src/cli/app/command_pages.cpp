// SPDX-License-Identifier: Apache-2.0
#include "cli/app/command_pages.hpp"

#include <algorithm>

namespace jitune::internal {

namespace {

void add_pages(std::vector<CommandPage>& pages, const std::vector<std::string>& words,
               const std::vector<Command>& commands) {
    for (const Command& command : commands) {
        std::vector<std::string> path = words;
        path.push_back(command.name);
        std::vector<Option> options;
        if (command.invocation != nullptr) {
            options = command.invocation().options;
        }
        pages.push_back({path, command.help, options, command.children, command.file_child});
        add_pages(pages, path, command.children);
    }
}

}  // namespace

std::vector<CommandPage> command_pages(const std::string& summary,
                                       const std::vector<Command>& commands) {
    std::vector<CommandPage> pages{{{}, summary, {}, commands}};
    add_pages(pages, {}, commands);
    return pages;
}

std::vector<std::string> names_of(const Option& option) {
    std::vector<std::string> names;
    std::size_t begin = 0;
    while (begin <= option.name.size()) {
        const std::size_t end = std::min(option.name.find(',', begin), option.name.size());
        names.push_back(option.name.substr(begin, end - begin));
        begin = end + 1;
    }
    return names;
}

bool takes_value(const Option& option) {
    return !std::holds_alternative<bool*>(option.target);
}

bool has_dash(const Option& option) {
    return option.name.starts_with('-');
}

bool takes_strategy(const std::vector<Option>& options) {
    return std::any_of(options.begin(), options.end(),
                       [](const Option& option) { return option.name == "--strategy"; });
}

}  // namespace jitune::internal
