// One end of the lab's TCP connections: listens or connects, sends or receives as told, and writes
// down what the kernel says about its sockets (TCP_INFO, linux/tcp.h) every 10 ms.
//
//   traffic listen|connect --addr ADDRESS --out PREFIX [--port N] [--conns N] [--stagger SECONDS]
//   [--send PHASES]
//           [--recv PHASES] [--rr COUNT,BYTES,GAP] [--cc NAME] [--sndbuf N] [--rcvbuf N] [--maxseg
//           N] [--pacing N]
//           [--nodelay 1] [--wblock BYTES] [--timeout SECONDS]
//
// PHASES: separated by ';', each WORD,key=value,...
//   bulk,dur=S[,bytes=N]     writes without pause         rate,rate=BYTES_PER_S,chunk=N,dur=S
//   chunk,chunk=N,pause=S,dur=S   a chunk, a pause, ...    pause,dur=S
//   For --recv: full,dur=S   rate,rate=BYTES_PER_S,dur=S   pause,dur=S   loop (from the start);
//   after the last: full. A phase of --send may carry pacing=BYTES_PER_S, which holds from then on.
// --rr: the connecting side asks COUNT times for BYTES and waits GAP seconds in between.
// Writes PREFIX.csv and PREFIX.json. Exit status 1 when a connection did not end in time.
#include <arpa/inet.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace rwin::netlab {
namespace {

constexpr size_t kRequest = 120;
constexpr int64_t kSecond = 1000000000;

int64_t now_ns(clockid_t clock = CLOCK_MONOTONIC) {
  timespec t{};
  clock_gettime(clock, &t);
  return t.tv_sec * kSecond + t.tv_nsec;
}
double wall() { return static_cast<double>(now_ns(CLOCK_REALTIME)) / 1e9; }

void sleep_until(int64_t when) {
  timespec t{when / kSecond, when % kSecond};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) == EINTR) {
  }
}
int64_t seconds(double s) { return static_cast<int64_t>(s * 1e9); }

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

struct Phase {
  std::string word;
  std::map<std::string, double> number;
  double get(const std::string& key, double otherwise) const {
    auto found = number.find(key);
    return found == number.end() ? otherwise : found->second;
  }
};

std::vector<Phase> parse_phases(const std::string& text) {
  std::vector<Phase> phases;
  std::istringstream list(text);
  for (std::string one; std::getline(list, one, ';');) {
    std::istringstream parts(one);
    Phase phase;
    std::getline(parts, phase.word, ',');
    for (std::string part; std::getline(parts, part, ',');) {
      size_t equals = part.find('=');
      if (equals == std::string::npos) throw std::runtime_error("not key=value: " + part);
      phase.number[part.substr(0, equals)] = std::stod(part.substr(equals + 1));
    }
    phases.push_back(phase);
  }
  return phases;
}

struct Settings {
  bool listens = false;
  std::map<std::string, std::string> text;
  std::vector<Phase> send, recv;
  std::string get(const std::string& key, const std::string& otherwise) const {
    auto found = text.find(key);
    return found == text.end() ? otherwise : found->second;
  }
  int number(const std::string& key, int otherwise) const {
    return text.contains(key) ? std::stoi(text.at(key)) : otherwise;
  }
};

struct Connection {
  int fd = -1;
  int index = 0;
  int client_port = 0;
  std::atomic<bool> open{true};
  bool finished = false;
  uint64_t sent = 0, received = 0;
  double t_first = 0, t_write_end = 0, t_last = 0;
  std::vector<std::pair<double, std::string>> marks;
  tcp_info last{};
  int64_t deadline = 0;
};

int int_option(int fd, int level, int name) {
  int value = 0;
  socklen_t size = sizeof value;
  getsockopt(fd, level, name, &value, &size);
  return value;
}

int queue_size(int fd, unsigned long which) {
  int value = 0;
  ioctl(fd, which, &value);
  return value;
}

