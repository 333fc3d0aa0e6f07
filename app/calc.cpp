#include "app/calc.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "app/json_fields.h"
#include "rules/calc.h"

namespace rwin::app {
namespace {

constexpr std::uint64_t kLargestUnscaled = 65535;  // the 16-bit field (RFC 9293 3.1)

std::string_view link_word(rules::Link link) {
  switch (link) {
    case rules::Link::payload:
      return {};
    case rules::Link::ethernet:
      return "ethernet";
    case rules::Link::pppoe:
      return "pppoe";
    case rules::Link::ptm:
      return "ptm";
    case rules::Link::atm:
      return "atm";
  }
  return {};
}

// Figures to copy: "1,031,250", "1,031,250 B".
std::string number(std::uint64_t value) { return grouped(value, ','); }
std::string bytes(std::uint64_t value) { return bytes_text(value, ','); }

// "0.79 Mbit/s = 99 kB/s", the unit that was asked for first.
std::string both(double bps, Units units) {
  const Units other = units == Units::bits ? Units::bytes : Units::bits;
  return rate_text(bps, units) + " = " + rate_text(bps, other);
}

class Lines {
 public:
  template <class... Args>
  void add(std::string_view label, fmt::format_string<Args...> form, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), "{:<12}{}\n", label,
                   fmt::format(form, std::forward<Args>(args)...));
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// Of a window of full segments with time stamps.
std::uint64_t buffer_for(std::uint64_t window, std::uint32_t mss, std::uint32_t truesize) {
  constexpr std::uint32_t kTimestamps = 12;
  const double share = rules::buffer_share(mss > kTimestamps ? mss - kTimestamps : mss, truesize);
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(window) / share - 1e-6));
}

}  // namespace

Calculation calculate(const CalcOptions& given) {
  Calculation c;
  c.rtt_us = given.rtt_us;
  c.window_bytes = given.window_bytes;
  c.mtu = given.mtu.value_or(1500);
  c.mss = c.mtu > 40 ? c.mtu - 40 : 1;
  c.twelve_segments = 12ULL * c.mss;
  c.largest_unscaled_multiple = kLargestUnscaled / c.mss * c.mss;
  if (given.rate_bps) {
    const double factor = rules::payload_factor(given.link);
    c.rate_bps = *given.rate_bps * factor;
    if (given.link != rules::Link::payload) {
      c.line_rate_bps = given.rate_bps;
    } else {
      c.net_rate_bps = *given.rate_bps * rules::payload_factor(rules::Link::ethernet);
    }
  }
  if (c.rate_bps && c.rtt_us) {
    c.needed_bytes = rules::needed_window(*c.rate_bps, *c.rtt_us);
    c.rounded_bytes = rules::round_window(*c.needed_bytes, c.mss);
    if (c.net_rate_bps) c.net_needed_bytes = rules::needed_window(*c.net_rate_bps, *c.rtt_us);
    const double exact = *c.rate_bps * static_cast<double>(*c.rtt_us) / 8e6;
    c.connections = static_cast<std::uint64_t>(
        std::ceil(exact / static_cast<double>(c.window_bytes.value_or(kLargestUnscaled)) - 1e-9));
  }
  if (c.needed_bytes || c.window_bytes)
    c.scale_shift = rules::shift_for(c.rounded_bytes.value_or(c.window_bytes.value_or(0)));
  const auto held = c.rounded_bytes ? c.rounded_bytes : c.window_bytes;
  if (held && c.mtu <= 1500) {
    c.buffer_bytes = buffer_for(*held, c.mss, rules::kFrameTruesize);
    c.page_buffer_bytes = buffer_for(*held, c.mss, rules::kPageFrameTruesize);
  }
  if (c.window_bytes && c.rtt_us)
    c.window_rate_bps = rules::window_rate(*c.window_bytes, *c.rtt_us);
  if (c.rtt_us) c.unscaled_rate_bps = rules::window_rate(kLargestUnscaled, *c.rtt_us);
  if (c.window_bytes && c.rate_bps) {
    c.sufficient_rtt_us = std::llround(static_cast<double>(*c.window_bytes) * 8e6 / *c.rate_bps);
  }
  return c;
}

