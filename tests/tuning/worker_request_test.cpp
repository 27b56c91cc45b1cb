// SPDX-License-Identifier: Apache-2.0
#include "tuning/isolation/worker_request.hpp"

#include <gtest/gtest.h>

#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

Measurement known(const std::string& configuration) {
    Measurement measurement;
    measurement.configuration = configuration;
    measurement.samples_ns = {100, 110};
    measurement.conditions = "l2=cold chain=32";
    return measurement;
}

WorkerRequest full_request() {
    WorkerRequest request{
        {"family", "host"}, "hash", "cuda:1", {"sum", {{"element", "int32"}}, {7, 8}, 16}, {}};
    request.plan = {.strategy = "exhaustive",
                    .seed = 5,
                    .budget = std::chrono::milliseconds(1500),
                    .limit = std::chrono::milliseconds(2500),
                    .max_evaluations = 9,
                    .target_ns = 3.5,
                    .target_speed_up = 1.25,
                    .compile_threads = 3,
                    .spent = std::chrono::milliseconds(200),
                    .history = {known("block=1"), known("block=2")},
                    .suspects = {"block=3"},
                    .first = {"block=7"},
                    .only = {"block=1,2"},
                    .hints = {"block=4", "block=5"},
                    .brief = true,
                    .incumbent = "block=6"};
    request.compared = {"block=8"};
    return request;
}

TEST(WorkerRequest, CarriesTheWholePlan) {
    const WorkerRequest sent = full_request();
    Message message;
    MessageWriter writer(message);
    write_request(writer, sent);
    MessageReader reader(message);
    const WorkerRequest got = read_request(reader);
    EXPECT_EQ(got.plan.strategy, sent.plan.strategy);
    EXPECT_EQ(got.plan.seed, sent.plan.seed);
    EXPECT_EQ(got.plan.budget, sent.plan.budget);
    EXPECT_EQ(got.plan.limit, sent.plan.limit);
    EXPECT_EQ(got.plan.max_evaluations, sent.plan.max_evaluations);
    EXPECT_EQ(got.plan.target_ns, sent.plan.target_ns);
    EXPECT_EQ(got.plan.target_speed_up, sent.plan.target_speed_up);
    EXPECT_EQ(got.plan.compile_threads, sent.plan.compile_threads);
    EXPECT_EQ(got.plan.spent, sent.plan.spent);
    EXPECT_EQ(got.plan.suspects, sent.plan.suspects);
    EXPECT_EQ(got.plan.first, sent.plan.first);
    EXPECT_EQ(got.plan.only, sent.plan.only);
    EXPECT_EQ(got.plan.hints, sent.plan.hints);
    EXPECT_EQ(got.plan.brief, sent.plan.brief);
    EXPECT_EQ(got.plan.incumbent, sent.plan.incumbent);
    EXPECT_EQ(got.compared, sent.compared);
    ASSERT_EQ(got.plan.history.size(), 2U);
    EXPECT_EQ(got.plan.history[1].configuration, "block=2");
    EXPECT_EQ(got.plan.history[1].samples_ns, sent.plan.history[1].samples_ns);
    EXPECT_EQ(got.plan.history[1].conditions, sent.plan.history[1].conditions);
}

TEST(WorkerRequest, CarriesTheCodeOfTheBestSoFarOnce) {
    const auto image = std::make_shared<const std::string>(1000, 'x');
    TuneProgress progress;
    progress.incumbent = TuneProgress::Incumbent{"block=8", 5, 7, {"cubin", image, {"kernel"}}};
    SharedImage sent;
    SharedImage got;
    std::size_t bytes[2] = {};
    for (std::size_t& length : bytes) {
        Message message;
        MessageWriter writer(message);
        write_progress(writer, progress, sent);
        length = encode(message).size();
        MessageReader reader(message);
        const TuneProgress read = read_progress(reader, got);
        ASSERT_TRUE(read.incumbent.has_value());
        EXPECT_EQ(read.incumbent->configuration, "block=8");
        EXPECT_EQ(read.incumbent->binary.format, "cubin");
        EXPECT_EQ(read.incumbent->binary.symbols, std::vector<std::string>{"kernel"});
        ASSERT_NE(read.incumbent->binary.image, nullptr);
        EXPECT_EQ(*read.incumbent->binary.image, *image);
    }
    EXPECT_EQ(bytes[0], bytes[1] + image->size());

    Message without_code;
    MessageWriter writer(without_code);
    write_progress(writer, progress, sent);
    MessageReader reader(without_code);
    SharedImage none;
    EXPECT_FALSE(read_progress(reader, none).incumbent.has_value());
}

TEST(WorkerRequest, CarriesTheTask) {
    const WorkerRequest sent = full_request();
    Message message;
    MessageWriter writer(message);
    write_request(writer, sent);
    MessageReader reader(message);
    const WorkerRequest got = read_request(reader);
    EXPECT_EQ(got.kernel, sent.kernel);
    EXPECT_EQ(got.template_hash, sent.template_hash);
    EXPECT_EQ(got.device, sent.device);
    EXPECT_EQ(got.problem.kernel, sent.problem.kernel);
    EXPECT_EQ(got.problem.types, sent.problem.types);
    EXPECT_EQ(got.problem.sizes, sent.problem.sizes);
    EXPECT_EQ(got.problem.alignment, sent.problem.alignment);
}

TEST(WorkerRequest, RefusesATruncatedMessage) {
    Message message;
    MessageWriter writer(message);
    write_request(writer, full_request());
    message.pop_back();
    expect_error(ErrorKind::unavailable, "", [&] {
        MessageReader reader(message);
        read_request(reader);
    });
}

}  // namespace
}  // namespace jitune::internal
