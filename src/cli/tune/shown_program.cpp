// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/shown_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backend/platform_table.hpp"
#include "jitune/error.hpp"
#include "template/problem.hpp"
#include "tuning/search/compile_programs.hpp"

namespace jitune::internal {

CompileRecipe ShownProgram::recipe() const {
    const MakeRecipe make = recipe_maker(device.platform);
    if (make == nullptr) {
        throw Error(
            ErrorKind::unavailable,
            fmt::format("this build of jitune has no compiler for {}", to_string(device.platform)));
    }
    Instance alone = instance();
    const TemplateSource source = defined_source(kernel.source(), alone);
    alone.defines.clear();
    return make(device, source, alone);
}

std::vector<std::string> ShownProgram::description() const {
    const std::string types = readable_types(types_text(problem));
    return {
        fmt::format("kernel: {} of {}", problem.kernel, kernel.source().name),
        fmt::format("problem: {}{}{}", types, types.empty() ? "" : " ",
                    sizes_text(problem, kernel.front_matter().sizes)),
        fmt::format("device: {} ({})", device.name.empty() ? device.id : device.name,
                    device.device_class),
        fmt::format("configuration: {}", configuration.text()),
        fmt::format("shown as: {}", role),
        fmt::format("entries: {}", fmt::join(instance().expressions, "; ")),
    };
}

std::vector<std::string> recipe_lines(const ShownProgram& program, const CompileRecipe& recipe) {
    std::vector<std::string> lines{fmt::format("compile: {}", shell_text(recipe.command))};
    lines.insert(lines.end(), recipe.notes.begin(), recipe.notes.end());
    std::vector<std::string> headers;
    for (const auto& [name, text] : program.kernel.source().headers) {
        headers.push_back("include/" + name);
    }
    if (!headers.empty()) {
        lines.push_back(fmt::format("needs {}: --keep DIR writes them", fmt::join(headers, ", ")));
    }
    return lines;
}

}  // namespace jitune::internal
