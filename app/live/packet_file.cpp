#include "app/live/packet_file.h"

#include <fmt/format.h>

#include "text/units.h"

namespace rwin::app {

capture::Result<bool> PacketFile::begin(const capture::WriterOptions& options) {
  auto writer = capture::open_writer(options);
  if (!writer.ok()) return writer.error();
  const std::lock_guard lock(mutex_);
  writer_ = std::move(writer.value());
  path_ = options.path;
  open_ = true;
  return true;
}

std::string PacketFile::end() {
  const std::lock_guard lock(mutex_);
  if (!writer_) return {};
  writer_->flush();
  std::string text = writer_->fault().empty()
                         ? fmt::format("saved {} packets in {}", grouped(writer_->packets()), path_)
                         : writer_->fault();
  open_ = false;
  writer_.reset();
  path_.clear();
  return text;
}

std::string PacketFile::path() const {
  const std::lock_guard lock(mutex_);
  return writer_ && !writer_->fault().empty() ? "nothing more, " + writer_->fault() : path_;
}

void PacketFile::write(const capture::RawPacket& packet) {
  if (!open_) return;
  const std::lock_guard lock(mutex_);
  if (writer_) writer_->write(packet);
}

void PacketFile::flush() {
  if (!open_) return;
  const std::lock_guard lock(mutex_);
  if (writer_) writer_->flush();
}

}  // namespace rwin::app