std::string calc_text(const CalcOptions& given, const Calculation& c, Units units) {
  Lines lines;
  if (c.rate_bps) {
    if (c.line_rate_bps) {
      lines.add("line rate", "{} ({})", both(*c.line_rate_bps, units), link_word(given.link));
      lines.add("net rate", "{} of payload, {:.1f} % less", both(*c.rate_bps, units),
                (1 - *c.rate_bps / *c.line_rate_bps) * 100);
    } else {
      lines.add("rate", "{} of payload", both(*c.rate_bps, units));
      lines.add("net rate", "{}, {:.1f} % less, if that is an Ethernet line's rate (--link)",
                both(*c.net_rate_bps, units), (1 - *c.net_rate_bps / *c.rate_bps) * 100);
    }
  }
  if (c.rtt_us) lines.add("round trip", "{}", time_text(*c.rtt_us));
  if (c.needed_bytes) {
    lines.add(
        "window", "{} needed{}", bytes(*c.needed_bytes),
        c.net_needed_bytes ? fmt::format(" ({} at the net rate)", bytes(*c.net_needed_bytes)) : "");
    lines.add("rounded", "{} to whole segments of {} and units of {}", bytes(*c.rounded_bytes),
              number(c.mss), bytes(1ULL << *c.scale_shift));
    if (*c.scale_shift > 0) {
      lines.add("scaling", "needed, shift {} or more (without it at most {})", *c.scale_shift,
                both(*c.unscaled_rate_bps, units));
    } else {
      lines.add("scaling", "not needed");
    }
  }
  if (c.window_bytes) {
    lines.add(c.needed_bytes ? "given" : "window", "{}{}", bytes(*c.window_bytes),
              *c.window_bytes > kLargestUnscaled ? fmt::format(", needs scaling, shift {} or more",
                                                               rules::shift_for(*c.window_bytes))
                                                 : "");
    if (c.window_rate_bps) lines.add("allows", "{}", both(*c.window_rate_bps, units));
    if (c.sufficient_rtt_us)
      lines.add("suffices", "up to a round trip of {}", time_text(*c.sufficient_rtt_us));
  }
  if (c.buffer_bytes) {
    const std::uint64_t held = c.rounded_bytes.value_or(c.window_bytes.value_or(0));
    lines.add("buffer", "{} on Linux: of tcp_rmem about half becomes window", bytes(2 * held));
    lines.add("memory", "{} for the segments, {} a frame ({} where a frame takes a page)",
              bytes(*c.buffer_bytes), bytes(rules::kFrameTruesize), bytes(*c.page_buffer_bytes));
  }
  if (c.connections && *c.connections > 1) {
    lines.add("parallel", "{} connections of {} fill the rate", number(*c.connections),
              bytes(c.window_bytes.value_or(kLargestUnscaled)));
  }
  if (given.mtu) {
    lines.add("segment", "{} = MTU {} - 40", bytes(c.mss), number(c.mtu));
    lines.add("multiples", "12 x {} = {}; largest without scaling {} x {} = {}", number(c.mss),
              bytes(c.twelve_segments), c.largest_unscaled_multiple / c.mss, number(c.mss),
              bytes(c.largest_unscaled_multiple));
  }
  return lines.take();
}

std::string calc_json(const CalcOptions& given, const Calculation& c) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.field("schema", kSchema);
  write_tool(json);
  json.key("calc");
  json.begin_object();
  json.rounded_field("rate_bps", c.rate_bps);
  json.rounded_field("line_rate_bps", c.line_rate_bps);
  json.text_or_null("link", link_word(given.link));
  json.rounded_field("net_rate_bps", c.net_rate_bps);
  json.field("rtt_us", c.rtt_us);
  json.field("needed_window_bytes", c.needed_bytes);
  json.field("rounded_window_bytes", c.rounded_bytes);
  json.field("net_needed_window_bytes", c.net_needed_bytes);
  json.field("window_bytes", c.window_bytes);
  json.field("window_scale_shift", c.scale_shift);
  json.field("linux_buffer_bytes", c.buffer_bytes);
  json.field("linux_page_buffer_bytes", c.page_buffer_bytes);
  json.rounded_field("window_rate_bps", c.window_rate_bps);
  json.rounded_field("unscaled_rate_bps", c.unscaled_rate_bps);
  json.field("connections", c.connections);
  json.field("sufficient_rtt_us", c.sufficient_rtt_us);
  json.field("mtu_bytes", c.mtu);
  json.field("mss_bytes", c.mss);
  json.field("twelve_segments_bytes", c.twelve_segments);
  json.field("largest_unscaled_multiple_bytes", c.largest_unscaled_multiple);
  json.end_object();
  write_error(json, nullptr);
  json.end_object();
  out += '\n';
  return out;
}

}  // namespace rwin::app
