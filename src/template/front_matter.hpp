// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/device.hpp"
#include "backend/launch.hpp"
#include "backend/platform_kind.hpp"
#include "space/expression.hpp"
#include "space/value.hpp"
#include "template/default_rules.hpp"
#include "template/fill.hpp"

namespace jitune::internal {

/// How a kernel uses one of its arguments. The first five are the caller's.
enum class Access {
    in,           ///< array, read
    out,          ///< array, written whole
    inout,        ///< array, read and written in place
    value,        ///< a scalar that each call brings, passed by value
    value_array,  ///< an array in host memory that each call brings, passed by value as one struct
    scratch,      ///< work memory, any content
    zeroed,       ///< work memory, zero before each launch; the kernel leaves it zero
    scalar,       ///< worked out from the sizes and the configuration, passed by value
};

inline bool is_read(Access access) {
    return access == Access::in || access == Access::inout;
}
inline bool is_written(Access access) {
    return access == Access::out || access == Access::inout;
}
/// True for arguments that each call brings.
inline bool is_given(Access access) {
    return access == Access::value || access == Access::value_array || is_read(access) ||
           is_written(access);
}

/// How kernels see an array that they take as a texture object. Its numbers count texels.
struct TextureSpec {
    TextureSampling sampling{};
    Expression width = Expression::constant(std::int64_t{1});
    /// The height and the pitch: both are set, or none for linear memory, which tex1Dfetch reads.
    std::optional<Expression> height = {}, pitch = {};
};

struct ArgumentSpec {
    std::string name;
    int line = 0;      ///< of the file, where the argument is declared
    std::string type;  ///< a type parameter or a type name such as "uint64"
    Access access = Access::scalar;
    /// The number of an array's elements, or a scalar's value. For a `value`: what it is while the
    /// kernel is tuned.
    Expression amount = Expression::constant(std::int64_t{1});
    Fill fill = {};                              ///< of an array that is read, while tuned
    std::optional<double> tolerance = {};        ///< of an output; nothing: that of its type
    std::optional<std::int64_t> alignment = {};  ///< bytes; nothing: those of an element
    std::string constant = {};  ///< the variable in constant memory that the array is copied into
    std::optional<TextureSpec> texture = {};  ///< in place of the array's pointer
};

struct LaunchSpec {
    std::string entry;                            ///< "jitune::reduce"
    int line = 0;                                 ///< of the file, where the entry is named
    std::vector<std::string> template_arguments;  ///< names of type parameters and parameters
    std::vector<std::string> arguments;           ///< names of arguments, in the kernel's order
    Expression when;                              ///< the step is left out if this is not true
    std::array<Expression, 3> grid, block;
    Expression shared_bytes;
    Expression cluster;       ///< blocks per cluster along x; 1: none
    Expression programmatic;  ///< not 0: may start before the stream's previous work has ended
    Expression cooperative;   ///< not 0: all blocks must run at the same time
};

/// The source of the outputs that candidates must reproduce.
struct ReferenceSpec {
    enum class Kind {
        kernel,    ///< a launch of another kernel of the template
        host,      ///< a host function, in the text between #ifdef JITUNE_HOST and its #endif
        files,     ///< a .npy file for each output
        standard,  ///< the template's default configuration
    } kind = Kind::kernel;
    LaunchSpec launch;                         ///< kernel, host
    std::map<std::string, std::string> files;  ///< output -> file beside the template
};

/// A figure for people: "bandwidth", in "GB/s".
struct MetricSpec {
    std::string name;
    /// Over parameters, sizes, device attributes, and `seconds` and `joules` of one launch.
    Expression value;
    std::string unit;
    bool less_is_better = false;
};

/// An option for the compiler, such as "--maxrregcount={registers}". Braces hold the name of a
/// parameter or a type parameter, and its text takes their place.
struct OptionSpec {
    std::string text;
    Expression when;  ///< over parameters and type parameters: left out if this is not true
};

/// The contents of a kernel template's first comment; docs/reference/kernel_templates.md is the
/// reference. Expressions have `derived` names replaced already.
struct FrontMatter {
    std::string kernel;
    PlatformKind platform = PlatformKind::host;  ///< of the key `backend`
    std::string summary;
    std::vector<std::string> sizes;
    /// type parameter -> name -> C++ text
    std::map<std::string, std::map<std::string, std::string>> types;
    /// type parameter that is an integer, which expressions can compute with -> its range, "1..32"
    std::map<std::string, std::string> ranges;
    std::vector<Parameter> parameters;
    std::map<std::string, std::string>
        enumerations;                           ///< parameter with names as values -> C++ enum
    std::map<std::string, Expression> derived;  ///< over the names above and device attributes
    std::vector<Expression> constraints;        ///< a configuration is legal if all are true
    std::vector<Expression> prune;              ///< and worth trying if these are true, too
    /// Says what the result of a configuration depends on: "exact", "fixed" or "any", see
    /// KernelTemplate::reproducibility().
    Expression reproducibility = Expression::constant(std::string("fixed"));
    bool warm_cache = false;  ///< candidates are timed on data that the call before has read, too
    std::vector<ArgumentSpec> arguments;
    std::vector<LaunchSpec> launches;
    std::vector<std::string> defines;        ///< parameters and type parameters that are macros
    std::vector<OptionSpec> options;         ///< of the compiler
    std::vector<DefaultRule> default_rules;  ///< the first that holds counts
    std::optional<ReferenceSpec> reference;
    std::vector<MetricSpec> metrics;

    /// True if a configuration's legality depends on the sizes, so that one size's winner may be
    /// wrong for another size of the same bucket.
    [[nodiscard]] bool constrains_sizes() const;
    /// True for a parameter or a type parameter.
    [[nodiscard]] bool is_instance_word(std::string_view name) const;
    /// The value of a type parameter in expressions: its name, or the integer of a range.
    [[nodiscard]] Scalar type_value(const std::string& parameter, const std::string& name) const;
    /// The argument of this name, or nullptr.
    [[nodiscard]] const ArgumentSpec* find_argument(std::string_view name) const;
};

/// Reads the front matter of a template and the TOML files that it includes. Throws Error(usage):
/// file, line, what is wrong, what would be right. Refuses unknown keys, unknown names in
/// expressions and identifiers that are not [A-Za-z_][A-Za-z0-9_]*.
FrontMatter parse_front_matter(const TemplateSource& source);

/// Reads the key `include_folders` of a template's text, and nothing else of its front matter.
/// Empty if it cannot be read: parse_front_matter() reports that.
std::vector<std::string> include_folders_in(const std::string& text);

}  // namespace jitune::internal
