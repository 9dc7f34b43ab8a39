// SPDX-License-Identifier: Apache-2.0
//
// The control plane of a host port: vhost-user messages become register accesses of the device.
//
// A front end that resets its device tells nobody (user-mode Linux), or sends GET_VRING_BASE (QEMU,
// DPDK): ENABLE 0, GET_VRING_BASE and the end of the connection stop queues, and a queue that
// starts after all were stopped finds a device that was reset.
#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/hash.hpp"
#include "host/host_port.hpp"
#include "host/virtio_registers.hpp"

namespace kumihimo {
namespace {

using vhost::Request;

constexpr std::uint64_t kOffered = 1u << vhost::kMultiqueue | 1u << vhost::kReplyAck |
                                   1u << vhost::kBackendReq | 1u << vhost::kConfig |
                                   1u << vhost::kResetDeviceFeature | 1u << vhost::kInBand |
                                   1u << vhost::kMemSlots | 1u << vhost::kStatus;
constexpr unsigned kResetTries = 100'000;

std::uint32_t low(std::uint64_t v) { return static_cast<std::uint32_t>(v); }
std::uint32_t high(std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); }

}  // namespace

void HostPort::answer(Request request, const void* payload, std::size_t bytes) {
  socket_.reply(request, payload, bytes);
}

void HostPort::answer_word(Request request, std::uint64_t value) {
  answer(request, &value, sizeof value);
}

// What the device offers; asked again of each guest, as the node may have been reset.
void HostPort::read_capabilities() {
  reset_device();
  run({virtio::write32(virtio::kDeviceFeatureSelect, 0), virtio::read32(virtio::kDeviceFeature),
       virtio::write32(virtio::kDeviceFeatureSelect, 1), virtio::read32(virtio::kDeviceFeature),
       virtio::read32(virtio::kNumQueues)},
      [this](const Answers& a) {
        offered_ = a[1].data | std::uint64_t{a[3].data} << 32;
        for (Queue& q : queues_) drop_kick(q);
        queues_.clear();
        queues_.resize(virtio::field16(virtio::kNumQueues, a[4].data));
        status_ = 0;
      });
}

HostPort::Queue& HostPort::queue(std::uint32_t index) {
  if (index >= queues_.size()) {
    throw Error("queue " + std::to_string(index) + ": the device has " +
                std::to_string(queues_.size()));
  }
  return queues_[index];
}

void HostPort::handle(VhostMessage& m) {
  const std::size_t jobs_before = jobs_.size();
  bool answered = true;
  switch (m.request) {
    case Request::kGetFeatures:
      answer_word(m.request, offered_ | std::uint64_t{1} << vhost::kFeatureProtocol);
      break;
    case Request::kGetProtocolFeatures:
      answer_word(m.request, kOffered);
      break;
    case Request::kGetMaxMemSlots:
      answer_word(m.request, GuestMemory::kMostRegions);
      break;
    case Request::kGetStatus:
      // NEEDS_RESET is the device's own.
      run({virtio::read32(virtio::kStatus)}, [this](const Answers& a) {
        answer_word(Request::kGetStatus, status_ | (a[0].data & virtio::kNeedsReset));
      });
      break;
    case Request::kGetQueueNum:
      answer_word(m.request, queues_.size() / 2);
      break;
    case Request::kGetConfig:
      get_config(m);
      break;
    case Request::kGetVringBase:
      get_vring_base(m.as<vhost::VringState>().index);
      break;
    default:
      answered = false;
  }
  if (answered) return;
  switch (m.request) {
    case Request::kSetFeatures:
      set_features(m.as<std::uint64_t>());
      break;
    case Request::kSetProtocolFeatures:
      protocol_ = m.as<std::uint64_t>() & kOffered;
      break;
    case Request::kSetBackendReqFd:
      if (m.fds.empty()) throw Error("SET_BACKEND_REQ_FD without a descriptor");
      backend_ = std::move(m.fds.front());
      break;
    case Request::kSetMemTable:
      set_memory_table(m);
      break;
    case Request::kAddMemReg:
      add_memory(m);
      break;
    case Request::kRemMemReg:
      remove_memory(m);
      break;
    case Request::kSetVringNum: {
      const auto s = m.as<vhost::VringState>();
      queue(s.index).size = s.value;
      break;
    }
    case Request::kSetVringBase: {
      const auto s = m.as<vhost::VringState>();
      queue(s.index).base = s.value;
      break;
    }
    case Request::kSetVringAddr: {
      const auto a = m.as<vhost::VringAddr>();
      Queue& q = queue(a.index);
      q.descriptors = a.descriptors;
      q.available = a.available;
      q.used = a.used;
      break;
    }
    case Request::kSetVringKick:
      set_kick(m);
      break;
    case Request::kSetVringCall:
      set_call(m);
      break;
    case Request::kSetVringEnable: {
      const auto s = m.as<vhost::VringState>();
      queue(s.index).wanted = s.value != 0;
      if (s.value != 0) {
        start_queue(s.index);
      } else {
        stop_queue(s.index, nullptr);
      }
      break;
    }
    case Request::kVringKick: {
      const auto s = m.as<vhost::VringState>();
      const Queue& q = queue(s.index);
      ++kicks_;
      if (q.running) run({virtio::write32(virtio::kNotify + 4 * s.index, s.index)}, nullptr);
      break;
    }
    case Request::kSetConfig:
      set_config(m);
      break;
    case Request::kSetStatus:
      status_ = low(m.as<std::uint64_t>()) & 0xff & ~virtio::kNeedsReset;
      if (status_ == 0) reset_device();
      break;
    case Request::kResetDevice:
    case Request::kResetOwner:
      reset_device();
      break;
    default:  // SET_OWNER, SET_VRING_ERR, and what concerns migration
      break;
  }
  if (!m.need_reply || (protocol_ >> vhost::kReplyAck & 1) == 0) return;
  // After everything that the message has started.
  const auto done = [this, request = m.request] { answer_word(request, 0); };
  if (jobs_.size() == jobs_before) {
    done();
  } else {
    run({}, [done](const Answers&) { done(); });
  }
}

