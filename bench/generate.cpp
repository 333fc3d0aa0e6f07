// rwin_bench_generate: writes a pcap (Ethernet, microseconds) of many concurrent TCP transfers as
// seen at the receiver.
//
// Each flow: handshake with options (MSS, window scale, SACK permitted, timestamps), a request,
// data in rounds that the ACKs release (delayed ACK: every second segment), losses before or behind
// the capture point with duplicate ACKs, SACK blocks and the retransmission one round trip later,
// FIN in both directions. Same seed, same file.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

constexpr std::uint32_t kSnap = 128;
constexpr std::uint32_t kSegment = 1448;  // payload of a full segment: MTU 1500, timestamps
constexpr std::int64_t kStart = 1'700'000'000'000'000;  // first packet, microseconds since 1970
constexpr std::int64_t kDelayedAck = 40'000;            // microseconds
constexpr std::uint8_t kFin = 1, kSyn = 2, kPush = 8, kAck = 16;

struct Options {
  std::uint64_t packets = 5'000'000;
  std::uint64_t flows = 50;
  std::uint64_t seed = 1;
  std::string out;
};

// splitmix64: small, fast, the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
  }
  std::uint64_t below(std::uint64_t n) { return next() % n; }

 private:
  std::uint64_t state_;
};

struct Packet {
  std::int64_t time = 0;
  bool from_server = false;
  std::uint8_t flags = 0;
  std::uint32_t seq = 0;
  std::uint32_t ack = 0;
  std::uint16_t window = 0;
  std::uint32_t payload = 0;
  std::uint32_t ts_value = 0;
  std::uint32_t ts_echo = 0;
  std::uint32_t sack_from = 0;  // one SACK block when the two differ
  std::uint32_t sack_to = 0;
};

struct Endpoints {
  std::uint32_t client_ip, server_ip;
  std::uint16_t client_port, server_port;
  std::uint8_t client_shift;
};

void put16(std::uint8_t* p, std::uint32_t v) {
  p[0] = static_cast<std::uint8_t>(v >> 8U);
  p[1] = static_cast<std::uint8_t>(v);
}
void put32(std::uint8_t* p, std::uint32_t v) {
  put16(p, v >> 16U);
  put16(p + 2, v);
}

// Ones' complement sum of RFC 1071 over an even number of bytes.
std::uint32_t add_words(const std::uint8_t* p, std::size_t bytes, std::uint32_t sum) {
  for (std::size_t i = 0; i < bytes; i += 2)
    sum += static_cast<std::uint32_t>(p[i] << 8U | p[i + 1]);
  return sum;
}
std::uint32_t fold(std::uint32_t sum) {
  while (sum >> 16U) sum = (sum & 0xffffU) + (sum >> 16U);
  return ~sum & 0xffffU;
}

class Writer {
 public:
  explicit Writer(std::FILE* file) : file_(file) {
    std::setvbuf(file_, buffer_.data(), _IOFBF, buffer_.size());
    const std::uint32_t header[6] = {0xa1b2c3d4, 0x00040002, 0, 0, kSnap, 1};
    put(header, sizeof header);
  }

  void write(const Endpoints& ends, const Packet& p) {
    std::array<std::uint8_t, kSnap> bytes{};
    const std::uint32_t options = put_options(bytes.data() + 54, ends, p);
    const std::uint32_t total = 40 + options + p.payload;
    put_ethernet_and_ip(bytes.data(), ends, p, total);
    put_tcp(bytes.data() + 34, ends, p, options);
    const std::uint32_t original = 14 + total;
    const std::uint32_t captured = std::min(original, kSnap);
    const std::uint32_t record[4] = {static_cast<std::uint32_t>(p.time / 1'000'000),
                                     static_cast<std::uint32_t>(p.time % 1'000'000), captured,
                                     original};
    put(record, sizeof record);
    put(bytes.data(), captured);
  }

