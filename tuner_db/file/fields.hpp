// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

namespace jitune::internal {

/// The name of a record's field, and how it is stored if its type does not say so. A record lists
/// its fields once, in a function `fields(visit, record)` beside its struct; database rows,
/// digests, messages and JSON are all made from that list.
struct Field {
    const char* name;       ///< of the column and of the JSON member
    bool positive = false;  ///< numbers are above 0; those of other fields may be 0
    bool binary = false;    ///< a std::string of bytes: a blob in the database, left out of JSON
    /// The column is younger than version 1 of its table. Older rows hold the value that the field
    /// has in a default-constructed record; it stays out of the digest, so that their digests still
    /// match. Added fields are the last ones of their record.
    bool added = false;
};

/// `Record` or `const Record`: one list of fields serves reading and writing.
template <class T, class Record>
concept MaybeConst = std::same_as<std::remove_const_t<T>, Record>;

struct IgnoreField {
    void operator()(const Field& /*field*/, const auto& /*value*/) const {}
};

template <class T>
concept HasFields = requires(T& record) {
    fields(IgnoreField{}, record);
};

/// Calls visit(field, value) for each field in order. For a record within the record, visits its
/// fields instead.
template <HasFields Record, class Visit>
void each_field(Record& record, const Visit& visit) {
    fields(
        [&](const Field& field, auto& value) {
            if constexpr (HasFields<std::remove_reference_t<decltype(value)>>) {
                each_field(value, visit);
            } else {
                visit(field, value);
            }
        },
        record);
}

}  // namespace jitune::internal
