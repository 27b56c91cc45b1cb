#include "tuner_db/record_message.hpp"

#include "jitune/error.hpp"

namespace jitune {

namespace {

void write(MessageWriter& writer, const Provenance& provenance) {
    writer.text(provenance.device_name)
        .text(provenance.device_uuid)
        .text(provenance.driver)
        .text(provenance.compiler)
        .text(provenance.created_at);
}

Provenance read_provenance(MessageReader& reader) {
    Provenance provenance;
    provenance.device_name = reader.text();
    provenance.device_uuid = reader.text();
    provenance.driver = reader.text();
    provenance.compiler = reader.text();
    provenance.created_at = reader.text();
    return provenance;
}

Verdict read_verdict(MessageReader& reader) {
    const auto verdict = verdict_from(reader.text());
    if (!verdict) {
        throw Error(ErrorKind::unavailable, "read a message of a jitune process: no such verdict");
    }
    return *verdict;
}

}  // namespace

void write_record(MessageWriter& writer, const RecordKey& key) {
    writer.text(key.kernel)
        .text(key.types)
        .integer(key.bucket)
        .integer(key.alignment)
        .text(key.template_hash)
        .text(key.device_class);
}

void write_record(MessageWriter& writer, const Measurement& measurement) {
    write_record(writer, measurement.key);
    writer.text(measurement.sizes)
        .text(measurement.configuration)
        .text(to_string(measurement.verdict))
        .text(measurement.reason)
        .text(measurement.conditions)
        .reals(measurement.samples_ns);
    write(writer, measurement.provenance);
    writer.text(measurement.reproducibility);
}

void write_record(MessageWriter& writer, const Winner& winner) {
    write_record(writer, winner.key);
    writer.text(winner.sizes)
        .text(winner.configuration)
        .real(winner.median_ns)
        .real(winner.noise)
        .real(winner.default_median_ns)
        .integer(winner.complete ? 1 : 0)
        .text(winner.image_format)
        .text(winner.image)
        .texts(winner.symbols);
    write(writer, winner.provenance);
    const Certainty& certainty = winner.certainty;
    writer.text(winner.reproducibility)
        .text(certainty.conditions)
        .real(certainty.uncertainty)
        .real(certainty.speed_up_low)
        .real(certainty.speed_up_high);
}

RecordKey read_key(MessageReader& reader) {
    RecordKey key;
    key.kernel = reader.text();
    key.types = reader.text();
    key.bucket = reader.integer();
    key.alignment = reader.integer();
    key.template_hash = reader.text();
    key.device_class = reader.text();
    return key;
}

Measurement read_measurement(MessageReader& reader) {
    Measurement measurement;
    measurement.key = read_key(reader);
    measurement.sizes = reader.text();
    measurement.configuration = reader.text();
    measurement.verdict = read_verdict(reader);
    measurement.reason = reader.text();
    measurement.conditions = reader.text();
    measurement.samples_ns = reader.reals();
    measurement.provenance = read_provenance(reader);
    measurement.reproducibility = reader.text();
    return measurement;
}

Winner read_winner(MessageReader& reader) {
    Winner winner;
    winner.key = read_key(reader);
    winner.sizes = reader.text();
    winner.configuration = reader.text();
    winner.median_ns = reader.real();
    winner.noise = reader.real();
    winner.default_median_ns = reader.real();
    winner.complete = reader.integer() != 0;
    winner.image_format = reader.text();
    winner.image = reader.text();
    winner.symbols = reader.texts();
    winner.provenance = read_provenance(reader);
    winner.reproducibility = reader.text();
    winner.certainty.conditions = reader.text();
    winner.certainty.uncertainty = reader.real();
    winner.certainty.speed_up_low = reader.real();
    winner.certainty.speed_up_high = reader.real();
    return winner;
}

}  // namespace jitune
