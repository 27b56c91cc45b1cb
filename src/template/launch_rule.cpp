// SPDX-License-Identifier: Apache-2.0
#include "template/launch_rule.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

constexpr std::int64_t kScratchAlignment = 256;
constexpr std::int64_t kNotAnInteger = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighestWord = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kMostBlocksInACluster = 8;  // what every GPU that has clusters can launch

std::int64_t integer_of(const Scalar& value) {
    const auto* integer = std::get_if<std::int64_t>(&value);
    return integer != nullptr ? *integer : kNotAnInteger;
}

std::uint64_t bits(const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
}

std::size_t offset_in(const Launch& launch, const std::uint32_t& word) {
    return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&word) -
                                    reinterpret_cast<const std::byte*>(&launch));
}

}  // namespace

LaunchRule::LaunchRule(const std::vector<Step>& steps, const std::vector<Argument>& arguments) {
    for (const Argument& argument : arguments) {
        add_argument(argument, kinds_.size());
        kinds_.push_back(argument.kind);
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
        add_step(steps[i], static_cast<std::uint32_t>(i));
    }
}

void LaunchRule::add_argument(const Argument& argument, std::size_t index) {
    if (argument.kind == Argument::Kind::array || argument.kind == Argument::Kind::value_array) {
        if (argument.kind == Argument::Kind::value_array) {
            fixed_.by_value |= std::uint64_t{1} << fixed_.array_count;
        }
        if (argument.constant) {
            add_constant(argument);
        }
        if (argument.texture) {
            add_texture(argument);
        }
        fixed_.array_cells.at(fixed_.array_count++) = static_cast<std::uint8_t>(index);
        return;
    }
    add_bytes(argument,
              argument.kind == Argument::Kind::integer ? Place::Kind::integer : Place::Kind::bytes,
              index);
}

void LaunchRule::add_constant(const Argument& argument) {
    fixed_.constants.at(fixed_.constant_count) = {fixed_.array_count, *argument.constant, 0};
    add_bytes(argument, Place::Kind::constant, fixed_.constant_count++);
}

void LaunchRule::add_texture(const Argument& argument) {
    const Argument::Texture& texture = *argument.texture;
    TextureView& view = fixed_.textures.at(fixed_.texture_count);
    view = texture.view;
    view.array = fixed_.array_count;
    add_word(texture.width, view.width, kMaxLaunchSteps, 1, kHighestWord);
    if (texture.height) {
        add_word(*texture.height, view.height, kMaxLaunchSteps, 1, kHighestWord);
        add_word(*texture.pitch, view.pitch, kMaxLaunchSteps, 1, kHighestWord);
    }
    add_bytes(argument, Place::Kind::texture, fixed_.texture_count++);
}

void LaunchRule::add_bytes(const Argument& argument, Place::Kind kind, std::size_t cell) {
    Place place;
    place.kind = kind;
    place.cell = cell;
    place.element_bytes = argument.element_bytes;
    place.highest = std::numeric_limits<std::int64_t>::max() / 4 / argument.element_bytes;
    add(argument.amount, place);
}

void LaunchRule::add_word(const Quantity& quantity, const std::uint32_t& field, std::size_t step,
                          std::int64_t lowest, std::int64_t highest) {
    Place place;
    place.step = step;
    place.offset = offset_in(fixed_, field);
    place.lowest = lowest;
    place.highest = highest;
    add(quantity, place);
}

void LaunchRule::add_step(const Step& step, std::uint32_t entry) {
    const auto condition = step.when.expression.constant_value();
    if (condition && !is_true(*condition)) {
        return;
    }
    LaunchStep& target = fixed_.steps.at(fixed_.step_count);
    target.entry = entry;
    target.argument_count = static_cast<std::uint8_t>(step.arguments.size());
    std::copy(step.arguments.begin(), step.arguments.end(), target.arguments.begin());
    const auto word = [&](const Quantity& quantity, const std::uint32_t& field, std::int64_t lowest,
                          std::int64_t highest = kHighestWord) {
        add_word(quantity, field, fixed_.step_count, lowest, highest);
    };
    word(step.grid[0], target.grid.x, 1);
    word(step.grid[1], target.grid.y, 1);
    word(step.grid[2], target.grid.z, 1);
    word(step.block[0], target.block.x, 1);
    word(step.block[1], target.block.y, 1);
    word(step.block[2], target.block.z, 1);
    word(step.shared_bytes, target.shared_bytes, 0);
    word(step.cluster, target.cluster, 1, kMostBlocksInACluster);
    word(step.programmatic, target.programmatic, 0);
    word(step.cooperative, target.cooperative, 0);
    if (!condition) {
        conditions_.push_back({step.when.expression, fixed_.step_count});
    }
    ++fixed_.step_count;
}

