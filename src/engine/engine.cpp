#include "engine/engine.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/device_id.hpp"
#include "engine/recorder.hpp"
#include "engine/tuning_history.hpp"
#include "engine/tuning_lease.hpp"
#include "engine/tuning_record.hpp"
#include "strategy/strategy.hpp"

namespace jitune {

namespace {

std::vector<std::unique_ptr<Platform>> make_platforms(const Log& log) {
    std::vector<std::unique_ptr<Platform>> made;
    for (const PlatformEntry& entry : platforms()) {
        made.push_back(entry.make(log));
    }
    return made;
}

void check(const Options& options) {
    if (options.budget.count() < 0) {
        throw Error(ErrorKind::usage,
                    "Options::budget is negative: give a time, or 0 for no limit");
    }
    const auto known = strategies();
    if (std::none_of(known.begin(), known.end(),
                     [&](const StrategyEntry& row) { return row.name == options.strategy; })) {
        std::string names;
        for (const StrategyEntry& row : known) {
            names += fmt::format("{}{}", names.empty() ? "" : " or ", row.name);
        }
        throw Error(ErrorKind::usage,
                    fmt::format("\"{}\" is no strategy: use {}", options.strategy, names));
    }
}

}  // namespace

Engine::Engine(const Options& options)
    : Engine(options, make_platforms(Log(options.log_level, options.log_sink))) {}

Engine::Engine(Options options, std::vector<std::unique_ptr<Platform>> platforms)
    : keeps_host_data_(options.device == "host"),
      options_(std::move(options)),
      log_(options_.log_level, options_.log_sink),
      platforms_(std::move(platforms)),
      isolation_(options_, log_) {
    check(options_);
}

Engine::~Engine() = default;

void Engine::throw_forked() {
    throw Error(ErrorKind::forked,
                "jitune was used before this process was forked: devices, threads and the "
                "database do not survive a fork. Use jitune first in the child, or exec");
}

std::vector<DeviceDescription> Engine::devices() {
    refuse_fork();
    std::vector<DeviceDescription> result;
    for (const auto& platform : platforms_) {
        for (int i = 0; i < platform->device_count(); ++i) {
            const DeviceInfo& info = platform->device(i).info();
            result.push_back({info.id, info.name, info.device_class, info.driver, ""});
        }
        if (platform->device_count() == 0) {
            result.push_back({std::string(platform->name()), "", "", "", platform->missing()});
        }
    }
    return result;
}

Platform& Engine::platform(std::string_view name) {
    for (const auto& platform : platforms_) {
        if (platform->name() == name) {
            if (platform->device_count() == 0) {
                throw Error(ErrorKind::unavailable,
                            fmt::format("no {} device: {}", name, platform->missing()));
            }
            return *platform;
        }
    }
    throw Error(ErrorKind::unavailable,
                fmt::format("this build of jitune has no {} backend", name));
}

Platform& Engine::find(std::atomic<Platform*>& place, std::string_view name) {
    Platform& found = platform(name);
    place.store(&found, std::memory_order_release);
    return found;
}

Backend& Engine::backend(std::string_view id) {
    refuse_fork();
    if (id == "auto") {
        for (const auto& platform : platforms_) {
            if (platform->device_count() > 0) {
                return platform->device(0);
            }
        }
        throw Error(ErrorKind::unavailable, "no device at all, not even the host");
    }
    const auto [name, ordinal] = parse_device_id(id);
    Platform& found = platform(name);
    if (ordinal >= found.device_count()) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("no device {}: there are {} of this kind, counted from 0", id,
                                found.device_count()));
    }
    return found.device(ordinal);
}

TuningStore* Engine::store() {
    // A call that needs the database must not wait long for whoever holds it; the next one asks
    // again.
    constexpr std::chrono::milliseconds kPatience{100};
    const std::lock_guard lock(store_mutex_);
    if (store_ == nullptr) {
        try {
            store_ = options_.database.empty()
                         ? TuningStore::in_memory(log_)
                         : TuningStore::open(options_.database, TuningStore::Access::read_write,
                                             log_, kPatience);
        } catch (const Error& error) {
            if (!std::exchange(store_warned_, true)) {
                ++store_errors_;
                log_.warning("{}; winners are kept in memory only", error.what());
            }
        }
    }
    return store_.get();
}

const Resolved& Engine::resolve(const DispatchKey& key, Backend& backend, const Kernel& kernel,
                                const Problem& problem) {
    refuse_fork();
    const SingleFlight::Turn turn(flights_, key);
    if (const Resolved* found = table_.find(key)) {
        return *found;
    }
    return table_.add(key, find_answer(backend, kernel, problem));
}