void HostPort::set_features(std::uint64_t features) {
  features &= ~(std::uint64_t{1} << vhost::kFeatureProtocol);
  if ((features & ~offered_) != 0) {
    throw Error("it wants features that the device has not: 0x" + hex64(features & ~offered_));
  }
  const bool same = features == features_ && (status_ & virtio::kFeaturesOk) != 0;
  features_ = features;
  if (!same && !any_running()) negotiate();  // QEMU says them once for each pair of queues
}

bool HostPort::any_running() const {
  return std::any_of(queues_.begin(), queues_.end(), [](const Queue& q) { return q.running; });
}

void HostPort::negotiate() {
  reset_device();
  status_ = virtio::kAcknowledge | virtio::kDriver | virtio::kFeaturesOk;
  std::uint64_t accepted = features_;
  if (drives_control()) accepted |= ControlQueue::kFeatures;
  run({virtio::write8(virtio::kStatus, virtio::kAcknowledge | virtio::kDriver),
       virtio::write32(virtio::kDriverFeatureSelect, 0),
       virtio::write32(virtio::kDriverFeature, low(accepted)),
       virtio::write32(virtio::kDriverFeatureSelect, 1),
       virtio::write32(virtio::kDriverFeature, high(accepted)),
       virtio::write8(virtio::kStatus, status_), virtio::read32(virtio::kStatus)},
      [this](const Answers& a) {
        if ((a.back().data & virtio::kFeaturesOk) == 0) {
          throw Error("the device refuses the features 0x" + hex64(features_));
        }
      });
}

// ---- memory -----------------------------------------------------------------------------------

void HostPort::write_regions() {
  const std::vector<GuestRegion> regions = memory_.regions();
  std::vector<kumi_axil_op> ops;
  for (std::uint32_t i = 0; i < GuestMemory::kMostRegions; ++i) {
    const bool valid = i < regions.size();
    const GuestRegion r = valid ? regions[i] : GuestRegion{};
    for (const kumi_axil_op& op : virtio::write_region(i, r.guest, r.bytes, valid)) {
      ops.push_back(op);
    }
  }
  run(std::move(ops), nullptr);
}

void HostPort::set_memory_table(VhostMessage& m) {
  vhost::MemTable table{};
  if (m.payload.size() < 8) throw Error("SET_MEM_TABLE: too short");
  std::memcpy(&table, m.payload.data(), std::min(m.payload.size(), sizeof table));
  if (table.count > vhost::kTableRegions ||
      m.payload.size() < 8 + table.count * sizeof(vhost::Region) || m.fds.size() < table.count) {
    throw Error("SET_MEM_TABLE: " + std::to_string(table.count) + " regions in " +
                std::to_string(m.payload.size()) + " bytes with " + std::to_string(m.fds.size()) +
                " descriptors");
  }
  memory_.clear();
  for (std::uint32_t i = 0; i < table.count; ++i) {
    const vhost::Region& r = table.regions[i];
    memory_.add({r.guest, r.bytes, r.user, r.offset}, m.fds[i].get());
  }
  write_regions();
}

