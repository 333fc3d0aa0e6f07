// A link between two network namespaces, in user space: reads frames from a TAP or TUN device in
// each and hands them to the other after what link.h does to them. Linux, root.
//
//   emulator --ns-a PATH --ns-b PATH --kind tap|tun --name DEV --ab RULES --ba RULES [--at
//   SECONDS:ab.loss=0.1 ...]
//            [--seed N] [--mid FILE] [--snap BYTES] --stats FILE --series FILE
//
// RULES: comma-separated NAME=NUMBER of LinkRules. Prints "ready" when the devices are there; runs
// until SIGTERM or SIGINT, or at most 10 minutes. Times of --at count from the first TCP packet.
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "link.h"

namespace rwin::netlab {
namespace {

constexpr int64_t kLongestRun = 600LL * 1000000000;
constexpr int64_t kSpin = 40000;  // ns before a deadline that are waited for awake
constexpr int64_t kSeriesStep = 10000000;
constexpr int kPriority = 50;

volatile sig_atomic_t stop = 0;

int64_t clock_ns(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

struct Change {
  int64_t after = 0;  // ns since the first packet
  int link = 0;       // 0: a to b
  std::string name;
  double value = 0;
};

struct Settings {
  std::string ns[2];
  std::string kind = "tap", name = "eth0", mid, stats, series;
  LinkRules rules[2];
  std::vector<Change> changes;
  uint64_t seed = 1;
  uint32_t snap = 96;
};

void set_rule(LinkRules& rules, const std::string& name, const std::string& value) {
  double* field = rules.field(name);
  if (field == nullptr) throw std::runtime_error("no rule is called " + name);
  *field = std::stod(value);
}

void parse_rules(LinkRules& rules, const std::string& text) {
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    size_t equals = part.find('=');
    if (equals == std::string::npos) throw std::runtime_error("not NAME=NUMBER: " + part);
    set_rule(rules, part.substr(0, equals), part.substr(equals + 1));
  }
}

Change parse_change(const std::string& text) {  // 5.5:ab.loss=0.1
  size_t colon = text.find(':'), dot = text.find('.', colon), equals = text.find('=', colon);
  if (colon == std::string::npos || dot == std::string::npos || equals == std::string::npos) {
    throw std::runtime_error("not SECONDS:DIRECTION.NAME=NUMBER: " + text);
  }
  Change change;
  change.after = static_cast<int64_t>(std::stod(text.substr(0, colon)) * 1e9);
  change.link = text.substr(colon + 1, dot - colon - 1) == "ba";
  change.name = text.substr(dot + 1, equals - dot - 1);
  change.value = std::stod(text.substr(equals + 1));
  LinkRules probe;
  set_rule(probe, change.name, "0");  // the name must exist
  return change;
}

Settings parse(int argc, char** argv) {
  Settings s;
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string option = argv[i], value = argv[i + 1];
    if (option == "--ns-a")
      s.ns[0] = value;
    else if (option == "--ns-b")
      s.ns[1] = value;
    else if (option == "--kind")
      s.kind = value;
    else if (option == "--name")
      s.name = value;
    else if (option == "--ab")
      parse_rules(s.rules[0], value);
    else if (option == "--ba")
      parse_rules(s.rules[1], value);
    else if (option == "--at")
      s.changes.push_back(parse_change(value));
    else if (option == "--seed")
      s.seed = std::stoull(value);
    else if (option == "--mid")
      s.mid = value;
    else if (option == "--snap")
      s.snap = static_cast<uint32_t>(std::stoul(value));
    else if (option == "--stats")
      s.stats = value;
    else if (option == "--series")
      s.series = value;
    else
      throw std::runtime_error("unknown option " + option);
  }
  if (argc % 2 == 0) throw std::runtime_error("an option has no value");
  if (s.ns[0].empty() || s.ns[1].empty()) throw std::runtime_error("two namespaces are needed");
  std::stable_sort(s.changes.begin(), s.changes.end(),
                   [](const Change& a, const Change& b) { return a.after < b.after; });
  return s;
}

// A device in the namespace; it lives as long as the descriptor.
int open_device(const std::string& ns, const std::string& kind, const std::string& name) {
  int ns_fd = open(ns.c_str(), O_RDONLY | O_CLOEXEC);
  if (ns_fd < 0 || setns(ns_fd, CLONE_NEWNET) != 0) fail("namespace " + ns);
  close(ns_fd);
  int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) fail("/dev/net/tun");
  ifreq request{};
  request.ifr_flags = static_cast<short>((kind == "tun" ? IFF_TUN : IFF_TAP) | IFF_NO_PI);
  name.copy(request.ifr_name, IFNAMSIZ - 1);
  if (ioctl(fd, TUNSETIFF, &request) != 0) fail("device " + name);
  return fd;
}

