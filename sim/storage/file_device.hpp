// SPDX-License-Identifier: Apache-2.0
//
// A disk that is a file or block device. Each has threads of its own, one of them for flushes, so a
// slow one holds up no other. Writes that are next to each other go to the kernel as one.
//
// Time is measured from when the kernel has an operation, and only while this process runs: nobody
// knows what the disk did while the machine was too busy, or the process stopped. After `late_s`
// the disk is late: reads that others can answer end with ETIME until it has answered, nothing else
// happens to it. After `timeout_s`, which is above what the kernel itself needs to reset a disk and
// try again, it is failed: its operations end with ETIMEDOUT, and what it still does to its
// buffers harms nobody.
#pragma once

#include <atomic>
#include <memory>

#include "device.hpp"

namespace kumihimo::storage {

struct FileOptions {
  double timeout_s = 60;
  double late_s = 2;
  double read_mbs = 0;  // 0: as fast as it goes; else the device is slowed down to this rate
  double write_mbs = 0;
  bool writable = true;
};

class FileDevice : public Device {
 public:
  // Locks the file against other arrays; throws StorageError when that or opening fails.
  FileDevice(const std::string& path, const FileOptions& options);
  ~FileDevice() override;
  FileDevice(const FileDevice&) = delete;
  FileDevice& operator=(const FileDevice&) = delete;

  void submit(Io io) override;
  std::uint64_t size() const override { return size_; }
  std::string name() const override { return path_; }
  double now() const override;

  // For demonstrations and tests: from now on nothing is answered, or everything fails.
  void hang();
  void resume();  // operations continue, unless the device was failed
  void die();
  void set_rate(double read_mbs, double write_mbs);
  void set_timeout(double seconds);

 private:
  struct Core;
  bool read_at_once(Io& io);

  std::string path_;
  std::uint64_t size_ = 0;
  std::shared_ptr<Core> core_;
};

}  // namespace kumihimo::storage
