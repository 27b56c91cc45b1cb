// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "space/expression.hpp"
#include "template/toml_reader.hpp"

namespace jitune::internal {

struct FrontMatter;
struct TextureSpec;

/// The names that a front matter has declared so far, and its expressions over them. Every function
/// that can fail throws Error(usage) with the place.
class FrontMatterScope {
public:
    /// `reader` must outlive the scope.
    explicit FrontMatterScope(const TomlReader& reader) : reader_(&reader) {}

    [[nodiscard]] const TomlReader& reader() const { return *reader_; }

    /// Adds a device attribute, which no table declares.
    void add_attribute(const std::string& name) { places_.emplace(name, ""); }
    /// Adds a name that comes with another: element_bytes comes with the type parameter element.
    void add_beside(const toml::node& at, const std::string& name) {
        places_.emplace(name, reader_->place(at));
    }
    /// Throws for a name that is no identifier or is known already.
    void declare(const toml::node& at, const std::string& name);
    /// Declares `name`; expressions then have `meaning` in its place.
    void define(const toml::node& at, const std::string& name, const Expression& meaning);

    [[nodiscard]] bool knows(const std::string& name) const { return places_.contains(name); }

    /// Throws for text that is no expression and for unknown names.
    [[nodiscard]] Expression expression(const toml::node& at, const std::string& text) const;

private:
    const TomlReader* reader_;
    std::map<std::string, std::string> places_;  ///< name -> where; "": a device attribute
    std::map<std::string, Expression> derived_;
};

/// Reads the table [arguments] into `front`, whose types are there already. Throws Error(usage)
/// with the place.
void read_arguments(const FrontMatterScope& scope, const toml::node& arguments, FrontMatter& front);

/// Reads the tables [[launch]] and [reference] of `root` into `front`, whose types, parameters and
/// arguments are there already. Throws Error(usage) with the place.
void read_launches(const FrontMatterScope& scope, const toml::table& root, FrontMatter& front);

/// Reads the tables [[default]] of `root` into `front`, whose types and parameters are there
/// already. Throws Error(usage) with the place.
void read_default_rules(const FrontMatterScope& scope, const toml::table& root, FrontMatter& front);

/// Reads the table `texture` of an argument of a CUDA template: `where` names the argument, `count`
/// is the text of its count, and its elements may be of any of `types`. Throws Error(usage) with
/// the place.
TextureSpec read_texture(const FrontMatterScope& scope, const toml::node& texture,
                         const std::string& where, const std::string& count,
                         const std::vector<std::string>& types);

}  // namespace jitune::internal
