// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/message.hpp"
#include "tuner_db/winners/record.hpp"

/// Records as fields of a message, for workers and journals of measurements, made from their lists
/// of fields.
namespace jitune::internal {

/// A verdict travels as its name. Reading throws Error(unavailable) for an unknown name.
void write_verdict(MessageWriter& writer, Verdict verdict);
Verdict read_verdict(MessageReader& reader);

template <HasFields Record>
void write_record(MessageWriter& writer, const Record& record) {
    each_field(record, [&]<class Value>(const Field&, const Value& value) {
        if constexpr (std::is_same_v<Value, Verdict>) {
            write_verdict(writer, value);
        } else {
            writer.fields(value);
        }
    });
}

/// Throws Error(unavailable) if the message does not hold such a record.
template <HasFields Record>
Record read_record(MessageReader& reader) {
    Record record;
    each_field(record, [&]<class Value>(const Field&, Value& value) {
        if constexpr (std::is_same_v<Value, Verdict>) {
            value = read_verdict(reader);
        } else {
            reader.fields(value);
        }
    });
    return record;
}

}  // namespace jitune::internal
