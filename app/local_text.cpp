#include "app/local_text.h"

#include <fmt/format.h>

#include "text/address.h"
#include "text/units.h"

namespace rwin::app {
namespace {

std::string share_text(std::uint64_t part_us, std::uint64_t whole_us) {
  return fmt::format("{} ({} of {})",
                     percent_text(static_cast<double>(part_us) / static_cast<double>(whole_us)),
                     time_text(static_cast<std::int64_t>(part_us)),
                     time_text(static_cast<std::int64_t>(whole_us)));
}

std::string sender_text(const KernelFigures& k) {
  if (k.busy_us == 0) return {};
  std::string text = fmt::format("the kernel says: held by the peer's window {}",
                                 share_text(k.rwnd_limited_us, k.busy_us));
  if (k.sndbuf_limited_us > 0)
    text += fmt::format(", by the send buffer {}", share_text(k.sndbuf_limited_us, k.busy_us));
  return text + fmt::format("; {} segments resent, RTT {}, send buffer {}", grouped(k.retransmits),
                            time_text(k.rtt_us), bytes_text(k.send_buffer));
}

}  // namespace

std::string local_text(const LocalSocket& local, bool sends) {
  std::string text = local.process;
  if (local.pid > 0) text += fmt::format("{}(pid {})", text.empty() ? "" : " ", local.pid);
  std::string figures;
  if (local.kernel) {
    figures = sends ? sender_text(*local.kernel)
                    : fmt::format("the kernel says: receive buffer {}",
                                  bytes_text(local.kernel->receive_buffer));
  }
  const auto& fixed = sends ? local.send_buffer_fixed : local.receive_buffer_fixed;
  if (fixed && !figures.empty())
    figures += *fixed ? ", set by the program itself" : ", which grows by itself";
  if (!text.empty() && !figures.empty()) text += "; ";
  return text + figures;
}

std::vector<std::string> now_and_new(const rules::Advice& advice, const LocalSocket& local,
                                     const analysis::Address& end) {
  if (!local.settings || advice.host != address_text(end)) return {};
  return rules::now_and_new(advice, *local.settings);
}

}  // namespace rwin::app
