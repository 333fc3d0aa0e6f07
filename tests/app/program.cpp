#include "tests/app/program.h"

#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace rwin::app::test {
namespace {

namespace fs = std::filesystem;
using rwin::test::be32;
using rwin::test::build;
using rwin::test::Bytes;
using rwin::test::cat;
using rwin::test::ethernet;
using rwin::test::Ipv4;
using rwin::test::le32;
using rwin::test::Tcp;

// Becomes the program. Only calls that are safe between fork and exec.
[[noreturn]] void become(std::vector<std::string> arguments, std::vector<std::string> environment) {
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& word : arguments) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::vector<char*> envp;
  envp.reserve(environment.size() + 1);
  for (std::string& word : environment) envp.push_back(word.data());
  envp.push_back(nullptr);
  execve(argv[0], argv.data(), envp.data());
  _exit(127);
}

std::vector<std::string> words(const std::vector<std::string>& arguments) {
  std::vector<std::string> all = {RWIN_BINARY};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

std::vector<std::string> environment_with(const std::vector<std::string>& more) {
  std::vector<std::string> all = {"PATH=/usr/bin:/bin", "TERM=xterm", "LC_ALL=C.UTF-8"};
  all.insert(all.end(), more.begin(), more.end());
  // The sanitizers' settings belong to the build, not to the test.
  for (const char* name : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS"}) {
    if (const char* value = std::getenv(name)) all.push_back(std::string(name) + "=" + value);
  }
  return all;
}

int exit_status(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Ran run_program(const std::vector<std::string>& arguments, const RunWith& with) {
  const Folder folder;
  const std::string out = folder.path("out");
  const std::string err = folder.path("err");
  const auto all = words(arguments);
  const auto environment = environment_with(with.environment);
  const pid_t child = fork();
  if (child == 0) {
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    int to = open(out.c_str(), flags, 0600);
    if (with.close_output) {
      std::array<int, 2> ends{};
      if (pipe(ends.data()) != 0) _exit(126);
      close(ends[0]);
      to = ends[1];
    }
    dup2(open(with.input.c_str(), O_RDONLY), 0);
    dup2(to, 1);
    dup2(open(err.c_str(), flags, 0600), 2);
    if (with.unprivileged && geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
      _exit(126);
    if (!with.folder.empty() && chdir(with.folder.c_str()) != 0) _exit(126);
    become(all, environment);
  }
  const int code = exit_status(child);
  return {code, read_file(out), read_file(err)};
}

Ran run_on_terminal(const std::vector<std::string>& arguments, unsigned short columns,
                    const std::vector<std::string>& environment) {
  const auto all = words(arguments);
  const auto whole_environment = environment_with(environment);
  winsize size{40, columns, 0, 0};
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) become(all, whole_environment);
  Ran ran;
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t n = read(terminal, buffer.data(), buffer.size());
    if (n > 0) {
      ran.out.append(buffer.data(), static_cast<std::size_t>(n));
    } else if (n == 0 || errno != EINTR) {
      break;  // EIO: the last writer has gone
    }
  }
  close(terminal);
  ran.code = exit_status(child);
  return ran;
}

Ran run_interrupted(const std::vector<std::string>& arguments, const Bytes& input) {
  const Folder folder;
  const std::string out = folder.path("out");
  const std::string err = folder.path("err");
  const auto all = words(arguments);
  const auto environment = environment_with({});
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    dup2(ends[0], 0);
    dup2(open(out.c_str(), flags, 0600), 1);
    dup2(open(err.c_str(), flags, 0600), 2);
    become(all, environment);
  }
  std::size_t sent = 0;
  while (sent < input.size()) {
    const ssize_t n = write(ends[1], input.data() + sent, input.size() - sent);
    if (n < 0) break;
    sent += static_cast<std::size_t>(n);
  }
  // Wait until it has taken everything, then give it time to be asleep in the next read.
  int left = 1;
  while (ioctl(ends[0], FIONREAD, &left) == 0 && left > 0) usleep(1000);
  usleep(50'000);
  kill(child, SIGINT);
  usleep(50'000);
  close(ends[1]);
  close(ends[0]);
  const int code = exit_status(child);
  return {code, read_file(out), read_file(err)};
}

Folder::Folder() {
  std::string name = (fs::temp_directory_path() / "rwin-test.XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
  chmod(name.c_str(), 0755);  // for tests that run the program as somebody else
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string Folder::file(std::string_view name, std::string_view content) const {
  std::ofstream(path(name), std::ios::binary) << content;
  return path(name);
}

std::string Folder::file(std::string_view name, const Bytes& content) const {
  return file(name,
              std::string_view(reinterpret_cast<const char*>(content.data()), content.size()));
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

Capture::Capture(std::uint32_t link_type)
    : bytes_(cat(
          {le32(0xa1b2c3d4), le32(0x00040002), le32(0), le32(0), le32(65535), le32(link_type)})) {}

void Capture::add(std::int64_t time_us, const Bytes& packet) {
  const auto length = static_cast<std::uint32_t>(packet.size());
  const Bytes head =
      cat({le32(static_cast<std::uint32_t>(time_us / 1'000'000)),
           le32(static_cast<std::uint32_t>(time_us % 1'000'000)), le32(length), le32(length)});
  bytes_.insert(bytes_.end(), head.begin(), head.end());
  bytes_.insert(bytes_.end(), packet.begin(), packet.end());
}

Capture window_limited_download(int rounds) {
  constexpr std::uint32_t kSegments = 16;
  constexpr std::uint32_t kPayload = 1000;
  constexpr std::int64_t kRttUs = 100'000;
  Capture capture;
  std::int64_t now = 1'700'000'000'000'000;
  std::uint32_t server = 5000;  // next sequence number of each side
  std::uint32_t client = 9000;
  const auto up = [&](std::uint8_t flags, const Bytes& options = {}) {
    Tcp tcp{.source_port = 40000,
            .destination_port = 443,
            .seq = client,
            .ack = server,
            .flags = flags};
    tcp.window = kSegments * kPayload;
    tcp.options = options;
    capture.add(now, ethernet(0x0800, build(Ipv4{.source = 0x0a000001, .destination = 0x0a000002},
                                            build(tcp))));
  };
  const auto down = [&](std::uint8_t flags, std::size_t payload, const Bytes& options = {}) {
    Tcp tcp{.source_port = 443,
            .destination_port = 40000,
            .seq = server,
            .ack = client,
            .flags = flags};
    tcp.window = 60000;
    tcp.options = options;
    tcp.payload = payload;
    capture.add(now, ethernet(0x0800, build(Ipv4{.source = 0x0a000002, .destination = 0x0a000001},
                                            build(tcp))));
    server += static_cast<std::uint32_t>(payload);
  };
  constexpr std::uint8_t kSyn = 0x02, kAck = 0x10, kPush = 0x18, kFin = 0x11;
  up(kSyn, rwin::test::option::mss(kPayload));
  ++client;
  now += kRttUs;
  down(kSyn | kAck, 0, rwin::test::option::mss(kPayload));
  ++server;
  now += 20;
  up(kAck);
  // The window's worth of segments comes in a burst; each pair is acknowledged at once and releases
  // the next pair one round trip later.
  now += kRttUs;
  for (int round = 0; round < rounds; ++round) {
    const std::int64_t start = now;
    for (std::uint32_t i = 0; i < kSegments; ++i) {
      down(kPush, kPayload);
      now += 80;
      if (i % 2 == 1) up(kAck);
      now += 20;
    }
    now = start + kRttUs + 100;
  }
  down(kFin, 0);
  ++server;
  now += 20;
  up(kFin);
  return capture;
}

}  // namespace rwin::app::test
