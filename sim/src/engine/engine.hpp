// SPDX-License-Identifier: Apache-2.0
//
// The cluster engine: builds the actors and their cables, advances virtual time in windows, meets
// the wall-clock world between windows, records and replays. See docs/engine.md.
//
// One thread at a time drives the engine (run, serve, replay). Any thread may call the other
// methods meanwhile: they are carried out between two windows.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/message_log.hpp"
#include "engine/options.hpp"
#include "engine/pool.hpp"
#include "engine/topology.hpp"
#include "external/external.hpp"
#include "host/host_port.hpp"
#include "net/script.hpp"
#include "net/switch.hpp"
#include "node/node_actor.hpp"
#include "rank/neighbour.hpp"
#include "record/capture.hpp"
#include "record/recording.hpp"

namespace kumihimo {

class Engine {
 public:
  Engine(unsigned threads, std::uint64_t seed);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // ---- building (build.cpp), before start ----
  std::uint32_t add_node(const std::string& name, const std::string& path,
                         const std::map<std::string, Ps>& periods_ps,
                         const std::map<std::string, Ps>& phases_ps, NodeOptions options);
  std::uint32_t add_switch(const std::string& name, const SwitchOptions& options);
  std::uint32_t add_tap(const std::string& name, int fd, bool pause);
  std::uint32_t add_peer(const std::string& name, const std::string& path, bool listen, bool pause);
  std::uint32_t add_script(const std::string& name, bool pause);
  std::uint32_t connect(const End& a, const End& b, const CableOptions& options);
  // Numbered separately, for plug().
  std::uint32_t connect_lane(const End& a, const End& b, const LaneCableOptions& options);
  // A script at a non-Ethernet stream port of a node; returns its number. Its messages take
  // latency_ps and are not captured.
  std::uint32_t add_channel(std::uint32_t node, const std::string& port, Ps latency_ps);
  // A disk at a Serial ATA port of a node; numbered separately. Its default seed is derived from
  // the engine's.
  std::uint32_t add_disk(const std::string& name, const End& port, DiskOptions options);
  // A guest at a host port of a node, by a vhost-user socket that this end listens at.
  std::uint32_t add_host(const std::string& name, const End& port, const std::string& path);
  // No ports: one end of each cable, preferably at a node.
  void capture(const std::string& path, const std::vector<End>& ports, const std::string& comment);
  void record(const std::string& path, const std::string& metadata);
  void start();

  // ---- driving (run.cpp, serve.cpp, replay.cpp) ----
  std::string run(Ps duration, const Tick& tick);  // "done" or "stopped"
  std::string serve(const ServeOptions& options, const Tick& tick);
  // other_libraries: accept node libraries that differ from the recorded ones.
  ReplayResult replay(const std::string& path, const Tick& tick, bool other_libraries = false);
  // In place of start(): whoever drives afterwards meets the events of a recording at their times.
  void begin_replay(const std::string& path, bool other_libraries);
  std::vector<RecordedCheck> take_checks();  // met since the last call
  RecordedInfo recorded() const;
  void go_live();  // from now on the outside world gives the input
  void stop();     // ends a drive; from any thread
  // Runs the `final` blocks of the designs, whose messages can then be read; nothing runs
  // afterwards.
  void finish();
  // Completes captures and recordings; what happens later is in neither.
  void complete_files();
  void close();

  // ---- a part of a cluster (ranks.cpp) ----
  // Before anything is added: this engine is `rank`. Every rank adds the whole cluster, in the same
  // order; what `owners` (rank by name) gives to another is away, the rest is of rank 0.
  void place(std::uint32_t rank, std::map<std::string, std::uint32_t> owners);
  // The socket to another rank, or MPI through a library for it; needed where cables lead there.
  void join(std::uint32_t rank, int fd);
  void join_by_mpi(std::uint32_t rank, const std::string& shim);
  // Runs until `until`, with the neighbours; "done" or "stopped". Then all that they have sent up
  // to that time is here.
  std::string advance(Ps until, const Tick& tick);
  // Rank 0: takes what the outside world has sent, or waits for it; true: there was something.
  bool poll_outside(int timeout_ms);
  bool is_quiet();
  // Digests of the nodes, the disks and the hosts, 0 for those that are away; rank 0 is told all of
  // them before it forms the cluster's, until it advances again.
  std::vector<std::uint64_t> digests();
  void tell_digests(const std::vector<std::uint64_t>& of_all);
  // Frames for captures, which rank 0 writes.
  Bytes take_captured();
  void give_captured(const Bytes& frames);
  // Rank 0 has all frames of captures up to now.
  void write_captured();
  // What enters from the hosts of this rank, for the recording, which rank 0 writes. Before start.
  void collect_entered();
  Bytes take_entered();
  void give_entered(const Bytes& events);
  void write_entered();
  // A register access that advance() carries out; rank 0 records it. Its answer: true once it is
  // there; throws what axil_read would.
  std::uint64_t post(std::uint32_t node, std::uint32_t address, std::uint32_t data,
                     const std::string& port, std::uint8_t strobe, bool write);
  bool answered(std::uint64_t ticket, std::uint32_t* data);
  Stats rank_stats();