  [[nodiscard]] bool good() const { return good_; }
  bool flush() {
    return good_ && std::fflush(file_) == 0 && std::setvbuf(file_, nullptr, _IONBF, 0) == 0;
  }

 private:
  void put(const void* data, std::size_t size) {
    good_ = good_ && std::fwrite(data, 1, size, file_) == size;
  }

  void put_ethernet_and_ip(std::uint8_t* b, const Endpoints& ends, const Packet& p,
                           std::uint32_t total) {
    b[0] = b[6] = 2;
    b[5] = p.from_server ? 1 : 2;
    b[11] = p.from_server ? 2 : 1;
    put16(b + 12, 0x0800);
    std::uint8_t* ip = b + 14;
    ip[0] = 0x45;
    put16(ip + 2, total);
    put16(ip + 4, ++ip_id_);
    put16(ip + 6, 0x4000);
    ip[8] = p.from_server ? 57 : 64;
    ip[9] = 6;
    put32(ip + 12, p.from_server ? ends.server_ip : ends.client_ip);
    put32(ip + 16, p.from_server ? ends.client_ip : ends.server_ip);
    put16(ip + 10, fold(add_words(ip, 20, 0)));
  }

  static void put_tcp(std::uint8_t* t, const Endpoints& ends, const Packet& p,
                      std::uint32_t options) {
    put16(t, p.from_server ? ends.server_port : ends.client_port);
    put16(t + 2, p.from_server ? ends.client_port : ends.server_port);
    put32(t + 4, p.seq);
    put32(t + 8, p.flags & kAck ? p.ack : 0);
    t[12] = static_cast<std::uint8_t>((20 + options) / 4 << 4U);
    t[13] = p.flags;
    put16(t + 14, p.window);
    // Payload is all zero, so it adds nothing to the checksum.
    const std::uint32_t pseudo = add_words(t - 8, 8, 6 + 20 + options + p.payload);
    put16(t + 16, fold(add_words(t, 20 + options, pseudo)));
  }

  static std::uint32_t put_options(std::uint8_t* o, const Endpoints& ends, const Packet& p) {
    if (p.flags & kSyn) {
      const std::uint8_t shift = p.from_server ? 7 : ends.client_shift;
      const std::array<std::uint8_t, 10> head = {2, 4, 0x05, 0xb4, 4, 2, 8, 10, 0, 0};
      std::copy_n(head.begin(), 8, o);
      put32(o + 8, p.ts_value);
      put32(o + 12, p.ts_echo);
      const std::array<std::uint8_t, 4> tail = {1, 3, 3, shift};
      std::copy(tail.begin(), tail.end(), o + 16);
      return 20;
    }
    const std::array<std::uint8_t, 4> head = {1, 1, 8, 10};
    std::copy(head.begin(), head.end(), o);
    put32(o + 4, p.ts_value);
    put32(o + 8, p.ts_echo);
    if (p.sack_from == p.sack_to) return 12;
    const std::array<std::uint8_t, 4> sack = {1, 1, 5, 10};
    std::copy(sack.begin(), sack.end(), o + 12);
    put32(o + 16, p.sack_from);
    put32(o + 20, p.sack_to);
    return 24;
  }

  std::FILE* file_;
  std::vector<char> buffer_ = std::vector<char>(1U << 20U);  // flush() before it goes
  bool good_ = true;
  std::uint32_t ip_id_ = 0;
};