tcp_info kernel_says(int fd) {
  tcp_info info{};
  socklen_t size = sizeof info;
  getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size);
  return info;
}

// Writes one line for each open connection every 10 ms.
class Sampler {
 public:
  explicit Sampler(const std::string& path) : file_(std::fopen(path.c_str(), "w")) {
    if (file_ == nullptr) fail(path);
    std::fputs(
        "t,conn,client_port,state,ca_state,snd_mss,unacked,sacked,lost,retrans,snd_ssthresh,snd_"
        "cwnd,"
        "rtt,min_rtt,total_retrans,pacing_rate,bytes_acked,notsent,busy_us,rwnd_us,sndbuf_us,snd_"
        "wnd,"
        "delivery_rate,outq,inq,sndbuf,rcvbuf\n",
        file_);
    thread_ = std::thread([this] { run(); });
  }
  ~Sampler() {
    done_ = true;
    thread_.join();
    std::fclose(file_);
  }
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  void watch(Connection* connection) {
    std::lock_guard<std::mutex> lock(mutex_);
    watched_.push_back(connection);
  }
  // No sample is taken after this; the descriptor may be closed.
  void forget(Connection* connection) {
    std::lock_guard<std::mutex> lock(mutex_);
    connection->open = false;
  }

 private:
  void run() {
    for (int64_t next = now_ns(); !done_; next += kSecond / 100) {
      sleep_until(next);
      std::lock_guard<std::mutex> lock(mutex_);
      for (Connection* c : watched_) {
        if (c->open) sample(*c);
      }
    }
  }
  void sample(const Connection& c) {
    tcp_info i = kernel_says(c.fd);
    auto n = [](uint64_t x) { return static_cast<unsigned long long>(x); };
    std::fprintf(
        file_,
        "%.6f,%d,%d,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%llu,%llu,%u,%llu,%llu,%llu,%u,%llu,%d,"
        "%d,%d,%d\n",
        wall(), c.index, c.client_port, i.tcpi_state, i.tcpi_ca_state, i.tcpi_snd_mss,
        i.tcpi_unacked, i.tcpi_sacked, i.tcpi_lost, i.tcpi_retrans, i.tcpi_snd_ssthresh,
        i.tcpi_snd_cwnd, i.tcpi_rtt, i.tcpi_min_rtt, i.tcpi_total_retrans, n(i.tcpi_pacing_rate),
        n(i.tcpi_bytes_acked), i.tcpi_notsent_bytes, n(i.tcpi_busy_time), n(i.tcpi_rwnd_limited),
        n(i.tcpi_sndbuf_limited), i.tcpi_snd_wnd, n(i.tcpi_delivery_rate),
        queue_size(c.fd, SIOCOUTQ), queue_size(c.fd, SIOCINQ),
        int_option(c.fd, SOL_SOCKET, SO_SNDBUF), int_option(c.fd, SOL_SOCKET, SO_RCVBUF));
  }

  std::FILE* file_;
  std::mutex mutex_;
  std::vector<Connection*> watched_;
  std::atomic<bool> done_{false};
  std::thread thread_;
};

// Sends `size` bytes; false when the connection broke or its time is over.
bool send_all(Connection& c, size_t size, int64_t until) {
  static const std::vector<char> zeros(1 << 20);
  while (size > 0 && now_ns() < until) {
    ssize_t n = send(c.fd, zeros.data(), std::min(size, zeros.size()), MSG_NOSIGNAL);
    if (n < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (n > 0) {
      if (c.t_first == 0) c.t_first = wall();
      c.sent += static_cast<uint64_t>(n);
      size -= static_cast<size_t>(n);
    }
  }
  return size == 0;
}

// Reads up to `size` bytes; false at the end of the stream or when the time is over.
bool receive_all(Connection& c, size_t size) {
  thread_local std::vector<char> buffer(1 << 18);
  while (size > 0) {
    ssize_t n = recv(c.fd, buffer.data(), std::min(size, buffer.size()), 0);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) return false;
    if (n < 0 && now_ns() > c.deadline) return false;
    if (n > 0) {
      c.received += static_cast<uint64_t>(n);
      size -= static_cast<size_t>(n);
    }
  }
  return true;
}

