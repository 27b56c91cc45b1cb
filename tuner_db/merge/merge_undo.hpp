// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuner_db/file/sqlite.hpp"
#include "tuner_db/merge/merge.hpp"
#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal {

/// Takes the last merge of a database back, in a write transaction of the caller. A winner that the
/// merge has changed gets its sizes back, except for sizes that a winner serves that was made
/// since.
UndoReport undo_last_merge(sqlite::Connection& connection, WinnerTable& winners);

}  // namespace jitune::internal
