// Packets of a running capture into a file, from the moment that somebody asks for it until he ends
// it. Asked for in one thread, written in the capture thread.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "capture/result.h"
#include "capture/source/writer.h"

namespace rwin::app {

class PacketFile {
 public:
  // Errors: the file cannot be made.
  capture::Result<bool> begin(const capture::WriterOptions& options);
  // One line for people: how many packets there are and where, or what went wrong meanwhile.
  std::string end();
  // Path of the file that is being written; empty: none.
  [[nodiscard]] std::string path() const;

  // Of the capture thread. Nothing happens while no file is open.
  void write(const capture::RawPacket& packet);
  void flush();

 private:
  mutable std::mutex mutex_;
  std::atomic<bool> open_{false};  // so that the capture thread takes the lock only then
  std::unique_ptr<capture::CaptureWriter> writer_;
  std::string path_;
};

}  // namespace rwin::app
