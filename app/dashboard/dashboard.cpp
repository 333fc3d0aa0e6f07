#include "app/dashboard/dashboard.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <clocale>
#include <cstdlib>

#include "app/dashboard/host_names.h"
#include "app/style.h"
#include "text/text.h"
#include "tui/model/answer.h"
#include "tui/screens/screens.h"
#include "tui/terminal/terminal.h"

namespace rwin::app {
namespace {

using tui::Event;
using tui::Wish;

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Order: --color > NO_COLOR > TERM=dumb > the terminal.
tui::Theme choose_theme(const Options& options, const Environment& environment) {
  const bool automatic = environment.no_color || environment.dumb;
  if (options.color == ColorWhen::never || (options.color == ColorWhen::automatic && automatic))
    return tui::Theme::none;
  if (options.theme == ThemeWanted::light) return tui::Theme::light;
  if (options.theme == ThemeWanted::dark) return tui::Theme::dark;
  const char* colours = std::getenv("COLORFGBG");
  return tui::theme_from_colorfgbg(colours == nullptr ? "" : colours);
}

// --ascii and --glyphs are the user's word; else what the locale and the terminal can show.
tui::Glyphs choose_glyphs(const Options& options, const Environment& environment) {
  if (options.ascii || !environment.utf8) return tui::Glyphs::ascii;
  if (!options.glyphs.empty()) return *tui::glyphs_from(options.glyphs);
  const char* term = std::getenv("TERM");
  // The console's fonts have neither braille nor eighths.
  return term != nullptr && std::string_view(term) == "linux" ? tui::Glyphs::ascii
                                                              : tui::Glyphs::braille;
}

class Dashboard {
 public:
  Dashboard(const Options& options, const DashboardSource& source, tui::Terminal& terminal,
            tui::Look look)
      : options_(options),
        source_(source),
        terminal_(terminal),
        look_(look),
        model_(options.units) {
    model_.want_names(options.names);
  }

  DashboardEnd run() {
    while (!done_) {
      refresh();
      handle(terminal_.wait(std::max(20, options_.refresh_ms / 2)));
    }
    end_.last = newest_;
    return end_;
  }

 private:
  void refresh() {
    const std::int64_t now = now_ms();
    model_.tick(now);
    const tui::SnapshotPtr latest = source_.latest();
    if (latest && latest != newest_) {
      newest_ = latest;
      model_.take(latest, now);
      ask_names();
      changed_ = true;
    }
    for (const auto& [address, name] : names_.take()) {
      model_.add_name(address, name);
      changed_ = true;
    }
    if (source_.over && source_.over()) done_ = true;
    // The age of a pause runs on by itself.
    if (changed_ || model_.paused()) draw();
    changed_ = false;
  }

  void draw() {
    tui::Canvas canvas(terminal_.width(), terminal_.height());
    tui::draw(model_, look_, canvas);
    terminal_.draw(canvas);
  }

  void ask_names() {
    if (!model_.names_on() || !model_.ready()) return;
    for (const tui::Row* row : model_.rows()) {
      names_.ask(row->sender->address);
      names_.ask(row->receiver->address);
    }
  }

  void handle(const Event& event) {
    changed_ = event.what != Event::What::nothing;
    switch (event.what) {
      case Event::What::nothing:
      case Event::What::resized:
        break;
      case Event::What::stop:
        end_.interrupted = done_ = true;
        break;
      case Event::What::closed:
        end_.terminal_gone = done_ = true;
        break;
      case Event::What::mouse:
        if (model_.ready()) model_.mouse(event.mouse, now_ms());
        break;
      case Event::What::key:
        if (event.key == tui::key::kCtrlC) end_.interrupted = true;
        if (model_.ready()) {
          fulfil(model_.press(event.key, now_ms()));
        } else if (event.key == 'q' || event.key == tui::key::kCtrlC) {
          done_ = true;
        }
        break;
    }
  }

  void fulfil(Wish wish) {
    switch (wish) {
      case Wish::none:
        break;
      case Wish::quit_report:
        end_.full_report = true;
        done_ = true;
        break;
      case Wish::quit:
        done_ = true;
        break;
      case Wish::copy:
        terminal_.copy(model_.fix().copy);
        model_.show_clipboard(true);
        break;
      case Wish::save:
        model_.say(source_.save ? source_.save() : "nothing can be saved here");
        break;
      case Wish::save_packets:
        model_.say(source_.save_packets ? source_.save_packets() : "nothing can be saved here");
        break;
      case Wish::suspend:
        terminal_.suspend();
        break;
      case Wish::redraw:
        terminal_.forget();
        break;
      case Wish::capture_filter: {
        const std::string fault =
            source_.set_filter ? source_.set_filter(model_.typed()) : "not possible here";
        model_.say(fault.empty()
                       ? "capture filter: " + (model_.typed().empty() ? "none" : model_.typed())
                       : fault);
        break;
      }
      case Wish::look_up_names:
        ask_names();
        break;
    }
  }

  const Options& options_;
  const DashboardSource& source_;
  tui::Terminal& terminal_;
  tui::Look look_;
  tui::Model model_;
  tui::SnapshotPtr newest_;
  HostNames names_;
  DashboardEnd end_;
  bool done_ = false;
  bool changed_ = true;  // since the last picture
};

}  // namespace

std::variant<DashboardEnd, Failure> run_dashboard(const Options& options,
                                                  const DashboardSource& source) {
  // ncurses needs the locale's character set; numbers stay in the "C" locale.
  const bool locale = std::setlocale(LC_CTYPE, "") != nullptr;
  Environment environment = gather_environment(STDOUT_FILENO);
  environment.utf8 = environment.utf8 && locale;
  tui::TerminalOptions how;
  how.theme = choose_theme(options, environment);
  how.mouse = options.mouse;
  std::string error;
  const auto terminal = tui::Terminal::open(how, error);
  if (!terminal) {
    return Failure{
        ExitCode::usage, "no dashboard: " + error, "without --tui the report is printed", {}, -1};
  }
  return Dashboard(options, source, *terminal, {choose_glyphs(options, environment)}).run();
}

void print_short_verdict(const tui::Snapshot& snapshot, const Options& options) {
  const Environment environment = gather_environment(STDOUT_FILENO);
  for (const std::string& line : tui::short_verdict(snapshot, options.units))
    fmt::print("{}\n", escape_terminal(line, options.ascii || !environment.utf8));
  std::fflush(stdout);
}

}  // namespace rwin::app
