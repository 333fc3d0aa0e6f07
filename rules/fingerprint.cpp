#include "rules/fingerprint.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "rules/catalogue_data.h"

namespace rwin::rules {
namespace {

using analysis::HandshakeSide;
using Kinds = std::span<const std::uint8_t>;

constexpr std::uint8_t kEol = 0, kNop = 1, kMss = 2, kWindowScale = 3, kLargestKnown = 8;

// Up to the first EOL: what follows is padding.
Kinds before_eol(Kinds kinds) {
  return kinds.first(
      static_cast<std::size_t>(std::find(kinds.begin(), kinds.end(), kEol) - kinds.begin()));
}

// `seen` without its NOPs is `full` without its NOPs, but for options left out: the order of
// options is the order in which the system writes them, whether or not it uses each.
bool same_order(Kinds seen, Kinds full) {
  std::size_t at = 0;
  for (const std::uint8_t kind : seen) {
    if (kind == kNop) continue;
    while (at < full.size() && full[at] != kind) ++at;
    if (at == full.size()) return false;
    ++at;
  }
  return true;
}

// 0: not this layout; 1: same order with options left out or other padding; 2: exactly this layout.
int layout_grade(Kinds seen, const Signature& signature) {
  int grade = 0;
  for (const auto& layout : signature.layouts) {
    if (std::ranges::equal(seen, layout)) return 2;
    if (same_order(seen, layout)) grade = 1;
  }
  return grade;
}

bool holds(const std::vector<std::uint16_t>& list, std::uint32_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// A box that lowers the MSS leaves the window at a multiple of the old one, so 1460 and 1440 count
// too; in a SYN-ACK with timestamps Linux subtracts their 12 bytes first.
bool window_fits(const Signature& signature, const HandshakeSide& offer, bool is_syn_ack) {
  if (is_syn_ack && !signature.answer_windows.empty()) {
    if (holds(signature.answer_windows, offer.window)) return true;
  } else if (holds(signature.windows, offer.window)) {
    return true;
  }
  const std::uint32_t own = offer.mss.known() ? offer.mss.value : 536;
  for (const std::uint32_t mss : {own, 1460U, 1440U}) {
    for (const std::uint32_t minus : {0U, 12U}) {
      if (minus != 0 && (!is_syn_ack || !offer.timestamps.known())) continue;
      if (mss <= minus || offer.window % (mss - minus) != 0) continue;
      if (holds(signature.window_segments, offer.window / (mss - minus))) return true;
    }
  }
  return false;
}

bool scale_fits(const Signature& signature, const HandshakeSide& offer) {
  const int scale = offer.window_scale.known() ? static_cast<int>(offer.window_scale.value) : -1;
  return std::find(signature.scales.begin(), signature.scales.end(), scale) !=
         signature.scales.end();
}

bool wants_window(const Signature& signature) {
  return !signature.windows.empty() || !signature.window_segments.empty();
}

// 0: excluded. Every constraint of a signature must hold; each one that holds adds to the
// confidence.
double grade(const Signature& signature, const HandshakeSide& offer, Kinds kinds, bool is_syn_ack) {
  if (signature.ttl != 0 && signature.ttl != initial_ttl(offer.ttl)) return 0;
  const int layout = layout_grade(kinds, signature);
  if (layout == 0) return 0;
  double confidence = layout == 2 ? 0.5 : 0.3;
  if (wants_window(signature)) {
    if (!window_fits(signature, offer, is_syn_ack)) return 0;
    confidence += 0.25;
  }
  if (!signature.scales.empty()) {
    // A SYN-ACK without the option proves nothing: the SYN may have lacked it.
    const bool silent = is_syn_ack && !offer.window_scale.known();
    if (!silent && !scale_fits(signature, offer)) return 0;
    confidence += silent ? -0.02 : 0.2;  // one that names no shift fits a silent answer better
  }
  // Few options, few traits: an answer of MSS alone could come from anyone.
  if (std::ranges::count_if(kinds, [](std::uint8_t kind) { return kind != kNop; }) < 2) {
    confidence -= 0.15;
  }
  return is_syn_ack ? confidence * 0.7 : confidence;
}

constexpr std::pair<std::string_view, std::uint8_t> kOptionWords[] = {
    {"eol", kEol}, {"nop", kNop}, {"mss", kMss}, {"ws", kWindowScale}, {"sok", 4}, {"ts", 8}};

}  // namespace

std::uint8_t initial_ttl(std::uint8_t ttl) {
  for (const int start : {0, 32, 64, 128}) {
    if (ttl <= start) return static_cast<std::uint8_t>(start);
  }
  return 255;
}

std::optional<std::vector<std::uint8_t>> parse_layout(std::string_view text) {
  std::vector<std::uint8_t> kinds;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const auto* found =
        std::ranges::find(kOptionWords, word, &std::pair<std::string_view, std::uint8_t>::first);
    if (found == std::end(kOptionWords)) return std::nullopt;
    if (found->second == kEol) break;
    kinds.push_back(found->second);
  }
  return kinds;
}

namespace {

SignatureMatch look_up(const CatalogueData& data, const HandshakeSide& offer, bool is_syn_ack) {
  SignatureMatch best;
  const std::size_t count =
      std::min<std::size_t>(offer.option_kind_count, offer.option_kinds.size());
  // Multipath TCP, Fast Open and the like are the program's choice, and so is their padding.
  std::array<std::uint8_t, analysis::kMaxOptionKinds> known{};
  std::size_t length = 0;
  const Kinds all = before_eol(Kinds(offer.option_kinds).first(count));
  for (const std::uint8_t kind : all) {
    if (kind <= kLargestKnown) known[length++] = kind;
  }
  while (length < all.size() && length > 0 && known[length - 1] == kNop) --length;
  const Kinds kinds = Kinds(known).first(length);
  for (const Signature& signature : data.signatures) {
    const double confidence = grade(signature, offer, kinds, is_syn_ack);
    if (confidence > best.confidence) {
      best = {&signature, confidence, nullptr};
    } else if (confidence > 0 && confidence == best.confidence && best.rival == nullptr &&
               signature.os != best.signature->os) {
      best.rival = &signature;
    }
  }
  return best;
}

// All that look_up() reads of an offer.
using Traits = std::array<std::uint8_t, 32>;

Traits traits_of(const HandshakeSide& offer, bool is_syn_ack) {
  Traits t{};
  const auto put16 = [&](std::size_t at, std::uint16_t value) {
    t[at] = static_cast<std::uint8_t>(value >> 8);
    t[at + 1] = static_cast<std::uint8_t>(value);
  };
  t[0] = is_syn_ack ? 1 : 0;
  t[1] = offer.ttl;
  put16(2, offer.window);
  t[4] = offer.mss.known() ? 1 : 0;
  put16(5, offer.mss.known() ? offer.mss.value : 0);
  t[7] = offer.window_scale.known() ? 1 : 0;
  t[8] = offer.window_scale.known() ? offer.window_scale.value : 0;
  t[9] = offer.timestamps.known() ? 1 : 0;
  t[10] = offer.option_kind_count;
  std::copy(offer.option_kinds.begin(), offer.option_kinds.end(), t.begin() + 11);
  return t;
}
static_assert(analysis::kMaxOptionKinds + 11 <= 32);

}  // namespace

// The hosts of a capture are of few kinds: the last answers are kept.
SignatureMatch match_signature(const CatalogueData& data, const HandshakeSide& offer,
                               bool is_syn_ack) {
  if (!offer.seen || offer.options_cut || offer.option_kind_count == 0) return {};
  struct Answer {
    std::uint64_t catalogue = 0;
    Traits traits{};
    SignatureMatch match;
  };
  constexpr std::size_t kAnswers = 64;
  thread_local std::array<Answer, kAnswers> answers;
  const Traits traits = traits_of(offer, is_syn_ack);
  std::size_t hash = 0;
  for (const std::uint8_t byte : traits) hash = hash * 31 + byte;
  Answer& answer = answers[hash % kAnswers];
  if (answer.catalogue != data.serial || answer.traits != traits) {
    answer = {data.serial, traits, look_up(data, offer, is_syn_ack)};
  }
  return answer.match;
}

OsGuess Catalogue::guess(const HandshakeSide& offer, bool is_syn_ack) const {
  const SignatureMatch match = match_signature(*data_, offer, is_syn_ack);
  if (match.signature == nullptr) return {};
  OsGuess guess;
  guess.os = match.signature->os;
  guess.platforms = match.signature->platforms;
  guess.confidence = match.confidence;
  if (match.rival != nullptr) {
    guess.ambiguous = true;
    guess.os += " or " + match.rival->os;
    for (const std::string& id : match.rival->platforms) {
      if (std::ranges::find(guess.platforms, id) == guess.platforms.end()) {
        guess.platforms.push_back(id);
      }
    }
  }
  const Platform* platform =
      guess.platforms.empty() ? nullptr : data_->platform(guess.platforms.front());
  // An answer without the option proves nothing: the SYN may have lacked it.
  if (platform == nullptr || (is_syn_ack && !offer.window_scale.known())) return guess;
  const int shift = offer.window_scale.known() ? static_cast<int>(offer.window_scale.value) : -1;
  for (const auto& [value, meaning] : platform->shift_means) {
    if (value == shift) guess.setting = meaning;
  }
  return guess;
}

}  // namespace rwin::rules