std::unique_ptr<const Resolved> Engine::find_answer(Backend& backend, const Kernel& kernel,
                                                    const Problem& problem) {
    kernel.kernel_template.check(problem);
    if (!problem.pinned.empty()) {
        return from_pinned(backend, kernel, problem);
    }
    std::string refused;
    if (auto stored = from_store(backend, kernel, problem, refused)) {
        return stored;
    }
    std::string trouble;
    if (options_.on_miss == TunePolicy::now) {
        try {
            return from_tuning(backend, kernel, problem, refused);
        } catch (const Error& error) {
            // The default has been tried too: where nothing was right, it was not either.
            if (error.kind() == ErrorKind::device || error.kind() == ErrorKind::verify) {
                throw;
            }
            trouble = error.what();
        }
    }
    auto answer = options_.on_miss == TunePolicy::template_default
                      ? nullptr
                      : from_nearest(backend, kernel, problem);
    if (answer == nullptr) {
        answer = from_default(backend, kernel, problem);
    }
    if (!trouble.empty()) {  // where nothing answers either, its error says it
        log_.warning("{}; {} answers: {}", trouble, to_string(answer->info.origin),
                     answer->info.configuration);
    }
    return answer;
}

std::unique_ptr<const Resolved> Engine::from_store(Backend& backend, const Kernel& kernel,
                                                   const Problem& problem, std::string& refused) {
    return ask_store([&](TuningStore& store) -> std::unique_ptr<const Resolved> {
        const auto winner = store.find(kernel.kernel_template.key(problem, backend.info()));
        if (!winner || winner->configuration + winner->image == refused) {
            return nullptr;
        }
        refused = winner->configuration + winner->image;
        return load(backend, kernel, problem, *winner, Origin::stored);
    });
}

std::unique_ptr<const Resolved> Engine::from_nearest(Backend& backend, const Kernel& kernel,
                                                     const Problem& problem) {
    constexpr int kTries = 4;
    return ask_store([&](TuningStore& store) -> std::unique_ptr<const Resolved> {
        const RecordKey key = kernel.kernel_template.key(problem, backend.info());
        for (const Winner& row : store.nearest(key, kTries)) {
            if (const auto winner = store.find(row.key)) {
                if (auto loaded = load(backend, kernel, problem, *winner, Origin::nearest)) {
                    return loaded;
                }
            }
        }
        return nullptr;
    });
}

std::unique_ptr<const Resolved> Engine::ask_store(
    const std::function<std::unique_ptr<const Resolved>(TuningStore&)>& question) {
    TuningStore* database = store();
    if (database == nullptr) {
        return nullptr;
    }
    try {
        return question(*database);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::store) {
            throw;
        }
        ++store_errors_;
        log_.warning("{}; going on without the database", error.what());
        return nullptr;
    }
}

std::unique_ptr<const Resolved> Engine::load(Backend& backend, const Kernel& kernel,
                                             const Problem& problem, const Winner& winner,
                                             Origin origin) {
    const KernelTemplate& source = kernel.kernel_template;
    try {
        const Configuration configuration =
            Configuration::parse(winner.configuration, source.front_matter().parameters);
        if (!source.accepts(configuration, problem, backend.info())) {
            log_.info("stored configuration {} is not legal for {}", winner.configuration,
                      sizes_text(problem, source.front_matter().sizes));
            return nullptr;
        }
        if (winner.symbols.size() != source.front_matter().launches.size()) {
            log_.warning("stored winner {} has {} entry points, {} needs {}", winner.configuration,
                         winner.symbols.size(), source.source().name,
                         source.front_matter().launches.size());
            return nullptr;
        }
        const Binary binary{winner.image_format, std::make_shared<const std::string>(winner.image),
                            winner.symbols};
        auto resolved = make_resolved(backend, kernel, problem, configuration, binary, origin);
        ++loads_;
        return resolved;
    } catch (const Error& error) {
        log_.warning("stored winner {} cannot be used: {}", winner.configuration, error.what());
        return nullptr;
    }
}

std::unique_ptr<const Resolved> Engine::from_tuning(Backend& backend, const Kernel& kernel,
                                                    const Problem& problem, std::string& refused) {
    const KernelTemplate& source = kernel.kernel_template;
    TuningLease lease(store(), source.key(problem, backend.info()), log_);
    std::unique_ptr<const Resolved> stored;
    const auto answered = [&] {
        stored = from_store(backend, kernel, problem, refused);
        return stored != nullptr;
    };
    // As long as tuning here would take: finals and a winner's own compile come on top of a budget.
    if (lease.acquire(answered, options_.budget * 3 / 2)) {
        return stored;
    }
    const TuneOptions options{.strategy = options_.strategy,
                              .seed = options_.seed,
                              .budget = options_.budget,
                              .progress = [&](const TuneProgress&) { lease.renew(); }};
    const TuneReport report = tune_and_store(backend, kernel, problem, options);
    const Configuration configuration =
        Configuration::parse(report.winner.configuration, source.front_matter().parameters);
    const Binary binary{report.winner.image_format,
                        std::make_shared<const std::string>(report.winner.image),
                        report.winner.symbols};
    return make_resolved(backend, kernel, problem, configuration, binary, Origin::tuned);
}

