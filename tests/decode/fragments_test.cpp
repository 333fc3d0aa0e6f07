// TCP headers that are spread over IP fragments.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "capture/decode/fragments.h"
#include "tests/decode/decode_helpers.h"

namespace rwin::test {
namespace {

using analysis::Presence;
using capture::DecodeStatus;
using capture::Fragments;

Decoded decode_with(Fragments& fragments, const Bytes& packet, std::int64_t time_ns = 0) {
  const auto size = static_cast<std::uint32_t>(packet.size());
  const capture::RawPacket raw{.time_ns = time_ns,
                               .link_type = kRaw,
                               .captured = size,
                               .original = size,
                               .data = packet.data()};
  Decoded d{};
  d.status = capture::decode(raw, d.segment, &fragments);
  return d;
}

Bytes part(const Bytes& all, std::size_t from, std::size_t to) {
  return {all.begin() + static_cast<std::ptrdiff_t>(from),
          all.begin() + static_cast<std::ptrdiff_t>(std::min(to, all.size()))};
}

// A TCP segment in fragments of `step` bytes (a multiple of 8).
std::vector<Bytes> in_pieces(int version, const Bytes& tcp, std::size_t step,
                             std::uint16_t id = 7) {
  std::vector<Bytes> out;
  for (std::size_t at = 0; at < tcp.size(); at += step) {
    const bool more = at + step < tcp.size();
    const Bytes body = part(tcp, at, at + step);
    if (version == 4) {
      const auto field = static_cast<std::uint16_t>(at / 8 | (more ? 0x2000 : 0));
      out.push_back(build(Ipv4{.id = id, .fragment = field}, body));
    } else {
      const auto field = static_cast<std::uint32_t>(at | (more ? 1 : 0));
      out.push_back(build(Ipv6{.next = 44}, cat({hex("0600"), be16(field), be32(id), body})));
    }
  }
  return out;
}

const Bytes kLinuxSyn = build(Tcp{.flags = 2, .options = option::linux_syn(1452, 9)});

void expect_syn(const Decoded& d) {
  EXPECT_EQ(d.segment.flags, 2);
  EXPECT_EQ(d.segment.source.port, 40000);
  EXPECT_EQ(d.segment.seq, Tcp{}.seq);
  EXPECT_EQ(d.segment.window_scale.state, Presence::known);
  EXPECT_EQ(d.segment.window_scale.value, 9);
  EXPECT_EQ(d.segment.mss.value, 1452);
  EXPECT_FALSE(d.segment.options_cut);
  EXPECT_EQ(d.segment.payload, 0U);
}

// In any order: one segment, from the record that completes the header.
TEST(FragmentsTest, OneSegmentWhateverTheOrder) {
  std::mt19937 random(1);
  for (const int version : {4, 6}) {
    for (const std::size_t step : {8U, 16U, 24U, 32U}) {
      std::vector<Bytes> pieces = in_pieces(version, kLinuxSyn, step);
      for (int round = 0; round < 20; ++round) {
        Fragments fragments;
        int segments = 0;
        for (const Bytes& piece : pieces) {
          const Decoded d = decode_with(fragments, piece);
          if (d.status == DecodeStatus::ok) {
            ++segments;
            expect_syn(d);
          } else {
            EXPECT_EQ(d.status, DecodeStatus::later_fragment);
          }
        }
        EXPECT_EQ(segments, 1) << "IPv" << version << ", " << step << " bytes, round " << round;
        std::shuffle(pieces.begin(), pieces.end(), random);
      }
    }
  }
}

TEST(FragmentsTest, WholeHeaderInTheFirstFragmentNeedsNoOther) {
  Fragments fragments;
  const auto pieces = in_pieces(4, build(Tcp{.payload = 400}), 104);
  EXPECT_EQ(decode_with(fragments, pieces[0]).status, DecodeStatus::ok);
  for (std::size_t i = 1; i < pieces.size(); ++i)
    EXPECT_EQ(decode_with(fragments, pieces[i]).status, DecodeStatus::later_fragment);
}

TEST(FragmentsTest, InATunnel) {
  Fragments fragments;
  const auto pieces = in_pieces(4, kLinuxSyn, 24);
  ASSERT_EQ(pieces.size(), 2U);
  const auto in_gre = [](const Bytes& p) {
    return build(Ipv4{.protocol = 47}, cat({hex("0000 0800"), p}));
  };
  EXPECT_EQ(decode_with(fragments, in_gre(pieces[0])).status, DecodeStatus::later_fragment);
  const Decoded d = decode_with(fragments, in_gre(pieces[1]));
  ASSERT_EQ(d.status, DecodeStatus::ok);
  expect_syn(d);
}

TEST(FragmentsTest, DatagramsDoNotMix) {
  Fragments fragments;
  const auto a = in_pieces(4, kLinuxSyn, 16, 1);
  const auto b = in_pieces(4, kLinuxSyn, 16, 2);
  EXPECT_NE(decode_with(fragments, a[0]).status, DecodeStatus::ok);
  EXPECT_NE(decode_with(fragments, b[1]).status, DecodeStatus::ok);
  EXPECT_NE(decode_with(fragments, a[2]).status, DecodeStatus::ok);
  EXPECT_NE(decode_with(fragments, b[2]).status, DecodeStatus::ok);
  EXPECT_EQ(decode_with(fragments, a[1]).status, DecodeStatus::ok);
  EXPECT_EQ(decode_with(fragments, b[0]).status, DecodeStatus::ok);
}

TEST(FragmentsTest, WhatCameFirstStays) {
  Fragments fragments;
  const auto pieces = in_pieces(4, kLinuxSyn, 16);
  EXPECT_NE(decode_with(fragments, pieces[0]).status, DecodeStatus::ok);
  Bytes other = pieces[0];
  for (std::size_t i = 20; i < other.size(); ++i) other[i] = 0xff;  // an overlap that lies
  EXPECT_NE(decode_with(fragments, other).status, DecodeStatus::ok);
  EXPECT_NE(decode_with(fragments, pieces[1]).status, DecodeStatus::ok);
  const Decoded d = decode_with(fragments, pieces[2]);
  ASSERT_EQ(d.status, DecodeStatus::ok);
  expect_syn(d);
}

// A flood of starts that never end: bounded, and the newest are still joined.
TEST(FragmentsTest, TheOldestGivesWay) {
  Fragments fragments;
  for (int id = 0; id < 1000; ++id) {
    const auto pieces = in_pieces(4, kLinuxSyn, 24, static_cast<std::uint16_t>(id));
    EXPECT_NE(decode_with(fragments, pieces[0]).status, DecodeStatus::ok);
  }
  const auto late = [&](int id) {
    return decode_with(fragments, in_pieces(4, kLinuxSyn, 24, static_cast<std::uint16_t>(id))[1])
        .status;
  };
  EXPECT_EQ(late(999), DecodeStatus::ok);
  EXPECT_EQ(late(10), DecodeStatus::later_fragment);
}

// The same identification again: another datagram, after the first one was whole or long ago.
TEST(FragmentsTest, AnIdentificationUsedAgain) {
  Fragments fragments;
  const auto pieces = in_pieces(4, kLinuxSyn, 24);
  for (int round = 0; round < 3; ++round) {
    EXPECT_NE(decode_with(fragments, pieces[0]).status, DecodeStatus::ok) << round;
    EXPECT_EQ(decode_with(fragments, pieces[1]).status, DecodeStatus::ok) << round;
  }
  EXPECT_NE(decode_with(fragments, pieces[0], 0).status, DecodeStatus::ok);
  const auto other = in_pieces(4, build(Tcp{.seq = 99, .options = option::linux_syn(1452, 9)}), 24);
  EXPECT_NE(decode_with(fragments, other[0], 31'000'000'000).status, DecodeStatus::ok);
  const Decoded d = decode_with(fragments, other[1], 31'000'000'000);
  ASSERT_EQ(d.status, DecodeStatus::ok);
  EXPECT_EQ(d.segment.seq, 99U);
}

TEST(FragmentsTest, ImpossibleDataOffset) {
  Fragments fragments;
  const auto pieces = in_pieces(4, build(Tcp{.payload = 20, .data_offset = 3}), 16);
  EXPECT_NE(decode_with(fragments, pieces[0]).status, DecodeStatus::ok);
  EXPECT_EQ(decode_with(fragments, pieces[1]).status, DecodeStatus::malformed_tcp);
}

}  // namespace
}  // namespace rwin::test
