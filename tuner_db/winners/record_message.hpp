// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "jitune/error.hpp"
#include "support/message.hpp"
#include "tuner_db/winners/record.hpp"

/// Records as fields of a message, for workers and journals of measurements, made from their lists
/// of fields.
namespace jitune::internal {

/// A verdict travels as its name. Throws Error(unavailable) for an unknown name.
inline Verdict read_verdict(MessageReader& reader) {
    const std::string name = reader.text();
    const std::optional<Verdict> verdict = verdict_from(name);
    if (!verdict) {
        throw Error(ErrorKind::unavailable,
                    "malformed message from a jitune worker: unknown verdict \"" + name +
                        "\"; is it a different version?");
    }
    return *verdict;
}

template <HasFields Record>
void write_record(MessageWriter& writer, const Record& record) {
    each_field(record, [&]<class Value>(const Field&, const Value& value) {
        if constexpr (std::is_same_v<Value, Verdict>) {
            writer.text(to_string(value));
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
