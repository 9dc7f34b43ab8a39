// SPDX-License-Identifier: Apache-2.0
//
// Exercises the engine for the sanitizers: threads, calls from outside, peers, captures, lanes,
// memories, recordings and their replays. Arguments: the fake node library, that with lanes, a
// scratch folder. Exit code 0 when every digest is equal.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <iterator>
#include <thread>

#include "engine/engine.hpp"

using kumihimo::Bytes;
using kumihimo::CableOptions;
using kumihimo::Engine;
using kumihimo::NodeOptions;
using kumihimo::SwitchOptions;

namespace {

constexpr int kNodes = 6;

Bytes frame(std::uint8_t to, std::uint8_t from, std::size_t size) {
  Bytes f(size, 0x5a);
  for (int i = 0; i < 12; ++i) f[static_cast<std::size_t>(i)] = i % 6 == 0 ? 2 : 0;
  f[5] = to;
  f[11] = from;
  return f;
}

struct Cluster {
  explicit Cluster(unsigned threads) : engine(threads, 42) {}
  Engine engine;
  std::uint32_t script = 0;
  std::uint32_t node[kNodes] = {};
};

std::unique_ptr<Cluster> build(const std::string& lib, const std::string& dir, unsigned threads,
                               const std::string& socket, const std::string& name) {
  auto c = std::make_unique<Cluster>(threads);
  SwitchOptions so;
  so.cut_through = true;
  so.pause = true;
  const auto sw = c->engine.add_switch("sw", so);
  CableOptions bad;
  bad.ab = {0.01, 1e-6, 0.01, 0.02, 3, 100'000, false};
  bad.ba = bad.ab;
  for (int i = 0; i < kNodes; ++i) {
    c->node[i] = c->engine.add_node("n" + std::to_string(i), lib,
                                    {{"clk", 6400}, {"aux_clk", 8000}}, {}, NodeOptions{});
    c->engine.connect({c->node[i], "eth0"}, {sw, ""}, bad);
    const std::uint32_t to = static_cast<std::uint32_t>((i + 1) % kNodes);
    c->engine.set_pin(c->node[i], "work", {100});
    const std::uint32_t registers[][2] = {
        {0x14, 64u + 200u * i}, {0x18, 200},    {0x1c, to},  {0x20, 0x0200},
        {0x24, 1u * i},         {0x28, 0x0200}, {0x10, 2000}};
    for (const auto& r : registers) {
      c->engine.axil_write(c->node[i], r[0], r[1], "", 15, true);
    }
  }
  c->script = c->engine.add_script("x", true);
  c->engine.connect({c->script, ""}, {sw, ""}, CableOptions{});
  const auto peer = c->engine.add_peer("vm", socket, true, false);
  c->engine.connect({peer, ""}, {sw, ""}, CableOptions{});
  c->engine.capture(dir + "/" + name + ".pcapng", {}, "stress");
  return c;
}

void client(const std::string& path, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    const int s = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un a{};
    a.sun_family = AF_UNIX;
    std::memcpy(a.sun_path, path.data(), path.size());
    if (connect(s, reinterpret_cast<const sockaddr*>(&a), sizeof a) == 0) {
      const Bytes f = frame(static_cast<std::uint8_t>(i % kNodes), 77, 300);
      const std::uint8_t head[4] = {0, 0, 1, 44};
      for (int k = 0; k < 10; ++k) {
        if (send(s, head, 4, MSG_NOSIGNAL) != 4) break;
        // Every other connection is closed within its last frame.
        const std::size_t n = k == 9 && (i & 1) ? 100 : f.size();
        if (send(s, f.data(), n, MSG_NOSIGNAL) < 0) break;
      }
    }
    close(s);
    usleep(2000);
  }
}

bool digests_equal(const std::string& lib, const std::string& dir) {
  std::string first;
  for (const unsigned threads : {1u, 2u, 5u}) {
    auto c = build(lib, dir, threads, "", "d");
    c->engine.start();
    c->engine.run(1'000'000'000, nullptr);
    const std::string digest = c->engine.digest();
    std::printf("%u threads: %s\n", threads, digest.c_str());
    if (first.empty()) first = digest;
    if (digest != first) return false;
  }
  return true;
}

bool serve_and_replay(const std::string& lib, const std::string& dir) {
  const std::string socket = dir + "/s", recording = dir + "/r.kumirec";
  {
    auto c = build(lib, dir, 3, socket, "live");
    c->engine.record(recording, "{}");
    c->engine.start();
    std::thread server([&] { c->engine.serve({}, nullptr); });
    std::thread peer(client, socket, 10);
    std::thread caller([&] {
      for (int i = 0; i < 100; ++i) {
        c->engine.axil_read(c->node[i % kNodes], 0, "");
        c->engine.send(c->script, frame(1, 99, 100), 0);
        c->engine.received(c->script);
        c->engine.stats();
        c->engine.messages(0);
        if (i == 50) c->engine.set_pin(c->node[0], "work", {10});
      }
    });
    peer.join();
    caller.join();
    c->engine.stop();
    server.join();
    c->engine.close();
  }
  auto c = build(lib, dir, 2, "", "replay");
  const auto result = c->engine.replay(recording, nullptr);
  std::printf("replay: %s, %lu events\n", result.equal ? "equal" : "differs",
              static_cast<unsigned long>(result.events));
  return result.equal && result.complete && result.events > 100;
}

// ---- lanes and memories -----------------------------------------------------------------------

std::unique_ptr<Cluster> build_lanes(const std::string& lib, unsigned threads) {
  auto c = std::make_unique<Cluster>(threads);
  for (int i = 0; i < kNodes; ++i) {
    c->node[i] = c->engine.add_node("n" + std::to_string(i), lib, {{"clk", 6400}}, {}, {});
  }
  for (int i = 0; i < kNodes; ++i) {
    kumihimo::LaneCableOptions o;
    o.latency_ps = 100'000 + 3'000 * static_cast<unsigned>(i);
    o.skew_ps = 7'000u * static_cast<unsigned>(i);
    o.ber_ab = i % 2 ? 1e-4 : 0;
    o.noise = i % 3 == 0;
    if (i == 2) o.unplugged = {{20'000'000, 25'000'000}, {40'000'000, 40'000'001}};
    // The last one is a lane's cable back to itself; the first node's other lane has none.
    const int to = i + 1 < kNodes ? i + 1 : i;
    c->engine.connect_lane({c->node[i], "l0_1"}, {c->node[to], to == i ? "l0_1" : "l0_0"}, o);
  }
  c->engine.mem_write(c->node[0], 4090, Bytes(100, 7), "");
  c->engine.mem_fault(c->node[0], 0, 10, true, "");
  return c;
}

bool lanes(const std::string& lib, const std::string& dir) {
  std::string first;
  for (const unsigned threads : {1u, 2u, 5u}) {
    auto c = build_lanes(lib, threads);
    c->engine.start();
    c->engine.run(threads == 2 ? 33'333 : 60'000'000, nullptr);
    if (threads == 2) c->engine.run(60'000'000 - 33'333, nullptr);
    const std::string digest = c->engine.digest();
    std::printf("lanes, %u threads: %s\n", threads, digest.c_str());
    if (first.empty()) first = digest;
    if (digest != first) return false;
  }
  const std::string recording = dir + "/lanes.kumirec";
  {
    auto c = build_lanes(lib, 3);
    c->engine.record(recording, "{}");
    c->engine.start();
    std::thread runner([&] { c->engine.run(kumihimo::Ps{300'000'000}, nullptr); });
    std::thread caller([&] {
      for (unsigned i = 0; i < 60; ++i) {
        c->engine.plug(i % kNodes, i % 5 < 3, i % 2 ? c->engine.now_ps() + 1'000'000 : 0);
        c->engine.mem_write(c->node[i % kNodes], 777 * i, Bytes(5000, 9), "host");
        c->engine.mem_fault(c->node[i % kNodes], 100 * i, 50, i % 2 == 0, "");
        c->engine.mem_read(c->node[i % kNodes], 0, 70'000, "");
        c->engine.stats();
        c->engine.digest();
      }
    });
    runner.join();
    caller.join();
    c->engine.close();
  }
  auto c = build_lanes(lib, 2);
  // Input before start is in the recording.
  const auto result = c->engine.replay(recording, nullptr);
  std::printf("lanes, replay: %s, %lu events\n", result.equal ? "equal" : "differs",
              static_cast<unsigned long>(result.events));
  return result.equal && result.complete && result.events == 180;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: engine_stress LIBRARY LANE_LIBRARY FOLDER\n");
    return 2;
  }
  const bool ok = digests_equal(argv[1], argv[3]) && serve_and_replay(argv[1], argv[3]) &&
                  lanes(argv[2], argv[3]);
  std::puts(ok ? "ok" : "FAILED");
  return ok ? 0 : 1;
}