void send_phase(Connection& c, const Phase& phase, size_t block) {
  c.marks.emplace_back(wall(), "send:" + phase.word);
  if (phase.number.contains("pacing")) {
    auto pace = static_cast<unsigned>(phase.number.at("pacing"));
    setsockopt(c.fd, SOL_SOCKET, SO_MAX_PACING_RATE, &pace, sizeof pace);
  }
  const int64_t start = now_ns();
  const int64_t end = start + seconds(phase.get("dur", 1e6));
  auto chunk = static_cast<size_t>(phase.get("chunk", static_cast<double>(block)));
  auto left = static_cast<size_t>(phase.get("bytes", 1e15));
  if (phase.word == "pause") {
    sleep_until(end);
    return;
  }
  int64_t next = start;
  while (now_ns() < end && left > 0) {
    size_t size = std::min(chunk, left);
    // A chunk that was begun is finished, so that no write is cut at the end of a phase.
    if (!send_all(c, size, phase.word == "bulk" ? end : c.deadline)) break;
    left -= size;
    if (phase.word == "rate") next += seconds(static_cast<double>(chunk) / phase.number.at("rate"));
    if (phase.word == "chunk") next = now_ns() + seconds(phase.number.at("pause"));
    if (phase.word != "bulk") sleep_until(std::min(next, end));
  }
}

// False at the end of the stream.
bool receive_phase(Connection& c, const Phase& phase) {
  c.marks.emplace_back(wall(), "recv:" + phase.word);
  const int64_t end = now_ns() + seconds(phase.get("dur", 1e6));
  if (phase.word == "pause") {
    sleep_until(end);
    return true;
  }
  const double rate = phase.get("rate", 0);
  auto chunk = static_cast<size_t>(phase.get("chunk", 4096));
  for (int64_t next = now_ns(); now_ns() < end;) {
    if (!receive_all(c, rate > 0 ? chunk : 1)) return false;
    if (rate > 0) {
      next += seconds(static_cast<double>(chunk) / rate);
      sleep_until(std::min(next, end));
    } else {
      receive_all(c, static_cast<size_t>(queue_size(c.fd, SIOCINQ)));
    }
  }
  return true;
}

void receive_stream(Connection& c, const std::vector<Phase>& phases) {
  for (size_t i = 0; i < phases.size(); ++i) {
    if (phases[i].word == "loop") {
      if (i == 0) break;
      i = static_cast<size_t>(-1);
      continue;
    }
    if (!receive_phase(c, phases[i])) return;
  }
  receive_phase(c, Phase{"full", {}});
}

// Waits until everything is acknowledged, and keeps the kernel's last figures.
void drain(Connection& c) {
  c.t_write_end = wall();
  while (queue_size(c.fd, SIOCOUTQ) > 0 && now_ns() < c.deadline)
    sleep_until(now_ns() + kSecond / 1000);
  c.t_last = wall();
  c.last = kernel_says(c.fd);
  c.finished = queue_size(c.fd, SIOCOUTQ) == 0;
}

void request_response(Connection& c, const Settings& s) {
  int count = 0;
  long size = 0;
  double gap = 0;
  if (std::sscanf(s.get("rr", "").c_str(), "%d,%ld,%lf", &count, &size, &gap) != 3) fail("--rr");
  c.marks.emplace_back(wall(), "send:rr");
  for (int i = 0; i < count; ++i) {
    if (s.listens) {
      if (!receive_all(c, kRequest) || !send_all(c, static_cast<size_t>(size), c.deadline)) return;
    } else {
      if (!send_all(c, kRequest, c.deadline) || !receive_all(c, static_cast<size_t>(size))) return;
      sleep_until(now_ns() + seconds(gap));
    }
  }
}

