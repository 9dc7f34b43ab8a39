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
#include <thread>
#include <utility>
#include <vector>

#include "layout.hpp"

namespace kumihimo::storage {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// Longer reads are worth another thread: several disks do them side by side.
constexpr std::size_t kAtOnce = 64U << 10;

// Writes that are next to each other are done as one up to here.
constexpr std::size_t kTogether = 1U << 20;
constexpr std::size_t kMostParts = 256;

// What the kernel is asked for. It holds the buffers, for the operations may be answered before.
struct Work {
  Op op = Op::kRead;
  std::uint64_t offset = 0, length = 0;
  std::vector<Slice> data;

  void set(const Io& io) {
    op = io.op;
    offset = io.offset;
    data.assign(1, io.data);
    length = op == Op::kTrim ? io.length : io.data.size;
  }
  bool takes(const Io& io) const {
    return op == Op::kWrite && io.op == Op::kWrite && io.offset == offset + length &&
           length + io.data.size <= kTogether && data.size() < kMostParts;
  }
  void add(const Io& io) {
    data.push_back(io.data);
    length += io.data.size;
  }
};

int transfer(int fd, const Work& w) {
  std::vector<iovec> parts;
  for (const Slice& s : w.data) parts.push_back({s.data, s.size});
  std::size_t at = 0, first = 0;
  while (at < w.length) {
    const auto offset = static_cast<off_t>(w.offset + at);
    const auto count = static_cast<int>(parts.size() - first);
    const ssize_t n = w.op == Op::kRead ? ::preadv(fd, &parts[first], count, offset)
                                        : ::pwritev(fd, &parts[first], count, offset);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return EIO;  // past the end: the file was cut while in use
    at += static_cast<std::size_t>(n);
    auto left = static_cast<std::size_t>(n);
    while (first < parts.size() && left >= parts[first].iov_len) left -= parts[first++].iov_len;
    if (left) {
      parts[first].iov_base = static_cast<std::uint8_t*>(parts[first].iov_base) + left;
      parts[first].iov_len -= left;
    }
  }
  return 0;
}

int execute(int fd, const Work& w) {
  switch (w.op) {
    case Op::kRead:
    case Op::kWrite:
      return transfer(fd, w);
    case Op::kFlush:
      return ::fdatasync(fd) == 0 ? 0 : errno;
    case Op::kTrim:
      // Only a hint: a file system that cannot do it is no error.
      (void)::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                        static_cast<off_t>(w.offset), static_cast<off_t>(w.length));
      return 0;
  }
  return EINVAL;
}

}  // namespace

// What one thread of a disk does. Flushes have one of their own, for they take long, and what is
// written meanwhile only goes to the kernel's memory.
struct Lane {
  std::deque<Io> queue;
  std::vector<Io> current;   // taken away by the watch when their time is over
  bool busy = false;         // the kernel has something
  std::uint64_t serial = 0;  // of what it has
  Clock::time_point started;
  std::condition_variable wake;
  std::thread thread;

  // The watch's: how long the kernel has had it.
  std::uint64_t seen = 0;
  Seconds age{0};
};

// Shared by the owner, the disk's threads and its watch, so that a thread that never returns from
// the kernel can be left alone.
struct FileDevice::Core {
  int fd = -1;
  std::mutex m;
  std::condition_variable watch;
  Lane data, flush;
  Clock::time_point free_at;
  Seconds timeout{60}, late_after{2};
  double read_mbs = 0, write_mbs = 0;
  bool stop = false, dead = false, hang = false, late = false;
  std::atomic<bool> may_read_at_once{true};  // until the file system says that it cannot
  int why = 0;
  std::thread watcher;

  ~Core() {
    if (fd >= 0) ::close(fd);
  }

  static void end(std::unique_lock<std::mutex>& lock, std::vector<Io>& some, int error) {
    lock.unlock();
    for (Io& io : some) io.finish(error);
    lock.lock();
  }

  // Ends everything that is under way or waiting with an error.
  void give_up(std::unique_lock<std::mutex>& lock, int error) {
    dead = true;
    why = error;
    watch.notify_all();
    std::vector<Io> ended;
    for (Lane* lane : {&data, &flush}) {
      for (Io& io : lane->current) ended.push_back(std::move(io));
      lane->current.clear();
      for (Io& io : lane->queue) ended.push_back(std::move(io));
      lane->queue.clear();
    }
    end(lock, ended, error);
  }

  // Reads that others can answer do not wait for a disk that is late.
  void hand_back(std::unique_lock<std::mutex>& lock) {
    late = true;
    std::vector<Io> ended;
    auto take = [&](auto& from) {
      for (Io& io : from) {
        if (io.elsewhere) ended.push_back(std::move(io));
      }
      std::erase_if(from, [](const Io& io) { return io.elsewhere; });
    };
    take(data.current);
    take(data.queue);
    if (!ended.empty()) end(lock, ended, ETIME);
  }

