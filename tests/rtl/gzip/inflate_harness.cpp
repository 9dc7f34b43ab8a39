// SPDX-License-Identifier: Apache-2.0
//
// kumi_inflate beside zlib, stream by stream: bytes, verdict and class of error must be equal.
//
// stdin: streams, each a byte of format (gzip_format_e), its length (32 bits, little-endian),
// bytes. Arguments: NAME=VALUE: mutate (streams to make of these by mutation, 0: take them as they
// are),
//   seed, stall_in, stall_out (percent of cycles), hang (cycles without a byte either way).
// stdout: one JSON object. Exit status 1: a difference or a hang, told on stderr; 2: bad input.
#include <zlib.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "Vkumi_t_inflate.h"
#include "verilated.h"

namespace {

using Bytes = std::vector<std::uint8_t>;

enum Format : std::uint8_t { kRaw = 0, kZlib = 1, kGzip = 2 };
constexpr int kErrors = 19;  // gzip_error_e
constexpr int kTruncated = 18;

struct Stream {
  std::uint8_t format;
  Bytes data;
};

struct Result {
  int error = 0;
  Bytes bytes;
};

struct Options {
  std::uint64_t mutate = 0, seed = 1, stall_in = 0, stall_out = 0, hang = 20000;
};

// zlib's message as an error of gzip_error_e.
int error_of(const char* message) {
  static const std::map<std::string_view, int> kKnown = {
      {"incorrect header check", 1},
      {"unknown compression method", 2},
      {"invalid window size", 2},
      {"unknown header flags set", 3},
      {"header crc mismatch", 4},
      {"invalid block type", 5},
      {"invalid stored block lengths", 6},
      {"too many length or distance symbols", 7},
      {"invalid code lengths set", 8},
      {"invalid bit length repeat", 9},
      {"invalid code -- missing end-of-block", 10},
      {"invalid literal/lengths set", 11},
      {"invalid distances set", 12},
      {"invalid literal/length code", 13},
      {"invalid distance code", 14},
      {"invalid distance too far back", 15},
      {"incorrect data check", 16},
      {"incorrect length check", 17},
  };
  const auto found = kKnown.find(message);
  if (found == kKnown.end()) {
    std::fprintf(stderr, "zlib says: %s\n", message);
    std::exit(2);
  }
  return found->second;
}

// What zlib makes of a stream, member by member.
Result reference(const Stream& in) {
  Result out;
  z_stream z{};
  inflateInit2(&z, in.format == kRaw ? -15 : in.format == kZlib ? 15 : 31);
  z.next_in = const_cast<Bytef*>(in.data.data());
  z.avail_in = static_cast<uInt>(in.data.size());
  std::array<std::uint8_t, 65536> piece;
  for (;;) {
    z.next_out = piece.data();
    z.avail_out = piece.size();
    const int code = inflate(&z, Z_NO_FLUSH);
    out.bytes.insert(out.bytes.end(), piece.data(), z.next_out);
    if (code == Z_OK) continue;
    if (code == Z_BUF_ERROR) {
      if (z.avail_out == 0) continue;
      out.error = kTruncated;
      break;
    }
    if (code == Z_NEED_DICT) {
      out.error = 3;
      break;
    }
    if (code != Z_STREAM_END) {
      out.error = error_of(z.msg);
      break;
    }
    if (in.format != kGzip) break;
    while (z.avail_in != 0 && *z.next_in == 0) ++z.next_in, --z.avail_in;
    if (z.avail_in == 0) break;
    inflateReset(&z);
  }
  inflateEnd(&z);
  return out;
}

// zlib accepts a code of code lengths that has no codes, reads lengths of zero with it, and refuses
// what follows; ours refuses the code itself. zlib reads a dictionary's number before it asks for
// it.
bool same_class(int got, int want) {
  return got == want || (got == 8 && (want == 10 || want == kTruncated)) ||
         (got == 3 && want == kTruncated);
}

class Bench {
 public:
  explicit Bench(const Options& options) : options_(options), random_(options.seed) {
    top_->rst = 1;
    for (int i = 0; i < 8; ++i) tick();
    top_->rst = 0;
    for (int i = 0; i < 8; ++i) tick();
  }
  ~Bench() { top_->final(); }

  // The circuit's result; false: it hangs, or breaks a rule of its output stream.
  bool run(const Stream& in, Result& out) {
    out = {};
    std::size_t at = 0;
    bool sent = false, ended = false;
    std::uint64_t quiet = 0;
    top_->format = in.format;
    while (!sent || !ended) {
      if (!top_->s_axis_tvalid && !sent && !stalls(options_.stall_in)) offer(in.data, at);
      top_->m_axis_tready = !stalls(options_.stall_out);
      top_->eval();
      const bool take = top_->s_axis_tvalid && top_->s_axis_tready;
      const bool give = top_->m_axis_tvalid && top_->m_axis_tready;
      if (give) {
        const unsigned keep = top_->m_axis_tkeep;
        std::array<std::uint8_t, kBytes> data;
        std::memcpy(data.data(), &top_->m_axis_tdata, kBytes);
        const bool last = top_->m_axis_tlast;
        if (ended || (keep & (keep + 1)) != 0 || (!last && keep != kFull)) return false;
        for (int b = 0; b < kBytes; ++b) {
          if (keep >> b & 1) out.bytes.push_back(data[b]);
        }
        if (last) {
          ended = true;
          out.error = top_->m_axis_tuser >> 1;
          if ((top_->m_axis_tuser & 1) != (out.error != 0)) return false;
        }
      }
      tick();
      if (take) {
        at += kBytes;
        top_->s_axis_tvalid = 0;
        if (at >= in.data.size()) sent = true;
      }
      quiet = take || give ? 0 : quiet + 1;
      if (quiet > options_.hang) return false;
    }
    return true;
  }

