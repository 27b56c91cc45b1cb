// SPDX-License-Identifier: Apache-2.0
#include "tuning/isolation/worker_request.hpp"

#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "jitune/version.hpp"
#include "tuner_db/winners/record_message.hpp"

namespace jitune::internal {
namespace {

std::vector<int> read_lines(MessageReader& reader) {
    std::vector<int> lines;
    for (std::int64_t left = reader.integer(); left > 0; --left) {
        lines.push_back(static_cast<int>(reader.integer()));
    }
    return lines;
}

Instance read_instance(MessageReader& reader) {
    Instance instance;
    reader.fields(instance.expressions, instance.defines);
    instance.lines = read_lines(reader);
    instance.options = reader.texts();
    return instance;
}

}  // namespace

std::string worker_messages::protocol() {
    return fmt::format("jitune {}.{} messages {}", JITUNE_VERSION_MAJOR, JITUNE_VERSION_MINOR,
                       JITUNE_MESSAGES);
}

namespace {

void write_problem(MessageWriter& writer, const Problem& problem) {
    writer.text(problem.kernel).integer(static_cast<std::int64_t>(problem.types.size()));
    for (const auto& [parameter, name] : problem.types) {
        writer.text(parameter).text(name);
    }
    writer.integer(static_cast<std::int64_t>(problem.sizes.size()));
    for (const std::int64_t size : problem.sizes) {
        writer.integer(size);
    }
    writer.integer(problem.alignment);
}

Problem read_problem(MessageReader& reader) {
    Problem problem;
    problem.kernel = reader.text();
    for (std::int64_t left = reader.integer(); left > 0; --left) {
        const std::string parameter = reader.text();
        problem.types[parameter] = reader.text();
    }
    for (std::int64_t left = reader.integer(); left > 0; --left) {
        problem.sizes.push_back(reader.integer());
    }
    problem.alignment = reader.integer();
    return problem;
}

// One list of fields for both directions: `message` is a MessageWriter with a constant request, or
// a MessageReader.

template <class Message, class Request>
void request_fields(Message& message, Request& request) {
    message.fields(request.kernel, request.template_hash, request.device, request.compared);
}

template <class Message, class Plan, class Count>
void plan_fields(Message& message, Plan& plan, Count& budget_ms, Count& limit_ms, Count& spent_ms) {
    message.fields(plan.strategy, plan.seed, budget_ms, limit_ms, plan.max_evaluations,
                   plan.target_ns, plan.target_speed_up, spent_ms, plan.compile_threads,
                   plan.suspects, plan.first, plan.only, plan.hints, plan.brief, plan.incumbent);
}

void write_plan(MessageWriter& writer, const SearchPlan& plan) {
    const std::int64_t budget_ms = plan.budget.count();
    const std::int64_t limit_ms = plan.limit.count();
    const std::int64_t spent_ms = plan.spent.count();
    plan_fields(writer, plan, budget_ms, limit_ms, spent_ms);
    writer.fields(plan.history.size());
    for (const Measurement& known : plan.history) {
        write_record(writer, known);
    }
}

SearchPlan read_plan(MessageReader& reader) {
    SearchPlan plan;
    std::int64_t budget_ms = 0;
    std::int64_t limit_ms = 0;
    std::int64_t spent_ms = 0;
    plan_fields(reader, plan, budget_ms, limit_ms, spent_ms);
    plan.budget = std::chrono::milliseconds(budget_ms);
    plan.limit = std::chrono::milliseconds(limit_ms);
    plan.spent = std::chrono::milliseconds(spent_ms);
    for (std::int64_t left = reader.integer(); left > 0; --left) {
        plan.history.push_back(read_record<Measurement>(reader));
    }
    return plan;
}

/// An empty configuration stands for no incumbent, an empty image for that of the message before.
template <class Message, class Progress, class Incumbent, class Image>
void progress_fields(Message& message, Progress& progress, double& best_ns, Incumbent& incumbent,
                     Image& image) {
    message.fields(progress.space, progress.evaluated, progress.failed, best_ns,
                   incumbent.configuration, incumbent.ns, incumbent.default_ns,
                   incumbent.binary.format, incumbent.binary.symbols, image);
}

}  // namespace

void write_request(MessageWriter& writer, const WorkerRequest& request) {
    request_fields(writer, request);
    write_problem(writer, request.problem);
    write_plan(writer, request.plan);
}

WorkerRequest read_request(MessageReader& reader) {
    WorkerRequest request;
    request_fields(reader, request);
    request.problem = read_problem(reader);
    request.plan = read_plan(reader);
    return request;
}

void write_progress(MessageWriter& writer, const TuneProgress& progress, SharedImage& last) {
    double best_ns = progress.best_ns.value_or(0);
    const auto incumbent = progress.incumbent.value_or(TuneProgress::Incumbent());
    const SharedImage& its = incumbent.binary.image;
    const std::string image = its == nullptr || its == last ? std::string() : *its;
    last = its == nullptr ? last : its;
    progress_fields(writer, progress, best_ns, incumbent, image);
}

TuneProgress read_progress(MessageReader& reader, SharedImage& last) {
    TuneProgress progress;
    double best_ns = 0;
    TuneProgress::Incumbent incumbent;
    std::string image;
    progress_fields(reader, progress, best_ns, incumbent, image);
    if (!image.empty()) {
        last = std::make_shared<const std::string>(std::move(image));
    }
    if (!incumbent.configuration.empty() && last != nullptr) {
        incumbent.binary.image = last;
        progress.incumbent = std::move(incumbent);
    }
    progress.best_ns = best_ns > 0 ? std::optional(best_ns) : std::nullopt;
    return progress;
}

void write_error(MessageWriter& writer, const Error& error) {
    writer.integer(static_cast<std::int64_t>(error.kind())).text(error.what());
    const NativeCode code = error.native_code();
    writer.integer(static_cast<std::int64_t>(code.source)).integer(code.value);
}

Error read_error(MessageReader& reader) {
    const auto kind = static_cast<ErrorKind>(reader.integer());
    const std::string text = reader.text();
    const auto source = static_cast<NativeCode::Source>(reader.integer());
    return {kind, text, {source, static_cast<int>(reader.integer())}};
}

void write_compile_request(MessageWriter& writer, const CompileRequest& request) {
    const auto& [device, source, instances] = request;
    writer.fields(static_cast<int>(device.platform), device.attributes.size());
    for (const auto& [name, value] : device.attributes) {
        writer.fields(name, value);
    }
    writer.fields(source.name, source.text, source.headers.size());
    for (const auto& [name, text] : source.headers) {
        writer.fields(name, text);
    }
    writer.fields(source.include_folders, instances.size());
    for (const Instance& instance : instances) {
        writer.fields(instance.expressions, instance.defines, instance.lines.size());
        for (const int line : instance.lines) {
            writer.fields(line);
        }
        writer.fields(instance.options);
    }
}

CompileRequest read_compile_request(MessageReader& reader) {
    CompileRequest request;
    auto& [device, source, instances] = request;
    device.platform = static_cast<PlatformKind>(reader.integer());
    for (std::int64_t left = reader.integer(); left > 0; --left) {
        const std::string name = reader.text();
        device.attributes[name] = reader.integer();
    }
    reader.fields(source.name, source.text);
    for (std::int64_t left = reader.integer(); left > 0; --left) {
        std::string name = reader.text();
        source.headers.emplace_back(std::move(name), reader.text());
    }
    source.include_folders = reader.texts();
    for (std::int64_t left = reader.integer(); left > 0; --left) {
        instances.push_back(read_instance(reader));
    }
    return request;
}

void write_outcomes(MessageWriter& writer, const std::vector<CompileOutcome>& outcomes) {
    writer.fields(outcomes.size());
    std::shared_ptr<const std::string> last;
    for (const CompileOutcome& outcome : outcomes) {
        const auto* const binary = std::get_if<Binary>(&outcome);
        writer.fields(binary != nullptr);
        if (binary == nullptr) {
            writer.text(std::get<CompileFailure>(outcome).log);
            continue;
        }
        // An empty image stands for the last one.
        writer.fields(binary->format, binary->image == last ? std::string() : *binary->image,
                      binary->symbols, binary->log == nullptr ? std::string() : *binary->log);
        last = binary->image;
    }
}

std::vector<CompileOutcome> read_outcomes(MessageReader& reader) {
    std::vector<CompileOutcome> outcomes;
    auto last = std::make_shared<const std::string>();
    for (std::int64_t left = reader.integer(); left > 0; --left) {
        if (reader.integer() == 0) {
            outcomes.emplace_back(CompileFailure{reader.text()});
            continue;
        }
        Binary binary;
        binary.format = reader.text();
        if (std::string image = reader.text(); !image.empty()) {
            last = std::make_shared<const std::string>(std::move(image));
        }
        binary.image = last;
        binary.symbols = reader.texts();
        if (std::string log = reader.text(); !log.empty()) {
            binary.log = std::make_shared<const std::string>(std::move(log));
        }
        outcomes.emplace_back(std::move(binary));
    }
    return outcomes;
}

}  // namespace jitune::internal
