// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/open_store.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "jitune/error.hpp"

namespace jitune::internal {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

OpenStore::OpenStore(StoreFile opened, Log log)
    : file_(std::move(opened)),
      log_(std::move(log)),
      // Also if the file is empty, so that nothing of it is open.
      is_read_only_(sqlite3_db_readonly(file_.connection.handle(), "main") == 1 ||
                    (file_.journal_mode.name == "memory" && !file_.path.empty())) {}

void OpenStore::require_owner() const {
    if (is_forked()) {
        throw Error(
            ErrorKind::forked,
            "tuning database: the process is a fork of the one that opened it: open it again");
    }
}

void OpenStore::check_journal_mode() {
    for (sqlite::Cursor cursor = journal_mode_.run({}); cursor.next();) {
        if (cursor.row().at(0) != sqlite::Cell(file_.journal_mode.name)) {
            throw Error(ErrorKind::store,
                        fmt::format("{}: another program has changed the journal mode, which must "
                                    "be {} here ({}): close that program",
                                    file_.connection.name(), file_.journal_mode.name,
                                    file_.journal_mode.reason));
        }
    }
}

OpenStore::Turn::Turn(OpenStore& store, milliseconds wait) : store_(store) {
    store.require_owner();
    const auto deadline = steady_clock::now() + wait;
    std::unique_lock lock(store.mutex_);
    if (!store.free_again_.wait_until(lock, deadline, [&] { return !store.in_use_; })) {
        throw sqlite::Failure(fmt::format("{}: another thread used it for {} ms: try again",
                                          store.file_.connection.name(), wait.count()),
                              SQLITE_BUSY);
    }
    store.in_use_ = true;
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - steady_clock::now());
    store.file_.connection.set_busy_wait(std::max(left, milliseconds(0)));
}

OpenStore::Turn::~Turn() {
    const std::lock_guard lock(store_.mutex_);
    store_.in_use_ = false;
    store_.free_again_.notify_one();
}

}  // namespace jitune::internal
