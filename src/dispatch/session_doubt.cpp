// SPDX-License-Identifier: Apache-2.0
#include "dispatch/session_doubt.hpp"

#include "support/message.hpp"
#include "support/utc_text.hpp"

namespace jitune::internal {

Doubt new_doubt(const Task& task, const Resolved& answer) {
    Doubt doubt;
    doubt.key = task.key();
    doubt.configuration = answer.info.configuration;
    doubt.winner_at = answer.winner_at;
    doubt.kernel_spec = frame(task.kernel.spec);
    doubt.driver = task.info().driver;
    doubt.device_name = task.info().name;
    return doubt;
}

std::optional<Winner> row_of(SessionStore& store, const Doubt& doubt, const Sizes& sizes) {
    auto row = store.look(
        [&](TuningStore& open) { return open.find(doubt.key, sizes, TuningStore::kDispatchWait); });
    const bool is_it = row && row->configuration == doubt.configuration &&
                       row->provenance.created_at == doubt.winner_at;
    return is_it ? std::move(row) : std::nullopt;
}

void complete(Doubt& doubt, const Winner& row, const char* reason, const Sizes& sizes,
              const std::vector<std::string>& size_names) {
    doubt.key = row.key;
    doubt.sizes = row.sizes;
    doubt.reason = reason;
    doubt.called = coverage_text(std::vector{SizeBox::point(sizes)}, size_names);
    doubt.reports = 1;
    doubt.first_at = doubt.last_at = utc_text();
}

}  // namespace jitune::internal
