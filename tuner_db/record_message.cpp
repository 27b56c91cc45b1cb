// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/record_message.hpp"

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

// One list of fields for both directions: `message` is a MessageWriter with a constant record, or a
// MessageReader.

template <class Message, class Key>
void key_fields(Message& message, Key& key) {
    message.fields(key.kernel, key.types, key.bucket, key.alignment, key.template_hash,
                   key.device_class);
}

template <class Message, class Source>
void provenance_fields(Message& message, Source& provenance) {
    message.fields(provenance.device_name, provenance.device_uuid, provenance.driver,
                   provenance.compiler, provenance.created_at);
}

template <class Message, class Row, class Word>
void measurement_fields(Message& message, Row& row, Word& verdict) {
    key_fields(message, row.key);
    message.fields(row.sizes, row.configuration, verdict, row.reason, row.conditions,
                   row.samples_ns);
    provenance_fields(message, row.provenance);
    message.fields(row.reproducibility);
}

template <class Message, class Row>
void winner_fields(Message& message, Row& row) {
    key_fields(message, row.key);
    message.fields(row.sizes, row.configuration, row.median_ns, row.noise, row.default_median_ns,
                   row.complete, row.image_format, row.image, row.symbols);
    provenance_fields(message, row.provenance);
    message.fields(row.reproducibility, row.certainty.conditions, row.certainty.uncertainty,
                   row.certainty.speed_up_low, row.certainty.speed_up_high);
}

}  // namespace

void write_record(MessageWriter& writer, const RecordKey& key) {
    key_fields(writer, key);
}

void write_record(MessageWriter& writer, const Measurement& measurement) {
    const std::string verdict = to_string(measurement.verdict);
    measurement_fields(writer, measurement, verdict);
}

void write_record(MessageWriter& writer, const Winner& winner) {
    winner_fields(writer, winner);
}

RecordKey read_key(MessageReader& reader) {
    RecordKey key;
    key_fields(reader, key);
    return key;
}

Measurement read_measurement(MessageReader& reader) {
    Measurement measurement;
    std::string word;
    measurement_fields(reader, measurement, word);
    const auto verdict = verdict_from(word);
    if (!verdict) {
        throw Error(ErrorKind::unavailable, "read a message of a jitune process: no such verdict");
    }
    measurement.verdict = *verdict;
    return measurement;
}

Winner read_winner(MessageReader& reader) {
    Winner winner;
    winner_fields(reader, winner);
    return winner;
}

}  // namespace jitune::internal