  void watch_loop() {
    const Seconds tick = std::min({timeout / 4, late_after / 2, Seconds(0.25)});
    std::unique_lock lock(m);
    auto before = Clock::now();
    while (!stop) {
      watch.wait_for(lock, tick, [&] { return stop; });
      const auto now = Clock::now();
      // A pause of this thread was one of the whole process, or of the machine: not the disk's.
      const Seconds passed = std::min<Seconds>(now - before, 2 * tick);
      before = now;
      for (Lane* lane : {&data, &flush}) {
        const Seconds first = std::min<Seconds>(passed, now - lane->started);
        lane->age = !lane->busy                  ? Seconds(0)
                    : lane->serial == lane->seen ? lane->age + passed
                                                 : first;
        lane->seen = lane->serial;
      }
      if (dead) continue;
      if (std::max(data.age, flush.age) > timeout) {
        give_up(lock, ETIMEDOUT);
      } else if (data.age > late_after) {
        hand_back(lock);
      }
    }
  }

  static void work(const std::shared_ptr<Core>& core, Lane& lane);
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
  c.timeout = Seconds(options.timeout_s);
  c.late_after = Seconds(options.late_s);
  c.read_mbs = options.read_mbs;
  c.write_mbs = options.write_mbs;
  c.free_at = Clock::now();
  c.data.thread = std::thread([core = core_] { Core::work(core, core->data); });
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
    c.data.wake.notify_all();
    c.flush.wake.notify_all();
    c.watch.notify_all();
  }
  // The last owner may be an operation that ends on one of these threads.
  const auto self = std::this_thread::get_id();
  for (std::thread* t : {&c.watcher, &c.data.thread, &c.flush.thread}) {
    if (!t->joinable()) continue;
    if (t->get_id() == self || (stuck && t != &c.watcher)) {
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
  Lane& lane = io.op == Op::kFlush ? c.flush : c.data;
  {
    const std::lock_guard lock(c.m);
    if (c.dead) {
      error = c.why;
    } else if (c.late && io.elsewhere) {
      error = ETIME;
    } else {
      lane.queue.push_back(std::move(io));
      if (!lane.thread.joinable()) {
        lane.thread = std::thread([core = core_, &lane] { Core::work(core, lane); });
      }
    }
  }
  if (error) {
    io.finish(error);
  } else {
    lane.wake.notify_one();
  }
}

void FileDevice::hang() {
  const std::lock_guard lock(core_->m);
  core_->hang = true;
}

void FileDevice::resume() {
  const std::lock_guard lock(core_->m);
  core_->hang = false;
  core_->watch.notify_all();
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

void FileDevice::set_timeout(double seconds) {
  const std::lock_guard lock(core_->m);
  core_->timeout = Seconds(seconds);
}

void FileDevice::Core::work(const std::shared_ptr<Core>& core, Lane& lane) {
  Core& c = *core;
  Work w;
  std::vector<Io> done;
  std::unique_lock lock(c.m);
  while (true) {
    lane.wake.wait(lock, [&] { return c.stop || !lane.queue.empty(); });
    if (lane.queue.empty()) return;
    w.set(lane.queue.front());
    lane.current.clear();
    do {
      if (!lane.current.empty()) w.add(lane.queue.front());
      lane.current.push_back(std::move(lane.queue.front()));
      lane.queue.pop_front();
    } while (!lane.queue.empty() && w.takes(lane.queue.front()));
    lane.started = Clock::now();
    ++lane.serial;
    lane.busy = true;
    const double rate = w.op == Op::kRead ? c.read_mbs : w.op == Op::kWrite ? c.write_mbs : 0;
    if (c.hang) c.watch.wait(lock, [&] { return c.stop || c.dead || !c.hang; });
    lock.unlock();
    const int error = execute(c.fd, w);
    w.data.clear();
    lock.lock();
    lane.busy = false;
    if (&lane == &c.data) c.late = false;
    if (rate > 0 && !error) {
      const Seconds takes(static_cast<double>(w.length) / (rate * 1e6));
      c.free_at =
          std::max(c.free_at, lane.started) + std::chrono::duration_cast<Clock::duration>(takes);
      const auto until = c.free_at;
      // Short waits are saved up: the kernel wakes nobody more exactly than this.
      if (until - Clock::now() > std::chrono::microseconds(200)) {
        c.watch.wait_until(lock, until, [&] { return c.stop || c.dead; });
      }
    }
    done.swap(lane.current);  // without what the watch has answered
    lock.unlock();
    const auto together = static_cast<unsigned>(done.size());
    for (unsigned i = 0; i < together; ++i) done[i].finish(error, i, together);
    done.clear();
    lock.lock();
  }
}

}  // namespace kumihimo::storage