  // ---- calls from any thread (calls.cpp) ----
  std::uint32_t axil_read(std::uint32_t node, std::uint32_t address, const std::string& port);
  void axil_write(std::uint32_t node, std::uint32_t address, std::uint32_t data,
                  const std::string& port, std::uint8_t strobe, bool wait);
  std::vector<std::uint32_t> pin(std::uint32_t node, const std::string& name);
  void set_pin(std::uint32_t node, const std::string& name,
               const std::vector<std::uint32_t>& words);
  // Memories: configured before start, read and written at any time.
  void set_memory(std::uint32_t node, const std::string& port, const kumi_port_config& settings);
  Bytes mem_read(std::uint32_t node, std::uint64_t address, std::uint64_t bytes,
                 const std::string& port);
  void mem_write(std::uint32_t node, std::uint64_t address, Bytes data, const std::string& port);
  void mem_fault(std::uint32_t node, std::uint64_t address, std::uint64_t bytes, bool on,
                 const std::string& port);
  // Disks (disks.cpp): content without the wire, and faults, now or later.
  std::uint64_t disk_sectors(std::uint32_t disk) const;
  Bytes disk_read(std::uint32_t disk, std::uint64_t lba, std::uint64_t count, bool cached);
  void disk_write(std::uint32_t disk, std::uint64_t lba, Bytes data);
  void disk_fault(std::uint32_t disk, const DiskFault& fault, Ps at);
  // Plugs a lane cable in or out, both directions, now or later.
  void plug(std::uint32_t lane_cable, bool in, Ps at);
  // A bit error on an InfiniBand cable, now or later; direction 0: from its first end.
  void flip(std::uint32_t lane_cable, unsigned direction, BitFlip what, Ps at);
  // The same for an Ethernet cable, and other impairments of it (null: as they are).
  void plug_cable(std::uint32_t cable, bool in, Ps at);
  void impair(std::uint32_t cable, const Impairments* ab, const Impairments* ba, Ps at);
  // A node starts over, now or later: registers and memories as after power-on, no set-up.
  void reset_node(std::uint32_t node, Ps at);
  void send(std::uint32_t script, Bytes frame, Ps at);
  std::vector<TimedFrame> received(std::uint32_t script);
  void trace(std::uint32_t node, bool on);
  void trace_window(std::uint32_t node, Ps from, Ps to);
  void flush();  // writes buffered captures and recordings to their files
  std::vector<Message> messages(std::size_t since) const { return messages_.since(since); }
  Ps now_ps() const { return now_.load(std::memory_order_relaxed); }
  Ps window_ps() const { return window_; }
  bool started() const { return started_; }
  std::string digest();
  Stats stats();
  std::string topology() const;

 private:
  struct Call {
    std::function<void()> work;
    bool done = false;
    std::exception_ptr error;
  };
  class Drive;     // drive.hpp
  struct Settled;  // serve.cpp
  using Clock = std::chrono::steady_clock;

  static constexpr Ps kMaxLead = 2'000'000;  // of an actor over the cluster; settle takes as long

  // A switch, which may run on while the nodes stand (early.cpp).
  struct Input {
    const Link* link;
    const Switch* from;  // null: a node or an endpoint
  };
  struct Relay {
    Switch* relay;
    std::vector<Input> inputs;
    Ps known_until(Ps now) const;
    std::uint64_t coming() const;  // beats on the way to it
  };

  // Building.
  template <class T, class... Args>
  std::uint32_t add_actor(Args&&... args);
  void check_open(const char* what, bool before_start) const;
  Actor& actor(std::uint32_t id) const;
  NodeActor& node(std::uint32_t id) const;
  Script& script(std::uint32_t id) const;
  std::string port_name(std::uint32_t actor, std::uint32_t port) const;
  std::vector<CaptureInterface> tap_ports(const std::vector<End>& ends);
  void set_up(std::vector<Event> events, bool outside);

