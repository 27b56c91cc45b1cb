// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/winners/measurement_journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "support/file_descriptor.hpp"
#include "support/folder_reader.hpp"
#include "support/hash.hpp"
#include "support/process_identity.hpp"
#include "support/text_file.hpp"
#include "support/thread_signals.hpp"
#include "tuner_db/winners/record_message.hpp"

namespace jitune::internal {

namespace {

constexpr std::string_view kHeader = "boot", kAnnounced = "announced", kMeasured = "measured";

[[noreturn]] void fail(const std::filesystem::path& path, const char* call) {
    const int code = errno;
    throw_system_error(
        ErrorKind::store,
        fmt::format("cannot keep a tuning's progress in {}: {}", path.string(), call), code);
}

Digest digest_of(std::string_view bytes) {
    return Hasher("sweep journal").text(bytes).digest();
}

std::string prefix_of(const std::filesystem::path& database) {
    return database.filename().string() + "-sweep-";
}

bool is_linked(int file) {
    struct stat status {};
    return ::fstat(file, &status) == 0 && status.st_nlink > 0;
}

bool is_ours(int file) {
    struct stat status {};
    return ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid();
}

/// Returns the journals in the order of their names.
std::vector<std::filesystem::path> journals_beside(const std::filesystem::path& database) {
    const std::filesystem::path folder =
        database.has_parent_path() ? database.parent_path() : std::filesystem::path(".");
    const std::string prefix = prefix_of(database);
    std::vector<std::filesystem::path> paths;
    FolderReader entries(folder.c_str());
    while (const char* const name = entries.next()) {
        if (std::string_view(name).starts_with(prefix)) {
            paths.push_back(folder / name);
        }
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

/// Returns no file unless this is a file of this user.
FileDescriptor open_ours(const std::filesystem::path& path) {
    FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    return file.number() >= 0 && is_ours(file.number()) ? std::move(file) : FileDescriptor();
}

/// The messages up to the first incomplete one. Each follows its digest.
std::vector<Message> messages_of(std::string_view bytes) {
    std::vector<Message> messages;
    while (true) {
        Digest digest;
        std::uint32_t size = 0;
        if (bytes.size() < digest.size() + sizeof size) {
            return messages;
        }
        std::memcpy(digest.data(), bytes.data(), digest.size());
        std::memcpy(&size, bytes.data() + digest.size(), sizeof size);
        bytes.remove_prefix(digest.size());
        if (bytes.size() - sizeof size < size ||
            digest_of(bytes.substr(0, sizeof size + size)) != digest) {
            return messages;
        }
        messages.push_back(decode(bytes.substr(sizeof size, size)));
        bytes.remove_prefix(sizeof size + size);
    }
}

/// Throws Error(unavailable) if the file cannot be read to its end.
std::string read_all(const FileDescriptor& file, const std::filesystem::path& path) {
    std::string bytes;
    std::vector<char> buffer(1 << 16);
    ssize_t count = 0;
    while ((count = ::read(file.number(), buffer.data(), buffer.size())) > 0) {
        bytes.append(buffer.data(), static_cast<std::size_t>(count));
    }
    if (count < 0) {
        throw_system_error(ErrorKind::unavailable,
                           fmt::format("journal of measurements {}: read", path.string()), errno);
    }
    return bytes;
}

/// The measurements of a journal. Candidates that were in flight when the machine went down count
/// with their announced verdict. Throws Error(unavailable) if it cannot be read, or is of another
/// version.
std::vector<Measurement> measurements_in(const FileDescriptor& file,
                                         const std::filesystem::path& path,
                                         const std::string& boot) {
    std::vector<Measurement> measured;
    // By problem and configuration, which identify a candidate within a journal.
    std::map<std::pair<std::string, std::string>, Measurement> in_flight;
    bool down = false;
    for (const Message& message : messages_of(read_all(file, path))) {
        MessageReader reader(message);
        const std::string kind = reader.text();
        if (kind == kHeader) {
            down = reader.text() != boot;
            continue;
        }
        auto measurement = read_record<Measurement>(reader);
        const std::pair name(
            fmt::format("{} {} {} {}", measurement.key.kernel, measurement.key.types,
                        measurement.key.bucket, measurement.sizes),
            measurement.configuration);
        if (kind == kAnnounced) {
            in_flight.insert_or_assign(name, std::move(measurement));
        } else {
            in_flight.erase(name);
            measured.push_back(std::move(measurement));
        }
    }
    for (auto& [name, announced] : in_flight) {
        if (down) {
            measured.push_back(std::move(announced));
        }
    }
    return measured;
}

}  // namespace

MeasurementJournal::MeasurementJournal(const std::filesystem::path& database) {
    constexpr int kAttempts = 100;  // a process in recover() may lock and remove the new file first
    for (int i = 0; i < kAttempts; ++i) {
        path_ = database.parent_path() /
                fmt::format("{}{}-{}", prefix_of(database), ::getpid(), next_serial());
        file_ = FileDescriptor(::open(
            path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (file_.number() < 0 && errno != EEXIST) {
            fail(path_, "open");
        }
        if (file_.number() >= 0 && lock_new_file()) {
            append({std::string(kHeader), this_boot()});
            empty_ = true;
            return;
        }
    }
    throw Error(
        ErrorKind::store,
        fmt::format("journal of measurements {}: other processes have removed {} new files of this "
                    "name; try again",
                    path_.string(), kAttempts));
}

/// False if the file has been removed.
bool MeasurementJournal::lock_new_file() {
    if (::flock(file_.number(), LOCK_EX) != 0) {
        const int code = errno;
        ::unlink(path_.c_str());
        errno = code;
        fail(path_, "flock");
    }
    return is_linked(file_.number());
}

MeasurementJournal::~MeasurementJournal() {
    if (empty_) {
        ::unlink(path_.c_str());
    }
}

void MeasurementJournal::append(const Message& message) {
    const std::string body = encode(message);
    const Digest digest = digest_of(body);
    const std::string bytes =
        std::string(reinterpret_cast<const char*>(digest.data()), digest.size()) + body;
    const FileSizeGuard guard;
    // Writes once, so that at most the last message of a journal is incomplete.
    const ssize_t written = ::write(file_.number(), bytes.data(), bytes.size());
    if (written != static_cast<ssize_t>(bytes.size())) {
        errno = written < 0 ? errno : ENOSPC;
        fail(path_, "write");
    }
    empty_ = false;
}

void MeasurementJournal::append(std::string_view kind, const Measurement& measurement) {
    Message message{std::string(kind)};
    MessageWriter writer(message);
    write_record(writer, measurement);
    append(message);
}

void MeasurementJournal::announce(std::span<const Measurement> in_flight) {
    for (const Measurement& measurement : in_flight) {
        append(kAnnounced, measurement);
    }
    if (::fdatasync(file_.number()) != 0) {
        fail(path_, "fdatasync");
    }
}

void MeasurementJournal::add(const Measurement& measurement) {
    append(kMeasured, measurement);
}

void MeasurementJournal::clear() {
    if (::ftruncate(file_.number(), 0) != 0) {
        fail(path_, "ftruncate");
    }
    append({std::string(kHeader), this_boot()});
    empty_ = true;
}

std::vector<MeasurementJournal::Found> MeasurementJournal::find(
    const std::filesystem::path& database, const std::string& boot) {
    std::vector<Found> journals;
    for (const std::filesystem::path& path : journals_beside(database)) {
        const FileDescriptor file = open_ours(path);
        if (file.number() < 0) {
            continue;
        }
        // The lock is shared, so that the locks of several readers do not look like that of an
        // owner.
        Found found{path, ::flock(file.number(), LOCK_SH | LOCK_NB) != 0, 0};
        if (!found.is_in_use) {
            try {
                found.measurements = measurements_in(file, path, boot).size();
            } catch (const Error&) {  // of another version, which can read it
            }
        }
        journals.push_back(std::move(found));
    }
    return journals;
}

int MeasurementJournal::recover(const std::filesystem::path& database, TuningStore& store,
                                const std::string& boot) {
    int recovered = 0;
    for (const std::filesystem::path& path : journals_beside(database)) {
        const FileDescriptor file = open_ours(path);
        if (file.number() < 0 || ::flock(file.number(), LOCK_EX | LOCK_NB) != 0 ||
            !is_linked(file.number())) {
            continue;
        }
        try {
            store.save(measurements_in(file, path, boot));
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::unavailable) {
                throw;
            }
            continue;  // of another version, or a later process can read it
        }
        ::unlink(path.c_str());
        ++recovered;
    }
    return recovered;
}

std::string MeasurementJournal::this_boot() {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string boot;
    std::getline(file, boot);
    return boot;
}

}  // namespace jitune::internal
