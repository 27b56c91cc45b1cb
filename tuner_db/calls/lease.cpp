// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/calls/lease.hpp"

#include "support/process_identity.hpp"
#include "tuner_db/winners/record_row.hpp"

namespace jitune::internal {

namespace {

using std::chrono::milliseconds;

/// Milliseconds since 1970, on the clock that processes and machines share.
std::int64_t now_ms() {
    return std::chrono::duration_cast<milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

}  // namespace

Leases::Leases(OpenStore& store)
    : store_(store),
      find_(store.connection(), "SELECT owner, expires_at FROM lease WHERE key_digest = ?1"),
      put_(store.connection(),
           "REPLACE INTO lease(key_digest, owner, expires_at) VALUES(?1, ?2, ?3)"),
      remove_(store.connection(), "DELETE FROM lease WHERE key_digest = ?1 AND owner = ?2"),
      clean_(store.connection(), "DELETE FROM lease WHERE expires_at < ?1") {}

std::string Leases::holder(const RecordKey& key, const std::string& owner, milliseconds duration) {
    const OpenStore::Turn turn(store_, kShortWait);
    return others_lease(key, owner, duration);
}

std::string Leases::take(const RecordKey& key, const std::string& owner, milliseconds duration) {
    std::string holder;
    store_.write(kShortWait, [&] {
        holder = others_lease(key, owner, duration);
        if (holder.empty()) {
            const std::int64_t now = now_ms();
            clean_.execute({now - duration.count()});  // leases of owners that have disappeared
            put_.execute({digest_of(key), owner, now + duration.count()});
        }
    });
    return holder;
}

void Leases::release(const RecordKey& key, const std::string& owner) {
    store_.write(kShortWait, [&] { remove_.execute({digest_of(key), owner}); });
}

std::string Leases::others_lease(const RecordKey& key, const std::string& owner,
                                 milliseconds duration) {
    const std::int64_t now = now_ms();
    for (sqlite::Cursor cursor = find_.run({digest_of(key)}); cursor.next();) {
        const sqlite::Row row = cursor.row();
        const auto* holder = std::get_if<std::string>(&row.at(0));
        const auto* expires_at = std::get_if<std::int64_t>(&row.at(1));
        if (holder != nullptr && expires_at != nullptr && *holder != owner && *expires_at > now &&
            *expires_at <= now + 2 * duration.count() && !has_ended(*holder)) {
            return *holder;
        }
    }
    return "";
}

}  // namespace jitune::internal