void serve(Connection& c, const Settings& s, Sampler& sampler) {
  auto block = static_cast<size_t>(s.number("wblock", 65536));
  sampler.watch(&c);
  if (s.text.contains("rr")) {
    request_response(c, s);
    drain(c);
  } else if (!s.send.empty()) {
    if (!s.listens || receive_all(c, kRequest)) {
      for (const Phase& phase : s.send) send_phase(c, phase, block);
    }
    drain(c);
  } else {
    if (!s.listens) send_all(c, kRequest, c.deadline);
    receive_stream(c, s.recv);
    drain(c);
  }
  shutdown(c.fd, SHUT_WR);
  while (receive_all(c, SIZE_MAX)) {
  }
  sampler.forget(&c);
  close(c.fd);
}

void set_int(int fd, int level, int name, int value, const char* what) {
  if (setsockopt(fd, level, name, &value, sizeof value) != 0) fail(what);
}

int make_socket(const Settings& s, bool v6) {
  int fd = socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) fail("socket");
  std::string cc = s.get("cc", "cubic");
  if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, cc.c_str(), static_cast<socklen_t>(cc.size()))) {
    fail("congestion control " + cc);
  }
  set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1, "SO_REUSEADDR");
  if (s.text.contains("rcvbuf"))
    set_int(fd, SOL_SOCKET, SO_RCVBUF, s.number("rcvbuf", 0), "SO_RCVBUF");
  if (s.text.contains("sndbuf"))
    set_int(fd, SOL_SOCKET, SO_SNDBUF, s.number("sndbuf", 0), "SO_SNDBUF");
  if (s.text.contains("maxseg"))
    set_int(fd, IPPROTO_TCP, TCP_MAXSEG, s.number("maxseg", 0), "TCP_MAXSEG");
  if (s.text.contains("nodelay")) set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1, "TCP_NODELAY");
  if (s.text.contains("pacing")) {
    set_int(fd, SOL_SOCKET, SO_MAX_PACING_RATE, s.number("pacing", 0), "SO_MAX_PACING_RATE");
  }
  return fd;
}

int port_of(int fd, bool peer) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  if (peer)
    getpeername(fd, any, &size);
  else
    getsockname(fd, any, &size);
  // The port stands at the same place in both families.
  return ntohs(reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

void write_results(const std::string& path, const std::vector<Connection>& connections) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) fail(path);
  const char* separator = "[";
  for (const Connection& c : connections) {
    const tcp_info& i = c.last;
    auto n = [](uint64_t x) { return static_cast<unsigned long long>(x); };
    std::fprintf(
        file,
        "%s{\"client_port\": %d, \"finished\": %s, \"bytes\": %llu, \"received\": %llu, "
        "\"t_first\": %.6f, \"t_write_end\": %.6f, \"t_last\": %.6f, \"busy_us\": %llu, "
        "\"rwnd_limited_us\": %llu, \"sndbuf_limited_us\": %llu, \"min_rtt_us\": %u, "
        "\"retransmitted_segments\": %u, \"snd_mss\": %u, \"options_bits\": %u, "
        "\"wscale_of_receiver\": %u, \"final_cwnd\": %u, \"final_ssthresh\": %u, \"marks\": [",
        separator, c.client_port, c.finished ? "true" : "false", n(c.sent), n(c.received),
        c.t_first, c.t_write_end, c.t_last, n(i.tcpi_busy_time), n(i.tcpi_rwnd_limited),
        n(i.tcpi_sndbuf_limited), i.tcpi_min_rtt, i.tcpi_total_retrans, i.tcpi_snd_mss,
        i.tcpi_options, i.tcpi_snd_wscale, i.tcpi_snd_cwnd, i.tcpi_snd_ssthresh);
    const char* comma = "";
    for (const auto& [when, word] : c.marks) {
      std::fprintf(file, "%s[%.6f, \"%s\"]", comma, when, word.c_str());
      comma = ", ";
    }
    std::fputs("]}", file);
    separator = ",\n";
  }
  std::fputs("]\n", file);
  std::fclose(file);
}

