// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/winners/binary_table.hpp"

#include <iterator>

namespace jitune::internal {

BinaryTable::BinaryTable(const sqlite::Connection& connection, Limits limits)
    : limits_(limits),
      find_(connection, select(table_of<KeptBinary>(),
                               "WHERE template_hash = ?1 AND device_class = ?2 AND instance = ?3 "
                               "ORDER BY used_at DESC, rowid DESC")),
      put_(connection, insert("REPLACE", table_of<KeptBinary>())),
      shrink_(connection,
              "DELETE FROM binary WHERE rowid IN (SELECT place FROM (SELECT rowid AS place, "
              "row_number() OVER newest AS rows, sum(length(image)) OVER newest AS bytes FROM "
              "binary WINDOW newest AS (ORDER BY used_at DESC, rowid DESC)) WHERE rows > ?1 OR "
              "bytes > ?2)") {}

Rows<KeptBinary> BinaryTable::find(const KeptBinary& wanted) {
    return read_rows<KeptBinary>(
        find_, {wanted.template_hash, wanted.device_class, wanted.instance},
        [&](const KeptBinary& binary) {  // a damaged index finds others
            return binary.template_hash == wanted.template_hash &&
                   binary.device_class == wanted.device_class && binary.instance == wanted.instance;
        });
}

void BinaryTable::put(std::span<const KeptBinary> binaries) {
    for (const KeptBinary& binary : binaries) {
        if (std::ssize(binary.image) <= limits_.bytes / 4) {
            put_.execute(to_row(binary));
        }
    }
    shrink_.execute({limits_.rows, limits_.bytes});
}

}  // namespace jitune::internal
