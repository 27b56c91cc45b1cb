// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "cli/formats/json.hpp"
#include "rules/loss_table.hpp"
#include "rules/rule_condition.hpp"
#include "rules/rule_study.hpp"
#include "template/kernel_template.hpp"

namespace jitune::internal {

/// Rules that are proposed for a template, with all that they were learned from.
struct ProposedRules {
    const KernelTemplate& kernel;
    LossTable table;
    RuleQuestions questions;
    RuleStudy study;
};

/// The tables [[default]], for the template's front matter. Comments stand in the tables: in front
/// of the first one they would be part of the template's hash.
std::string rules_toml(const ProposedRules& proposed);

/// The tables, their losses, and where too little is measured, in words. `width` is that of
/// tables.
std::string rules_report(const ProposedRules& proposed, std::size_t width);

/// The same as JSON.
Json rules_report_json(const ProposedRules& proposed);

}  // namespace jitune::internal
