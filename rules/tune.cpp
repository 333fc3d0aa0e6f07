#include "rules/tune.h"

#include <algorithm>
#include <cmath>

#include "rules/catalogue_data.h"
#include "rules/template.h"
#include "rules/text.h"

namespace rwin::rules {
namespace {

std::uint64_t scaled_value(std::uint64_t value, double factor) {
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(value) * factor - 1e-6));
}

std::uint64_t up_to(std::uint64_t value, std::uint64_t step) {
  return step == 0 ? value : (value + step - 1) / step * step;
}

std::vector<std::string> fill_lines(const std::vector<std::string>& texts,
                                    const FixValues& values) {
  std::vector<std::string> filled;
  filled.reserve(texts.size());
  for (const std::string& text : texts) filled.push_back(fill(text, values));
  return filled;
}

// "key=value"; the template check at load made sure of the '='.
SysctlSetting split_setting(const std::string& text) {
  const std::size_t equals = text.find('=');
  return {text.substr(0, equals), text.substr(equals + 1)};
}

RegistryValue split_registry(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  const std::size_t slash = text.rfind('\\', equals);
  return {text.substr(0, slash), text.substr(slash + 1, equals - slash - 1),
          static_cast<std::uint32_t>(std::stoull(text.substr(equals + 1)))};
}

// Sizes: the need, but never less than what an untouched system reaches, in the platform's steps.
void size_plan(const Platform& platform, TunePlan& plan) {
  const std::uint64_t largest =
      platform.largest_window > 0 ? platform.largest_window : kLargestWindow;
  plan.default_window = platform.default_window;
  if (platform.tune && platform.tune->untouched_window)
    plan.default_window = *platform.tune->untouched_window;
  plan.enough_untouched = plan.default_window > 0 && plan.need.exact_bytes <= plan.default_window;
  plan.window = std::min(std::max(plan.need.window_bytes, plan.default_window), largest);
  plan.buffer = scaled_value(plan.window, platform.buffer_per_window);
  if (platform.tune && platform.tune->buffer_step > 0 && !plan.enough_untouched) {
    const std::uint64_t step = platform.tune->buffer_step;
    const std::uint64_t exact = plan.buffer;
    plan.buffer = up_to(plan.buffer, step);
    if (platform.buffer_per_window == 1.0) plan.window = plan.buffer;
    if (plan.buffer != exact) {
      plan.notes.push_back(format_count(exact) + " B are needed; " + format_count(plan.buffer) +
                           " is that, rounded up to " + std::to_string(plan.buffer / step) + " x " +
                           format_count(step) + ": " + platform.tune->step_because);
    }
  }
  if (platform.tune && plan.buffer < platform.tune->least_buffer) {
    plan.buffer = platform.tune->least_buffer;
    if (platform.buffer_per_window == 1.0) plan.window = plan.buffer;
  }
  plan.cap = scaled_value(plan.buffer, platform.cap_per_buffer);
  if (platform.tune) plan.cap = up_to(plan.cap, platform.tune->cap_step);
}

FixValues values_of(const TunePlan& plan) {
  FixValues values;
  values.window = plan.window;
  values.window_now = plan.default_window;
  values.buffer = plan.buffer;
  values.cap = plan.cap;
  values.flight = plan.window;
  values.mss = plan.need.mss;
  values.shift = shift_for(plan.window);
  values.connections = plan.connections.value_or(1);
  values.host = "this host";
  values.peer = values.peer_ss = "PEER";
  return values;
}

// A platform without [tune]: the commands of its fixes, receive side before send side.
void from_fixes(const Platform& platform, const FixValues& values, TunePlan& plan) {
  const Fix* receive = platform.fix(FixKind::buffer_capped);
  if (receive == nullptr) receive = platform.fix(FixKind::buffer_fixed);
  for (const Fix* fix : {receive, platform.fix(FixKind::send_buffer)}) {
    if (fix == nullptr) continue;
    const auto append = [&](const std::vector<std::string>& from, std::vector<std::string>& to) {
      for (std::string& line : fill_lines(from, values)) {
        if (line.front() == '#' || std::find(to.begin(), to.end(), line) == to.end())
          to.push_back(std::move(line));
      }
    };
    append(fix->look, plan.look);
    append(fix->change, plan.commands);
    append(fix->persist, plan.persist_lines);
    append(fix->undo, plan.undo);
    append(fix->warnings, plan.warnings);
    if (plan.takes_effect.empty()) plan.takes_effect = fill(fix->takes_effect, values);
    if (fix->certainty == Certainty::memory)
      plan.warnings.insert(plan.warnings.begin(),
                           "These commands are not checked against a source.");
  }
}

void from_table(const Tune& tune, const FixValues& values, TunePlan& plan) {
  for (const std::string& text : tune.sysctl) {
    const bool caps = text.find("{cap}") != std::string::npos;
    if (caps && plan.cap <= tune.cap_untouched) continue;
    plan.sysctl.push_back(split_setting(fill(text, values)));
  }
  for (const std::string& text : fill_lines(tune.registry, values))
    plan.registry.push_back(split_registry(text));
  plan.commands = fill_lines(tune.commands, values);
  plan.powershell = fill_lines(tune.powershell, values);
  plan.look = fill_lines(tune.look, values);
  plan.undo = fill_lines(tune.undo, values);
  plan.persist = tune.persist;
  plan.takes_effect = fill(tune.takes_effect, values);
  plan.warnings = fill_lines(tune.warnings, values);
}

}  // namespace

std::optional<TunePlan> plan_for(const Catalogue& catalogue, std::string_view id,
                                 const LineNeed& need, std::optional<std::uint64_t> buffer) {
  const Platform* platform = catalogue.data().platform(id);
  if (platform == nullptr) return std::nullopt;
  TunePlan plan;
  plan.platform = platform->id;
  plan.title = platform->title;
  plan.need = need;
  plan.tunable = platform->tunable;
  size_plan(*platform, plan);
  if (buffer) {
    plan.window = need.window_bytes;
    plan.buffer = plan.cap = *buffer;
    plan.enough_untouched = false;
    plan.notes.clear();
  }
  if (!platform->tunable) {
    plan.window = platform->default_window > 0 ? platform->default_window : 65535;
    plan.buffer = plan.cap = 0;
  }
  if (plan.window < need.exact_bytes) plan.connections = connections_for(need, plan.window);
  plan.expected_bps = std::min(need.payload_bps, window_rate(plan.window, need.rtt_us));
  const FixValues values = values_of(plan);
  if (platform->tunable) {
    if (platform->tune) {
      from_table(*platform->tune, values, plan);
    } else {
      from_fixes(*platform, values, plan);
    }
  }
  return plan;
}

}  // namespace rwin::rules