class Emulator {
 public:
  explicit Emulator(const Settings& settings)
      : settings_(settings),
        links_{{settings.rules[0], settings.seed, header()},
               {settings.rules[1], settings.seed + 1, header()}} {
    for (int i = 0; i < 2; ++i) fds_[i] = open_device(settings.ns[i], settings.kind, settings.name);
    if (!settings.mid.empty()) {
      mid_ = std::make_unique<CaptureFile>(settings.mid.c_str(), settings.snap, header() != 0);
    }
    series_ = std::fopen(settings.series.c_str(), "w");
    if (series_ == nullptr) fail(settings.series);
    std::fputs("t,ab_bytes,ab_queue_ms,ba_bytes,ba_queue_ms\n", series_);
  }
  ~Emulator() { std::fclose(series_); }
  Emulator(const Emulator&) = delete;
  Emulator& operator=(const Emulator&) = delete;

  void run() {
    const int64_t begin = clock_ns(CLOCK_MONOTONIC);
    while (stop == 0 && clock_ns(CLOCK_MONOTONIC) - begin < kLongestRun) {
      read_frames();
      int64_t now = clock_ns(CLOCK_MONOTONIC);
      apply_changes(now);
      pass_middles(now);
      write_frames();
      log_series(now);
      wait();
    }
  }

  void write_stats() const {
    std::FILE* file = std::fopen(settings_.stats.c_str(), "w");
    if (file == nullptr) fail(settings_.stats);
    for (int i = 0; i < 2; ++i) {
      const LinkCounts& c = links_[i].counts;
      auto n = [](uint64_t x) { return static_cast<unsigned long long>(x); };
      std::fprintf(
          file,
          "%s\"%s\": {\"in_packets\": %llu, \"in_bytes\": %llu, \"out_packets\": %llu, "
          "\"out_bytes\": %llu, \"drop_queue\": %llu, \"drop_loss\": %llu, \"reordered\": %llu, "
          "\"rewritten\": %llu, \"other_protocol\": %llu, \"max_queue_bytes\": %llu, "
          "\"late_max_us\": %.1f, \"late_mean_us\": %.1f, \"late_over_1ms\": %llu, "
          "\"write_failed\": %llu}",
          i == 0 ? "{" : ",\n", i == 0 ? "ab" : "ba", n(c.in_packets), n(c.in_bytes),
          n(c.out_packets), n(c.out_bytes), n(c.drop_queue), n(c.drop_loss), n(c.reordered),
          n(c.rewritten), n(c.other_protocol), n(c.max_queue_bytes), c.late_max_us,
          c.late_sum_us / static_cast<double>(std::max<uint64_t>(c.out_packets, 1)),
          n(c.late_over_1ms), n(c.write_failed));
    }
    std::fprintf(file, ",\n\"realtime_priority\": %s}\n", realtime ? "true" : "false");
    std::fclose(file);
  }

  bool realtime = false;

 private:
  size_t header() const { return settings_.kind == "tun" ? 0 : 14; }

