// SPDX-License-Identifier: Apache-2.0
#include "file_device.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "layout.hpp"

namespace kumihimo::storage {
namespace {

using Clock = std::chrono::steady_clock;

// Longer reads are worth another thread: several disks do them side by side.
constexpr std::size_t kAtOnce = 64U << 10;

int transfer(int fd, Io& io) {
  std::size_t at = 0;
  while (at < io.data.size) {
    const auto offset = static_cast<off_t>(io.offset + at);
    const ssize_t n = io.op == Op::kRead
                          ? ::pread(fd, io.data.data + at, io.data.size - at, offset)
                          : ::pwrite(fd, io.data.data + at, io.data.size - at, offset);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return EIO;  // past the end: the file was cut while in use
    at += static_cast<std::size_t>(n);
  }
  return 0;
}

int execute(int fd, Io& io) {
  switch (io.op) {
    case Op::kRead:
    case Op::kWrite:
      return transfer(fd, io);
    case Op::kFlush:
      return ::fdatasync(fd) == 0 ? 0 : errno;
    case Op::kTrim:
      // Only a hint: a file system that cannot do it is no error.
      (void)::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                        static_cast<off_t>(io.offset), static_cast<off_t>(io.length));
      return 0;
  }
  return EINVAL;
}

}  // namespace

// Shared by the owner, the disk's thread and its watch, so that a thread that never returns from
// the kernel can be left alone.
struct FileDevice::Core {
  int fd = -1;
  std::mutex m;
  std::condition_variable wake, watch;
  std::deque<Io> queue;
  std::optional<Io> current;  // taken away by the watch when its time is over
  Clock::time_point started, free_at;
  std::chrono::duration<double> timeout{10};
  double read_mbs = 0, write_mbs = 0;
  bool stop = false, dead = false, hang = false;
  std::atomic<bool> may_read_at_once{true};  // until the file system says that it cannot
  int why = 0;
  std::thread worker, watcher;

  ~Core() {
    if (fd >= 0) ::close(fd);
  }

  // Ends everything that is under way or waiting with an error.
  void give_up(std::unique_lock<std::mutex>& lock, int error) {
    dead = true;
    why = error;
    watch.notify_all();
    std::vector<Io> ended;
    if (current) ended.push_back(std::move(*current));
    current.reset();
    for (Io& io : queue) ended.push_back(std::move(io));
    queue.clear();
    lock.unlock();
    for (Io& io : ended) io.finish(error);
    lock.lock();
  }

  void watch_loop() {
    std::unique_lock lock(m);
    while (!stop) {
      if (current && Clock::now() - started > timeout) give_up(lock, ETIMEDOUT);
      const auto tick = std::min(timeout / 4, std::chrono::duration<double>(0.25));
      watch.wait_for(lock, tick, [&] { return stop; });
    }
  }
};

