// SPDX-License-Identifier: Apache-2.0
//
// Registers, descriptors and memory accesses of a host port.
#include "host/host_port.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "host/virtio_registers.hpp"

namespace kumihimo {
namespace {

constexpr int kMostMessages = 64;  // at once; epoll tells again of the rest
// What an event of the port's own epoll belongs to; below these, a queue's kick.
constexpr std::uint32_t kListener = 0xffffffff, kConnection = 0xfffffffe;

}  // namespace

HostPort::HostPort(std::string name, const std::string& path, std::uint32_t node, std::string port)
    : name_(std::move(name)), node_(node), port_(std::move(port)), socket_(name_, path) {}

HostPort::~HostPort() { HostPort::shut(); }

void HostPort::log(Level level, std::string text) {
  if (log_.size() < 1000) log_.push_back({level, now_, name_, std::move(text)});
}

// ---- descriptors ------------------------------------------------------------------------------

void HostPort::watch(int fd, std::uint32_t what) {
  epoll_event e{};
  e.events = EPOLLIN;
  e.data.u32 = what;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &e) != 0) {
    throw Error("cannot wait for a file descriptor: " + std::string(std::strerror(errno)));
  }
}

// The front end has the same file open, so closing ours alone would leave it in the epoll.
void HostPort::drop_kick(Queue& q) {
  if (q.kick) epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, q.kick.get(), nullptr);
  q.kick = OwnedFd();
}

void HostPort::open(Poller& poller) {
  poller_ = &poller;
  if (!socket_.named()) return;
  epoll_ = OwnedFd(epoll_create1(EPOLL_CLOEXEC));
  watch(socket_.listen(), kListener);
  poller.add(epoll_.get(), this, EPOLLIN);
}

void HostPort::shut() {
  if (epoll_) poller_->remove(epoll_.get());
  epoll_ = OwnedFd();
  queues_.clear();
  socket_.shut();
}

void HostPort::ready(std::uint32_t /*events*/, Ps now, const Inject& /*inject*/) {
  now_ = now;
  epoll_event events[64];
  const int n = epoll_wait(epoll_.get(), events, 64, 0);
  for (int i = 0; i < n; ++i) {
    const std::uint32_t what = events[i].data.u32;
    if (what == kListener) {
      const int fd = socket_.accept();
      if (fd < 0) continue;
      ++connects_;
      log(Level::kInfo, "a guest is connected");
      watch(fd, kConnection);
      read_capabilities();
    } else if (what == kConnection) {
      receive_messages();
    } else {
      kicked(what);
    }
  }
}

void HostPort::receive_messages() {
  try {
    // One at a time: a message that waits for registers holds back those behind it.
    for (int i = 0; i < kMostMessages && socket_.connected() && idle(); ++i) {
      std::optional<VhostMessage> m = socket_.receive();
      if (!m) return;
      ++messages_;
      handle(*m);
    }
  } catch (const Error& e) {
    leave(e.what());
  }
}

// The front end is gone, or is sent away: the device stops, and waits for the next one.
void HostPort::leave(const std::string& why) {
  if (!socket_.connected()) return;
  log(Level::kInfo, "the guest left: " + why);
  jobs_.clear();
  socket_.disconnect();
  for (Queue& q : queues_) drop_kick(q);
  queues_.clear();
  backend_ = OwnedFd();
  features_ = protocol_ = 0;
  reset_device();
  memory_.clear();
  write_regions();
}

void HostPort::node_reset(Ps now) {
  now_ = now;
  jobs_.clear();
  leave("the node was reset");
}

void HostPort::kicked(std::uint32_t index) {
  if (index >= queues_.size() || !queues_[index].kick) return;
  Queue& q = queues_[index];
  std::uint64_t count = 0;
  const ssize_t n = read(q.kick.get(), &count, sizeof count);
  // A pipe whose writer is gone, or nothing that can be read.
  if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) drop_kick(q);
  if (n <= 0) return;
  ++kicks_;
  if (q.running) push_(virtio::write32(virtio::kNotify + 4 * index, index), nullptr);
}

void HostPort::interrupt(std::uint16_t vector) {
  if (vector == virtio::kConfigInterrupt) {
    if (!backend_) return;
    const vhost::Header h{static_cast<std::uint32_t>(vhost::BackendRequest::kConfigChange),
                          vhost::kVersion, 0};
    calls_lost_ += send(backend_.get(), &h, sizeof h, MSG_NOSIGNAL | MSG_DONTWAIT) < 0;
    return;
  }
  if (vector >= queues_.size()) return;
  ++calls_;
  // QEMU accepts in-band notifications, does not know them, and gives descriptors all the same.
  if (!queues_[vector].call && (protocol_ >> vhost::kInBand & 1) != 0 && backend_) {
    struct {
      vhost::Header header;
      vhost::VringState state;
    } m{{static_cast<std::uint32_t>(vhost::BackendRequest::kVringCall), vhost::kVersion,
         sizeof(vhost::VringState)},
        {vector, 0}};
    calls_lost_ += send(backend_.get(), &m, sizeof m, MSG_NOSIGNAL | MSG_DONTWAIT) < 0;
    return;
  }
  if (!queues_[vector].call) return;
  const std::uint64_t one = 1;
  // Full means that the guest has not seen the last one yet.
  const bool sent = ::write(queues_[vector].call.get(), &one, sizeof one) > 0;
  calls_lost_ += !sent && errno != EAGAIN;
}