TuneReport Engine::tune_and_store(Backend& backend, const Kernel& kernel, const Problem& problem,
                                  TuneOptions options) {
    refuse_fork();
    ++tunings_;
    const KernelTemplate& source = kernel.kernel_template;
    source.check(problem);
    const std::string what =
        fmt::format("{} {} {} on {}", problem.kernel, types_text(problem),
                    sizes_text(problem, source.front_matter().sizes), backend.info().id);
    log_.info("tuning {}", what);
    const Recorder recorder(source, problem, backend);
    ask_store([&](TuningStore& store) {
        std::call_once(recovered_, [&] { SweepJournal::recover(options_.database, store); });
        recall(store, source, recorder, options);
        return nullptr;
    });
    TuneReport report = tune_recorded(backend, kernel, problem, options, recorder);
    log_.info("tuned {}: {} of {} configurations tried, the winner takes {:.3g} us: {}", what,
              report.progress.evaluated, report.progress.space, report.winner.median_ns / 1000,
              report.winner.configuration);
    return report;
}

TuneReport Engine::tune_recorded(Backend& backend, const Kernel& kernel, const Problem& problem,
                                 const TuneOptions& options, const Recorder& recorder) {
    TuningRecord record(store() == nullptr ? "" : options_.database, recorder, log_);
    TuneOptions recorded = options;
    recorded.observer = &record;
    const auto save = [&](const std::optional<Winner>& winner) {
        ask_store([&](TuningStore& store) {
            record.save(store, winner);
            return nullptr;
        });
    };
    try {
        auto report = isolation_.tune(backend, kernel, problem, recorded, recorder);
        if (!report) {
            report = tune(backend, kernel.kernel_template, *kernel.workload, problem, recorded,
                          binaries_, log_);
        }
        save(report->winner);
        return std::move(*report);
    } catch (const Error&) {
        save(std::nullopt);
        throw;
    }
}

std::unique_ptr<const Resolved> Engine::from_default(Backend& backend, const Kernel& kernel,
                                                     const Problem& problem) {
    const KernelTemplate& source = kernel.kernel_template;
    return compiled(backend, kernel, problem,
                    source.default_configuration(source.space(problem, backend.info())),
                    Origin::template_default);
}

std::unique_ptr<const Resolved> Engine::from_pinned(Backend& backend, const Kernel& kernel,
                                                    const Problem& problem) {
    const KernelTemplate& source = kernel.kernel_template;
    const Configuration configuration =
        Configuration::parse(problem.pinned, source.front_matter().parameters);
    const auto refuse = [&](const char* why) {
        throw Error(ErrorKind::usage,
                    fmt::format("{} cannot be pinned to {} for {} on {}: {}", source.source().name,
                                problem.pinned, sizes_text(problem, source.front_matter().sizes),
                                backend.info().id, why));
    };
    if (!source.accepts(configuration, problem, backend.info())) {
        refuse("the template's constraints exclude it");
    }
    if (source.reproducibility(configuration, problem, backend.info()) == "any") {
        refuse("its result depends on timing");
    }
    auto stored = ask_store([&](TuningStore& store) -> std::unique_ptr<const Resolved> {
        const auto winner = store.find(source.key(problem, backend.info()));
        return winner && winner->configuration == configuration.text()
                   ? load(backend, kernel, problem, *winner, Origin::pinned)
                   : nullptr;
    });
    return stored ? std::move(stored)
                  : compiled(backend, kernel, problem, configuration, Origin::pinned);
}

std::unique_ptr<const Resolved> Engine::compiled(Backend& backend, const Kernel& kernel,
                                                 const Problem& problem,
                                                 const Configuration& configuration,
                                                 Origin origin) {
    const KernelTemplate& source = kernel.kernel_template;
    const Instance instance = source.instance(problem, configuration);
    auto outcome = binaries_.find(source.hash(), backend.info().device_class, instance);
    // Asks again: the compiler may have failed for reasons that have passed.
    if (!outcome || std::holds_alternative<CompileFailure>(*outcome)) {
        outcome =
            binaries_.compile(backend, source.source(), source.hash(), std::span(&instance, 1))
                .front();
    }
    if (const auto* failure = std::get_if<CompileFailure>(&*outcome)) {
        throw Error(ErrorKind::compile,
                    fmt::format("compiling {} as {} for {}: {}", source.source().name,
                                configuration.text(), backend.info().id, failure->log));
    }
    return make_resolved(backend, kernel, problem, configuration, std::get<Binary>(*outcome),
                         origin);
}

std::unique_ptr<const Resolved> Engine::make_resolved(Backend& backend, const Kernel& kernel,
                                                      const Problem& problem,
                                                      const Configuration& configuration,
                                                      const Binary& binary, Origin origin) {
    const DeviceInfo& info = backend.info();
    auto resolved = std::make_unique<Resolved>();
    resolved->program = backend.load(binary);
    resolved->rule = kernel.kernel_template.launch_rule(problem, info, configuration);
    resolved->info = {origin, info.id, info.name, configuration.text()};
    return resolved;
}

}  // namespace jitune
