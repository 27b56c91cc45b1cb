// SPDX-License-Identifier: Apache-2.0
#include "dispatch/answers.hpp"

#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "dispatch/tuning_lease.hpp"

namespace jitune::internal {

std::unique_ptr<const Resolved> Answers::find(Device& device, const Kernel& kernel,
                                              const Problem& problem) {
    kernel.kernel_template.check(problem);
    if (!problem.pinned.empty()) {
        return from_pinned(device, kernel, problem);
    }
    std::string refused;
    if (auto stored = from_store(device, kernel, problem, refused)) {
        return stored;
    }
    std::string trouble;
    if (options_.on_miss == TunePolicy::now) {
        try {
            return from_tuning(device, kernel, problem, refused);
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
                      : from_nearest(device, kernel, problem);
    if (answer == nullptr) {
        answer = from_default(device, kernel, problem);
    }
    if (!trouble.empty()) {  // where nothing answers either, its error says it
        log_.warning("{}; {} answers: {}", trouble, to_string(answer->info.origin),
                     answer->info.configuration);
    }
    return answer;
}

std::unique_ptr<const Resolved> Answers::from_store(Device& device, const Kernel& kernel,
                                                    const Problem& problem, std::string& refused) {
    return store_.ask([&](TuningStore& store) -> std::unique_ptr<const Resolved> {
        const auto winner = store.find(kernel.kernel_template.key(problem, device.info()));
        if (!winner || winner->configuration + winner->image == refused) {
            return nullptr;
        }
        refused = winner->configuration + winner->image;
        return load(device, kernel, problem, *winner, Origin::stored);
    });
}

std::unique_ptr<const Resolved> Answers::from_tuning(Device& device, const Kernel& kernel,
                                                     const Problem& problem, std::string& refused) {
    const KernelTemplate& source = kernel.kernel_template;
    kernel.workload->prepare(problem);
    TuningLease lease(store_.writable(), source.key(problem, device.info()), log_);
    std::unique_ptr<const Resolved> stored;
    const auto answered = [&] {
        stored = from_store(device, kernel, problem, refused);
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
    const TuneReport report = tune_(device, kernel, problem, options);
    const Configuration configuration =
        Configuration::parse(report.winner.configuration, source.front_matter().parameters);
    const Binary binary{report.winner.image_format,
                        std::make_shared<const std::string>(report.winner.image),
                        report.winner.symbols};
    return make_resolved(device, kernel, problem, configuration, binary, Origin::tuned);
}

std::unique_ptr<const Resolved> Answers::from_nearest(Device& device, const Kernel& kernel,
                                                      const Problem& problem) {
    constexpr int kTries = 4;
    return store_.ask([&](TuningStore& store) -> std::unique_ptr<const Resolved> {
        const RecordKey key = kernel.kernel_template.key(problem, device.info());
        for (const Winner& row : store.nearest(key, kTries)) {
            if (const auto winner = store.find(row.key)) {
                if (auto loaded = load(device, kernel, problem, *winner, Origin::nearest)) {
                    return loaded;
                }
            }
        }
        return nullptr;
    });
}

std::unique_ptr<const Resolved> Answers::from_pinned(Device& device, const Kernel& kernel,
                                                     const Problem& problem) {
    const KernelTemplate& source = kernel.kernel_template;
    const Configuration configuration =
        Configuration::parse(problem.pinned, source.front_matter().parameters);
    const auto refuse = [&](const char* why) {
        throw Error(ErrorKind::usage,
                    fmt::format("{} cannot be pinned to {} for {} on {}: {}", source.source().name,
                                problem.pinned, sizes_text(problem, source.front_matter().sizes),
                                device.info().id, why));
    };
    if (!source.accepts(configuration, problem, device.info())) {
        refuse("the template's constraints exclude it");
    }
    if (source.reproducibility(configuration, problem, device.info()) == "any") {
        refuse("its result depends on timing");
    }
    auto stored = store_.ask([&](TuningStore& store) -> std::unique_ptr<const Resolved> {
        const auto winner = store.find(source.key(problem, device.info()));
        return winner && winner->configuration == configuration.text()
                   ? load(device, kernel, problem, *winner, Origin::pinned)
                   : nullptr;
    });
    return stored ? std::move(stored)
                  : compiled(device, kernel, problem, configuration, Origin::pinned);
}

std::unique_ptr<const Resolved> Answers::from_default(Device& device, const Kernel& kernel,
                                                      const Problem& problem) {
    const KernelTemplate& source = kernel.kernel_template;
    return compiled(device, kernel, problem,
                    source.default_configuration(source.space(problem, device.info())),
                    Origin::template_default);
}

std::unique_ptr<const Resolved> Answers::compiled(Device& device, const Kernel& kernel,
                                                  const Problem& problem,
                                                  const Configuration& configuration,
                                                  Origin origin) {
    const KernelTemplate& source = kernel.kernel_template;
    const Instance instance = source.instance(problem, configuration);
    auto outcome = binaries_.find(source.hash(), device.info().device_class, instance);
    // Asks again: the compiler may have failed for reasons that have passed.
    if (!outcome || std::holds_alternative<CompileFailure>(*outcome)) {
        outcome = binaries_.compile(device, source.source(), source.hash(), std::span(&instance, 1))
                      .front();
    }
    if (const auto* failure = std::get_if<CompileFailure>(&*outcome)) {
        throw Error(ErrorKind::compile,
                    fmt::format("compiling {} as {} for {}: {}", source.source().name,
                                configuration.text(), device.info().id, failure->log));
    }
    return make_resolved(device, kernel, problem, configuration, std::get<Binary>(*outcome),
                         origin);
}

std::unique_ptr<const Resolved> Answers::load(Device& device, const Kernel& kernel,
                                              const Problem& problem, const Winner& winner,
                                              Origin origin) {
    const KernelTemplate& source = kernel.kernel_template;
    try {
        const Configuration configuration =
            Configuration::parse(winner.configuration, source.front_matter().parameters);
        if (!source.accepts(configuration, problem, device.info())) {
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
        auto resolved = make_resolved(device, kernel, problem, configuration, binary, origin);
        ++loads_;
        return resolved;
    } catch (const Error& error) {
        log_.warning("stored winner {} cannot be used: {}", winner.configuration, error.what());
        return nullptr;
    }
}

std::unique_ptr<const Resolved> Answers::make_resolved(Device& device, const Kernel& kernel,
                                                       const Problem& problem,
                                                       const Configuration& configuration,
                                                       const Binary& binary, Origin origin) {
    const DeviceInfo& info = device.info();
    auto resolved = std::make_unique<Resolved>();
    resolved->program = device.load(binary);
    resolved->rule = kernel.kernel_template.launch_rule(problem, info, configuration);
    resolved->info = {origin, info.id, info.name, configuration.text()};
    return resolved;
}

}  // namespace jitune::internal
