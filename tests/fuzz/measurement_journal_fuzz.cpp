// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <memory>
#include <string>

#include "fuzz/fuzz_target.hpp"
#include "support/hash.hpp"
#include "support/temp_dir.hpp"
#include "tuner_db/winners/measurement_journal.hpp"

using namespace jitune::internal;

namespace {

/// Puts the right digest before each message, as the first that is wrong ends a journal.
std::string sealed(std::string_view messages) {
    std::string journal;
    while (!messages.empty()) {
        const auto* const data = reinterpret_cast<const std::uint8_t*>(messages.data());
        const auto size = FuzzInput(data, messages.size()).number<std::uint32_t>();
        const std::string_view message = messages.substr(0, sizeof size + size);
        const Digest digest = Hasher("sweep journal").text(message).digest();
        journal.append(reinterpret_cast<const char*>(digest.data()), digest.size());
        journal += message;
        messages.remove_prefix(message.size());
    }
    return journal;
}

/// A database that has not grown large.
TuningStore& store() {
    constexpr int kMostJournals = 10'000;
    static std::unique_ptr<TuningStore> store;
    static int journals = 0;
    if (journals++ % kMostJournals == 0) {
        store = TuningStore::in_memory(Log(jitune::LogLevel::off));
    }
    return *store;
}

}  // namespace

/// The first byte says whether the rest is a journal or the messages of one.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const TempDir folder;
    static const auto database = folder.path() / "tuning.db";
    FuzzInput input(data, size);
    const bool whole = input.number<std::uint8_t>() == 0;
    std::ofstream(database.native() + "-sweep-1-1", std::ios::binary)
        << (whole ? std::string(input.rest()) : sealed(input.rest()));
    answers_or_refuses([&] { MeasurementJournal::recover(database, store(), "this boot"); });
    return 0;
}
