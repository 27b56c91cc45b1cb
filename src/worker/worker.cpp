// SPDX-License-Identifier: Apache-2.0
#include "worker/worker.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <future>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "backend/platform_table.hpp"
#include "dispatch/engine.hpp"
#include "jitune/error.hpp"
#include "support/folder_reader.hpp"
#include "support/message.hpp"
#include "support/process_identity.hpp"
#include "tuner_db/winners/record_message.hpp"
#include "tuning/isolation/compiler_pool.hpp"
#include "tuning/isolation/worker_request.hpp"
#include "tuning/search/compile_ahead.hpp"
#include "worker/process_state.hpp"

namespace jitune::internal {

namespace {

/// Ends the process and all that it has started, at once: a candidate may hang in any thread, and
/// the device may be lost.
[[noreturn]] void end_now(const std::filesystem::path& scratch) {
    constexpr int kMostRounds = 100;  // until the folder is gone, threads may start compilers
    bool removed = false;
    for (int round = 0; !removed && round < kMostRounds; ++round) {
        const char* const family = std::getenv(kFamilyVariable);
        kill_session(::getpid(), family == nullptr ? "" : family);
        removed = remove_tree(scratch);
    }
    ::_exit(0);
}

/// A number for the channel far above those that a candidate's own files get, or that it may
/// write to by mistake.
int high_number() {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    const rlim_t most = std::min<rlim_t>(limit.rlim_cur, 1 << 16);
    return static_cast<int>(most / 2 + static_cast<rlim_t>(::getpid()) % (most / 4 + 1));
}

/// Moves the channel away from standard input, which candidates may read.
FileDescriptor take_channel() {
    require_parent_socket("worker", "tunes kernels");
    FileDescriptor channel(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, high_number()));
    if (channel.number() < 0) {
        throw Error(ErrorKind::unavailable,
                    "cannot start the worker: no file descriptor is left for its channel",
                    {NativeCode::Source::system, errno});
    }
    const FileDescriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    if (nothing.number() < 0 || ::dup2(nothing.number(), STDIN_FILENO) < 0) {
        throw Error(ErrorKind::unavailable,
                    "cannot start the worker: /dev/null cannot take the place of its channel",
                    {NativeCode::Source::system, errno});
    }
    return channel;
}

/// Without its parent a worker has nothing to do. The parent, if it lives, cleans up.
void tell(MessageChannel& channel, const Message& message) {
    if (!channel.send(message)) {
        ::_exit(1);
    }
}

/// The parent's messages, which a thread of its own receives.
class Orders {
public:
    Orders(MessageChannel& channel, const std::filesystem::path& scratch)
        : listener_([this, &channel, scratch] { listen(channel, scratch); }) {}

    /// Waits for the next tuning.
    WorkerRequest next() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !requests_.empty(); });
        WorkerRequest request = std::move(requests_.front());
        requests_.pop_front();
        return request;
    }

    /// Waits until the parent has answered `count` announcements of the present tuning.
    void wait_for_go(std::size_t count) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return answered_ >= count; });
    }

    [[nodiscard]] const std::atomic<bool>& stop() const { return stop_; }
    /// A turn that the parent has taken back again serves once.
    bool take_turn() { return is_new_turn_.exchange(false) || has_turn_; }

private:
    [[noreturn]] void listen(MessageChannel& channel, const std::filesystem::path& scratch) {
        try {
            while (!channel.closed()) {
                if (const auto message = channel.receive(std::chrono::milliseconds(-1))) {
                    obey(*message);
                }
            }
        } catch (const std::exception&) {  // a malformed message, or no memory
        }
        end_now(scratch);
    }

    void obey(const Message& message) {
        MessageReader reader(message);
        const std::string name = reader.text();
        const std::lock_guard lock(mutex_);
        if (name == worker_messages::kTune) {
            stop_ = false;
            has_turn_ = true;
            answered_ = 0;
            requests_.push_back(read_request(reader));
        } else if (name == worker_messages::kGo) {
            ++answered_;
        } else if (name == worker_messages::kStop) {
            stop_ = true;
        } else if (name == worker_messages::kTurn) {
            has_turn_ = reader.integer() != 0;
            is_new_turn_ = is_new_turn_ || has_turn_;
        }
        changed_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<WorkerRequest> requests_;
    std::size_t answered_ = 0;
    std::atomic<bool> stop_{false}, has_turn_{true}, is_new_turn_{false};
    std::thread listener_;
};