  std::uint64_t cycles() const { return cycles_; }

 private:
  static constexpr int kBytes = sizeof(Vkumi_t_inflate::m_axis_tdata);
  static constexpr unsigned kFull = (1U << kBytes) - 1;

  bool stalls(std::uint64_t percent) { return percent != 0 && random_() % 100 < percent; }

  void offer(const Bytes& data, std::size_t at) {
    std::array<std::uint8_t, kBytes> word{};
    unsigned keep = 0;
    for (int b = 0; b < kBytes && at + b < data.size(); ++b) {
      word[b] = data[at + b];
      keep |= 1U << b;
    }
    std::memcpy(&top_->s_axis_tdata, word.data(), kBytes);
    top_->s_axis_tkeep = keep;
    top_->s_axis_tlast = at + kBytes >= data.size();
    top_->s_axis_tvalid = 1;
  }

  void tick() {
    top_->clk = 1;
    top_->eval();
    top_->clk = 0;
    ++cycles_;
  }

  Options options_;
  std::mt19937_64 random_;
  std::uint64_t cycles_ = 0;
  std::unique_ptr<Vkumi_t_inflate> top_ = std::make_unique<Vkumi_t_inflate>();
};

std::vector<Stream> read_streams() {
  std::vector<Stream> out;
  for (int format; (format = std::getchar()) != EOF;) {
    std::uint32_t size = 0;
    if (std::fread(&size, 1, 4, stdin) != 4) std::exit(2);
    out.push_back({static_cast<std::uint8_t>(format), Bytes(size)});
    if (size != 0 && std::fread(out.back().data.data(), 1, size, stdin) != size) std::exit(2);
  }
  return out;
}

// A stream with a few bits, bytes or stretches changed, mostly near its beginning.
Stream mutated(const std::vector<Stream>& from, std::mt19937_64& random) {
  Stream s = from[random() % from.size()];
  const int times = 1 + static_cast<int>(random() % 4);
  for (int i = 0; i < times && !s.data.empty(); ++i) {
    const std::size_t range =
        random() % 3 == 0 ? s.data.size() : std::min<std::size_t>(s.data.size(), 80);
    const std::size_t at = random() % range;
    switch (random() % 8) {
      case 0:
        s.data[at] = static_cast<std::uint8_t>(random());
        break;
      case 1:
        s.data.resize(at);
        break;
      case 2:
        s.data.erase(s.data.begin() + at);
        break;
      case 3:
        s.data.insert(s.data.begin() + at, static_cast<std::uint8_t>(random()));
        break;
      case 4: {
        const Stream& other = from[random() % from.size()];
        for (std::size_t k = at; k < s.data.size() && k < other.data.size(); ++k) {
          s.data[k] = other.data[k];
        }
        break;
      }
      default:
        s.data[at] ^= static_cast<std::uint8_t>(1U << random() % 8);
    }
  }
  return s;
}

bool parse(int argc, char** argv, Options& options) {
  const std::map<std::string_view, std::uint64_t*> known = {
      {"mutate", &options.mutate},       {"seed", &options.seed}, {"stall_in", &options.stall_in},
      {"stall_out", &options.stall_out}, {"hang", &options.hang},
  };
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const auto equals = word.find('=');
    const auto found = known.find(word.substr(0, equals));
    if (equals == word.npos || found == known.end()) return false;
    *found->second = std::strtoull(argv[i] + equals + 1, nullptr, 10);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) return 2;
  const std::vector<Stream> streams = read_streams();
  if (streams.empty()) return 2;
  std::mt19937_64 random(options.seed * 7919);
  Bench bench(options);
  std::array<std::uint64_t, kErrors> errors{};
  std::uint64_t bytes_in = 0, bytes_out = 0;
  const std::uint64_t count = options.mutate != 0 ? options.mutate : streams.size();
  const std::uint64_t from = bench.cycles();
  for (std::uint64_t i = 0; i < count; ++i) {
    const Stream s = options.mutate != 0 ? mutated(streams, random) : streams[i];
    Result got;
    const bool whole = bench.run(s, got);
    const Result want = reference(s);
    if (!whole || !same_class(got.error, want.error) || got.bytes != want.bytes) {
      std::size_t same = 0;
      while (same < got.bytes.size() && same < want.bytes.size() &&
             got.bytes[same] == want.bytes[same]) {
        ++same;
      }
      std::fprintf(stderr,
                   "stream %llu, format %d, %zu bytes%s: error %d, zlib %d; %zu bytes, "
                   "zlib %zu, the first %zu equal\n",
                   static_cast<unsigned long long>(i), s.format, s.data.size(),
                   whole ? "" : " (hangs)", got.error, want.error, got.bytes.size(),
                   want.bytes.size(), same);
      for (std::size_t k = 0; k < s.data.size() && k < 400; ++k) {
        std::fprintf(stderr, "%02x", s.data[k]);
      }
      std::fprintf(stderr, "\n");
      return 1;
    }
    ++errors[static_cast<std::size_t>(want.error)];
    bytes_in += s.data.size();
    bytes_out += want.bytes.size();
  }
  std::printf(
      "{\"streams\": %llu, \"cycles\": %llu, \"bytes_in\": %llu, \"bytes_out\": %llu, "
      "\"errors\": [",
      static_cast<unsigned long long>(count),
      static_cast<unsigned long long>(bench.cycles() - from),
      static_cast<unsigned long long>(bytes_in), static_cast<unsigned long long>(bytes_out));
  for (int e = 0; e < kErrors; ++e) {
    std::printf("%s%llu", e != 0 ? ", " : "", static_cast<unsigned long long>(errors[e]));
  }
  std::printf("]}\n");
  return 0;
}
