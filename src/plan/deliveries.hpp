// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/problem_state.hpp"
#include "plan/shared_folder.hpp"

namespace jitune::internal {

/// One file that a task has delivered for a problem that it had claimed. It never changes.
struct Delivery {
    enum class Kind {
        result,  ///< a database: the problem is done
        part,    ///< a database of what was measured until the task had to leave
        reason   ///< a text: why the task could not tune it
    };
    Kind kind = Kind::result;
    ProblemState claim = {};

    /// The name of its file.
    [[nodiscard]] std::string name() const;
};

/// The delivery of that name; nothing for a name that Delivery::name() does not make.
std::optional<Delivery> delivery(std::string_view name);

/// What tasks have delivered, in folders that hold the problems of one shard each. Thread-safe,
/// with the errors of SharedFolder.
class Deliveries {
public:
    /// `part` holds files while they are written.
    Deliveries(SharedFolder folder, SharedFolder part, std::size_t shards)
        : folder_(std::move(folder)), part_(std::move(part)), shards_(shards) {}

    void put(const std::filesystem::path& file, const Delivery& delivery) const;
    void put_text(const std::string& text, const Delivery& delivery) const;

    /// True if a result of the claim's problem and round has come, from any task.
    [[nodiscard]] bool has_result(const ProblemState& claim) const;

    /// The deliveries for one problem, in the order of their names.
    [[nodiscard]] std::vector<Delivery> of(std::size_t rank) const;
    /// The deliveries of one shard.
    [[nodiscard]] std::vector<Delivery> in_shard(std::size_t shard) const;
    [[nodiscard]] std::size_t shards() const { return shards_; }

    /// Copies a delivery to a file. False if it is not a file that this user may trust.
    [[nodiscard]] bool fetch(const Delivery& delivery, const std::filesystem::path& to) const;
    /// Renames a damaged delivery to a name that no delivery has.
    void set_aside(const Delivery& delivery) const;
    [[nodiscard]] std::string reason(const Delivery& delivery) const;

private:
    [[nodiscard]] std::string shard_of(std::size_t rank) const;

    SharedFolder folder_;
    SharedFolder part_;
    std::size_t shards_;
};

/// "0017": the folder of a shard.
std::string shard_name(std::size_t shard);

}  // namespace jitune::internal
