// SPDX-License-Identifier: Apache-2.0
#include "plan/deliveries.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "plan/task_name.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kMostReason = 4096;

/// In the order of the enumerators.
constexpr std::array kDeliveryKinds{"result", "part", "reason"};

}  // namespace

std::string shard_name(std::size_t shard) {
    return fmt::format("{:04}", shard);
}

std::string Delivery::name() const {
    return fmt::format("{:07}.{}.{}.{}.{}", claim.rank, claim.round,
                       kDeliveryKinds.at(static_cast<std::size_t>(kind)), claim.since, claim.task);
}

std::optional<Delivery> delivery(std::string_view name) {
    std::string_view rest = name;
    const auto rank = plain_number(next_part(rest));
    const auto round = plain_number(next_part(rest));
    const auto* const kind =
        std::find(kDeliveryKinds.begin(), kDeliveryKinds.end(), next_part(rest));
    const auto since = plain_number(next_part(rest));
    if (!rank || !round || kind == kDeliveryKinds.end() || !since || !is_task_name(rest)) {
        return std::nullopt;
    }
    Delivery found{static_cast<Delivery::Kind>(kind - kDeliveryKinds.begin())};
    found.claim.rank = static_cast<std::size_t>(*rank);
    found.claim.round = static_cast<std::size_t>(*round);
    found.claim.kind = ProblemState::Kind::claimed;
    found.claim.since = *since;
    found.claim.task = rest;
    return found.name() == name ? std::optional(found) : std::nullopt;
}

std::string Deliveries::shard_of(std::size_t rank) const {
    return shard_name(rank % shards_);
}

void Deliveries::put(const std::filesystem::path& file, const Delivery& delivery) const {
    folder_.make(shard_of(delivery.claim.rank)).deliver(file, part_, delivery.name());
}

void Deliveries::put_text(const std::string& text, const Delivery& delivery) const {
    folder_.make(shard_of(delivery.claim.rank))
        .deliver_text(text.substr(0, kMostReason), part_, delivery.name());
}

bool Deliveries::has_result(const ProblemState& claim) const {
    const std::vector<Delivery> all = of(claim.rank);
    return std::any_of(all.begin(), all.end(), [&](const Delivery& one) {
        return one.kind == Delivery::Kind::result && one.claim.round == claim.round;
    });
}

std::vector<Delivery> Deliveries::in_shard(std::size_t shard) const {
    std::vector<Delivery> found;
    if (const auto folder = folder_.find(shard_name(shard))) {
        std::vector<std::string> names = folder->names();
        std::sort(names.begin(), names.end());
        for (const std::string& name : names) {
            auto one = delivery(name);
            if (one && one->claim.rank % shards_ == shard) {
                found.push_back(std::move(*one));
            }
        }
    }
    return found;
}

std::vector<Delivery> Deliveries::of(std::size_t rank) const {
    std::vector<Delivery> found = in_shard(rank % shards_);
    std::erase_if(found, [&](const Delivery& one) { return one.claim.rank != rank; });
    return found;
}

bool Deliveries::fetch(const Delivery& delivery, const std::filesystem::path& to) const {
    const auto shard = folder_.find(shard_of(delivery.claim.rank));
    return shard && shard->fetch(delivery.name(), to);
}

void Deliveries::set_aside(const Delivery& delivery) const {
    if (const auto shard = folder_.find(shard_of(delivery.claim.rank))) {
        static_cast<void>(shard->rename(delivery.name(), "bad." + random_name()));
    }
}

std::string Deliveries::reason(const Delivery& delivery) const {
    const auto shard = folder_.find(shard_of(delivery.claim.rank));
    return (shard ? shard->text(delivery.name(), kMostReason) : std::nullopt).value_or("");
}

}  // namespace jitune::internal
