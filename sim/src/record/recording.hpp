// SPDX-License-Identifier: Apache-2.0
//
// The recording of a run: everything that entered from outside, with its virtual time. The format
// is described in docs/recording.md.
#pragma once

#include <fstream>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "net/link.hpp"
#include "record/file_writer.hpp"

namespace kumihimo {

inline constexpr char kRecordingMagic[8] = {'K', 'U', 'M', 'I', 'R', 'E', 'C', '\n'};
inline constexpr std::uint32_t kRecordingVersion = 1;

enum class RecordType : std::uint8_t {
  kHeader = 1,
  kFrame = 2,
  kRegister = 3,
  kPin = 4,
  kCheck = 5,
  kEnd = 6,
  kMemory = 7,
  kPlug = 8,
  kDisk = 9,
  kCable = 10,
  kReset = 11,
  kFlip = 12,
  kHost = 13
};

struct FrameEvent {  // a frame given to an endpoint
  Ps at_ps;          // not sent before
  std::uint32_t actor;
  Bytes data;
};
struct RegisterEvent {
  std::uint32_t actor;
  std::uint32_t port;
  std::uint32_t address;
  std::uint32_t data;
  std::uint8_t strobe;
  bool write;
  bool setup;  // before time zero
};
struct PinEvent {
  std::uint32_t actor;
  std::uint32_t pin;
  bool setup;
  std::vector<std::uint32_t> words;
};
struct MemoryEvent {
  enum class Kind : std::uint32_t { kWrite = 0, kFault = 1, kClear = 2 };
  std::uint32_t actor;
  std::uint32_t port;
  Kind kind;
  bool setup;
  std::uint64_t address;
  std::uint64_t bytes;
  Bytes data;  // of a write
};
struct PlugEvent {
  Ps at_ps;
  std::uint32_t lane_cable;
  bool in;
  bool setup;
};
struct DiskEvent {
  enum class Kind : std::uint32_t { kFault = 0, kWrite = 1 };
  Ps at_ps;
  std::uint32_t disk;
  Kind kind;
  std::uint32_t fault;  // DiskFaultKind
  bool setup;
  std::uint64_t a, b;  // of a write: the first sector, and nothing
  double x;
  Bytes data;  // of a write
};
struct CableEvent {  // an Ethernet cable is pulled, plugged in, or gets other impairments
  enum class Kind : std::uint32_t { kImpair = 0, kUnplug = 1, kPlug = 2 };
  Ps at_ps;
  std::uint32_t cable;
  Kind kind;
  std::uint32_t directions;  // bit 0 from a to b, bit 1 from b to a
  bool setup;
  Impairments impair;
};
struct ResetEvent {  // a node starts over
  Ps at_ps;
  std::uint32_t actor;
};
struct FlipEvent {  // one bit error on an InfiniBand cable
  Ps at_ps;
  std::uint32_t lane_cable;
  std::uint32_t direction;  // 0 from a to b
  std::uint32_t lane;
  std::uint32_t bit;
  bool setup;
};
struct HostEvent {  // answers of a host's memory in the window that ends now (host/host_port.hpp)
  std::uint32_t host;
  Bytes answers;
};
struct CheckEvent {  // the digest of the run so far
  std::uint64_t digest;
  bool end;
};

struct Event {
  Ps t_ps;
  std::variant<FrameEvent, RegisterEvent, PinEvent, MemoryEvent, PlugEvent, DiskEvent, CableEvent,
               ResetEvent, FlipEvent, HostEvent, CheckEvent>
      what;
};

// Events as bytes, one after the other, for another process.
void pack_event(Bytes& out, const Event& e);
std::vector<Event> unpack_events(const Bytes& packed);  // throws Error

class RecordingWriter {
 public:
  // metadata: JSON of the caller; topology: text that the engine compares at replay.
  RecordingWriter(const std::string& path, const std::string& metadata);
  void header(const std::string& topology);
  void add(const Event& e);
  // From now on events wait for those that others give, up to the same time.
  void hold() { holds_ = true; }
  void give(std::vector<Event> of_another);
  // Writes what waits in the order of its times; at one time, in that of its coming.
  void release();
  void flush() { file_.flush(); }
  void close();
  const FileWriter& file() const { return file_; }
  bool reported = false;  // the failure has been reported

 private:
  void write(const Event& e);
  void record(RecordType type, const Bytes& payload);

  FileWriter file_;
  std::string metadata_;
  bool holds_ = false;
  std::vector<Event> held_;
};

class RecordingReader {
 public:
  explicit RecordingReader(const std::string& path);  // throws Error

  const std::string& metadata() const { return metadata_; }
  const std::string& topology() const { return topology_; }
  std::uint32_t version() const { return version_; }
  // The next complete event; nothing at the end of the file or at the first damaged one.
  std::optional<Event> next();
  bool ended() const { return ended_; }    // the end marker was read
  bool broken() const { return broken_; }  // the file is truncated or damaged

 private:
  bool record(RecordType& type, Bytes& payload);

  std::ifstream in_;
  std::string path_, metadata_, topology_;
  std::uint32_t version_ = 0;
  bool ended_ = false, broken_ = false;
};

}  // namespace kumihimo
