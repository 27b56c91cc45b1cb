// SPDX-License-Identifier: Apache-2.0
#include "template/front_matter_scope.hpp"

#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jitune/error.hpp"
#include "template/name_rules.hpp"

namespace jitune::internal {

void FrontMatterScope::declare(const toml::node& at, const std::string& name) {
    if (!is_identifier(name)) {
        reader_->fail(at, "\"" + name + "\" is not a name: use letters, digits and _");
    }
    const auto [found, fresh] = places_.emplace(name, reader_->place(at));
    if (!fresh) {
        const std::string& first = found->second;
        reader_->fail(at, fmt::format("\"{}\" is {}", name,
                                      first.empty() ? "a device attribute"
                                                    : "declared twice: first at " + first));
    }
}

void FrontMatterScope::define(const toml::node& at, const std::string& name,
                              const Expression& meaning) {
    declare(at, name);
    derived_.emplace(name, meaning);
}

Expression FrontMatterScope::expression(const toml::node& at, const std::string& text) const {
    const Expression parsed = [&] {
        try {
            return Expression::parse(text);
        } catch (const Error& error) {
            reader_->fail(at, error.what());
        }
    }();
    for (const std::string& name : parsed.names()) {
        if (!places_.contains(name)) {
            reader_->fail(at, fmt::format("\"{}\" in \"{}\" is not known here; known names are {}",
                                          name, text, fmt::join(std::views::keys(places_), ", ")));
        }
    }
    return parsed.substitute(derived_);
}

}  // namespace jitune::internal
