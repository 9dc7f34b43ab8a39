// SPDX-License-Identifier: Apache-2.0
//
// A pcapng capture of some ports: one interface per port, nanoseconds of virtual time, Ethernet
// frames without FCS, InfiniBand packets from LRH to VCRC in ERF records. A frame's time is that of
// its last byte. Frames are written in order of (time, interface, direction), so the file does not
// depend on threads or windows.
#pragma once

#include <string>
#include <vector>

#include "record/file_writer.hpp"
#include "record/frame_tap.hpp"

namespace kumihimo {

struct CaptureInterface {
  std::string name;
  std::string description;
  double rate_bps = 0;
  bool infiniband = false;
  std::vector<FrameTap*> taps;  // one per direction, owned by the links
};

class Capture {
 public:
  Capture(const std::string& path, std::string comment, std::vector<CaptureInterface> interfaces);

  void open();  // writes the headers
  // Between windows: collects frames from the taps and writes those that ended before `now`.
  void collect(Ps now);
  // Frames of another process's part of the same capture: taken there, given here.
  std::vector<CapturedFrame> take();
  void give(CapturedFrame f) { waiting_.push_back(std::move(f)); }
  void flush() { file_.flush(); }
  void finish();  // frames that pass later are not in the file
  const FileWriter& file() const { return file_; }
  std::uint64_t frames() const { return frames_; }
  bool reported = false;  // the failure has been reported

 private:
  void section();
  void interface(const CaptureInterface& i);
  void packet(const CapturedFrame& f);
  void block(std::uint32_t type, const Bytes& body);

  FileWriter file_;
  std::string comment_;
  std::vector<CaptureInterface> interfaces_;
  std::vector<CapturedFrame> waiting_;
  std::uint64_t frames_ = 0;
  bool finished_ = false;
};

}  // namespace kumihimo
