// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jitune::internal {

/// The preprocessor directives of C++ text, each as one line from its # on, without comments.
std::vector<std::string> directives_in(std::string_view text);

/// A directive that includes a file.
struct IncludeDirective {
    std::string text;  ///< "#include <x.h>", without comments
    std::string name;  ///< "x.h"; empty if the directive has no literal name: it has a macro
};

/// The directives #include, #include_next, #import and #embed of C++ text, except those in comments
/// and strings. #embed has no name.
std::vector<IncludeDirective> include_directives(std::string_view text);

/// The literal names in them.
std::vector<std::string> included_names(std::string_view text);

}  // namespace jitune::internal