/// Reports each step of a tuning to the parent.
class Reporter : public TuneObserver {
public:
    /// `scratch`: the folder for temporary files, if candidates run in this process; empty if
    /// they run on another device.
    Reporter(MessageChannel& channel, Orders& orders, const BinaryCache& binaries,
             std::filesystem::path scratch)
        : channel_(channel),
          orders_(orders),
          binaries_(binaries),
          told_(binaries.compiles()),
          scratch_(std::move(scratch)) {}

    void prepare(const std::string& step) override {
        tell(channel_, {worker_messages::kPrepare, step});
    }
    void announce(std::span<const std::string> configurations) override {
        Message message{worker_messages::kAnnounce};
        MessageWriter(message).texts(configurations);
        tell(channel_, message);
        ++announced_;
        for (const std::string& configuration : configurations) {
            announcement_of_[configuration] = announced_;
        }
    }
    void compiling(std::uint64_t batch, std::span<const std::string> configurations) override {
        Message message{worker_messages::kCompiling};
        MessageWriter(message).integer(static_cast<std::int64_t>(batch)).texts(configurations);
        tell(channel_, message);
    }
    void compiled(std::uint64_t batch) override {
        Message message{worker_messages::kCompiled};
        MessageWriter(message).integer(static_cast<std::int64_t>(batch));
        tell(channel_, message);
        tell_compiles();
    }
    /// Reports how many instances were compiled since the last such report.
    void tell_compiles() {
        const std::int64_t now = binaries_.compiles();
        Message message{worker_messages::kCompiles};
        MessageWriter(message).integer(now - told_.exchange(now));
        tell(channel_, message);
    }
    void begin(const std::string& configuration, Phase phase) override {
        // Usually the answer came while the candidate was compiled, and this does not wait.
        if (const auto place = announcement_of_.find(configuration);
            place != announcement_of_.end()) {
            orders_.wait_for_go(place->second);
        }
        tell(channel_, {phase == Phase::load    ? worker_messages::kLoad
                        : phase == Phase::check ? worker_messages::kCheck
                                                : worker_messages::kTime,
                        configuration});
        if (!scratch_.empty() && !state_) {
            state_.emplace(scratch_);
        }
    }
    std::string side_effects() override {
        if (!state_) {
            return {};
        }
        return heap_.is_whole() ? ProcessState(scratch_).change_since(*state_)
                                : "changed memory that it does not own";
    }
    void rests() override { tell(channel_, {worker_messages::kRests}); }
    void measured(const Measurement& measurement) override {
        Message message{worker_messages::kMeasured};
        MessageWriter writer(message);
        write_record(writer, measurement);
        tell(channel_, message);
    }

private:
    MessageChannel& channel_;
    Orders& orders_;
    const BinaryCache& binaries_;
    std::atomic<std::int64_t> told_;
    const std::filesystem::path scratch_;
    std::optional<ProcessState> state_;  ///< before the first candidate
    HeapAudit heap_;
    std::size_t announced_ = 0;
    std::unordered_map<std::string, std::size_t> announcement_of_;
};

void say_error(MessageChannel& channel, const Error& error) {
    Message message{worker_messages::kError};
    MessageWriter writer(message);
    write_error(writer, error);
    tell(channel, message);
}

/// Tunes one request after the other.
class Worker {
public:
    Worker(std::filesystem::path scratch, std::span<const Family> families)
        : scratch_(std::move(scratch)), families_(families), channel_(take_channel()) {}