// ---- registers --------------------------------------------------------------------------------

void HostPort::run(std::vector<kumi_axil_op> ops, std::function<void(const Answers&)> then) {
  jobs_.push_back({std::move(ops), std::move(then), {}});
  if (jobs_.size() == 1) start_job();
}

void HostPort::start_job() {
  Job& job = jobs_.front();
  for (const kumi_axil_op& op : job.ops) {
    job.waits.push_back(std::make_shared<RegisterWait>());
    push_(op, job.waits.back());
  }
}

void HostPort::after_window(Ps now) {
  now_ = now;
  // Interrupts first: what caused them was written in this window.
  for (const std::uint16_t vector : std::exchange(interrupts_, {})) interrupt(vector);
  const auto finished = [](const Job& job) {
    return std::all_of(job.waits.begin(), job.waits.end(), [](const auto& w) { return w->done; });
  };
  bool went_on = false;
  while (!jobs_.empty() && finished(jobs_.front())) {
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    went_on = true;
    Answers answers;
    for (const auto& w : job.waits) answers.push_back(w->op);
    const bool failed = std::any_of(answers.begin(), answers.end(),
                                    [](const kumi_axil_op& op) { return op.resp != 0; });
    // What follows this job comes before the jobs that wait behind it.
    std::deque<Job> later = std::exchange(jobs_, {});
    try {
      if (failed) throw Error("a register of the device did not answer");
      if (job.then) job.then(answers);
    } catch (const Error& e) {
      later.clear();
      leave(e.what());
    }
    const bool started = !jobs_.empty();
    std::move(later.begin(), later.end(), std::back_inserter(jobs_));
    if (!started && !jobs_.empty()) start_job();
  }
  if (went_on && jobs_.empty()) receive_messages();
}

// ---- memory -----------------------------------------------------------------------------------

int HostPort::access(void* self, int operation, std::uint64_t address, void* data,
                     std::uint64_t bytes) {
  return static_cast<HostPort*>(self)->access(operation, address, static_cast<std::uint8_t*>(data),
                                              bytes);
}

int HostPort::access(int operation, std::uint64_t address, std::uint8_t* data,
                     std::uint64_t bytes) {
  const int response = source_ ? access_recorded(operation, data, bytes)
                               : access_guest(operation, address, data, bytes);
  if (keeps_) {
    answers_.push_back(static_cast<std::uint8_t>(response));
    if (operation == KUMI_HOST_READ) answers_.insert(answers_.end(), data, data + bytes);
  }
  hash_.word(address << 2 | static_cast<unsigned>(operation));
  hash_.word(static_cast<std::uint64_t>(response));
  if (operation != KUMI_HOST_CHECK) hash_.bytes(data, bytes);
  return response;
}

int HostPort::access_guest(int operation, std::uint64_t address, void* data, std::uint64_t bytes) {
  bool done = false;
  if (ControlQueue::inside(address, bytes)) {
    if (operation == KUMI_HOST_READ) control_.read(address, data, bytes);
    if (operation == KUMI_HOST_WRITE) control_.write(address, data, bytes);
    return 0;
  }
  if (operation == KUMI_HOST_READ) {
    done = memory_.read(address, data, bytes);
    if (!done) std::memset(data, 0, bytes);
  } else if (operation == KUMI_HOST_WRITE) {
    done = memory_.write(address, data, bytes);
  } else {
    done = memory_.covers(address, bytes);
  }
  // Of a guest that has left, its card may still be on the way to the memory.
  refused_accesses_ += !done && socket_.connected();
  return done ? 0 : 3;
}

int HostPort::access_recorded(int operation, void* data, std::uint64_t bytes) {
  const std::uint64_t want = 1 + (operation == KUMI_HOST_READ ? bytes : 0);
  while (recorded_.size() - recorded_at_ < want) {
    const Bytes more = source_();
    if (more.empty()) {  // a recording that ends early
      if (operation == KUMI_HOST_READ) std::memset(data, 0, bytes);
      return 3;
    }
    recorded_.erase(recorded_.begin(),
                    recorded_.begin() + static_cast<std::ptrdiff_t>(recorded_at_));
    recorded_at_ = 0;
    recorded_.insert(recorded_.end(), more.begin(), more.end());
  }
  const std::uint8_t* at = recorded_.data() + recorded_at_;
  if (operation == KUMI_HOST_READ) std::memcpy(data, at + 1, bytes);
  recorded_at_ += want;
  return at[0];
}

void HostPort::stats(Stats& out) const {
  out.set("connected", std::uint64_t{socket_.connected()});
  out.set("connects", connects_);
  out.set("refused", socket_.refused());
  out.set("messages", messages_);
  out.set("features", features_);
  out.set("regions", static_cast<std::uint64_t>(memory_.size()));
  out.set("kicks", kicks_);
  out.set("calls", calls_);
  out.set("calls_lost", calls_lost_);
  out.set("refused_accesses", refused_accesses_);
}

}  // namespace kumihimo
