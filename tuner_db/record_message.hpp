// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/message.hpp"
#include "tuner_db/record.hpp"

namespace jitune::internal {

/// Records as fields of a message, for workers and sweep journals. Reading throws
/// Error(unavailable) for fields that are no record.
void write_record(MessageWriter& writer, const RecordKey& key);
void write_record(MessageWriter& writer, const Measurement& measurement);
void write_record(MessageWriter& writer, const Winner& winner);

RecordKey read_key(MessageReader& reader);
Measurement read_measurement(MessageReader& reader);
Winner read_winner(MessageReader& reader);

}  // namespace jitune::internal
