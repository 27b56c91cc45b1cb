// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/t1_launch.hpp"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/formats/toml_text.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

constexpr std::array kT1Axes{"X", "Y", "Z"};
constexpr std::array kGridDivs{"GridDivX", "GridDivY", "GridDivZ"};

class T1Launch {
public:
    T1Launch(const ParsedJson& kernel, const T1Scope& scope, std::vector<std::string>& notes)
        : kernel_(kernel), scope_(scope), notes_(notes) {
        for (std::size_t axis = 0; axis < divisors_.size(); ++axis) {
            divisors_[axis] = divisor(axis);
            is_divided_ = is_divided_ || !divisors_[axis].empty();
        }
    }

    std::string lines() {
        const ParsedJson* const shared = find_member(kernel_, "SharedMemory");
        const std::vector<std::string> blocks = block();
        const std::vector<std::string> grids = grid(blocks);
        return fmt::format(
            "grid = {}\nblock = {}\nshared_bytes = {}\n", toml_list(grids), toml_list(blocks),
            toml_text(shared != nullptr && !shared->is_null() ? formula(*shared, "SharedMemory")
                                                              : "0"));
    }

private:
    std::string formula(const ParsedJson& value, const std::string& member) {
        return scope_.launch_formula(value, member, notes_);
    }

    [[nodiscard]] const ParsedJson* given(const char* key, std::size_t axis) const {
        const ParsedJson* const sizes = find_member(kernel_, key);
        return sizes == nullptr ? nullptr : find_member(*sizes, kT1Axes[axis]);
    }

    /// The product of a GridDiv; empty where there is none.
    std::string divisor(std::size_t axis) {
        const ParsedJson* const list = find_member(kernel_, kGridDivs[axis]);
        if (list == nullptr || list->is_null() || (list->is_array() && list->empty())) {
            return "";
        }
        if (!list->is_array()) {
            return formula(*list, kGridDivs[axis]);
        }
        std::string product;
        for (const ParsedJson& factor : *list) {
            const std::string text = formula(factor, kGridDivs[axis]);
            const bool is_plain = text.find(' ') == std::string::npos;
            product += (product.empty() ? "" : " * ") + (is_plain ? text : "(" + text + ")");
        }
        return product;
    }

    std::vector<std::string> block() {
        const bool is_given = find_member(kernel_, "LocalSize") != nullptr;
        std::vector<std::string> result;
        for (std::size_t axis = 0; axis < kT1Axes.size(); ++axis) {
            const ParsedJson* const size = given("LocalSize", axis);
            if (size != nullptr) {
                result.push_back(formula(*size, fmt::format("LocalSize.{}", kT1Axes[axis])));
            } else if (!is_given && axis == 0) {
                result.push_back(formula("block_size_x", "LocalSize"));
            } else {  // Kernel Tuner's names
                const bool is_named = !is_given || is_divided_;
                result.push_back(is_named ? scope_.block_size(axis).value_or("1") : "1");
            }
        }
        return result;
    }

    std::vector<std::string> grid(const std::vector<std::string>& blocks) {
        const bool is_given = find_member(kernel_, "GlobalSize") != nullptr;
        const auto& problem = scope_.problem_size();
        if (is_divided_ || !is_given) {
            if (!problem) {
                throw Error(ErrorKind::usage,
                            "ProblemSize is missing: give it, or GlobalSize without GridDivX, Y "
                            "and Z");
            }
            if (is_given) {
                notes_.emplace_back(
                    "KernelSpecification.GlobalSize is not used: ProblemSize and the lists "
                    "GridDivX, Y and Z give the grid, as in Kernel Tuner");
            }
            return divided(*problem);
        }
        const std::string type = text_member_or(kernel_, "GlobalSizeType", "CUDA");
        if (type != "CUDA" && type != "OpenCL" && type != "Vulkan") {
            throw Error(ErrorKind::usage,
                        fmt::format("GlobalSizeType is \"{}\": jitune takes CUDA and Vulkan, which "
                                    "count blocks, and OpenCL, which counts threads",
                                    type));
        }
        std::vector<std::string> result;
        for (std::size_t axis = 0; axis < kT1Axes.size(); ++axis) {
            const ParsedJson* const size = given("GlobalSize", axis);
            const std::string text =
                size != nullptr ? formula(*size, fmt::format("GlobalSize.{}", kT1Axes[axis])) : "1";
            result.push_back(type == "OpenCL" ? fmt::format("ceil_div({}, {})", text, blocks[axis])
                                              : text);
        }
        return result;
    }

    /// Without a list, the block's size divides.
    std::vector<std::string> divided(const std::array<std::int64_t, 3>& problem) const {
        std::vector<std::string> result;
        for (std::size_t axis = 0; axis < problem.size(); ++axis) {
            const std::string by =
                divisors_[axis].empty() ? scope_.block_size(axis).value_or("1") : divisors_[axis];
            result.push_back(by == "1" ? std::to_string(problem[axis])
                                       : fmt::format("ceil_div({}, {})", problem[axis], by));
        }
        return result;
    }

    const ParsedJson& kernel_;
    const T1Scope& scope_;
    std::vector<std::string>& notes_;
    std::array<std::string, 3> divisors_;
    bool is_divided_ = false;
};

}  // namespace

std::string t1_launch(const ParsedJson& kernel, const T1Scope& scope,
                      std::vector<std::string>& notes) {
    return T1Launch(kernel, scope, notes).lines();
}

}  // namespace jitune::internal
