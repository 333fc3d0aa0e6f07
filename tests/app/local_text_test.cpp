#include "app/local_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include "app/live/packet_file.h"

namespace rwin::app {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

LocalSocket curl() {
  LocalSocket s;
  s.client = true;
  s.pid = 4711;
  s.process = "curl";
  KernelFigures k;
  k.busy_us = 10'000'000;
  k.rwnd_limited_us = 9'300'000;
  k.retransmits = 3;
  k.rtt_us = 184'000;
  k.receive_buffer = 131'072;
  k.send_buffer = 87'040;
  s.kernel = k;
  s.receive_buffer_fixed = true;
  s.send_buffer_fixed = false;
  return s;
}

TEST(LocalText, TheKernelsOwnFiguresOfWhatThisHostSends) {
  EXPECT_EQ(local_text(curl(), true),
            "curl (pid 4711); the kernel says: held by the peer's window 93 % (9.3 s of 10 s); "
            "3 segments resent, RTT 184 ms, send buffer 87 040 B, which grows by itself");
}

TEST(LocalText, OfWhatItReceivesTheBuffer) {
  EXPECT_EQ(
      local_text(curl(), false),
      "curl (pid 4711); the kernel says: receive buffer 131 072 B, set by the program itself");
}

TEST(LocalText, WhatIsNotKnownIsNotSaid) {
  EXPECT_EQ(local_text({}, true), "");
  LocalSocket s = curl();
  s.kernel.reset();
  EXPECT_EQ(local_text(s, true), "curl (pid 4711)");
  s = curl();
  s.pid = 0;
  s.process.clear();
  s.kernel->busy_us = 0;  // nothing sent
  EXPECT_EQ(local_text(s, true), "");
}

TEST(LocalText, ValuesOnlyForAdviceToThisHost) {
  LocalSocket s = curl();
  s.settings = std::make_shared<rules::LocalValues>(rules::LocalValues{{"net.core.rmem_max", "1"}});
  rules::Advice advice;
  advice.host = "192.0.2.10";
  advice.change = {"sudo sysctl -w net.core.rmem_max=2"};
  analysis::Address address;
  address.family = 4;
  address.bytes = {192, 0, 2, 10};
  EXPECT_THAT(now_and_new(advice, s, address), ElementsAre("net.core.rmem_max: 1 -> 2"));
  address.bytes[3] = 11;
  EXPECT_THAT(now_and_new(advice, s, address), IsEmpty());
}

TEST(ReceiveBufferFixed, TheMostOfTcpRmemIsTheSystems) {
  LocalSocket s = curl();
  EXPECT_EQ(receive_buffer_fixed(s), true);  // the kernel's word
  s.receive_buffer_fixed.reset();
  EXPECT_EQ(receive_buffer_fixed(s), std::nullopt);
  const auto with = [&](const char* rmem) {
    s.settings =
        std::make_shared<rules::LocalValues>(rules::LocalValues{{"net.ipv4.tcp_rmem", rmem}});
    return receive_buffer_fixed(s);
  };
  EXPECT_EQ(with("4096\t131072\t131072"), false);
  EXPECT_EQ(with("4096\t131072\t6291456"), std::nullopt);
  EXPECT_EQ(with("131072"), std::nullopt);
  EXPECT_EQ(with(""), std::nullopt);
}

TEST(PacketFile, HoldsWhatCameBetweenBeginAndEnd) {
  const std::string path =
      testing::TempDir() + "/packet-file-" + std::to_string(getpid()) + ".pcap";
  capture::RawPacket packet;
  const unsigned char bytes[60] = {};
  packet.data = bytes;
  packet.captured = packet.original = sizeof bytes;
  PacketFile file;
  file.write(packet);  // nobody asked yet
  ASSERT_TRUE(file.begin({path, 1, 192}).ok());
  EXPECT_EQ(file.path(), path);
  file.write(packet);
  file.write(packet);
  EXPECT_EQ(file.end(), "saved 2 packets in " + path);
  file.write(packet);
  EXPECT_EQ(file.path(), "");
  EXPECT_EQ(file.end(), "");
  unlink(path.c_str());
  EXPECT_FALSE(file.begin({"/no/such/folder/x.pcap", 1, 192}).ok());
}

}  // namespace
}  // namespace rwin::app
