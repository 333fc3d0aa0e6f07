// Each finding on a case that has it and on one that just misses it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flows.h"

namespace rwin::rules {
namespace {

using testing::HasSubstr;
using namespace test;

std::string cause(const Case& c) { return c.assess().verdict.cause; }

// ---- window scaling ----

Case unscaled() {
  Case c = window_limited(65'535, 184'000);
  c.direction.scale = {Presence::absent, 0, false};
  c.direction.window_field_max = 65'535;
  c.settings.target_bps = 25e6;
  return c;
}

TEST(Findings, ScalingAbsentAtTheReceivingClient) {
  Case c = unscaled();
  c.connection.client_offer = offer("mss,sok,ts", 64, 64240, -1);
  c.connection.server_offer = offer("mss,sok,ts", 64, 65160, -1);
  const Assessment a = c.assess();
  // The SYN-ACK cannot carry what the SYN did not offer: the client is at fault, not the server.
  EXPECT_EQ(a.verdict.cause, "scaling-absent-receiver");
  ASSERT_FALSE(a.advice.empty());
  EXPECT_EQ(a.advice.front().id, "linux.scaling-off");
  EXPECT_EQ(a.advice.front().host, "192.0.2.10");
  EXPECT_TRUE(a.advice.front().window_bytes.has_value());
}

TEST(Findings, ScalingAbsentAtTheSendingServerSeenThere) {
  Case c = unscaled();
  c.connection.client_offer = linux_offer();
  c.connection.server_offer = offer("mss,sok,ts", 64, 65160, -1);
  c.connection.place = analysis::Place::server;
  const Assessment a = c.assess();
  EXPECT_EQ(a.verdict.cause, "scaling-absent-sender");
  ASSERT_FALSE(a.advice.empty());
  EXPECT_EQ(a.advice.front().host, "198.51.100.7");
  EXPECT_EQ(a.advice.front().role, Role::sender);
  EXPECT_TRUE(a.advice.front().window_bytes.has_value());
}

TEST(Findings, AnswerWithoutScalingFromASystemThatScalesIsStripped) {
  Case c = unscaled();
  c.connection.client_offer = linux_offer();
  c.connection.server_offer = offer("mss,sok,ts", 52, 65160, -1);
  c.connection.place = analysis::Place::client;
  const Assessment a = c.assess();
  EXPECT_EQ(a.verdict.cause, "scaling-stripped");
  EXPECT_TRUE(has(a.verdict.unproven, "option_removed_on_the_way"));
  ASSERT_GE(a.advice.size(), 2U);
  EXPECT_EQ(a.advice[0].role, Role::middlebox);
  EXPECT_TRUE(a.advice[0].window_bytes.has_value());
  EXPECT_EQ(a.advice[1].host, "198.51.100.7") << "the server may have it switched off";
}

TEST(Findings, AnswerWithoutScalingFromAnotherSystemIsNotStripped) {
  Case c = unscaled();
  c.connection.client_offer = linux_offer();
  c.connection.server_offer = offer("mss", 255, 4128, -1);  // answers with the MSS alone
  c.connection.place = analysis::Place::client;
  EXPECT_EQ(cause(c), "scaling-absent-sender");
}

TEST(Findings, PaddingInThePlaceOfTheOptionIsStripped) {
  Case c = unscaled();
  c.connection.client_offer = offer("mss,sok,ts,nop,nop,nop,nop", 64, 64240, -1);
  c.connection.server_offer = offer("mss,sok,ts", 64, 65160, -1);
  c.connection.place = analysis::Place::server;
  const Assessment a = c.assess();
  EXPECT_EQ(a.verdict.cause, "scaling-stripped");
  EXPECT_FALSE(has(a.verdict.unproven, "option_removed_on_the_way"));
  // Two NOPs in a row are common.
  c.connection.client_offer = offer("mss,nop,nop,sok", 64, 64240, -1);
  EXPECT_NE(cause(c), "scaling-stripped");
}

TEST(Findings, ScaledFieldsBehindAStrippedAnswer) {
  // An upload: the server's SYN-ACK arrives without the option, its window fields are still scaled.
  Case c = unscaled();
  c.direction.from_client = true;
  c.connection.client_offer = linux_offer(10);
  c.connection.server_offer = offer("mss,sok,ts", 60, 65160, -1);
  c.direction.window_max = c.direction.window_first = c.direction.blocked_window = 78;
  c.direction.window_field_max = 78;
  c.direction.blocked_rtt_us = 28'000;
  c.direction.blocked_rate_bps = 78 * 8e6 / 28'000;
  const Assessment a = c.assess();
  EXPECT_EQ(a.verdict.cause, "scaling-stripped");
  EXPECT_FALSE(has(a.verdict.unproven, "option_removed_on_the_way"));
  EXPECT_TRUE(raises(a));
}

TEST(Findings, ScalingAbsentAtTheSendingClient) {
  Case c = unscaled();
  c.direction.from_client = true;
  c.connection.client_offer = offer("mss,sok,ts", 64, 64240, -1);
  c.connection.server_offer = offer("mss,sok,ts", 64, 65160, -1);
  const Assessment a = c.assess();
  EXPECT_EQ(a.verdict.cause, "scaling-absent-sender");
  EXPECT_EQ(a.advice.front().host, "192.0.2.10");
}

TEST(Findings, SmallUnscaledWindowIsTheBufferWhenScalingIsNotNeeded) {
  Case c = window_limited(17'520, 20'000);
  c.direction.scale = {Presence::absent, 0, false};
  c.direction.window_field_max = 17'520;
  c.connection.client_offer = offer("mss,nop,nop,sok", 128, 16384, -1);
  c.connection.server_offer = linux_offer(-1);
  c.settings.target_bps = 20e6;  // 50000 bytes
  EXPECT_EQ(cause(c), "buffer-fixed");
  c.settings.target_bps = 100e6;  // 250000 bytes: scaling and buffer
  const Assessment a = c.assess();
  EXPECT_EQ(a.verdict.cause, "scaling-absent-receiver");
  EXPECT_NE(find(a, "windows-xp.scaling-off"), nullptr);
  EXPECT_NE(find(a, "windows-xp.buffer-capped"), nullptr);
}

TEST(Findings, WindowAtTheUnscaledMostWithoutAHandshake) {
  Case c = unscaled();
  c.connection.client_offer = c.connection.server_offer = HandshakeSide{};
  c.connection.syn_seen = c.connection.syn_ack_seen = false;
  c.direction.scale = {Presence::known, 0, true};
  const Assessment a = c.assess();
  EXPECT_EQ(a.verdict.cause, "scaling-absent-receiver");
  EXPECT_TRUE(has(a.verdict.unproven, "scaling_offered"));
  EXPECT_EQ(a.verdict.confidence, Confidence::medium);
  EXPECT_TRUE(raises(a));
  c.direction.window_max = c.direction.window_first = c.direction.blocked_window = 33'304;
  EXPECT_EQ(cause(c), "buffer-fixed");
}

// ---- a shift that a box changes ----

// At the receiver: the sender stops at the raw field.
Case held_at_field() {
  Case c = download();
  DirectionResult& d = c.direction;
  d.limit = Limit::sender_buffer;
  d.window_max = d.window_p50 = d.window_first = 64'256;
  d.window_field_max = 502;
  d.flight_max = 502;
  d.flight_p50 = 502;
  d.bytes = 13'000;
  d.segments = 26;
  d.largest_payload = 502;
  return c;
}

TEST(Findings, ScaleRewrittenSeenAtTheReceiver) {
  const Assessment a = held_at_field().assess();
  EXPECT_EQ(a.verdict.cause, "scale-rewritten");
  EXPECT_EQ(a.verdict.limit, Limit::sender_buffer) << "the class is the analysis's word";
  EXPECT_THAT(a.verdict.summary, HasSubstr("stops at 502 B in flight"));
  ASSERT_FALSE(a.advice.empty());
  EXPECT_EQ(a.advice.front().role, Role::middlebox);
  EXPECT_FALSE(raises(a));
}

TEST(Findings, SmallWritesAreNoRewrittenScale) {
  Case c = held_at_field();
  c.direction.flight_max = 300;  // does not fill the field
  EXPECT_NE(cause(c), "scale-rewritten");
  c = held_at_field();
  c.direction.flight_max = 1460;  // above the field: the sender knows the scale
  EXPECT_NE(cause(c), "scale-rewritten");
  c = held_at_field();
  c.direction.scale.inferred = true;
  EXPECT_NE(cause(c), "scale-rewritten");
  c = held_at_field();
  c.direction.bytes = 502;  // one write proves nothing
  EXPECT_NE(cause(c), "scale-rewritten");
}

TEST(Findings, ScaleRewrittenSeenAtTheSender) {
  Case c = window_limited(502, 100'000);
  c.direction.scale.shift = 0;
  c.direction.window_field_max = 502;
  c.connection.client_offer = linux_offer(0);  // 64240 in the SYN, 502 right after it
  const Assessment a = c.assess();
  EXPECT_EQ(a.verdict.cause, "scale-rewritten");
  EXPECT_TRUE(raises(a));
  c.connection.client_offer = offer(kLinuxLayout, 64, 1460, 0);  // small from the start
  EXPECT_NE(cause(c), "scale-rewritten");
}

// ---- the window itself ----

TEST(Findings, SillyWindow) {
  Case c = window_limited(1'536, 30'000);
  c.connection.client_offer = offer("mss", 64, 1536, 0);
  c.direction.scale.shift = 0;
  c.direction.window_field_max = 1'536;
  const Assessment a = c.assess();
  EXPECT_EQ(a.verdict.cause, "silly-window");
  EXPECT_TRUE(mentions(a.verdict.notes, "1.05 segments of 1460 B"));
  EXPECT_NE(cause(window_limited(2 * 1'460, 30'000)), "silly-window");
}

TEST(Findings, WindowGranularity) {
  Case c = window_limited(32'768);
  c.direction.scale.shift = 14;
  EXPECT_EQ(cause(c), "window-granularity");
  c.direction.scale.shift = 10;  // steps of 1024, below a segment
  EXPECT_NE(cause(c), "window-granularity");
}

TEST(Findings, WindowShrunk) {
  Case c = window_limited(262'144);
  c.direction.shrunk_count = 3;
  c.direction.shrunk_bytes = 131'072;
  EXPECT_EQ(cause(c), "window-shrunk");
  c.direction.shrunk_bytes = 1'024;  // rounding
  EXPECT_NE(cause(c), "window-shrunk");
}

TEST(Findings, WindowClampedAtTheLastUnscaledStep) {
  Case c = window_limited(64'512, 100'000);
  c.direction.scale.shift = 10;
  c.connection.client_offer = linux_offer(10);
  c.direction.window_field_max = 63;
  // 64240 in the SYN and 64512 after it: no sign of a changed scale.
  c.connection.client_offer.window = 400;
  const Assessment a = c.assess();
  EXPECT_EQ(a.verdict.cause, "window-clamped");
  EXPECT_TRUE(raises(a));
  c.direction.window_max = c.direction.window_p50 = c.direction.window_first = 61'440;
  EXPECT_NE(cause(c), "window-clamped");
}

TEST(Findings, WindowClampedWithTheFullFirstWindowIsNoRewrittenScale) {
  Case c = window_limited(64'512, 100'000);
  c.direction.scale.shift = 10;
  c.connection.client_offer = linux_offer(10);
  c.direction.window_field_max = 63;
  EXPECT_EQ(cause(c), "window-clamped");
}

TEST(Findings, AutotuningSlow) {
  Case c = window_limited(1'000'000);
  c.direction.window_first = 65'536;
  c.direction.window_still_growing = true;
  EXPECT_EQ(cause(c), "autotuning-slow");
  c.direction.window_still_growing = false;
  EXPECT_EQ(cause(c), "buffer-capped");
}

TEST(Findings, BufferFixedByAProgramBeforeItConnected) {
  // First window below the system's own, shift 0, window reached at once.
  Case c = window_limited(33'304);
  c.connection.client_offer = offer(kLinuxLayout, 64, 26280, 0);
  c.direction.scale.shift = 0;
  c.direction.window_field_max = 33'304;
  const Assessment a = c.assess();
  EXPECT_EQ(a.verdict.cause, "buffer-fixed");
  EXPECT_FALSE(has(a.verdict.unproven, "buffer_owner"));
}

TEST(Findings, BufferFixedThoughTheWindowGrewInTheFirstRoundTrips) {
  // 270593 as SO_RCVBUF: shift 3, and a window above half of what shift 3 stands for.
  Case c = window_limited(358'664, 100'000);
  c.connection.client_offer = linux_offer(3);
  c.direction.scale.shift = 3;
  c.direction.window_first = 65'536;
  EXPECT_EQ(cause(c), "buffer-fixed");
}

TEST(Findings, BufferCappedWhenItGrewToTheCeiling) {
  Case c = window_limited(172'672, 184'000);
  c.direction.window_first = 42'340;
  c.connection.client_offer = offer(kLinuxLayout, 64, 42340, 7);
  EXPECT_EQ(cause(c), "buffer-capped");
  // 3 MiB is the known ceiling of Linux, even if the growth was not captured.
  c = window_limited(3'145'728, 184'000);
  EXPECT_EQ(cause(c), "buffer-capped");
}

TEST(Findings, DevicesGetParallelConnectionsBesideTheWordOfTruth) {
  Case c = window_limited(5'760, 20'000);
  c.connection.client_offer = offer("mss", 255, 5760, -1);
  c.direction.scale = {Presence::absent, 0, false};
  c.direction.window_field_max = 5'760;
  c.settings.target_bps = 20e6;
  const Assessment a = c.assess();
  EXPECT_TRUE(raises(a));
  const Advice* parallel = find(a, "generic.parallel");
  ASSERT_NE(parallel, nullptr);
  EXPECT_EQ(parallel->connections, 9U);  // 20 Mbit/s / (0.98 x 2.304 Mbit/s), rounded up
  EXPECT_FALSE(parallel->window_bytes.has_value());
  for (const Advice& advice : a.advice)
    EXPECT_FALSE(mentions(advice.change, "sysctl")) << advice.id;
}

// ---- the reading program ----

Case reader() {
  Case c = download();
  c.direction.limit = Limit::receiver_app;
  c.direction.window_max = 65'536;
  c.direction.zero_window_count = 20;
  c.direction.zero_window_episodes = 10;
  c.direction.zero_window_us = 500'000;
  c.direction.window_probes = 5;
  return c;
}

TEST(Findings, Readers) {
  EXPECT_EQ(cause(reader()), "reader-slow");

  Case stopped = reader();
  stopped.direction.longest_stall_us = 2'100'000;
  stopped.direction.longest_stall_at_us = 14'200'000;
  stopped.direction.longest_stall_limit = Limit::receiver_app;
  const Assessment a = stopped.assess();
  EXPECT_EQ(a.verdict.cause, "reader-stopped");
  EXPECT_TRUE(
      has(a.verdict.notes, "No progress for 2.1 s at 14.2 s: the receiver's window was closed."));
  EXPECT_FALSE(raises(a));
  ASSERT_FALSE(a.advice.empty());
  EXPECT_EQ(a.advice.front().role, Role::application);
  EXPECT_EQ(a.advice.front().host, "192.0.2.10");

  Case silent = stopped;
  silent.direction.window_probes = 0;
  EXPECT_EQ(cause(silent), "no-window-update");
  silent.direction.data_seen = false;  // probes would not have been captured
  EXPECT_EQ(cause(silent), "reader-stopped");
  Case unanswered = stopped;
  unanswered.direction.unanswered_probes = 4;
  EXPECT_EQ(cause(unanswered), "no-window-update");

  // Closed to the end of the capture: the analysis may leave that to "closing".
  Case to_the_end = stopped;
  to_the_end.direction.longest_stall_limit = Limit::closing;
  EXPECT_EQ(cause(to_the_end), "reader-stopped");
  EXPECT_TRUE(mentions(to_the_end.assess().verdict.notes, "the receiver's window was closed"));
  to_the_end.direction.window_probes = 0;  // then the silence may be the end of the talk
  EXPECT_EQ(cause(to_the_end), "reader-slow");

  Case memory = stopped;
  memory.direction.shrunk_count = 1;
  memory.direction.shrunk_bytes = 130'000;
  EXPECT_EQ(cause(memory), "host-memory");
}

// ---- the path ----

Case lossy() {
  Case c = download();
  c.direction.limit = Limit::congestion;
  c.direction.retransmitted_segments = 14;
  c.direction.window_max = 3'000'000;
  return c;
}

TEST(Findings, LossAndTimeout) {
  const Assessment a = lossy().assess();
  EXPECT_EQ(a.verdict.cause, "loss");
  EXPECT_TRUE(mentions(a.verdict.notes, "14 of 700 segments were sent again (2.00 %)"));
  EXPECT_FALSE(raises(a));
  Case spurious = lossy();
  spurious.direction.spurious_segments = 14;  // all had arrived
  EXPECT_EQ(cause(spurious), "");
  Case timer = lossy();
  timer.direction.timeouts = 5;
  EXPECT_EQ(cause(timer), "timeout");
  timer.direction.timeouts = 1;  // one of fourteen
  EXPECT_EQ(cause(timer), "loss");
}

TEST(Findings, MtuBlackHole) {
  Case c = lossy();
  c.direction.bytes = 5'000;
  c.direction.segments = 12;
  c.direction.retransmitted_segments = 6;
  c.direction.timeouts = 6;
  c.direction.longest_stall_us = 12'000'000;
  c.direction.longest_stall_limit = Limit::congestion;
  EXPECT_EQ(cause(c), "mtu-black-hole");
  c.direction.bytes = 5'000'000;  // plenty got through
  EXPECT_EQ(cause(c), "timeout");
}

TEST(Findings, AckPath) {
  Case c = download();
  c.direction.limit = Limit::congestion;
  c.direction.goodput_bps = 10e6;
  c.direction.capacity_bps = 48e6;
  c.direction.capacity_from = analysis::CapacityFrom::dispersion;
  c.direction.rtt_base_us = 28'000;
  c.direction.rtt_p50_us = 300'000;
  EXPECT_EQ(cause(c), "ack-path");
  c.direction.limit = Limit::bandwidth;
  EXPECT_EQ(cause(c), "ack-path");
  c.direction.capacity_bps = 10.5e6;  // data arrives at the average rate: its own line is full
  const Assessment a = c.assess();
  EXPECT_EQ(a.verdict.cause, "");
  EXPECT_TRUE(mentions(a.verdict.notes, "Nothing to change: the line is full."));
  EXPECT_TRUE(a.advice.empty());
}

TEST(Findings, SegmentSizeLoweredOnTheWay) {
  const auto lowered = [](std::uint16_t window, std::uint16_t mss) {
    Case c = download();
    c.direction.limit = Limit::sender_app;
    c.connection.client_offer = offer(kLinuxLayout, 60, window, 7, mss);
    return c.assess();
  };
  const Assessment a = lowered(64'240, 536);  // 44 x 1460
  EXPECT_TRUE(has(a.verdict.unproven, "mss_lowered_on_the_way"));
  EXPECT_TRUE(
      mentions(a.verdict.notes, "The segment size of 536 B that 192.0.2.10 seems to offer"));
  ASSERT_NE(find(a, "generic.mss-clamped"), nullptr);
  EXPECT_EQ(find(a, "generic.mss-clamped")->role, Role::middlebox);
  EXPECT_FALSE(raises(a));
  EXPECT_EQ(find(lowered(64'240, 1'452), "generic.mss-clamped"), nullptr) << "PPPoE needs it";
  EXPECT_EQ(find(lowered(64'240, 1'380), "generic.mss-clamped"), nullptr) << "a tunnel needs it";
  EXPECT_EQ(find(lowered(64'320, 536), "generic.mss-clamped"), nullptr) << "its own: 120 x 536";
  EXPECT_EQ(find(lowered(8'192, 536), "generic.mss-clamped"), nullptr) << "no segments of 1460";
}

// ---- the sender ----

TEST(Findings, SenderPrograms) {
  Case c = download();
  c.direction.limit = Limit::sender_app;
  EXPECT_EQ(cause(c), "idle");

  c.direction.pushed_segments = 40;
  DirectionResult requests;
  requests.from_client = true;
  requests.segments = 40;
  c.connection.directions.push_back(requests);
  const Assessment a = c.assess();
  EXPECT_EQ(a.verdict.cause, "request-response");
  EXPECT_FALSE(raises(a));
  c.connection.directions.front().segments = 1;  // one request, one long answer with pauses
  EXPECT_EQ(cause(c), "idle");
}

TEST(Findings, NagleAndDelayedAck) {
  Case c = download();
  c.direction.limit = Limit::sender_app;
  c.direction.rtt_base_us = 300;
  c.direction.rtt_p90_us = 40'300;
  c.direction.short_segments = 350;
  c.direction.flight_p50 = 1'760;
  EXPECT_EQ(cause(c), "nagle-delayed-ack");
  c.direction.rtt_p90_us = 25'000;  // no timer known has this length
  EXPECT_EQ(cause(c), "idle");
}

TEST(Findings, ProtocolWindow) {
  Case c = download();
  c.connection.server.port = 22;
  c.direction.limit = Limit::sender_buffer;
  c.direction.flight_max = 2'110'000;
  c.direction.flight_p50 = 2'090'000;
  c.direction.window_max = 6'000'000;
  DirectionResult adjusts;
  adjusts.from_client = true;
  adjusts.segments = 200;
  c.connection.directions.push_back(adjusts);
  const Assessment a = c.assess();
  EXPECT_EQ(a.verdict.cause, "protocol-window");
  EXPECT_TRUE(has(a.verdict.unproven, "protocol_window"));
  c.connection.server.port = 8080;
  EXPECT_EQ(cause(c), "buffer-capped");
}

TEST(Findings, SendBuffers) {
  Case c = download();
  c.direction.limit = Limit::sender_buffer;
  c.direction.flight_max = c.direction.flight_p50 = 16'384;
  c.direction.window_max = 3'000'000;
  c.settings.target_bps = 25e6;
  const Assessment a = c.assess();
  EXPECT_EQ(a.verdict.cause, "buffer-fixed");
  const Advice* advice = find(a, "linux.send-buffer");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->host, "198.51.100.7");
  EXPECT_EQ(advice->role, Role::sender);
  EXPECT_EQ(advice->buffer_bytes, 2'064'448U);
  EXPECT_FALSE(advice->window_bytes.has_value());
  c.direction.flight_max = c.direction.flight_p50 = 2'000'000;
  EXPECT_EQ(cause(c), "buffer-capped");
}

TEST(Findings, CappedServerAndTheConnectionsThatFillTheLine) {
  // 800 kB/s at 26 ms whatever the window, on a line of 25 Mbit/s.
  Case c = download();
  c.direction.limit = Limit::sender_paced;
  c.direction.goodput_bps = 6.4e6;
  c.direction.capacity_bps = 25e6;
  c.direction.capacity_from = analysis::CapacityFrom::dispersion;
  const Assessment a = c.assess();
  EXPECT_EQ(a.verdict.cause, "");
  ASSERT_EQ(a.advice.size(), 1U);
  EXPECT_EQ(a.advice[0].connections, 4U);
  EXPECT_FALSE(a.advice[0].window_bytes.has_value());
  EXPECT_THAT(a.advice[0].title, HasSubstr("4 connections"));
  c.direction.capacity_bps.reset();
  const Assessment unknown = c.assess();
  EXPECT_TRUE(unknown.advice.empty());
  EXPECT_TRUE(mentions(unknown.verdict.notes, "--target-rate"));
  c.settings.target_bps = 6.4e6;
  EXPECT_TRUE(mentions(c.assess().verdict.notes, "the target is reached"));
}

TEST(Findings, ShortTransfersAndUnknowns) {
  Case c = download();
  c.direction.limit = Limit::slow_start;
  EXPECT_TRUE(mentions(c.assess().verdict.notes, "Nothing to change"));
  EXPECT_TRUE(c.assess().advice.empty());

  c.direction.limit = Limit::unknown;
  c.direction.scale = {Presence::unknown, 0, false};
  c.connection.syn_seen = false;
  const Assessment a = c.assess();
  EXPECT_EQ(a.verdict.confidence, Confidence::low);
  EXPECT_TRUE(mentions(a.verdict.notes, "--assume-wscale 192.0.2.10=7"));
  c.connection.syn_seen = true;
  c.direction.scale = {Presence::known, 7, false};
  c.direction.data_seen = false;
  EXPECT_TRUE(mentions(c.assess().verdict.notes, "Only the ACKs"));
}

}  // namespace
}  // namespace rwin::rules
