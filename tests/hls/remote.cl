// SPDX-License-Identifier: Apache-2.0
//
// Channels to kernels of another node: wide words of memory, narrow ones, and their sum back.
channel int8 WIDE_OUT __attribute__((io("remote_wide_out")));
channel int8 WIDE_IN __attribute__((io("remote_wide_in")));
channel int NARROW_OUT __attribute__((io("remote_narrow_out")));
channel int NARROW_IN __attribute__((io("remote_narrow_in")));

__kernel void source(__global const int8 *restrict from, int n) {
  for (int i = 0; i < n; i++) write_channel_intel(WIDE_OUT, from[i]);
}

__kernel void sink(__global int8 *restrict to, int n) {
  for (int i = 0; i < n; i++) to[i] = read_channel_intel(WIDE_IN);
}

// All of one channel before any of the other: neither may wait for the other's reader.
__kernel void numbers(int n, int first) {
  for (int i = 0; i < n; i++) write_channel_intel(NARROW_OUT, first + i);
}

__kernel void total(__global int *restrict to, int n, int pause) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    int x = read_channel_intel(NARROW_IN);
    for (int j = 0; j < pause; j++) x = x << 1 | (x >> 31 & 1);
    sum += x;
  }
  to[0] = sum;
}
