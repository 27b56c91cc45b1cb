// SPDX-License-Identifier: Apache-2.0
#include "cli/db/rules_report.hpp"

#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/formats/table.hpp"
#include "support/settings.hpp"
#include "text/units.hpp"
#include "text/view.hpp"
#include "text/winner_text.hpp"

namespace jitune::internal {
namespace {

std::string loss_text(double loss) {
    return loss > 0 ? fmt::format("{:.3f}", loss) : "";
}

/// Short names of the types in a table: of their settings only those that tell them apart.
class TypeNames {
public:
    explicit TypeNames(const LossTable& table) {
        for (const LossTable::Problem& problem : table.problems) {
            all_.insert(problem.types);
        }
        if (all_.empty()) {
            return;
        }
        const std::string readable = readable_types(*all_.begin());
        for (const std::string_view setting : settings_of(readable)) {
            kept_.emplace_back(setting.substr(0, setting.find('=')));
        }
        for (std::size_t i = kept_.size(); i-- > 0;) {  // what people read last goes first
            const std::string name = std::exchange(kept_[i], {});
            if (distinct() < all_.size()) {
                kept_[i] = name;
            }
        }
    }

    [[nodiscard]] std::string of(std::string_view types) const {
        std::string rest;
        for (const std::string& name : kept_) {
            if (const std::string_view value = setting_of(types, name); !value.empty()) {
                rest += (rest.empty() ? "" : " ") + setting_text(name, value);
            }
        }
        return short_types(rest);
    }

private:
    [[nodiscard]] std::size_t distinct() const {
        std::set<std::string> names;
        for (const std::string& types : all_) {
            std::string values;
            for (const std::string& name : kept_) {
                values += name.empty() ? "" : std::string(setting_of(types, name)) + '\n';
            }
            names.insert(values);
        }
        return names.size();
    }

