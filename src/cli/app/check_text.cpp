// SPDX-License-Identifier: Apache-2.0
#include "cli/app/check_text.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/formats/table.hpp"
#include "text/units.hpp"

namespace jitune::internal {

namespace {

using Rows = std::vector<const CheckedConfiguration*>;

std::string level_text(Finding::Level level) {
    return level == Finding::Level::error ? "error" : "warning";
}

std::string finding_text(const Finding& finding) {
    std::string text =
        fmt::format("{}: {}: {}\n", finding.place, level_text(finding.level), finding.text);
    if (!finding.excerpt.empty()) {
        text += finding.excerpt + "\n";
    }
    if (finding.configurations > 0) {
        text += fmt::format(
            "    {} on {}, as {}\n",
            count_text(static_cast<std::int64_t>(finding.configurations), "configuration"),
            fmt::join(finding.devices, ", "), finding.example);
    } else if (!finding.devices.empty()) {
        text += fmt::format("    on {}\n", fmt::join(finding.devices, ", "));
    }
    return text;
}

std::string share_text(double share) {
    return fmt::format("{:.0f} %", 100 * share);
}

std::string effects_text(const SpaceReport& space) {
    std::string text;
    for (const ConstraintEffect& effect : space.effects) {
        const std::string removed =
            !effect.removed ? "?"
                            : fmt::format("{:.0f} ({})", *effect.removed,
                                          share_text(*effect.removed / space.combinations));
        text += fmt::format("    {} removes {:>16}: {}\n",
                            effect.is_prune ? "prune     " : "constraint", removed, effect.text);
    }
    return text;
}

/// The rows whose resources are known, most occupancy first.
Rows by_occupancy(const DeviceCheck& device) {
    Rows rows;
    for (const CheckedConfiguration& row : device.configurations) {
        if (row.occupancy) {
            rows.push_back(&row);
        }
    }
    std::stable_sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) {
        return a->occupancy->share > b->occupancy->share;
    });
    return rows;
}

/// The rows that spill, the worst first.
Rows by_spills(const DeviceCheck& device) {
    Rows rows;
    const auto spills = [](const CheckedConfiguration& row) {
        return row.resources ? row.resources->spill_store_bytes + row.resources->spill_load_bytes
                             : 0;
    };
    for (const CheckedConfiguration& row : device.configurations) {
        if (spills(row) > 0) {
            rows.push_back(&row);
        }
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const auto* a, const auto* b) { return spills(*a) > spills(*b); });
    return rows;
}

std::string table_text(const std::string& title, const Rows& rows, std::size_t most) {
    if (rows.empty()) {
        return "";
    }
    std::vector<Table::Cells> cells;
    for (const CheckedConfiguration* row : rows) {
        if (most != 0 && cells.size() == most) {
            break;
        }
        const KernelResources& used = *row->resources;
        cells.push_back({row->occupancy ? share_text(row->occupancy->share) : "?",
                         row->occupancy ? row->occupancy->limit : "?",
                         row->occupancy ? std::to_string(row->occupancy->blocks_per_sm) : "?",
                         std::to_string(row->threads), std::to_string(used.registers),
                         std::to_string(used.shared_bytes + row->dynamic_bytes),
                         fmt::format("{} + {}", used.spill_store_bytes, used.spill_load_bytes),
                         row->configuration});
    }
    const std::string shown =
        cells.size() < rows.size() ? fmt::format(" ({} of {})", cells.size(), rows.size()) : "";
    return fmt::format("  {}{}\n", title, shown) + Table::text({{"  occupancy", Align::right},
                                                                {"limit"},
                                                                {"blocks/SM", Align::right},
                                                                {"threads", Align::right},
                                                                {"registers", Align::right},
                                                                {"shared bytes", Align::right},
                                                                {"spills", Align::right},
                                                                {"configuration"}},
                                                               cells, kWhole);
}

std::string device_text(const DeviceCheck& device, std::size_t rows) {
    const auto& all = device.configurations;
    const auto compiled =
        std::count_if(all.begin(), all.end(), [](const auto& row) { return row.is_compiled; });
    std::string text =
        fmt::format("{} ({}): {:.0f} combinations, {} legal; {} of them compiled, {} failed\n",
                    device.device.id, device.device.name, device.space.combinations,
                    device.space.legal, compiled, all.size() - static_cast<std::size_t>(compiled));
    text += effects_text(device.space);
    text += table_text("by occupancy", by_occupancy(device), rows);
    return text +
           table_text("worst spills, bytes stored + loaded by a thread", by_spills(device), rows);
}

Json row_json(const CheckedConfiguration& row) {
    Json json{{"configuration", row.configuration},
              {"compiled", row.is_compiled},
              {"threads", row.threads},
              {"dynamic_shared_bytes", row.dynamic_bytes}};
    if (row.resources) {
        json["registers"] = row.resources->registers;
        json["shared_bytes"] = row.resources->shared_bytes;
        json["stack_bytes"] = row.resources->stack_bytes;
        json["spill_store_bytes"] = row.resources->spill_store_bytes;
        json["spill_load_bytes"] = row.resources->spill_load_bytes;
    }
    if (row.occupancy) {
        json["occupancy"] = json_number(row.occupancy->share);
        json["blocks_per_sm"] = row.occupancy->blocks_per_sm;
        json["limit"] = row.occupancy->limit;
    }
    return json;
}

Json device_json(const DeviceCheck& device) {
    Json json{{"device", device.device.id},
              {"device_name", device.device.name},
              {"combinations", json_number(device.space.combinations)},
              {"legal", device.space.legal},
              {"constraints", Json::array()},
              {"configurations", Json::array()}};
    for (const ConstraintEffect& effect : device.space.effects) {
        json["constraints"].push_back(
            {{"text", effect.text},
             {"prune", effect.is_prune},
             {"removed", effect.removed ? json_number(*effect.removed) : Json(nullptr)}});
    }
    for (const CheckedConfiguration& row : device.configurations) {
        json["configurations"].push_back(row_json(row));
    }
    return json;
}

}  // namespace

std::string check_text(const std::vector<CheckedProblem>& problems,
                       std::span<const Finding> findings, std::size_t rows) {
    std::string text;
    for (const CheckedProblem& problem : problems) {
        text += problem.name + "\n";
        for (const DeviceCheck& device : problem.devices) {
            text += device_text(device, rows);
        }
    }
    for (const Finding& finding : findings) {
        text += finding_text(finding);
    }
    const auto errors = std::count_if(findings.begin(), findings.end(), [](const Finding& one) {
        return one.level == Finding::Level::error;
    });
    return text + fmt::format("{}, {}\n", count_text(errors, "error"),
                              count_text(std::ssize(findings) - errors, "warning"));
}

Json check_json(const std::string& file, const std::vector<CheckedProblem>& problems,
                std::span<const Finding> findings) {
    Json json{{"file", file}, {"problems", Json::array()}, {"findings", Json::array()}};
    for (const CheckedProblem& problem : problems) {
        Json devices = Json::array();
        for (const DeviceCheck& device : problem.devices) {
            devices.push_back(device_json(device));
        }
        json["problems"].push_back({{"problem", problem.name}, {"devices", std::move(devices)}});
    }
    for (const Finding& finding : findings) {
        json["findings"].push_back({{"level", level_text(finding.level)},
                                    {"place", finding.place},
                                    {"text", finding.text},
                                    {"excerpt", finding.excerpt},
                                    {"configurations", finding.configurations},
                                    {"example", finding.example},
                                    {"devices", finding.devices}});
    }
    return json;
}

}  // namespace jitune::internal
