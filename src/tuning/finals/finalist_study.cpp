// SPDX-License-Identifier: Apache-2.0
#include "tuning/finals/finalist_study.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "jitune/error.hpp"
#include "support/thread_pool.hpp"
#include "tuning/measure/energy_meter.hpp"
#include "tuning/measure/rig.hpp"
#include "tuning/measure/trial.hpp"
#include "tuning/search/compile_ahead.hpp"

namespace jitune::internal {

namespace {

/// A finalist while it is studied.
struct Studied {
    FinalistFigures figures;
    Configuration configuration;
    std::shared_ptr<const Program> program;
    Rig::Continuous run;
};

class Study {
public:
    Study(const Task& task, const StudyPlan& plan, const TuneHooks& hooks, BinaryCache& binaries,
          const Log& log)
        : task_(task),
          plan_(plan),
          hooks_(hooks),
          binaries_(binaries),
          log_(log),
          rig_(task.device, *task.kernel.workload, task.problem,
               task.kernel_template().front_matter().warm_cache, log, Rig::Checks::problem) {}

    void load(std::span<const FinalistFigures> finalists) {
        const auto outcomes = compile(finalists);
        for (std::size_t i = 0; i < finalists.size(); ++i) {
            if (outcomes[i] && !hooks_.stop->load()) {
                load(finalists[i], *outcomes[i]);
            }
        }
    }

    StudyResult run() {
        if (plan_.energy) {
            measure_energy();
        }
        StudyResult result;
        for (const auto& one : studied_) {
            if (plan_.counters && result.no_counters.empty() && !hooks_.stop->load()) {
                result.no_counters = read_counters(*one);
            }
            result.finalists.push_back(std::move(one->figures));
        }
        result.stopped = hooks_.stop->load();
        return result;
    }

private:
    using Outcomes = std::vector<std::optional<CompileOutcome>>;
    /// As many at the same time as a search compiles. Nothing for one that a stop request came
    /// before.
    Outcomes compile(std::span<const FinalistFigures> finalists);
    void load(const FinalistFigures& finalist, const CompileOutcome& outcome);
    bool prepare_windows(Studied& one, double launch_ns);
    void measure_energy();
    /// False if the finalist failed.
    bool take_window(EnergyMeter& meter, Studied& one);
    /// Why there are none.
    std::string read_counters(Studied& one);
    [[nodiscard]] bool is_enough(std::size_t rounds) const;
    void leave_out(const std::string& configuration, const TrialFailure& failure);

    const Task& task_;
    const StudyPlan& plan_;
    const TuneHooks& hooks_;
    BinaryCache& binaries_;
    const Log& log_;
    Rig rig_;
    std::vector<std::unique_ptr<Studied>> studied_;  // assigning one would end a program first
};

Study::Outcomes Study::compile(std::span<const FinalistFigures> finalists) {
    Outcomes outcomes(finalists.size());
    std::atomic<std::size_t> next{0};
    ThreadPool threads;
    threads.run(std::min(finalists.size(), CompileAhead::threads_for(1)), [&](std::size_t) {
        for (std::size_t i = next++; i < finalists.size() && !hooks_.stop->load(); i = next++) {
            const Configuration configuration = task_.parse(finalists[i].configuration);
            outcomes[i] = binaries_.alone(task_, task_.instance(configuration));
        }
    });
    return outcomes;
}

void Study::load(const FinalistFigures& finalist, const CompileOutcome& outcome) {
    const auto* binary = std::get_if<Binary>(&outcome);
    if (binary == nullptr) {
        leave_out(finalist.configuration,
                  {Verdict::compile_failed, std::get<CompileFailure>(outcome).log, false});
        return;
    }
    auto one = std::make_unique<Studied>();
    one->figures = finalist;
    one->configuration = task_.parse(finalist.configuration);
    one->program = task_.device.load(*binary);
    if (!plan_.energy || prepare_windows(*one, finalist.time_ns)) {
        studied_.push_back(std::move(one));
    }
}

bool Study::prepare_windows(Studied& one, double launch_ns) {
    const DeviceLock::Turn turn = rig_.turn();
    auto run = rig_.continuous(*one.program, task_.launch_rule(one.configuration), launch_ns);
    if (const auto* failure = std::get_if<TrialFailure>(&run)) {
        leave_out(one.figures.configuration, *failure);
        return false;
    }
    one.run = std::get<Rig::Continuous>(std::move(run));
    one.figures.launch_ns.clear();
    Conditions& conditions = one.figures.conditions;
    conditions = rig_.conditions();
    conditions.phase = Conditions::Phase::study;
    conditions.chain = one.run.launches;
    conditions.flush = false;
    conditions.cache.reset();
    return true;
}

void Study::measure_energy() {
    EnergyMeter meter(task_.device, *hooks_.time);
    for (std::size_t round = 0; round < plan_.most_windows && !is_enough(round); ++round) {
        std::erase_if(studied_, [&](const auto& one) {
            return !hooks_.stop->load() && !take_window(meter, *one);
        });
    }
    std::erase_if(studied_, [](const auto& one) { return one->figures.energy_j.size() < 2; });
}

bool Study::take_window(EnergyMeter& meter, Studied& one) {
    const DeviceLock::Turn turn = rig_.turn();
    one.figures.conditions.shared |= !turn.alone();
    const auto result = meter.window(*one.run.timer, one.run.launches, plan_.warm_up, plan_.window);
    if (const auto* failure = std::get_if<TrialFailure>(&result)) {
        leave_out(one.figures.configuration, *failure);
        return false;
    }
    one.figures.energy_j.push_back(std::get<EnergyWindow>(result).energy_j);
    one.figures.launch_ns.push_back(std::get<EnergyWindow>(result).launch_ns);
    return true;
}

std::string Study::read_counters(Studied& one) {
    const DeviceLock::Turn turn = rig_.turn();
    one.figures.conditions.shared |= !turn.alone();
    try {
        auto counters = rig_.counters(*one.program, task_.launch_rule(one.configuration));
        if (auto* reason = std::get_if<std::string>(&counters)) {
            return std::move(*reason);
        }
        one.figures.counters = std::get<std::vector<CounterValue>>(std::move(counters));
    } catch (const Error& error) {  // a launch failed under the profiler: all else is known
        return error.what();
    }
    one.figures.conditions.phase = Conditions::Phase::study;
    return "";
}

bool Study::is_enough(std::size_t rounds) const {
    return hooks_.stop->load() ||
           (rounds >= plan_.fewest_windows &&
            std::all_of(studied_.begin(), studied_.end(), [&](const auto& one) {
                return one->figures.energy().uncertainty() <= plan_.enough;
            }));
}

void Study::leave_out(const std::string& configuration, const TrialFailure& failure) {
    log_.warning("{}: left out of the study: {}", configuration, failure.reason);
    refuse_lost_device(failure, task_.info(), task_.parse(configuration));
}

}  // namespace

void refuse_without_energy(Device& device) {
    const EnergyMeter unused(device);
}

StudyResult study_finalists(const Task& task, std::span<const FinalistFigures> finalists,
                            const StudyPlan& plan, const TuneHooks& hooks, BinaryCache& binaries,
                            const Log& log) {
    Study study(task, plan, hooks, binaries, log);
    study.load(finalists);
    return study.run();
}

}  // namespace jitune::internal