    [[noreturn]] void run() {
        tell(channel_, {worker_messages::kReady, worker_messages::protocol()});
        while (true) {
            const WorkerRequest request = orders_.next();
            try {
                tune_one(request);
            } catch (const Error& error) {
                say_error(channel_, error);
                if (error.kind() == ErrorKind::device) {
                    end_now(scratch_);
                }
            } catch (const std::bad_alloc&) {
                say_error(channel_, Error(ErrorKind::unavailable, "not enough memory"));
            } catch (const std::exception& error) {
                say_error(channel_, Error(ErrorKind::device, error.what()));
                end_now(scratch_);
            }
        }
    }

private:
    Options engine_options() {
        Options options;
        options.database.clear();
        options.log_level = LogLevel::info;
        options.log_sink = [this](LogLevel, std::string_view line) {
            tell(channel_, {worker_messages::kLog, std::string(line)});
        };
        return options;
    }

    static std::vector<std::unique_ptr<Platform>> platforms_of(
        const Options& options, const std::filesystem::path& scratch) {
        return make_platforms(
            Log(options.log_level, options.log_sink),
            [] { return std::filesystem::path("/proc/self/exe"); }, scratch);
    }

    const Kernel& kernel_of(const WorkerRequest& request) {
        if (kernel_ == nullptr || kernel_->spec != request.kernel) {
            kernel_ = std::make_unique<Kernel>(make_kernel(families_, request.kernel));
        }
        if (kernel_->kernel_template.hash() != request.template_hash) {
            throw Error(ErrorKind::unavailable,
                        "the worker has a different template of this name: it is another version "
                        "of jitune");
        }
        return *kernel_;
    }

    /// Has another thread have the kernels compiled that compare memory, while this one makes the
    /// data: it would wait for them at the first check.
    void warm_up(Device& device) {
        if (!warm_up_.valid() && platform_entry(device.info().platform).make_compiler != nullptr) {
            warm_up_ = std::async(std::launch::async | std::launch::deferred, [&device] {
                try {
                    device.make_bench()->checksums({});
                } catch (const Error&) {  // the tuning meets it, too, and says so
                }
            });
        }
    }

    void tune_one(const WorkerRequest& request) {
        const Kernel& kernel = kernel_of(request);
        Device& device = engine_.device(request.device);
        device.expect_compiles(CompileAhead::or_usual(request.plan.compile_threads), {});
        warm_up(device);
        const bool runs_here = runs_on_cpu(device.info().platform);
        Reporter reporter(channel_, orders_, binaries_, runs_here ? scratch_ : "");
        SharedImage sent;
        TuneHooks hooks{&orders_.stop(),
                        [&](const TuneProgress& progress) {
                            Message message{worker_messages::kProgress};
                            MessageWriter writer(message);
                            write_progress(writer, progress, sent);
                            tell(channel_, message);
                        },
                        &reporter};
        hooks.has_turn = [this] { return orders_.take_turn(); };
        const Task task{device, kernel, request.problem};
        const TuneReport report =
            request.compared.empty()
                ? tune(task, request.plan, hooks, binaries_, engine_.log())
                : compare(task, request.compared, request.plan, hooks, binaries_, engine_.log());
        reporter.tell_compiles();
        Message message{worker_messages::kReport};
        MessageWriter writer(message);
        write_record(writer, report.winner);
        write_progress(writer, report.progress, sent);
        tell(channel_, message);
    }

    const std::filesystem::path scratch_;
    const std::span<const Family> families_;
    MessageChannel channel_;
    Orders orders_{channel_, scratch_};
    Engine engine_{engine_options(), platforms_of(engine_options(), scratch_), families_};
    BinaryCache binaries_;
    std::unique_ptr<Kernel> kernel_;
    std::future<void> warm_up_;
};

}  // namespace

void require_parent_socket(std::string_view command, std::string_view work) {
    struct stat status {};
    if (::fstat(STDIN_FILENO, &status) != 0 || !S_ISSOCK(status.st_mode)) {
        throw Error(ErrorKind::usage,
                    fmt::format("jitune {} is for jitune's own use: it {} for a parent process",
                                command, work));
    }
}

void run_worker(const std::filesystem::path& scratch, std::span<const Family> families) {
    ::setenv("TMPDIR", scratch.c_str(), 1);
    Worker(scratch, families).run();
}

}  // namespace jitune::internal
