// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_recipe.hpp"

#include <span>

#include <fmt/format.h>

#include "backend/host/entry_points.hpp"
#include "backend/host/host_compiler.hpp"

namespace jitune::internal {

CompileRecipe make_host_recipe(const DeviceInfo& /*device*/, const TemplateSource& source,
                               const Instance& instance) {
    const HostCompiler compiler;
    TemplateSource placed = source;
    placed.include_folders.insert(placed.include_folders.begin(), "include");
    CompileRecipe recipe{.file = "kernel.cpp",
                         .text = translation_unit(source, std::span(&instance, 1)),
                         .binary = "kernel.so",
                         .command = {},
                         .notes = {},
                         .profiler = {"perf", "record"}};
    recipe.command = compiler.command(placed, instance.options, recipe.file, recipe.binary);
    recipe.notes = {
        compiler.version(),
        fmt::format("{} of {} takes the arguments as void** and their number", entry_symbol(0, 0),
                    recipe.binary),
    };
    return recipe;
}

}  // namespace jitune::internal