// One transfer, server to client, as the client's network card sees it. step() writes exactly one
// packet.
class Flow {
 public:
  Flow(std::uint64_t number, std::uint64_t budget, std::int64_t start, Random random)
      : left_(budget), next_time_(start), random_(random) {
    ends_.client_ip = 0x0a000000U + static_cast<std::uint32_t>(number % 60'000 + 1);
    ends_.server_ip = 0xc6336400U + static_cast<std::uint32_t>(number % 200 + 1);
    ends_.client_port = static_cast<std::uint16_t>(32768 + number / 60'000 + number * 7 % 20'000);
    ends_.server_port = 443;
    ends_.client_shift = static_cast<std::uint8_t>(6 + random_.below(3));
    rtt_ = 5'000 + static_cast<std::int64_t>(random_.below(150'000));
    spacing_ = 40 + static_cast<std::int64_t>(random_.below(400));
    window_ = 32'768U << random_.below(6);
    client_seq_ = static_cast<std::uint32_t>(random_.next());
    server_seq_ = static_cast<std::uint32_t>(random_.next());
    clock_offset_ = static_cast<std::uint32_t>(random_.next());
  }

  [[nodiscard]] std::int64_t next_time() const { return next_time_; }
  [[nodiscard]] bool done() const { return left_ == 0; }

  void step(Writer& writer) {
    --left_;
    switch (phase_) {
      case Phase::syn:
        return send_syn(writer);
      case Phase::syn_ack:
        return send_syn_ack(writer);
      case Phase::ack:
        return send_plain(writer, Phase::request, false, kAck, 150);
      case Phase::request:
        return send_request(writer);
      case Phase::data:
        return data_step(writer);
      case Phase::server_fin:
        return send_server_fin(writer);
      case Phase::client_fin:
        return send_client_fin(writer);
      case Phase::last_ack:
        return send_plain(writer, Phase::last_ack, true, kAck, 0);
    }
  }

 private:
  enum class Phase : std::uint8_t {
    syn,
    syn_ack,
    ack,
    request,
    data,
    server_fin,
    client_fin,
    last_ack
  };

  Packet make(bool from_server, std::uint8_t flags) const {
    Packet p;
    p.time = next_time_;
    p.from_server = from_server;
    p.flags = flags;
    p.seq = from_server ? server_seq_ : client_seq_;
    p.ack = from_server ? client_seq_ : acked_;
    p.window = from_server
                   ? 501
                   : static_cast<std::uint16_t>(std::min(window_ >> ends_.client_shift, 65'535U));
    const auto ms = static_cast<std::uint32_t>((next_time_ - kStart) / 1000);
    const auto rtt_ms = static_cast<std::uint32_t>(rtt_ / 1000);
    p.ts_value = from_server ? ms - rtt_ms / 2 : clock_offset_ + ms;
    p.ts_echo = from_server ? clock_offset_ + ms - rtt_ms : ms - rtt_ms / 2;
    return p;
  }

  void send_syn(Writer& writer) {
    Packet p = make(false, kSyn);
    p.ts_echo = 0;
    p.window = 64'240;
    writer.write(ends_, p);
    ++client_seq_;
    next_time_ += rtt_;
    phase_ = Phase::syn_ack;
  }

  void send_syn_ack(Writer& writer) {
    Packet p = make(true, kSyn | kAck);
    p.window = 65'160;
    writer.write(ends_, p);
    acked_ = ++server_seq_;
    next_time_ += 60;
    phase_ = Phase::ack;
  }

  void send_plain(Writer& writer, Phase then, bool from_server, std::uint8_t flags,
                  std::int64_t wait) {
    writer.write(ends_, make(from_server, flags));
    next_time_ += wait;
    phase_ = then;
  }

  void send_request(Writer& writer) {
    Packet p = make(false, kAck | kPush);
    p.payload = 200 + static_cast<std::uint32_t>(random_.below(300));
    writer.write(ends_, p);
    client_seq_ += p.payload;
    for (int i = 0; i < 10; ++i) schedule_arrival(next_time_ + rtt_);  // initial window of RFC 6928
    phase_ = Phase::data;
    plan_next();
  }

  // The sender may put one more segment on its way; it reaches the capture at `time` or when the
  // line is free.
  void schedule_arrival(std::int64_t time) {
    last_arrival_ = std::max(time, last_arrival_ + spacing_);
    arrivals_.push_back(last_arrival_);
  }

  // Sets next_time_ to the earliest of: data, retransmission, ACK that is due.
  void plan_next() {
    if (left_ <= 3) {
      next_time_ += 20;
      phase_ = Phase::server_fin;
      return;
    }
    std::int64_t time = ack_due_ >= 0 ? ack_due_ : INT64_MAX;
    if (repair_due_ >= 0) time = std::min(time, repair_due_);
    if (!arrivals_.empty()) time = std::min(time, arrivals_.front());
    if (time ==
        INT64_MAX) {  // everything acknowledged and nothing released: the server writes again
      schedule_arrival(next_time_ + rtt_);
      time = arrivals_.front();
    }
    next_time_ = std::max(next_time_, time);
  }

  void data_step(Writer& writer) {
    if (ack_due_ >= 0 && ack_due_ <= next_time_) {
      send_ack(writer);
    } else if (repair_due_ >= 0 && repair_due_ <= next_time_) {
      send_repair(writer);
    } else {
      arrival(writer);
    }
    plan_next();
  }

  void arrival(Writer& writer) {
    arrivals_.pop_front();
    const bool lose = !hole_ && left_ > 4 * (arrivals_.size() + 10) && random_.below(2000) == 0;
    if (lose) {
      hole_ = true;
      hole_seq_ = server_seq_;
      if (random_.below(2) == 0) {  // lost before the capture: the next segment arrives instead
        server_seq_ += kSegment;
      } else {  // seen here, lost behind
        send_data(writer, server_seq_);
        server_seq_ += kSegment;
        return;
      }
    }
    send_data(writer, server_seq_);
    server_seq_ += kSegment;
    if (hole_) {
      ack_due_ = next_time_ + 15;
      return;
    }
    if (++unacked_ >= 2) {
      ack_due_ = next_time_ + 15;
    } else {
      ack_due_ = next_time_ + kDelayedAck;
    }
  }

  void send_data(Writer& writer, std::uint32_t seq) {
    Packet p = make(true, static_cast<std::uint8_t>(kAck | (random_.below(16) == 0 ? kPush : 0)));
    p.seq = seq;
    p.payload = kSegment;
    writer.write(ends_, p);
  }

  void send_repair(Writer& writer) {
    send_data(writer, hole_seq_);
    hole_ = false;
    repair_due_ = -1;
    duplicate_acks_ = 0;
    congestion_window_ = std::max(10U, congestion_window_ / 2);
    unacked_ = 1;
    ack_due_ = next_time_ + 15;
  }

  void send_ack(Writer& writer) {
    ack_due_ = -1;
    Packet p = make(false, kAck);
    if (hole_) {
      p.ack = hole_seq_;
      p.sack_from = hole_seq_ + kSegment;
      p.sack_to = server_seq_;
      writer.write(ends_, p);
      if (++duplicate_acks_ == 3) repair_due_ = next_time_ + rtt_;
      if (duplicate_acks_ < 3 && arrivals_.empty()) schedule_arrival(next_time_ + rtt_);
      return;
    }
    acked_ = server_seq_;
    p.ack = acked_;
    writer.write(ends_, p);
    const std::uint32_t limit = std::min(congestion_window_, std::max(2U, window_ / kSegment));
    congestion_window_ = std::min(congestion_window_ + std::min(unacked_, 2U), 4096U);
    unacked_ = 0;
    for (int i = 0; i < 3 && arrivals_.size() < limit; ++i) schedule_arrival(next_time_ + rtt_);
  }

  void send_server_fin(Writer& writer) {
    writer.write(ends_, make(true, kFin | kAck));
    ++server_seq_;
    next_time_ += 50;
    phase_ = Phase::client_fin;
  }

  void send_client_fin(Writer& writer) {
    acked_ = server_seq_;
    writer.write(ends_, make(false, kFin | kAck));
    ++client_seq_;
    next_time_ += rtt_;
    phase_ = Phase::last_ack;
  }

  Endpoints ends_{};
  std::uint64_t left_;
  std::int64_t next_time_;
  Random random_;
  Phase phase_ = Phase::syn;
  std::int64_t rtt_ = 0, spacing_ = 0, last_arrival_ = 0;
  std::int64_t ack_due_ = -1, repair_due_ = -1;
  std::uint32_t window_ = 0, client_seq_ = 0, server_seq_ = 0, acked_ = 0, clock_offset_ = 0;
  std::uint32_t congestion_window_ = 10, unacked_ = 0, duplicate_acks_ = 0, hole_seq_ = 0;
  bool hole_ = false;
  std::deque<std::int64_t> arrivals_;
};

// Packets of flow `number`: half to one and a half times the average, the sum being exactly
// `packets`.
std::vector<std::uint64_t> share_out(const Options& options, Random& random) {
  const std::uint64_t average = options.packets / options.flows;
  std::vector<std::uint64_t> budget(options.flows, average);
  budget[0] += options.packets % options.flows;
  const std::uint64_t spare = std::min(average / 2, average - 8);
  for (std::uint64_t i = 0; i + 1 < options.flows && spare > 0; i += 2) {
    const std::uint64_t move = random.below(spare);
    budget[i] -= move;
    budget[i + 1] += move;
  }
  return budget;
}

bool generate(const Options& options, std::FILE* file) {
  Random random(options.seed);
  const std::vector<std::uint64_t> budget = share_out(options, random);
  using Entry = std::pair<std::int64_t, std::uint64_t>;  // next packet, flow
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  std::vector<std::unique_ptr<Flow>> flows(options.flows);
  // Starts spread over time so that about a thousand (or all, if fewer) run at once.
  const std::int64_t apart = options.flows > 1000 ? 2'000 : 50'000;
  for (std::uint64_t i = 0; i < options.flows; ++i) {
    queue.emplace(kStart + static_cast<std::int64_t>(i) * apart +
                      static_cast<std::int64_t>(random.below(1000)),
                  i);
  }
  Writer writer(file);
  while (!queue.empty() && writer.good()) {
    const auto [time, number] = queue.top();
    queue.pop();
    auto& flow = flows[number];
    if (!flow)
      flow = std::make_unique<Flow>(number, budget[number], time,
                                    Random(options.seed ^ (number * 0x9e37ULL + 1)));
    flow->step(writer);
    if (flow->done()) {
      flow.reset();
    } else {
      queue.emplace(flow->next_time(), number);
    }
  }
  return writer.flush();
}

bool parse_number(const char* text, std::uint64_t& out) {
  char* end = nullptr;
  errno = 0;
  out = std::strtoull(text, &end, 10);
  return errno == 0 && end != text && *end == '\0' && *text != '-';
}

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view key = argv[i];
    bool good = true;
    if (key == "--packets") {
      good = parse_number(argv[i + 1], options.packets);
    } else if (key == "--flows") {
      good = parse_number(argv[i + 1], options.flows);
    } else if (key == "--seed") {
      good = parse_number(argv[i + 1], options.seed);
    } else if (key == "--out") {
      options.out = argv[i + 1];
    } else {
      good = false;
    }
    if (!good) return false;
  }
  return argc % 2 == 1 && !options.out.empty() && options.flows > 0 &&
         options.flows <= 10'000'000 && options.packets / options.flows >= 10;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fputs(
        "usage: rwin_bench_generate --out FILE|- [--packets N] [--flows F] [--seed S]   (at least "
        "10 packets a flow)\n",
        stderr);
    return 2;
  }
  std::FILE* file = options.out == "-" ? stdout : std::fopen(options.out.c_str(), "wb");
  if (file == nullptr) {
    std::fprintf(stderr, "cannot write %s: %s\n", options.out.c_str(), std::strerror(errno));
    return 1;
  }
  bool good = generate(options, file);
  good = std::fclose(file) == 0 && good;
  if (!good)
    std::fprintf(stderr, "writing %s failed: %s\n", options.out.c_str(), std::strerror(errno));
  return good ? 0 : 1;
}
