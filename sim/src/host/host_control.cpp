// SPDX-License-Identifier: Apache-2.0
//
// Commands to the device of a front end that keeps the control queue for itself
// (host/control_queue.hpp).
#include <utility>

#include "host/host_port.hpp"
#include "host/virtio_registers.hpp"

namespace kumihimo {
namespace {

constexpr unsigned kCommandTries = 100'000;
constexpr std::uint8_t kClassRx = 0, kPromiscuous = 0, kClassPairs = 4, kSetPairs = 0;
constexpr std::uint16_t kNoVector = 0xffff;

}  // namespace

bool HostPort::drives_control() const {
  return (offered_ & ControlQueue::kFeatures) == ControlQueue::kFeatures &&
         (features_ >> vhost::kFeatureControl & 1) == 0;
}

// 5.1.2: behind all queues, or behind the first pair.
std::uint32_t HostPort::control_index() const {
  const bool many = (features_ >> vhost::kFeatureMultiqueue & 1) != 0;
  return many ? static_cast<std::uint32_t>(queues_.size() - 1) : 2;
}

// After a queue has started or stopped.
void HostPort::update_control() {
  if (!drives_control()) return;
  if (!control_runs_) start_control();
  if ((features_ >> vhost::kFeatureMultiqueue & 1) == 0) return;
  std::uint32_t pairs = 0;
  while (2 * pairs + 1 < queues_.size() && queues_[2 * pairs].running) ++pairs;
  if (pairs == 0 || pairs == control_pairs_) return;
  control_pairs_ = pairs;
  command(kClassPairs, kSetPairs,
          {static_cast<std::uint8_t>(pairs), static_cast<std::uint8_t>(pairs >> 8)});
}

void HostPort::start_control() {
  const bool packed = (features_ >> vhost::kFeaturePacked & 1) != 0;
  control_.reset(packed);
  control_runs_ = true;
  control_pairs_ = 1;
  const auto region = virtio::write_region(virtio::kRegionCount - 1, ControlQueue::kBase,
                                           ControlQueue::kBytes, true);
  std::vector<kumi_axil_op> ops(region.begin(), region.end());
  const auto address = [&ops](std::uint32_t at, std::uint64_t value) {
    ops.push_back(virtio::write32(at, static_cast<std::uint32_t>(value)));
    ops.push_back(virtio::write32(at + 4, static_cast<std::uint32_t>(value >> 32)));
  };
  ops.push_back(virtio::write16(virtio::kQueueSelect, control_index()));
  ops.push_back(virtio::write16(virtio::kQueueSize, ControlQueue::kSize));
  ops.push_back(virtio::write16(virtio::kQueueVector, kNoVector));
  address(virtio::kQueueDescriptors, ControlQueue::kBase);
  address(virtio::kQueueDriver, ControlQueue::kDriverArea);
  address(virtio::kQueueDevice, ControlQueue::kDeviceArea);
  ops.push_back(virtio::write32(virtio::kQueueBase, packed ? 0x80008000 : 0));
  ops.push_back(virtio::write16(virtio::kQueueEnable, 1));
  run(std::move(ops), nullptr);
  command(kClassRx, kPromiscuous, {1});
}

void HostPort::command(std::uint8_t kind, std::uint8_t number, Bytes data) {
  // When those before it have been answered.
  run({}, [this, kind, number, data = std::move(data)](const Answers&) {
    control_.put(kind, number, data);
    run({virtio::write32(virtio::kNotify + 4 * control_index(), control_index())}, nullptr);
    wait_for_command(kCommandTries);
  });
}

void HostPort::wait_for_command(unsigned tries) {
  run({virtio::read32(virtio::kStatus)}, [this, tries](const Answers&) {
    if (const auto answer = control_.answer()) {
      if (*answer != 0) log(Level::kWarning, "the device refuses a command");
    } else if (tries == 0) {
      throw Error("the device does not answer a command");
    } else {
      wait_for_command(tries - 1);
    }
  });
}

}  // namespace kumihimo
