// The captures of pcaps/ and their manifest, for the tests here.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "analysis/engine.h"
#include "capture/decode/decode.h"
#include "capture/source/source.h"

namespace rwin {

inline const std::string kFolder = RWIN_SOURCE_DIR "/pcaps/";

inline std::string trimmed(std::string s) {
  s.erase(0, s.find_first_not_of(" `"));
  s.erase(s.find_last_not_of(" `") + 1);
  return s;
}

// The cells of a line of a table; the first one is what stands before the first bar.
inline std::vector<std::string> cells_of(const std::string& line) {
  std::istringstream cells(line);
  std::vector<std::string> cell;
  for (std::string c; std::getline(cells, c, '|');) cell.push_back(trimmed(c));
  return cell;
}

inline std::vector<analysis::ConnectionResult> read(const std::string& file) {
  auto opened = capture::open_file(kFolder + file, "");
  if (!opened.ok()) throw std::runtime_error(opened.error().message);
  capture::PacketSource& source = *opened.value();
  analysis::Engine engine;
  capture::RawPacket packet;
  capture::Read state{};
  std::uint64_t record = 0;
  while ((state = source.next(packet)) == capture::Read::packet) {
    packet.record = ++record;
    analysis::Segment segment;
    if (capture::decode(packet, segment) == capture::DecodeStatus::ok) engine.add(segment);
  }
  EXPECT_EQ(state, capture::Read::end) << source.warning();
  std::vector<analysis::ConnectionResult> out;
  engine.finish([&](analysis::ConnectionResult&& r) { out.push_back(std::move(r)); });
  return out;
}

}  // namespace rwin
