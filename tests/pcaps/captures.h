// The captures of pcaps/ and their manifest, for the tests here.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
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

// The decoded records of a capture, numbered from 1.
inline std::vector<analysis::Segment> segments_of(const std::string& file) {
  auto opened = capture::open_file(kFolder + file, "");
  if (!opened.ok()) throw std::runtime_error(opened.error().message);
  capture::PacketSource& source = *opened.value();
  capture::RawPacket packet;
  capture::Read state{};
  std::uint64_t record = 0;
  std::vector<analysis::Segment> out;
  while ((state = source.next(packet)) == capture::Read::packet) {
    packet.record = ++record;
    analysis::Segment segment;
    if (capture::decode(packet, segment) == capture::DecodeStatus::ok) out.push_back(segment);
  }
  EXPECT_EQ(state, capture::Read::end) << source.warning();
  return out;
}

inline std::vector<analysis::ConnectionResult> analyse(
    const std::vector<analysis::Segment>& segments) {
  analysis::Engine engine;
  for (const analysis::Segment& s : segments) engine.add(s);
  std::vector<analysis::ConnectionResult> out;
  engine.finish([&](analysis::ConnectionResult&& r) { out.push_back(std::move(r)); });
  return out;
}

inline std::vector<analysis::ConnectionResult> read(const std::string& file) {
  return analyse(segments_of(file));
}

// What the manifest says of a capture.
struct Row {
  std::string file, place, limit, cause, scale, window, rtt;
  std::size_t connections = 1;  // each with this verdict
  friend void PrintTo(const Row& r, std::ostream* out) { *out << r.file; }
};

inline std::vector<Row> rows() {
  std::vector<Row> out;
  std::ifstream in(kFolder + "MANIFEST.md");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("| `")) continue;
    const std::vector<std::string> cell = cells_of(line);
    if (cell.size() != 11) throw std::runtime_error("MANIFEST.md: ten columns are needed: " + line);
    out.push_back({cell[1], cell[5], cell[6], cell[7], cell[8], cell[9], cell[10], 1});
  }
  return out;
}

// Captures of several connections.
inline std::vector<Row> several_rows() {
  std::vector<Row> out;
  std::ifstream in(kFolder + "MANIFEST.md");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("| several |")) continue;
    const std::vector<std::string> cell = cells_of(line);
    if (cell.size() != 13) throw std::runtime_error("MANIFEST.md: 12 columns are needed: " + line);
    out.push_back(
        {cell[3], cell[7], cell[8], cell[9], cell[10], cell[11], cell[12], std::stoul(cell[2])});
  }
  return out;
}

// A test's name for it.
inline std::string name_of(const testing::TestParamInfo<Row>& i) {
  std::string name = i.param.file.substr(0, i.param.file.find('.'));
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

}  // namespace rwin