void HostPort::add_memory(VhostMessage& m) {
  const vhost::Region r = m.as<vhost::OneRegion>().region;
  if (m.fds.empty()) throw Error("ADD_MEM_REG without a descriptor");
  memory_.add({r.guest, r.bytes, r.user, r.offset}, m.fds.front().get());
  write_regions();
}

void HostPort::remove_memory(const VhostMessage& m) {
  const vhost::Region r = m.as<vhost::OneRegion>().region;
  if (!memory_.remove(r.guest, r.bytes)) throw Error("REM_MEM_REG: there is no such region");
  write_regions();
}

// ---- configuration ----------------------------------------------------------------------------

void HostPort::get_config(const VhostMessage& m) {
  vhost::ConfigSpace c{};
  if (m.payload.size() < 12) throw Error("GET_CONFIG: too short");
  std::memcpy(&c, m.payload.data(), std::min(m.payload.size(), sizeof c));
  if (c.size > vhost::kConfigBytes || c.offset > vhost::kConfigBytes - c.size) {
    throw Error("GET_CONFIG: beyond the configuration space");
  }
  std::vector<kumi_axil_op> ops;
  for (std::uint32_t i = 0; i < virtio::kConfigBytes; i += 4) {
    ops.push_back(virtio::read32(virtio::kConfig + i));
  }
  run(std::move(ops), [this, c](const Answers& a) mutable {
    std::uint8_t space[vhost::kConfigBytes] = {};
    for (std::size_t i = 0; i < a.size(); ++i) std::memcpy(space + 4 * i, &a[i].data, 4);
    std::memcpy(c.data, space + c.offset, c.size);
    answer(Request::kGetConfig, &c, 12 + c.size);
  });
}

void HostPort::set_config(const VhostMessage& m) {
  vhost::ConfigSpace c{};
  if (m.payload.size() < 12) throw Error("SET_CONFIG: too short");
  std::memcpy(&c, m.payload.data(), std::min(m.payload.size(), sizeof c));
  if (c.size > m.payload.size() - 12 || c.offset > virtio::kConfigBytes ||
      c.size > virtio::kConfigBytes - c.offset) {
    throw Error("SET_CONFIG: beyond the configuration space");
  }
  std::vector<kumi_axil_op> ops;
  for (std::uint32_t i = 0; i < c.size; ++i) {
    ops.push_back(virtio::write8(virtio::kConfig + c.offset + i, c.data[i]));
  }
  run(std::move(ops), nullptr);
}

// ---- queues -----------------------------------------------------------------------------------

void HostPort::set_kick(VhostMessage& m) {
  const auto word = m.as<std::uint64_t>();
  const auto index = static_cast<std::uint32_t>(word & 0xff);
  Queue& q = queue(index);
  drop_kick(q);
  if ((word & vhost::kNoDescriptor) == 0 && !m.fds.empty()) {
    q.kick = std::move(m.fds.front());
    fcntl(q.kick.get(), F_SETFL, fcntl(q.kick.get(), F_GETFL) | O_NONBLOCK);
    watch(q.kick.get(), index);
  }
  // Without the protocol's features a queue runs as soon as it can be kicked.
  if (protocol_ == 0) q.wanted = true;
  start_queue(index);
}

void HostPort::set_call(VhostMessage& m) {
  const auto word = m.as<std::uint64_t>();
  Queue& q = queue(static_cast<std::uint32_t>(word & 0xff));
  q.call = OwnedFd();
  if ((word & vhost::kNoDescriptor) != 0 || m.fds.empty()) return;
  q.call = std::move(m.fds.front());
  fcntl(q.call.get(), F_SETFL, fcntl(q.call.get(), F_GETFL) | O_NONBLOCK);
}

