// SPDX-License-Identifier: Apache-2.0
#include "tuning/finalist_study.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "tuning/energy_meter.hpp"
#include "tuning/reference_run.hpp"
#include "tuning/rig.hpp"

namespace jitune::internal {

namespace {

/// A finalist while it is studied.
struct Studied {
    FinalistFigures figures;
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
               task.kernel_template().front_matter().warm_cache, log, Rig::Checks::problem),
          meter_(task.device) {}

    void load(std::span<const StudiedFinalist> finalists) {
        for (const StudiedFinalist& finalist : finalists) {
            load(finalist);
        }
    }

    std::vector<FinalistFigures> run() {
        const DeviceLock::Turn turn = rig_.turn();
        for (std::size_t round = 0; round < plan_.most_windows && !is_enough(round); ++round) {
            std::vector<Studied> kept;
            for (Studied& one : studied_) {
                if (hooks_.stop->load() || take_window(one)) {
                    kept.push_back(std::move(one));
                }
            }
            studied_ = std::move(kept);
        }
        std::vector<FinalistFigures> all;
        for (Studied& one : studied_) {
            one.figures.conditions.shared = !turn.alone();
            if (one.figures.energy_j.size() > 1) {
                all.push_back(std::move(one.figures));
            }
        }
        return all;
    }

private:
    void load(const StudiedFinalist& finalist);
    /// False where the finalist failed.
    bool take_window(Studied& one);
    [[nodiscard]] bool is_enough(std::size_t rounds) const;
    void leave_out(const std::string& configuration, const TrialFailure& failure);

    const Task& task_;
    const StudyPlan& plan_;
    const TuneHooks& hooks_;
    BinaryCache& binaries_;
    const Log& log_;
    Rig rig_;
    EnergyMeter meter_;
    std::vector<Studied> studied_;
};

void Study::load(const StudiedFinalist& finalist) {
    const Configuration configuration = task_.parse(finalist.configuration);
    const CompileOutcome outcome = binaries_.alone(task_, task_.instance(configuration));
    const auto* binary = std::get_if<Binary>(&outcome);
    if (binary == nullptr) {
        leave_out(finalist.configuration,
                  {Verdict::compile_failed, std::get<CompileFailure>(outcome).log, false});
        return;
    }
    Studied one;
    one.figures.configuration = finalist.configuration;
    one.program = task_.device.load(*binary);
    auto run = rig_.continuous(*one.program, task_.launch_rule(configuration), finalist.median_ns);
    if (const auto* failure = std::get_if<TrialFailure>(&run)) {
        leave_out(finalist.configuration, *failure);
        return;
    }
    one.run = std::get<Rig::Continuous>(std::move(run));
    one.figures.conditions = rig_.conditions();
    one.figures.conditions.phase = Conditions::Phase::study;
    one.figures.conditions.chain = one.run.launches;
    one.figures.conditions.flush = false;
    one.figures.conditions.cache.reset();
    studied_.push_back(std::move(one));
}

bool Study::take_window(Studied& one) {
    const auto result =
        meter_.window(*one.run.timer, one.run.launches, plan_.warm_up, plan_.window);
    if (const auto* failure = std::get_if<TrialFailure>(&result)) {
        leave_out(one.figures.configuration, *failure);
        return false;
    }
    one.figures.energy_j.push_back(std::get<EnergyWindow>(result).energy_j);
    one.figures.launch_ns.push_back(std::get<EnergyWindow>(result).launch_ns);
    return true;
}

bool Study::is_enough(std::size_t rounds) const {
    return hooks_.stop->load() ||
           (rounds >= plan_.fewest_windows &&
            std::all_of(studied_.begin(), studied_.end(), [&](const Studied& one) {
                return one.figures.energy().uncertainty() <= plan_.enough;
            }));
}

void Study::leave_out(const std::string& configuration, const TrialFailure& failure) {
    log_.warning("{}: cannot measure its energy: {}", configuration, failure.reason);
    refuse_lost_device(failure, task_.info(), task_.parse(configuration));
}

}  // namespace

void refuse_without_energy(Device& device) {
    const EnergyMeter unused(device);
}

std::vector<FinalistFigures> study_energy(const Task& task,
                                          std::span<const StudiedFinalist> finalists,
                                          const StudyPlan& plan, const TuneHooks& hooks,
                                          BinaryCache& binaries, const Log& log) {
    Study study(task, plan, hooks, binaries, log);
    study.load(finalists);
    return study.run();
}

}  // namespace jitune::internal
