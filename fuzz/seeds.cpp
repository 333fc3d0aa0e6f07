#include "fuzz/seeds.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "capture/source/source.h"
#include "fuzz/link_types.h"
#include "tests/source/capture_bytes.h"
#include "tests/support/hostile.h"
#include "tests/support/wraps.h"

namespace rwin::fuzz {
namespace {

namespace fs = std::filesystem;
namespace source = capture::test;

Bytes file_bytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<fs::path> files_in(const fs::path& folder, std::string_view extension) {
  std::vector<fs::path> all;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (extension.empty() || entry.path().extension() == extension) all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  return all;
}

struct Record {
  std::int64_t time_ns;
  std::uint32_t link_type;
  std::uint32_t original;
  Bytes bytes;
};

// The first `most` records of a capture.
std::vector<Record> first_records(const fs::path& path, std::size_t most) {
  std::vector<Record> out;
  auto opened = capture::open_file(path.string(), "");
  if (!opened.ok()) return out;
  capture::RawPacket p;
  while (out.size() < most && opened.value()->next(p) == capture::Read::packet)
    out.push_back({p.time_ns, p.link_type, p.original, {p.data, p.data + p.captured}});
  return out;
}

std::vector<fs::path> captures() { return files_in(RWIN_SOURCE_DIR "/pcaps", ".gz"); }

void append_decode_record(Bytes& to, std::uint32_t link_type, const Bytes& packet) {
  const auto at = std::find(kLinkTypes.begin(), kLinkTypes.end(), link_type);
  if (at == kLinkTypes.end()) return;
  to.push_back(static_cast<std::uint8_t>(at - kLinkTypes.begin()));
  to.push_back(static_cast<std::uint8_t>(packet.size() >> 8));
  to.push_back(static_cast<std::uint8_t>(packet.size()));
  to.push_back(1);
  to.insert(to.end(), packet.begin(), packet.end());
}

std::vector<Bytes> decode_seeds() {
  std::vector<Bytes> all;
  for (const fs::path& path : captures()) {
    Bytes seed = {1};
    for (const Record& r : first_records(path, 5)) append_decode_record(seed, r.link_type, r.bytes);
    all.push_back(std::move(seed));
  }
  for (const int version : {4, 6}) {
    const Bytes tcp =
        test::build(test::Tcp{.flags = 2, .options = test::option::linux_syn(1460, 7)});
    const Bytes ip = version == 4 ? test::build(test::Ipv4{}, tcp) : test::build(test::Ipv6{}, tcp);
    for (const test::Wrap& wrap : test::wraps(version)) {
      Bytes seed = {0};
      append_decode_record(seed, wrap.link_type, wrap.around(ip));
      all.push_back(std::move(seed));
    }
    for (const test::Wrap& wrap : test::link_wraps(version)) {
      Bytes seed = {0};
      append_decode_record(seed, wrap.link_type, wrap.around(ip));
      all.push_back(std::move(seed));
    }
    for (const std::uint32_t link_type : kLinkTypes) {
      Bytes seed = {0};
      append_decode_record(seed, link_type, test::cat({test::zeros(24), ip}));
      all.push_back(std::move(seed));
    }
  }
  return all;
}

std::vector<Bytes> option_seeds() {
  std::vector<Bytes> all;
  for (const std::uint8_t flags : {2, 0x12, 0x10}) {
    for (const Bytes& list :
         {test::option::linux_syn(1460, 7), test::option::sack({{1, 2}, {3, 4}, {5, 6}}),
          test::cat({test::hex("0101"), test::option::timestamps(1, 2), test::hex("0101"),
                     test::option::sack({{7, 9}})}),
          test::hex("0204 05b4 0101 0402 1e0c 0081 22 0a 0102 0304 0506 0708 fd04 f989 00")}) {
      all.push_back(test::cat({Bytes{flags, 13}, list}));
    }
  }
  return all;
}

std::vector<Bytes> differential_seeds() {
  std::vector<Bytes> all;
  for (const fs::path& path : captures()) {
    for (const Record& r : first_records(path, 4)) {
      if (r.link_type != 1) continue;
      all.push_back(test::cat({Bytes{0}, r.bytes}));
      const bool v6 = r.bytes.size() > 12 && r.bytes[12] == 0x86;
      all.push_back(test::cat({Bytes{static_cast<std::uint8_t>(v6 ? 2 : 1)},
                               Bytes(r.bytes.begin() + 14, r.bytes.end())}));
    }
  }
  return all;
}

// The start of a capture as a classic file, as pcapng, and compressed.
std::vector<Bytes> file_seeds(std::size_t records) {
  std::vector<Bytes> all;
  int turn = 0;
  for (const fs::path& path : captures()) {
    const auto list = first_records(path, records);
    if (list.empty()) continue;
    const source::Order order = turn % 2 == 0 ? source::Order::little : source::Order::big;
    constexpr std::uint32_t kMagic[] = {source::kMicro, source::kNano, source::kModified};
    const std::uint32_t magic = kMagic[turn % 3];
    source::PcapBytes classic(
        {order, magic, 65535, list[0].link_type == 12 ? 101 : list[0].link_type});
    source::PcapngBytes modern(order);
    modern.interface(list[0].link_type == 12 ? 101 : list[0].link_type);
    for (const Record& r : list) {
      const auto second = static_cast<std::uint32_t>(r.time_ns / 1'000'000'000);
      const auto rest = static_cast<std::uint32_t>(r.time_ns % 1'000'000'000);
      classic.record(second, magic == source::kNano ? rest : rest / 1000, r.bytes, r.original);
      modern.enhanced(0, static_cast<std::uint64_t>(r.time_ns / 1000), r.bytes, r.original);
    }
    all.push_back(classic.bytes());
    all.push_back(modern.bytes());
    constexpr std::string_view kFilters[] = {"gzip",  "xz",  "lzma",    "zstd",
                                             "bzip2", "lz4", "compress"};
    all.push_back(source::packed(kFilters[turn % 7], classic.bytes()));
    ++turn;
  }
  return all;
}

std::vector<Bytes> behind_a_byte(std::vector<Bytes> list) {
  for (Bytes& one : list) one.insert(one.begin(), 0);
  return list;
}

std::vector<Bytes> rule_seeds() {
  std::vector<Bytes> all;
  const fs::path rules = RWIN_SOURCE_DIR "/rules";
  const auto add = [&](std::uint8_t kind, const fs::path& path) {
    // The first 1800 bytes, up to a whole line.
    Bytes text = file_bytes(path);
    if (text.size() > 1800) {
      text.resize(1800);
      while (!text.empty() && text.back() != '\n') text.pop_back();
    }
    all.push_back(test::cat({Bytes{kind}, text}));
  };
  for (const fs::path& path : files_in(rules / "platforms", ".toml")) add(0, path);
  for (const fs::path& path : files_in(rules / "applications", ".toml")) add(1, path);
  add(2, rules / "fingerprints.toml");
  return all;
}

std::vector<Bytes> text_seeds(std::initializer_list<std::string_view> texts) {
  std::vector<Bytes> all;
  for (const std::string_view text : texts) all.emplace_back(text.begin(), text.end());
  return all;
}

std::vector<Bytes> flow_seeds() {
  std::vector<Bytes> all;
  for (const std::uint8_t mode : {0, 2, 7, 16, 47}) {
    Bytes seed = {mode};
    const auto add = [&](std::initializer_list<std::uint8_t> bytes) {
      seed.insert(seed.end(), bytes);
    };
    add({0x1c, 0, 0, 0, 0, 0xff, 0x7a});     // SYN of the client
    add({0x08, 0x71, 0, 0, 0, 0xff, 0x7a});  // SYN-ACK
    add({0x04, 0x31, 0, 0, 0, 0x08, 0x01});
    for (std::uint8_t i = 0; i < 30; ++i) {
      add({0xc0, 0x73, 200, static_cast<std::uint8_t>(i % 11 == 5 ? 0xfe : 0), 0, 0x10, 0x81});
      add({0x84, 0x51, 0, 0, 0, static_cast<std::uint8_t>(i % 7 == 3 ? 0 : 0x08), 0x81});
    }
    add({0x10, 0x41, 0, 0, 0, 0x08, 0x81});
    all.push_back(std::move(seed));
  }
  return all;
}

}  // namespace

std::vector<Bytes> seeds(std::string_view target) {
  if (target == "decode") return decode_seeds();
  if (target == "tcp_options") return option_seeds();
  if (target == "differential") return differential_seeds();
  if (target == "capture_file") return behind_a_byte(file_seeds(8));
  if (target == "rules_file") return rule_seeds();
  if (target == "filter_text") {
    return text_seeds({"tcp port 443", "host 10.0.0.1 and not (port 80 or 443)", "tcp[13] & 2 != 0",
                       "vlan 7 and ip6 net 2001:db8::/32", "greater 100 or ether[0] & 1 = 1",
                       "portrange 1-1024", "src host a.example", "wlan type mgt subtype beacon"});
  }
  if (target == "command_line") {
    return text_seeds(
        {"-r\na.pcap\n-J", "-i\neth0\ntcp\nport\n443", "calc\n--rate\n25M\n--rtt\n330ms",
         "tune\n--rate\n50Mi\n--rtt\n1.5s\n--platform\nmacos\n--format=sh",
         "check\n--link\nptm\n--rate=1G\n--rtt=20ms", "compare\na\nb\n--json",
         "run\n--\ncurl\n-O\nx", "--assume-wscale\n10.0.0.1=7\n-f\nport 80\nx",
         "--fail-on\nreceiver-window\n--top=5\n--min-bytes\n10k\n-qv", "--explain\nloss",
         "--platform\n2001:db8::1=linux\n--target-rate\n2.5G\nx.pcap"});
  }
  if (target == "settings") {
    return text_seeds(
        {"# mine\ntarget-rate = \"50M\"\ntop = 20\nverbose = true\n",
         "read = [\"a.pcap\", 'b']\nplatform = [\"10.0.0.1=linux\", \"macos\"]\nmin-bytes = 1e4\n",
         "tui = true\nunits = \"bytes\"\n[tune]\nrate = \"1G\"\nrtt = \"20ms\"\nformat = \"sh\"\n",
         "quiet = true\nread = [\"a\\u200e\\t\\\"\\\\\", \"\\u001b[31m\"]\n",
         "[calc]\nlink = \"ptm\"\n[check]\nfail-on = \"any\"\n[run]\ninterface = [\"eth0\"]\n"});
  }
  if (target == "outside_text") {
    std::vector<Bytes> all = text_seeds({"slow.pcap", "a,b\"c\r\nd"});
    for (const std::string_view name : test::kHostileNames)
      all.emplace_back(name.begin(), name.end());
    return all;
  }
  if (target == "flow") return flow_seeds();
  return file_seeds(20);
}

std::vector<Kept> kept_inputs(std::string_view target) {
  std::vector<Kept> all;
  for (const char* kind : {"corpus", "crashes"}) {
    const fs::path folder = fs::path(RWIN_SOURCE_DIR "/fuzz") / kind / target;
    for (const fs::path& path : files_in(folder, ""))
      all.push_back({std::string(kind) + "/" + path.filename().string(), file_bytes(path)});
  }
  return all;
}

}  // namespace rwin::fuzz