void LaunchRule::add(const Quantity& quantity, Place place) {
    place.what = quantity.what;
    if (const auto constant = quantity.expression.constant_value()) {
        put(fixed_, place, integer_of(*constant));
        return;
    }
    std::string text = quantity.expression.tree_text();
    const auto known = std::find_if(varying_.begin(), varying_.end(),
                                    [&](const Varying& one) { return one.text == text; });
    if (known != varying_.end()) {
        known->places.push_back(std::move(place));
    } else {
        varying_.push_back({quantity.expression, std::move(text), {std::move(place)}});
    }
}

void LaunchRule::put(Launch& launch, const Place& place, std::int64_t value) {
    if (value < place.lowest || value > place.highest) {
        throw Error(
            ErrorKind::usage,
            fmt::format("{} is {} for these sizes: must be an integer from {} to {}", place.what,
                        value == kNotAnInteger ? "no integer" : std::to_string(value), place.lowest,
                        place.highest));
    }
    if (place.kind == Place::Kind::word) {
        const auto word = static_cast<std::uint32_t>(value);
        std::memcpy(reinterpret_cast<std::byte*>(&launch) + place.offset, &word, sizeof word);
        return;
    }
    if (place.kind == Place::Kind::constant) {
        launch.constants.at(place.cell).bytes =
            static_cast<std::uint64_t>(value * place.element_bytes);
        return;
    }
    if (place.kind == Place::Kind::texture) {
        launch.textures.at(place.cell).bytes =
            static_cast<std::uint64_t>(value * place.element_bytes);
        return;
    }
    if (place.kind == Place::Kind::bytes) {
        const std::int64_t bytes = value * place.element_bytes + kScratchAlignment - 1;
        value = bytes / kScratchAlignment * kScratchAlignment;
    }
    launch.cells[place.cell] = static_cast<std::uint64_t>(value);
}

void LaunchRule::drop_steps(Launch& launch, const Active& active) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < launch.step_count; ++i) {
        if (active[i]) {
            launch.steps[kept++] = launch.steps[i];
        }
    }
    launch.step_count = kept;
}

void LaunchRule::copy_used(const Launch& from, Launch& to) const {
    to.step_count = from.step_count;
    std::copy_n(from.steps.begin(), from.step_count, to.steps.begin());
    std::copy_n(from.cells.begin(), kinds_.size(), to.cells.begin());
    to.array_cells = from.array_cells;
    to.array_count = from.array_count;
    to.by_value = from.by_value;
    to.constant_count = from.constant_count;
    std::copy_n(from.constants.begin(), from.constant_count, to.constants.begin());
    to.texture_count = from.texture_count;
    std::copy_n(from.textures.begin(), from.texture_count, to.textures.begin());
}

LaunchRule::Plan LaunchRule::plan(std::span<const std::int64_t> sizes) const {
    Plan plan;
    copy_used(fixed_, plan.launch);
    Active active;
    active.fill(true);
    for (const Condition& condition : conditions_) {
        active[condition.step] = is_true(condition.expression.evaluate(sizes));
    }
    for (const Varying& varying : varying_) {
        const std::int64_t value = integer_of(varying.expression.evaluate(sizes));
        for (const Place& place : varying.places) {
            if (active[place.step]) {
                put(plan.launch, place, value);
            }
        }
    }
    if (!conditions_.empty()) {
        drop_steps(plan.launch, active);
    }
    place_scratch(plan);
    return plan;
}

/// Work memory of one kind lies one after the other.
void LaunchRule::place_scratch(Plan& plan) const {
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
        std::uint64_t& cell = plan.launch.cells[i];
        if (kinds_[i] == Argument::Kind::scratch) {
            plan.scratch.plain += std::exchange(cell, plan.scratch.plain);
        } else if (kinds_[i] == Argument::Kind::zeroed) {
            plan.scratch.zeroed += std::exchange(cell, plan.scratch.zeroed);
        }
    }
}

Launch LaunchRule::bind(const Plan& plan, const Scratch& scratch) const {
    Launch launch;
    copy_used(plan.launch, launch);
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
        if (kinds_[i] == Argument::Kind::scratch) {
            launch.cells[i] += bits(scratch.plain);
        } else if (kinds_[i] == Argument::Kind::zeroed) {
            launch.cells[i] += bits(scratch.zeroed);
        }
    }
    return launch;
}

Launch LaunchRule::bind(const Plan& plan, std::span<void* const> arrays,
                        const Scratch& scratch) const {
    Launch launch = bind(plan, scratch);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        launch.cells[launch.array_cells[i]] = bits(arrays[i]);
    }
    return launch;
}

}  // namespace jitune::internal
