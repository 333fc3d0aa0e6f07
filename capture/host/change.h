// Changes sysctl values of this host so that they last, and back. Whole or not at all: a journal is
// on the disk before the first value is written, and whatever ends a change half-way, the next one
// first puts everything back to where it was. Linux.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capture/result.h"

namespace rwin::capture {

inline constexpr std::string_view kDropIn = "/etc/sysctl.d/90-rwin.conf";
inline constexpr std::string_view kJournal =
    "/etc/sysctl.d/.90-rwin.journal";  // no .conf: not read at start

struct Assignment {
  std::string key, value;
};

// What the drop-in file holds: values in force through it, and what they were before.
struct Kept {
  std::vector<Assignment> set, was;
};

class HostChange {
 public:
  // `root`: empty for this system. `on_step` is called with the name of every step before it is
  // made; a test ends the program there.
  explicit HostChange(std::string root, std::function<void(std::string_view)> on_step = {});
  ~HostChange();

  // One change at a time: an error while another program holds the folder, or without the right to
  // write there.
  std::optional<Error> lock();

  // A change that did not end left its journal, or a file half written. Needs no lock.
  [[nodiscard]] bool interrupted() const;
  // What is in force through the drop-in; empty lists where there is none.
  [[nodiscard]] Result<Kept> kept() const;

  // Puts everything back to where it was before the interrupted change; nothing to do without one.
  std::optional<Error> recover();
  // Sets the values in their order, verifies each by reading it back, writes the drop-in with
  // `title` as its first line. After an error everything is as before. Values that an earlier
  // apply() set stay in the file, with their first old value. Call recover() first.
  std::optional<Error> apply(const std::vector<Assignment>& values, const std::string& title);
  // Sets the old values of the drop-in and removes it. The same promise.
  std::optional<Error> revert();

 private:
  std::optional<Error> carry_out(const std::vector<Assignment>& values,
                                 const std::optional<std::string>& file);
  std::optional<Error> remove_parts();
  void step(std::string_view name) const;
  [[nodiscard]] std::string path(std::string_view name) const { return root_ + std::string(name); }

  std::string root_;
  std::function<void(std::string_view)> on_step_;
  int lock_ = -1;
};

}  // namespace rwin::capture