  void read_frames() {
    uint8_t buffer[65536];
    for (int i = 0; i < 2; ++i) {
      // Bounded: what is due must not wait for a sender that never pauses.
      for (int n = 0; n < 64; ++n) {
        ssize_t size = read(fds_[i], buffer, sizeof buffer);
        if (size <= 0) break;
        int64_t now = clock_ns(CLOCK_MONOTONIC);
        if (first_ == 0 && find_tcp(Frame(buffer, buffer + size), header())) first_ = now;
        links_[i].arrive(now, Frame(buffer, buffer + size));
      }
    }
  }

  void apply_changes(int64_t now) {
    while (first_ != 0 && changed_ < settings_.changes.size() &&
           now - first_ >= settings_.changes[changed_].after) {
      const Change& change = settings_.changes[changed_++];
      *links_[change.link].rules.field(change.name) = change.value;
    }
  }

  // Both directions in the order of their times, so that the capture of the middle is in order.
  void pass_middles(int64_t now) {
    for (;;) {
      Link& link = links_[links_[1].next_middle() < links_[0].next_middle() ? 1 : 0];
      if (link.next_middle() > now) return;
      link.pass_middle([this](int64_t at, const Frame& frame) {
        if (mid_) mid_->write(at + realtime_offset_, frame);
      });
    }
  }

  void write_frames() {
    Frame frame;
    for (int i = 0; i < 2; ++i) {
      while (links_[i].depart(clock_ns(CLOCK_MONOTONIC), frame)) {
        if (write(fds_[1 - i], frame.data(), frame.size()) != static_cast<ssize_t>(frame.size())) {
          ++links_[i].counts.write_failed;
        }
      }
    }
  }

  void log_series(int64_t now) {
    if (now < next_log_) return;
    next_log_ = now + kSeriesStep;
    std::fprintf(series_, "%.6f,%.0f,%.3f,%.0f,%.3f\n",
                 static_cast<double>(now + realtime_offset_) / 1e9, links_[0].carried(now),
                 links_[0].queue_ms(now), links_[1].carried(now), links_[1].queue_ms(now));
  }

  // Until a packet is due or one arrives. The scheduler wakes up late, so the last stretch is spent
  // awake.
  void wait() const {
    int64_t due = std::min({links_[0].next_event(), links_[1].next_event(),
                            clock_ns(CLOCK_MONOTONIC) + 5 * kSeriesStep});
    pollfd ready[2] = {{fds_[0], POLLIN, 0}, {fds_[1], POLLIN, 0}};
    int64_t sleep = due - clock_ns(CLOCK_MONOTONIC) - kSpin;
    if (sleep > 0) {
      timespec limit{sleep / 1000000000, sleep % 1000000000};
      if (ppoll(ready, 2, &limit, nullptr) != 0) return;
    }
    timespec none{};
    while (clock_ns(CLOCK_MONOTONIC) < due && ppoll(ready, 2, &none, nullptr) == 0) {
    }
  }

  Settings settings_;
  int fds_[2] = {-1, -1};
  Link links_[2];
  std::unique_ptr<CaptureFile> mid_;
  std::FILE* series_ = nullptr;
  int64_t first_ = 0, next_log_ = 0;
  int64_t realtime_offset_ = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
  size_t changed_ = 0;
};

int run(int argc, char** argv) {
  Settings settings = parse(argc, argv);
  signal(SIGTERM, [](int) { stop = 1; });
  signal(SIGINT, [](int) { stop = 1; });
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_TIMERSLACK, 1UL);
  Emulator emulator(settings);
  sched_param priority{};
  priority.sched_priority = kPriority;
  emulator.realtime = sched_setscheduler(0, SCHED_FIFO, &priority) == 0;
  std::cout << "ready" << std::endl;
  emulator.run();
  emulator.write_stats();
  return 0;
}

}  // namespace
}  // namespace rwin::netlab

int main(int argc, char** argv) {
  try {
    return rwin::netlab::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "emulator: " << error.what() << '\n';
    return 1;
  }
}