void HostPort::start_queue(std::uint32_t index) {
  Queue& q = queue(index);
  if (drives_control() && index == control_index()) {
    throw Error("queue " + std::to_string(index) + " is for commands, which were not negotiated");
  }
  const bool can_be_kicked = q.kick || (protocol_ >> vhost::kInBand & 1) != 0;
  if (!q.wanted || q.running || !can_be_kicked || q.descriptors == 0) return;
  const auto descriptors = memory_.physical(q.descriptors);
  const auto driver = memory_.physical(q.available);
  const auto device = memory_.physical(q.used);
  if (!descriptors || !driver || !device) {
    throw Error("queue " + std::to_string(index) + ": its rings are outside the shared memory");
  }
  std::uint32_t base = q.base;
  if ((features_ >> vhost::kFeaturePacked & 1) == 0) {
    base = (base & 0xffff) * 0x10001;  // what was taken has been used
  } else if (base == 0) {
    base = 0x80008000;  // wrap counters begin at 1, and not every front end says so
  } else if (base >> 16 == 0) {
    base |= base << 16;
  }
  if ((status_ & virtio::kFeaturesOk) == 0) negotiate();
  q.running = true;
  status_ |= virtio::kDriverOk;
  // What was available before the queue ran may never be kicked for: hence the last one.
  run({virtio::write16(virtio::kQueueSelect, index), virtio::write16(virtio::kQueueSize, q.size),
       virtio::write16(virtio::kQueueVector, index),
       virtio::write32(virtio::kQueueDescriptors, low(*descriptors)),
       virtio::write32(virtio::kQueueDescriptors + 4, high(*descriptors)),
       virtio::write32(virtio::kQueueDriver, low(*driver)),
       virtio::write32(virtio::kQueueDriver + 4, high(*driver)),
       virtio::write32(virtio::kQueueDevice, low(*device)),
       virtio::write32(virtio::kQueueDevice + 4, high(*device)),
       virtio::write32(virtio::kQueueBase, base),
       virtio::write16(virtio::kConfigVector, virtio::kConfigInterrupt),
       virtio::write16(virtio::kQueueEnable, 1), virtio::write8(virtio::kStatus, status_),
       virtio::write32(virtio::kNotify + 4 * index, index)},
      nullptr);
  update_control();
}

void HostPort::stop_queue(std::uint32_t index, std::function<void()> then) {
  Queue& q = queue(index);
  if (!q.running) {
    if (then) then();
    return;
  }
  q.running = false;
  run({virtio::write16(virtio::kQueueSelect, index), virtio::write16(virtio::kQueueReset, 1)},
      [this, index, then = std::move(then)](const Answers&) {
        wait_for_reset(index, kResetTries, then);
      });
}

void HostPort::wait_for_reset(std::uint32_t index, unsigned tries, std::function<void()> then) {
  run({virtio::read32(virtio::kQueueReset), virtio::read32(virtio::kQueueBase)},
      [this, index, tries, then = std::move(then)](const Answers& a) {
        if (virtio::field16(virtio::kQueueReset, a[0].data) == 0) {
          queue(index).base = a[1].data;
          // User-mode Linux says nothing else when its driver resets the device.
          if (any_running()) {
            update_control();
          } else {
            reset_device();
          }
          if (then) then();
        } else if (tries == 0) {
          throw Error("queue " + std::to_string(index) + " of the device does not stop");
        } else {
          wait_for_reset(index, tries - 1, then);
        }
      });
}

void HostPort::get_vring_base(std::uint32_t index) {
  queue(index).wanted = false;
  stop_queue(index, [this, index] {
    Queue& q = queue(index);
    drop_kick(q);
    q.call = OwnedFd();
    const bool packed = (features_ >> vhost::kFeaturePacked & 1) != 0;
    const vhost::VringState state{index, packed ? q.base : q.base & 0xffff};
    answer(Request::kGetVringBase, &state, sizeof state);
  });
}

void HostPort::reset_device() {
  for (Queue& q : queues_) q.running = false;
  status_ = 0;
  control_runs_ = false;
  run({virtio::write8(virtio::kStatus, 0)},
      [this](const Answers&) { wait_for_status(kResetTries); });
}

// The status reads as zero when the device has stopped (virtio 1.2, 4.1.4.3.1).
void HostPort::wait_for_status(unsigned tries) {
  run({virtio::read32(virtio::kStatus)}, [this, tries](const Answers& a) {
    if ((a[0].data & 0xff) == 0) return;
    if (tries == 0) throw Error("the device does not stop");
    wait_for_status(tries - 1);
  });
}

}  // namespace kumihimo
