// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/device.hpp"
#include "backend/launch.hpp"
#include "space/expression.hpp"

namespace jitune::internal {

/// Computes launches from sizes, for one configuration on one device. The constructor computes all
/// that does not depend on the sizes, once. Thread-safe; plan() and bind() take no lock and
/// allocate nothing.
class LaunchRule {
public:
    /// An expression over the sizes, by slot.
    struct Quantity {
        Expression expression;
        std::string what;  ///< for messages: "grid.x of reduce.cu"
    };
    struct Step {
        Quantity when, shared_bytes;
        std::array<Quantity, 3> grid, block;
        std::vector<std::uint8_t> arguments;  ///< indexes of the rule's arguments
        Quantity cluster{Expression::constant(std::int64_t{1}), "cluster"};
        Quantity programmatic{Expression::constant(std::int64_t{0}), "programmatic"};
        Quantity cooperative{Expression::constant(std::int64_t{0}), "cooperative"};
    };
    struct Argument {
        enum class Kind { array, value_array, scratch, zeroed, integer } kind = Kind::array;
        std::int64_t element_bytes = 1;
        Quantity amount;  ///< elements, or the integer's value
        /// For an array that is copied into a constant: the constant's symbol in the program.
        std::optional<std::uint8_t> constant = {};
        /// For an array that kernels take as a texture object.
        struct Texture {
            TextureView view;  ///< but for its array and its numbers
            Quantity width;
            std::optional<Quantity> height, pitch;  ///< nothing: linear memory
        };
        std::optional<Texture> texture = {};
    };

    LaunchRule() = default;
    /// Throws Error(usage) if a quantity that does not depend on the sizes is not an integer in
    /// range.
    LaunchRule(const std::vector<Step>& steps, const std::vector<Argument>& arguments);

    /// The launches for some sizes, without the pointers. The cell of an array of work memory holds
    /// its offset in the memory of its kind.
    struct Plan {
        Launch launch;
        ScratchNeed scratch{};
    };
    /// Throws Error(usage) if a quantity is not an integer in range for these sizes.
    [[nodiscard]] Plan plan(std::span<const std::int64_t> sizes) const;

    /// A plan of this rule with work memory; its arrays are those of the `in` and `out` arguments
    /// in the front matter's order, for ReadyLaunch.
    [[nodiscard]] Launch bind(const Plan& plan, const Scratch& scratch) const;

    /// As above, with the arrays in place.
    [[nodiscard]] Launch bind(const Plan& plan, std::span<void* const> arrays,
                              const Scratch& scratch) const;

private:
    /// Where in a launch the value of a quantity goes.
    struct Place {
        enum class Kind { word, integer, bytes, constant, texture } kind = Kind::word;
        std::size_t step = kMaxLaunchSteps;  ///< that it belongs to; kMaxLaunchSteps: to none
        std::size_t offset = 0;              ///< of word: the offset of a std::uint32_t in a Launch
        std::int64_t lowest = 0, highest = 0;
        /// integer, bytes; of constant and texture, the place in the list of these
        std::size_t cell = 0;
        std::int64_t element_bytes = 1;  ///< bytes, constant, texture
        std::string what;
    };
    /// An expression over the sizes with all its places, so that its value is computed only once.
    struct Varying {
        Expression expression;
        std::string text;  ///< of its tree, by which an equal one is known
        std::vector<Place> places;
    };
    /// A step that some sizes leave out.
    struct Condition {
        Expression expression;
        std::size_t step = 0;
    };
    /// Which steps there are; the last, for places of no step, is always true.
    using Active = std::array<bool, kMaxLaunchSteps + 1>;

    void add_argument(const Argument& argument, std::size_t index);
    void add_constant(const Argument& argument);
    void add_texture(const Argument& argument);
    void add_bytes(const Argument& argument, Place::Kind kind, std::size_t cell);
    void add_word(const Quantity& quantity, const std::uint32_t& field, std::size_t step,
                  std::int64_t lowest, std::int64_t highest);
    void add_step(const Step& step, std::uint32_t entry);
    void add(const Quantity& quantity, Place place);
    void copy_used(const Launch& from, Launch& to) const;
    static void put(Launch& launch, const Place& place, std::int64_t value);
    void place_scratch(Plan& plan) const;
    static void drop_steps(Launch& launch, const Active& active);

    Launch fixed_{};
    std::vector<Varying> varying_;
    std::vector<Condition> conditions_;
    std::vector<Argument::Kind> kinds_;
};

}  // namespace jitune::internal