    std::set<std::string> all_;
    std::vector<std::string> kept_;  ///< names of settings; empty: left out
};

std::string place_text(const LossTable& table, const LossSummary& losses) {
    if (losses.worst_problem == LossTable::kNone) {
        return "";
    }
    const LossTable::Problem& worst = table.problems[losses.worst_problem];
    const std::string types = TypeNames(table).of(worst.types);
    return (types.empty() ? "" : types + " ") + worst.size_text;
}

std::size_t count_of(const LossTable& table, std::string LossTable::Problem::*text) {
    std::set<std::string_view> distinct;
    for (const LossTable::Problem& problem : table.problems) {
        distinct.insert(problem.*text);
    }
    return distinct.size();
}

/// The values that a table [[default]] needs to give a configuration: those that differ from the
/// parameters' own; if none does, that of the first parameter, because a table has one at least.
std::vector<Configuration::Entry> values_of(const ProposedRules& proposed,
                                            const LearnedRule& rule) {
    const std::vector<Parameter>& parameters = proposed.kernel.front_matter().parameters;
    const Configuration configuration =
        Configuration::parse(proposed.table.configurations[rule.configuration], parameters);
    std::vector<Configuration::Entry> values;
    for (const Parameter& parameter : parameters) {
        if (configuration.at(parameter.name) != parameter.default_value()) {
            values.emplace_back(parameter.name, configuration.at(parameter.name));
        }
    }
    if (values.empty()) {
        values.emplace_back(parameters.front().name, parameters.front().default_value());
    }
    return values;
}

std::string toml_value(const Value& value) {
    return std::holds_alternative<std::string>(value) ? '"' + to_string(value) + '"'
                                                      : to_string(value);
}

std::string comment_of(const LossTable& table, const LossSummary& losses) {
    std::string text = count_text(static_cast<std::int64_t>(losses.problems), "problem");
    if (losses.estimated > 0) {
        text += fmt::format(", {} estimated", losses.estimated);
    }
    if (losses.worst > 0) {
        text += fmt::format(": {} times the best, worst {} at {}", loss_text(losses.geometric_mean),
                            loss_text(losses.worst), place_text(table, losses));
    }
    return text;
}

/// The lines of the table of losses: what answers, and how well.
struct LossLine {
    std::string name;
    std::string key;  ///< in JSON
    const LossSummary& losses;
};

std::vector<LossLine> loss_lines(const ProposedRules& proposed) {
    const RuleStudy& study = proposed.study;
    const auto count = [](std::size_t rules) {
        return count_text(static_cast<std::int64_t>(rules), "rule");
    };
    return {
        {"parameters' defaults", "parameters", study.standard},
        {fmt::format("template, {}", count(proposed.kernel.front_matter().default_rules.size())),
         "template", study.present},
        {fmt::format("proposal, {}", count(study.rules.size())), "proposal", study.proposal}};
}

View losses_view(const ProposedRules& proposed) {
    View view{
        "Losses",
        {text_column("what answers"), number_column("problems"), number_column("estimated"),
         number_column("unknown"), number_column("mean"), number_column("worst"), detail("where")}};
    const auto add = [&](const std::string& name, const LossSummary& losses) {
        view.rows.push_back({name, count_cell(losses.problems), count_cell(losses.estimated),
                             count_cell(losses.unknown), loss_text(losses.geometric_mean),
                             loss_text(losses.worst), place_text(proposed.table, losses)});
    };
    for (const LossLine& line : loss_lines(proposed)) {
        add(line.name, line.losses);
    }
    if (proposed.study.each_types_left_out.problems > 0) {
        add("types left out in turn", proposed.study.each_types_left_out);
    }
    const TypeNames names(proposed.table);
    for (const RuleStudy::LeftOut& one : proposed.study.left_out) {
        add("without " + (one.device_class.empty() ? names.of(one.types) : one.device_class),
            one.losses);
    }
    if (const std::string place = place_text(proposed.table, proposed.study.proposal);
        !place.empty()) {
        view.note = fmt::format("the proposal is worst at {}\n", place);
    }
    return view;
}

std::string gaps_text(const ProposedRules& proposed) {
    const std::vector<std::string>& names = proposed.kernel.front_matter().sizes;
    std::string text;
    for (const RuleStudy::Gap& gap : proposed.study.gaps) {
        text += fmt::format("  {}: no problem from {} to {}\n", names[gap.size],
                            size_text(std::int64_t{1} << gap.first),
                            size_text(std::int64_t{1} << gap.last));
    }
    return text;
}

std::string thin_text(const ProposedRules& proposed) {
    std::string text;
    const TypeNames type_names(proposed.table);
    for (const auto& [types, count] : proposed.study.few_sizes) {
        const std::string name = type_names.of(types);  // empty: there are no others
        text += fmt::format("  {}: {}\n", name.empty() ? "in all" : name,
                            count_text(static_cast<std::int64_t>(count), "size"));
    }
    text += gaps_text(proposed);
    for (const std::size_t rule : proposed.study.guessed_rules) {
        const LossSummary& losses = proposed.study.of_rules[rule];
        text +=
            fmt::format("  table {}: estimated at {} of its {} problems: {}\n", rule + 1,
                        losses.estimated, losses.problems,
                        proposed.table.configurations[proposed.study.rules[rule].configuration]);
    }
    return text.empty() ? "" : "\ntoo little is measured:\n" + text;
}

Json losses_json(const ProposedRules& proposed, const LossSummary& losses) {
    const bool is_known = losses.worst_problem != LossTable::kNone;
    Json json{{"problems", losses.problems},
              {"estimated", losses.estimated},
              {"unknown", losses.unknown},
              {"geometric_mean", is_known ? json_number(losses.geometric_mean) : Json()},
              {"worst", is_known ? json_number(losses.worst) : Json()},
              {"worst_at", Json()}};
    if (is_known) {
        const LossTable::Problem& worst = proposed.table.problems[losses.worst_problem];
        json["worst_at"] = {{"types", worst.types},
                            {"sizes", worst.size_text},
                            {"alignment", worst.alignment},
                            {"device_class", worst.device_class}};
    }
    return json;
}

Json rule_json(const ProposedRules& proposed, std::size_t place) {
    const LearnedRule& rule = proposed.study.rules[place];
    Json values = Json::object();
    for (const auto& [name, value] : values_of(proposed, rule)) {
        std::visit([&, key = name](const auto& held) { values[key] = held; }, value);
    }
    return {{"when", rule.condition.text(proposed.questions)},
            {"values", values},
            {"configuration", proposed.table.configurations[rule.configuration]},
            {"losses", losses_json(proposed, proposed.study.of_rules[place])}};
}

Json thin_json(const ProposedRules& proposed) {
    const RuleStudy& study = proposed.study;
    return {{"types", json_list(study.few_sizes,
                                [](const auto& one) -> Json {
                                    return {{"types", one.first}, {"sizes", one.second}};
                                })},
            {"octaves", json_list(study.gaps,
                                  [&](const RuleStudy::Gap& gap) -> Json {
                                      return {
                                          {"size", proposed.kernel.front_matter().sizes[gap.size]},
                                          {"from", std::int64_t{1} << gap.first},
                                          {"below", std::int64_t{1} << gap.last}};
                                  })},
            {"estimated_rules", study.guessed_rules}};
}

}  // namespace

std::string rules_toml(const ProposedRules& proposed) {
    std::string text;
    for (std::size_t i = 0; i < proposed.study.rules.size(); ++i) {
        const LearnedRule& rule = proposed.study.rules[i];
        text += fmt::format("[[default]]\n# {}\n",
                            comment_of(proposed.table, proposed.study.of_rules[i]));
        if (const std::string when = rule.condition.text(proposed.questions); !when.empty()) {
            text += fmt::format("when = \"{}\"\n", when);
        }
        for (const auto& [name, value] : values_of(proposed, rule)) {
            text += fmt::format("{} = {}\n", name, toml_value(value));
        }
        text += '\n';
    }
    return text;
}

std::string rules_report(const ProposedRules& proposed, std::size_t width) {
    const LossTable& table = proposed.table;
    const auto count = [](std::size_t number, std::string_view noun) {
        return count_text(static_cast<std::int64_t>(number), noun);
    };
    const std::size_t devices = count_of(table, &LossTable::Problem::device_class);
    std::string text =
        fmt::format("{}: {}, {}, {}, {}\n\n", proposed.kernel.source().name,
                    count(table.problems.size(), "problem"),
                    count(count_of(table, &LossTable::Problem::types), "combination") + " of types",
                    devices == 1 ? "1 device class" : fmt::format("{} device classes", devices),
                    count(table.configurations.size(), "configuration"));
    const std::string toml = rules_toml(proposed);
    if (toml.empty()) {
        text += "no rule is better than the parameters' defaults\n";
    } else {
        text += toml;
        if (proposed.study.rest.problems > 0) {
            text += fmt::format("no table answers {}\n\n", comment_of(table, proposed.study.rest));
        }
        text +=
            "paste the tables right above a line that begins with \"[\", in place of the "
            "template's own:\nso its hash stays as it is, and its winners serve\n";
    }
    return text + "\ntimes over the best that is measured at each problem:\n" +
           Table::text(losses_view(proposed), width) + thin_text(proposed);
}

Json rules_report_json(const ProposedRules& proposed) {
    Json rules = Json::array();
    for (std::size_t i = 0; i < proposed.study.rules.size(); ++i) {
        rules.push_back(rule_json(proposed, i));
    }
    Json losses = Json::object();
    for (const LossLine& line : loss_lines(proposed)) {
        losses[line.key] = losses_json(proposed, line.losses);
    }
    losses["no_rule"] = losses_json(proposed, proposed.study.rest);
    losses["each_types_left_out"] = losses_json(proposed, proposed.study.each_types_left_out);
    return {{"template", proposed.kernel.source().name},
            {"template_hash", proposed.kernel.hash()},
            {"problems", proposed.table.problems.size()},
            {"configurations", proposed.table.configurations.size()},
            {"toml", rules_toml(proposed)},
            {"rules", rules},
            {"losses", losses},
            {"left_out", json_list(proposed.study.left_out,
                                   [&](const RuleStudy::LeftOut& one) -> Json {
                                       const bool is_types = one.device_class.empty();
                                       return {{is_types ? "types" : "device_class",
                                                is_types ? one.types : one.device_class},
                                               {"losses", losses_json(proposed, one.losses)}};
                                   })},
            {"too_few", thin_json(proposed)}};
}

}  // namespace jitune::internal