FileDevice::FileDevice(const std::string& path, const FileOptions& options)
    : path_(path), core_(std::make_shared<Core>()) {
  Core& c = *core_;
  c.fd = ::open(path.c_str(), (options.writable ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  if (c.fd < 0) throw StorageError(path + ": cannot be opened: " + std::strerror(errno));
  struct stat st{};
  if (::fstat(c.fd, &st) != 0) throw StorageError(path + ": " + std::strerror(errno));
  if (S_ISBLK(st.st_mode)) {
    if (::ioctl(c.fd, BLKGETSIZE64, &size_) != 0) throw StorageError(path + ": has no size");
  } else if (S_ISREG(st.st_mode)) {
    size_ = static_cast<std::uint64_t>(st.st_size);
  } else {
    throw StorageError(path + ": is neither a file nor a block device");
  }
  if (::flock(c.fd, (options.writable ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0) {
    throw StorageError(path + ": is in use by another process");
  }
  c.timeout = std::chrono::duration<double>(options.timeout_s);
  c.read_mbs = options.read_mbs;
  c.write_mbs = options.write_mbs;
  c.free_at = Clock::now();
  c.worker = std::thread([core = core_] { work(core); });
  // Not a bare pointer: it may outlive this object when it is the one that ends it.
  c.watcher = std::thread([core = core_] { core->watch_loop(); });
}

FileDevice::~FileDevice() {
  Core& c = *core_;
  bool stuck;
  {
    std::unique_lock lock(c.m);
    stuck = c.dead && c.why == ETIMEDOUT;
    c.stop = true;
    c.wake.notify_all();
    c.watch.notify_all();
  }
  // The last owner may be an operation that ends on one of these threads.
  const auto self = std::this_thread::get_id();
  for (std::thread* t : {&c.watcher, &c.worker}) {
    if (t->get_id() == self || (stuck && t == &c.worker)) {
      t->detach();  // holds its own reference
    } else {
      t->join();
    }
  }
  (void)::flock(c.fd, LOCK_UN);  // also where a thread that never comes back keeps the file open
}

double FileDevice::now() const {
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

// A read that the kernel can answer from memory needs no other thread; it never waits for a disk.
bool FileDevice::read_at_once(Io& io) {
  Core& c = *core_;
  if (io.op != Op::kRead || io.data.size > kAtOnce || !c.may_read_at_once) return false;
  const iovec part{io.data.data, io.data.size};
  const ssize_t n = ::preadv2(c.fd, &part, 1, static_cast<off_t>(io.offset), RWF_NOWAIT);
  if (n < 0 && errno == EOPNOTSUPP) c.may_read_at_once = false;
  return n >= 0 && static_cast<std::size_t>(n) == io.data.size;
}

void FileDevice::submit(Io io) {
  Core& c = *core_;
  int error = 0;
  bool plain = false;
  {
    const std::lock_guard lock(c.m);
    plain = !c.dead && !c.hang && c.read_mbs == 0;
  }
  if (plain && read_at_once(io)) {
    io.finish(0);
    return;
  }
  {
    const std::lock_guard lock(c.m);
    if (c.dead) {
      error = c.why;
    } else {
      c.queue.push_back(std::move(io));
    }
  }
  if (error) {
    io.finish(error);
  } else {
    c.wake.notify_one();
  }
}

void FileDevice::hang() {
  const std::lock_guard lock(core_->m);
  core_->hang = true;
}

void FileDevice::die() {
  std::unique_lock lock(core_->m);
  core_->give_up(lock, EIO);
}

void FileDevice::set_rate(double read_mbs, double write_mbs) {
  const std::lock_guard lock(core_->m);
  core_->read_mbs = read_mbs;
  core_->write_mbs = write_mbs;
}

void FileDevice::work(const std::shared_ptr<Core>& core) {
  Core& c = *core;
  std::unique_lock lock(c.m);
  while (true) {
    c.wake.wait(lock, [&] { return c.stop || !c.queue.empty(); });
    if (c.queue.empty()) return;
    // A copy works on the buffer; `current` is what may still be answered.
    Io io = std::move(c.queue.front());
    c.queue.pop_front();
    c.started = Clock::now();
    c.current = io;
    const double rate = io.op == Op::kRead ? c.read_mbs : io.op == Op::kWrite ? c.write_mbs : 0;
    if (c.hang) c.watch.wait(lock, [&] { return c.stop || c.dead; });
    lock.unlock();
    const int error = execute(c.fd, io);
    lock.lock();
    if (rate > 0 && !error) {
      const std::chrono::duration<double> takes(static_cast<double>(io.data.size) / (rate * 1e6));
      c.free_at =
          std::max(c.free_at, c.started) + std::chrono::duration_cast<Clock::duration>(takes);
      const auto until = c.free_at;
      // Short waits are saved up: the kernel wakes nobody more exactly than this.
      if (until - Clock::now() > std::chrono::microseconds(200)) {
        c.watch.wait_until(lock, until, [&] { return c.stop || c.dead; });
      }
    }
    if (!c.current) continue;  // the watch has answered
    c.current.reset();
    lock.unlock();
    io.finish(error);
    lock.lock();
  }
}

}  // namespace kumihimo::storage