Settings parse(int argc, char** argv) {
  if (argc < 2 || argc % 2 != 0) throw std::runtime_error("usage: see the head of traffic.cpp");
  Settings s;
  s.listens = std::strcmp(argv[1], "listen") == 0;
  for (int i = 2; i + 1 < argc; i += 2) s.text[argv[i] + 2] = argv[i + 1];
  s.send = parse_phases(s.get("send", ""));
  s.recv = parse_phases(s.get("recv", ""));
  return s;
}

sockaddr_storage address_of(const Settings& s, socklen_t& size, bool& v6) {
  sockaddr_storage address{};
  std::string text = s.get("addr", "");
  auto port = htons(static_cast<uint16_t>(s.number("port", 5001)));
  auto* four = reinterpret_cast<sockaddr_in*>(&address);
  auto* six = reinterpret_cast<sockaddr_in6*>(&address);
  v6 = inet_pton(AF_INET6, text.c_str(), &six->sin6_addr) == 1;
  if (v6) {
    six->sin6_family = AF_INET6;
    six->sin6_port = port;
  } else {
    four->sin_family = AF_INET;
    four->sin_port = port;
    if (inet_pton(AF_INET, text.c_str(), &four->sin_addr) != 1) throw std::runtime_error("--addr");
  }
  size = v6 ? sizeof *six : sizeof *four;
  return address;
}

int run(int argc, char** argv) {
  Settings s = parse(argc, argv);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_TIMERSLACK, 1UL);
  sched_param priority{};
  priority.sched_priority = 10;
  sched_setscheduler(0, SCHED_FIFO,
                     &priority);  // below the emulator; without it the lab is less exact
  socklen_t size = 0;
  bool v6 = false;
  sockaddr_storage address = address_of(s, size, v6);
  auto* any = reinterpret_cast<sockaddr*>(&address);

  std::vector<Connection> connections(static_cast<size_t>(s.number("conns", 1)));
  int listener = -1;
  if (s.listens) {
    listener = make_socket(s, v6);
    if (bind(listener, any, size) != 0 || listen(listener, 64) != 0) fail("listen");
    std::puts("ready");
    std::fflush(stdout);
  }
  {
    Sampler sampler(s.get("out", "traffic") + ".csv");
    std::vector<std::thread> threads;
    const int64_t begin = now_ns();
    for (size_t i = 0; i < connections.size(); ++i) {
      Connection& c = connections[i];
      c.index = static_cast<int>(i);
      if (s.listens) {
        c.fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      } else {
        if (i > 0)
          sleep_until(begin + seconds(static_cast<double>(i) * std::stod(s.get("stagger", "0"))));
        c.fd = make_socket(s, v6);
        if (connect(c.fd, any, size) != 0) fail("connect");
      }
      if (c.fd < 0) fail("accept");
      timeval tick{0, 50000};
      setsockopt(c.fd, SOL_SOCKET, SO_SNDTIMEO, &tick, sizeof tick);
      setsockopt(c.fd, SOL_SOCKET, SO_RCVTIMEO, &tick, sizeof tick);
      c.client_port = port_of(c.fd, s.listens);
      c.deadline = now_ns() + seconds(s.number("timeout", 40));
      threads.emplace_back([&c, &s, &sampler] { serve(c, s, sampler); });
    }
    for (std::thread& thread : threads) thread.join();
  }
  if (listener >= 0) close(listener);
  write_results(s.get("out", "traffic") + ".json", connections);
  for (const Connection& c : connections) {
    if (!c.finished) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace rwin::netlab

int main(int argc, char** argv) {
  try {
    return rwin::netlab::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "traffic: %s\n", error.what());
    return 1;
  }
}
