// Snapshots for tests of the screens, made from the captures of pcaps/.
#pragma once

#include <memory>
#include <string>

#include "tui/model/model.h"
#include "tui/paint/canvas.h"
#include "tui/screens/screens.h"

namespace rwin::tui::test {

// Nine captures told as one that runs: they begin within seconds of each other; three of them are
// over.
std::shared_ptr<const Snapshot> demo();
// The same as a file that was read.
std::shared_ptr<const Snapshot> demo_file();
// The same with addresses of 39 characters on both sides.
std::shared_ptr<const Snapshot> demo_ipv6();
// One capture by itself, as a file: "loss-receiver".
std::shared_ptr<const Snapshot> capture(const std::string& name);
// Four streams at once to one receiver, each held by its window, on a line that carries them all.
std::shared_ptr<const Snapshot> parallel();
// `count` connections, for the order and for speed.
std::shared_ptr<const Snapshot> many(std::size_t count);

// A model that shows `snapshot`; the moment is 1,000,000 ms.
Model showing(SnapshotPtr snapshot);
// Presses keys by their names in the key table, blanks between: "down down enter". Seconds apart.
void press(Model& model, std::string_view keys);
Canvas picture(Model& model, int width, int height, Glyphs glyphs = Glyphs::braille);

}  // namespace rwin::tui::test
