#include "engine/worker_request.hpp"

#include "tuner_db/record_message.hpp"

namespace jitune {

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

void write_options(MessageWriter& writer, const TuneOptions& options) {
    writer.text(options.strategy)
        .integer(static_cast<std::int64_t>(options.seed))
        .integer(options.budget.count())
        .integer(static_cast<std::int64_t>(options.max_evaluations))
        .real(options.target_ns)
        .real(options.target_speed_up)
        .integer(options.spent.count())
        .texts(options.suspects)

        .integer(static_cast<std::int64_t>(options.history.size()));
    for (const Measurement& known : options.history) {
        write_record(writer, known);
    }
}

}  // namespace

void write_request(MessageWriter& writer, const WorkerRequest& request) {
    writer.texts(request.kernel).text(request.template_hash).text(request.device);
    writer.text(request.incumbent);
    write_problem(writer, request.problem);
    write_options(writer, request.options);
}

WorkerRequest read_request(MessageReader& reader) {
    WorkerRequest request;
    request.kernel = reader.texts();
    request.template_hash = reader.text();
    request.device = reader.text();
    request.incumbent = reader.text();
    request.problem = read_problem(reader);
    TuneOptions& options = request.options;
    options.strategy = reader.text();
    options.seed = static_cast<std::uint64_t>(reader.integer());
    options.budget = std::chrono::milliseconds(reader.integer());
    options.max_evaluations = static_cast<std::size_t>(reader.integer());
    options.target_ns = reader.real();
    options.target_speed_up = reader.real();
    options.spent = std::chrono::milliseconds(reader.integer());
    options.suspects = reader.texts();
    for (std::int64_t left = reader.integer(); left > 0; --left) {
        options.history.push_back(read_measurement(reader));
    }
    return request;
}

void write_progress(MessageWriter& writer, const TuneProgress& progress) {
    writer.integer(static_cast<std::int64_t>(progress.space))
        .integer(static_cast<std::int64_t>(progress.evaluated))
        .integer(static_cast<std::int64_t>(progress.failed))
        .real(progress.best_ns.value_or(0));
}

TuneProgress read_progress(MessageReader& reader) {
    TuneProgress progress;
    progress.space = static_cast<std::size_t>(reader.integer());
    progress.evaluated = static_cast<std::size_t>(reader.integer());
    progress.failed = static_cast<std::size_t>(reader.integer());
    const double best_ns = reader.real();
    progress.best_ns = best_ns > 0 ? std::optional(best_ns) : std::nullopt;
    return progress;
}

}  // namespace jitune
