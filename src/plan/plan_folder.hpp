// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "plan/claim_folder.hpp"
#include "plan/deliveries.hpp"
#include "plan/shared_folder.hpp"

namespace jitune::internal {

/// The folder of a plan: `classes` with a folder for each class of devices that works on it, and
/// `unfinished` for what is being written. Functions throw Error(store).
class PlanFolder {
public:
    /// A new one, in a folder that is made or empty. Throws Error(usage) if there is a plan
    /// already or anything else.
    static PlanFolder make(const std::filesystem::path& path);

    /// Throws Error(usage) if the folder holds no plan.
    static PlanFolder open(const std::filesystem::path& path);

    [[nodiscard]] const SharedFolder& root() const { return root_; }
    [[nodiscard]] const SharedFolder& part() const { return part_; }

    /// The folder of a class of devices, made if there is none.
    [[nodiscard]] SharedFolder of_class(const std::string& device_class) const;
    /// The classes that have one.
    [[nodiscard]] std::vector<std::string> classes() const;

    /// Removes what dead tasks have left unfinished.
    void clean() const;

    /// What was delivered for a class.
    [[nodiscard]] Deliveries deliveries(const SharedFolder& of_class, std::size_t shards) const {
        return {of_class.make("results"), SharedFolder::open(part_.path()), shards};
    }

private:
    PlanFolder(SharedFolder root, SharedFolder part)
        : root_(std::move(root)), part_(std::move(part)) {}

    SharedFolder root_;
    SharedFolder part_;
};

}  // namespace jitune::internal
