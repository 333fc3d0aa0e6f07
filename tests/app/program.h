// Runs the real program and keeps what it said; folders and small captures for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/packet_builder.h"

namespace rwin::app::test {

struct Ran {
  int code = -1;    // exit status, 128 + n after signal n
  std::string out;  // standard output
  std::string err;  // standard error
};

struct RunWith {
  std::string input = "/dev/null";  // standard input
  std::vector<std::string>
      environment{};     // "NO_COLOR=1"; besides PATH only these and TERM=xterm, LC_ALL=C.UTF-8
  std::string folder{};  // current folder
  bool unprivileged = false;  // as the user "nobody", where the test itself runs as root
  bool close_output = false;  // nobody reads standard output: a pipe whose reader has gone
};

Ran run_program(const std::vector<std::string>& arguments, const RunWith& with = {});

// The same with standard output and error on a terminal of its own (`columns` wide); `out` has
// both.
Ran run_on_terminal(const std::vector<std::string>& arguments, unsigned short columns,
                    const std::vector<std::string>& environment = {});

// Standard input is a pipe that carries `input`, then stays open while the program gets SIGINT.
Ran run_interrupted(const std::vector<std::string>& arguments, const rwin::test::Bytes& input);

// A folder that goes away with its files.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string path(std::string_view name) const {
    return path_ + "/" + std::string(name);
  }
  [[nodiscard]] std::string file(std::string_view name, std::string_view content) const;
  [[nodiscard]] std::string file(std::string_view name, const rwin::test::Bytes& content) const;

 private:
  std::string path_;
};

std::string read_file(const std::string& path);

// A pcap (microseconds, little-endian) that grows packet by packet.
class Capture {
 public:
  explicit Capture(std::uint32_t link_type = 1);
  void add(std::int64_t time_us, const rwin::test::Bytes& packet);
  [[nodiscard]] const rwin::test::Bytes& bytes() const { return bytes_; }

 private:
  rwin::test::Bytes bytes_;
};

// A download over `rounds` round trips of 100 ms, held at a window of 16 segments of 1000 bytes by
// a receiver that offers no scaling: 10.0.0.1:40000 fetches from 10.0.0.2:443. Seen at the
// receiver.
Capture window_limited_download(int rounds);

}  // namespace rwin::app::test
