// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cli/formats/json.hpp"
#include "cli/formats/json_file.hpp"
#include "template/kernel_template.hpp"
#include "tuner_db/calls/doubt.hpp"
#include "tuner_db/winners/record.hpp"

/// Records as JSON objects, made from their lists of fields. A record within a record is an object
/// within the object; binary fields are left out.
namespace jitune::internal {

/// A value as a member of an object.
template <class Value>
Json member_of(const Value& value) {
    if constexpr (std::is_same_v<Value, double>) {
        return json_number(value);
    } else if constexpr (std::is_same_v<Value, Verdict>) {
        return to_string(value);
    } else {
        return value;
    }
}

/// The inverse, of the member of that field in `object`. Throws Error(usage) that names the member
/// if it is missing or has another type, and for a number that its column cannot hold.
void read_member(const Json& object, const Field& field, std::string& value);
void read_member(const Json& object, const Field& field, std::int64_t& value);
void read_member(const Json& object, const Field& field, bool& value);
void read_member(const Json& object, const Field& field, double& value);
void read_member(const Json& object, const Field& field, Verdict& value);
void read_member(const Json& object, const Field& field, std::vector<double>& values);
void read_member(const Json& object, const Field& field, std::vector<std::string>& values);

/// All fields but the one named `without`.
template <HasFields Record>
Json to_json(const Record& record, std::string_view without = {}) {
    Json json = Json::object();
    fields(
        [&]<class Value>(const Field& field, const Value& value) {
            if (field.name == without) {
                return;
            }
            if constexpr (HasFields<Value>) {
                json[field.name] = to_json(value);
            } else if (!field.binary) {
                json[field.name] = member_of(value);
            }
        },
        record);
    return json;
}

/// All fields in one object, those of records within the record, too: a row of a table.
template <HasFields Record>
Json flat_json(const Record& record) {
    Json json = Json::object();
    each_field(record, [&](const Field& field, const auto& value) {
        if (!field.binary) {
            json[field.name] = member_of(value);
        }
    });
    return json;
}

/// The inverse of to_json(). A field that was added may be missing: it keeps the value that older
/// rows have.
template <HasFields Record>
Record from_json(const Json& json, std::string_view without = {}) {
    Record record;
    fields(
        [&]<class Value>(const Field& field, Value& value) {
            if (field.name == without) {
                return;
            }
            if constexpr (HasFields<Value>) {
                value = from_json<Value>(member(json, field.name));
            } else if (!field.binary &&
                       (!field.added || find_member(json, field.name) != nullptr)) {
                read_member(json, field, value);
            }
        },
        record);
    return record;
}

/// {"rows": 20, "columns": 33}: the half-octaves of a bucket by the names in a sizes_text().
Json half_octaves_json(std::int64_t bucket, std::string_view sizes);

/// A winner with its "id", whether it is "pinned", and "half_octaves", its bucket size by size.
Json winner_json(const Winner& winner);

/// How sure a winner's time and speed-up are: "speed_up_low", "speed_up_high", "uncertainty",
/// "conditions" and "provisional".
Json certainty_json(const Certainty& certainty);

/// A doubt with "text", the same in words.
Json doubt_json(const Doubt& doubt);
/// The doubt about a winner without the key of the winner; JSON null if there is no doubt.
Json doubt_json(std::span<const Doubt> doubts, const Winner& winner);

/// A measurement without its key, for documents that name the key once.
Json measurement_json(const Measurement& measurement);

/// The inverse.
Measurement measurement_from_json(const Json& json, const RecordKey& key);

/// "speed, GFLOP/s": the title of a metric's column.
std::string metric_title(const std::string& name, const std::string& unit);

/// An object with a value and a unit for each.
Json metrics_json(std::span<const KernelTemplate::Metric> metrics);

/// Measurement::figures as an object of numbers; as a text if a database holds something else.
Json figures_json(const std::string& figures);

/// "energy_j=0.0125 power_w=350.5"; the text itself if it is something else.
std::string figures_text(const std::string& figures);

}  // namespace jitune::internal
