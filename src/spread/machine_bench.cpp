// SPDX-License-Identifier: Apache-2.0
#include "spread/machine_bench.hpp"

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

/// The last Error(unavailable) of some launches.
class Lack {
public:
    void keep(const Error& error) {
        if (error.kind() == ErrorKind::unavailable) {
            error_ = std::current_exception();
        }
    }
    /// Throws the error that was kept, else returns `result`.
    template <class Result>
    Result or_throw(Result result) {
        if (error_ != nullptr) {
            std::rethrow_exception(std::exchange(error_, nullptr));
        }
        return result;
    }

private:
    std::exception_ptr error_;
};

class WatchedLaunch final : public ReadyLaunch {
public:
    WatchedLaunch(std::unique_ptr<ReadyLaunch> launch, Lack& lack)
        : ReadyLaunch(call), launch_(std::move(launch)), lack_(lack) {}

private:
    static void call(const ReadyLaunch& self, void* const* arrays, Stream stream) {
        const auto& watched = static_cast<const WatchedLaunch&>(self);
        try {
            (*watched.launch_)(arrays, stream);
        } catch (const Error& error) {
            watched.lack_.keep(error);
            throw;
        }
    }

    std::unique_ptr<ReadyLaunch> launch_;
    Lack& lack_;
};

/// A program whose launches are watched. Errors of prepare() are not: the kernels of placements
/// have been made before.
class WatchedProgram final : public Program {
public:
    WatchedProgram(const Program& program, Lack& lack) : program_(program), lack_(lack) {}

    void prepare(const Launch& launch, std::unique_ptr<ReadyLaunch>& ready) const override {
        std::unique_ptr<ReadyLaunch> made;
        program_.prepare(launch, made);
        ready = std::make_unique<WatchedLaunch>(std::move(made), lack_);
    }

private:
    const Program& program_;
    Lack& lack_;
};

class WatchedTimer final : public Timer {
public:
    WatchedTimer(Bench& host, const Program& program, std::span<const Launch> chain,
                 std::size_t untimed, bool flush_cache)
        : program_(program, lack_), timer_(host.timer(program_, chain, untimed, flush_cache)) {}

    std::variant<double, LaunchFailure> sample(std::chrono::milliseconds limit) override {
        return lack_.or_throw(timer_->sample(limit));
    }

private:
    Lack lack_;
    WatchedProgram program_;
    std::unique_ptr<Timer> timer_;
};

}  // namespace

std::optional<LaunchFailure> MachineBench::run(const Program& program, const Launch& launch,
                                               std::chrono::milliseconds limit) {
    Lack lack;
    return lack.or_throw(host_->run(WatchedProgram(program, lack), launch, limit));
}

std::unique_ptr<Timer> MachineBench::timer(const Program& program, std::span<const Launch> chain,
                                           std::size_t untimed, bool flush_cache) {
    return std::make_unique<WatchedTimer>(*host_, program, chain, untimed, flush_cache);
}

}  // namespace jitune::internal
