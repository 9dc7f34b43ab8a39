// SPDX-License-Identifier: Apache-2.0
//
// Kernels in C++ with hls::stream.
#include <hls_stream.h>
#include <stdint.h>

struct sample {
  int16_t left, right;
};

static hls::stream<int> between;

template <int TAPS>
static int weighted(const int (&line)[TAPS]) {
  int sum = 0;
#pragma unroll
  for (int k = 0; k < TAPS; k++) sum += (k + 1) * line[k];
  return sum;
}

extern "C" void mix(hls::stream<sample>& in, hls::stream<int>& out, int gain, int n) {
  int line[4] = {0, 0, 0, 0};
  for (int i = 0; i < n; i++) {
    sample s = in.read();
#pragma unroll
    for (int k = 3; k > 0; k--) line[k] = line[k - 1];
    line[0] = s.left - s.right;
    out << weighted(line) * gain;
  }
}

extern "C" {
// Memory to a stream at file scope, and from it to memory.
void load(const int* __restrict a, int n) {
  for (int i = 0; i < n; i++) between.write(a[i] + i);
}
void store(int* __restrict b, int n) {
  for (int i = 0; i < n; i++) b[n - 1 - i] = between.read();
}
}

extern "C" void poll(hls::stream<uint8_t>& in, hls::stream<uint32_t>& out, int n) {
  uint32_t got = 0, sum = 0;
  while (got < (uint32_t)n) {
    uint8_t x;
    if (in.read_nb(x)) {
      sum = sum * 31 + x;
      got++;
    }
  }
  out.write(sum);
}
