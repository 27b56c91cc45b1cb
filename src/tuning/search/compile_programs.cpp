// SPDX-License-Identifier: Apache-2.0
#include "tuning/search/compile_programs.hpp"

#include <map>
#include <string>
#include <utility>

#include "support/line_directive.hpp"

namespace jitune::internal {

TemplateSource defined_source(const TemplateSource& source, const Instance& instance) {
    TemplateSource defined = source;
    if (!instance.defines.empty()) {
        defined.text = instance.defines + line_directive(1, source.name) + source.text;
    }
    return defined;
}

std::vector<CompileOutcome> compile_programs(
    const std::function<std::vector<CompileOutcome>(const TemplateSource&,
                                                    std::span<const Instance>)>& compile,
    const TemplateSource& source, std::span<const Instance> instances) {
    std::map<std::string, std::vector<std::size_t>> programs;
    for (std::size_t i = 0; i < instances.size(); ++i) {
        programs[instances[i].program()].push_back(i);
    }
    std::vector<CompileOutcome> outcomes(instances.size());
    for (const auto& [program, places] : programs) {
        std::vector<Instance> together;
        for (const std::size_t place : places) {
            together.push_back(instances[place]);
            together.back().defines.clear();
        }
        std::vector<CompileOutcome> compiled =
            compile(defined_source(source, instances[places.front()]), together);
        for (std::size_t i = 0; i < places.size(); ++i) {
            outcomes[places[i]] = std::move(compiled[i]);
        }
    }
    return outcomes;
}

}  // namespace jitune::internal