  // Driving.
  void step(Ps limit);
  // Idle nodes run ahead of the cluster (ahead.cpp); settle lets the cluster catch up with them.
  void measure_leads();
  void run_ahead(Ps limit);
  void settle();
  // Frames reach Linux before their time (early.cpp).
  void find_early();
  void deliver_early(Ps limit);
  Ps early_stop(Ps limit) const;
  void after_window();
  void take_messages();
  void advance_to(Ps end, const Tick& tick, bool* stopped);
  bool tick_due(const Tick& tick, Ps end);
  void poll(int timeout_ms, bool* woken);
  void housekeeping(bool force);
  bool quiet() const;
  void apply_traces();
  void apply_resets();
  void inject(Endpoint& e, Bytes frame, Ps at);
  void apply(const Event& e);
  void apply(const MemoryEvent& m);
  void change_memory(MemoryEvent m);
  void apply(const PlugEvent& p);
  void apply(const FlipEvent& f);
  void apply(const CableEvent& c);
  void apply(const ResetEvent& r);
  void change_cable(CableEvent c);
  void apply(const DiskEvent& d);
  void change_disk(DiskEvent d);
  Disk& disk(std::uint32_t id) const;
  void check_sectors(const Disk& d, std::uint64_t lba, std::uint64_t count) const;
  void note(Level level, const std::string& source, const std::string& text);
  bool ranked() const { return !owners_.empty(); }
  std::uint32_t owner(const std::string& name) const;
  void join(std::uint32_t rank, std::unique_ptr<Stream> stream);
  void find_borders();
  template <class AnyCable>
  void find_border(std::uint32_t number, const AnyCable& c);
  void meet_neighbours();
  bool wait_for_neighbours(Ps until, const Tick& tick);
  static void check_answer(const NodeActor& node, const kumi_axil_op& op);
  void tend_hosts(Ps now);
  void replay_hosts(const std::string& path);
  Ps replay_events();
  bool away(const JoinedDisk& d) const;
  bool away(const HostPort& h) const;
  std::vector<std::uint64_t> parts_digests() const;
  void check_writers();
  void end_files();
  std::uint64_t digest_now() const;

  // Calls.
  void call(const std::function<void()>& work);
  void run_calls();
  kumi_axil_op register_op(std::uint32_t node, const std::string& port, kumi_axil_op op, bool wait);
  void push_register(std::uint32_t node, std::uint32_t port, kumi_axil_op op,
                     const std::shared_ptr<RegisterWait>& wait);

  unsigned threads_;
  std::uint64_t seed_;
  Poller poller_;  // outlives the actors that use it
  std::vector<std::unique_ptr<Actor>> actors_;
  std::map<std::string, std::uint32_t> names_;
  std::vector<NodeActor*> nodes_;
  std::vector<Script*> scripts_;
  std::vector<External*> externals_;
  std::vector<std::unique_ptr<HostPort>> hosts_;
  std::vector<Outside*> outsides_;  // all that listens to the outside world
  std::vector<Relay> relays_;
  std::vector<External*> early_ends_;
  std::vector<std::unique_ptr<Cable>> cables_;
  std::vector<std::unique_ptr<LaneCable>> lane_cables_;
  std::vector<JoinedDisk> disks_;
  struct PendingCapture {
    std::string path, comment;
    std::vector<End> ports;
  };
  std::vector<PendingCapture> pending_captures_;
  std::vector<std::unique_ptr<Capture>> captures_;
  std::unique_ptr<RecordingWriter> recorder_;
  bool collects_ = false;  // rank 0 records
  Bytes entered_;          // events for it
  std::vector<Event> setup_;
  std::vector<TraceWindow> traces_;
  std::vector<ResetEvent> resets_;  // to come
  std::map<std::uint64_t, std::shared_ptr<RegisterWait>> waits_;
  std::map<std::uint64_t, std::pair<std::uint32_t, std::shared_ptr<RegisterWait>>> posts_;
  std::uint32_t rank_ = 0;
  std::map<std::string, std::uint32_t> owners_;  // empty: the whole cluster is here
  std::vector<std::unique_ptr<Neighbour>> neighbours_;
  std::vector<std::uint64_t> told_;  // digests of nodes and disks
  struct Recorded {
    explicit Recorded(const std::string& path) : reader(path) {}
    RecordingReader reader;
    std::optional<Event> next;
    std::uint64_t events = 0;
    std::vector<RecordedCheck> checks;
  };
  std::unique_ptr<Recorded> recorded_;  // while it is replayed
  std::uint64_t tag_ = 0;
  std::unique_ptr<Pool> pool_;

  bool started_ = false, closed_ = false, outside_ = false;
  Ps window_ = 0;  // of the cluster
  Ps stride_ = 0;  // of a window here: the same, or what the cables of this rank allow
  std::chrono::microseconds awake_{0};  // before a thread that waits for a neighbour sleeps
  double wall_ns_per_ps_ = 0;           // of the last windows of a rank
  std::atomic<Ps> now_{0};
  Ps ahead_ = 0;      // up to when switches and endpoints have worked
  Ps delivered_ = 0;  // arrival of the last frame that left early
  std::string failure_;

  std::mutex mutex_;  // calls_, driving_, driver_is_call_, driver_
  std::condition_variable changed_;
  std::vector<Call*> calls_;
  std::atomic<bool> have_calls_{false};
  bool driving_ = false;
  bool driver_is_call_ = false;
  std::thread::id driver_;
  std::atomic<bool> stop_{false};

  MessageLog messages_;

  Clock::time_point next_tick_{}, next_tend_{}, next_flush_{}, next_check_{};
  Clock::time_point drive_began_{};
  Clock::duration busy_{}, idle_{};
  std::uint64_t windows_ = 0, sleeps_ = 0, runs_ahead_ = 0, frames_early_ = 0;
};

}  // namespace kumihimo
