// Which kind of file is it? Decided by the first bytes, before and after decompression, never by
// the name.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <string_view>
#include <utility>

#include "capture/source/filter.h"
#include "capture/source/pcap_file.h"
#include "capture/source/pcapng.h"
#include "capture/source/read_ahead.h"
#include "capture/source/source.h"
#include "capture/source/stream.h"

namespace rwin::capture {
namespace {

using namespace std::string_view_literals;

enum class Kind : std::uint8_t { pcap, pcapng, other };

Kind kind_of(std::span<const std::uint8_t> head) {
  if (head.size() < 4) return Kind::other;
  if (is_pcap_magic(head.data())) return Kind::pcap;
  std::uint32_t first = 0;
  std::memcpy(&first, head.data(), sizeof first);
  return first == kSectionHeaderBlock ? Kind::pcapng : Kind::other;
}

struct Known {
  std::string_view magic;
  const char* what;
  const char* hint;
};

constexpr const char* kConvert = "convert it with Wireshark's editcap: editcap -F pcap IN OUT.pcap";
constexpr const char* kUnpack = "unpack it first and give the captures in it";
constexpr const char* kGive =
    "give a pcap or pcapng file, as tcpdump -w or Wireshark writes it; it may be compressed";

constexpr std::array kKnown = {
    Known{"snoop\0\0\0"sv, "a snoop capture", kConvert},
    Known{"RTSS"sv, "a Network Monitor 1 capture", kConvert},
    Known{"GMBU"sv, "a Network Monitor 2 capture", kConvert},
    Known{"TRSNIFF data"sv, "a Sniffer capture", kConvert},
    Known{"XCP\0"sv, "a NetXray capture", kConvert},
    Known{"PK\3\4"sv, "a zip archive", kUnpack},
    Known{"7z\xbc\xaf\x27\x1c"sv, "a 7-Zip archive", kUnpack},
    Known{"Rar!"sv, "a RAR archive", kUnpack},
    Known{"\x89LZO"sv, "lzop-compressed", "unpack it first: lzop -d FILE"},
    Known{"LRZI"sv, "lrzip-compressed", "unpack it first: lrunzip FILE"},
};

// No control characters but white space, and mostly ASCII.
bool looks_like_text(std::span<const std::uint8_t> head) {
  const auto plain = [](std::uint8_t c) {
    return c < 0x80 && (std::isprint(c) != 0 || std::isspace(c) != 0);
  };
  const auto count = std::count_if(head.begin(), head.end(), plain);
  return static_cast<std::size_t>(count) * 2 > head.size() &&
         std::all_of(head.begin(), head.end(),
                     [&](std::uint8_t c) { return c >= 0x80 || plain(c); });
}

Error not_a_capture(const std::string& name, const std::string& packing,
                    std::span<const std::uint8_t> head) {
  const std::string subject = packing.empty() ? name : "the " + packing + " content of " + name;
  const std::string_view bytes(reinterpret_cast<const char*>(head.data()), head.size());
  if (head.empty()) {
    return {ErrorCode::not_a_capture, subject + " is empty: not even a file header is there",
            "record or copy it again", -1};
  }
  for (const Known& known : kKnown) {
    if (bytes.substr(0, known.magic.size()) == known.magic) {
      return {ErrorCode::not_a_capture, subject + " is not pcap or pcapng but " + known.what,
              known.hint, -1};
    }
  }
  if (bytes.size() >= 262 && bytes.substr(257, 5) == "ustar") {
    return {ErrorCode::not_a_capture, subject + " is not pcap or pcapng but a tar archive", kUnpack,
            -1};
  }
  if (looks_like_text(head))
    return {ErrorCode::not_a_capture, subject + " is not a capture but text", kGive, -1};
  return {ErrorCode::not_a_capture, subject + " is not a capture: unknown format", kGive, -1};
}

}  // namespace

Result<std::unique_ptr<PacketSource>> open_file(const std::string& path,
                                                const std::string& filter) {
  constexpr std::size_t kHead = 512;
  const std::string name = display_name(path);
  auto opened = open_stream(path);
  if (!opened) return opened.error();
  std::unique_ptr<Stream> stream = std::move(opened.value());
  std::string packing;
  Kind kind = kind_of(stream->peek(4));
  if (kind == Kind::other && !stream->peek(1).empty()) {
    auto unpacked = unpack(std::move(stream), name);
    if (!unpacked) return unpacked.error();
    packing = std::move(unpacked.value().packing);
    stream = std::move(unpacked.value().stream);
    const bool file = stream->progress() >= 0;
    if (!packing.empty() && file) stream = std::make_unique<ReadAhead>(std::move(stream));
    kind = kind_of(stream->peek(4));
  }
  if (kind == Kind::other) {
    const auto head = stream->peek(kHead);
    if (head.size() < 4 && !stream->fault().empty()) {
      const ErrorCode code = packing.empty() ? ErrorCode::not_readable : ErrorCode::not_a_capture;
      return Error{code, name + ": " + stream->fault() + " before the first packet",
                   "copy or record the file again", -1};
    }
    return not_a_capture(name, packing, head);
  }
  auto words = std::make_unique<Filter>(filter);
  return kind == Kind::pcap ? open_pcap(std::move(stream), path, std::move(words))
                            : open_pcapng(std::move(stream), path, std::move(words));
}

}  // namespace rwin::capture
