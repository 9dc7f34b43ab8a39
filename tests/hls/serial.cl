// SPDX-License-Identifier: Apache-2.0
//
// Kernels on serial links: words of memory go over a link of two lanes, and come back to another.
channel ulong2 OUT __attribute__((io("link0_send")));
channel ulong2 IN __attribute__((io("link0_receive")));
channel ulong NARROW __attribute__((io("link1_send")));
channel ulong BACK __attribute__((io("link1_receive")));

__kernel void source(__global const ulong2 *restrict from, int n) {
  for (int i = 0; i < n; i++) write_channel_intel(OUT, from[i]);
}

__kernel void sink(__global ulong2 *restrict to, int n) {
  for (int i = 0; i < n; i++) to[i] = read_channel_intel(IN);
}

// Reads a word now and then.
__kernel void slow(__global ulong *restrict to, int n, int pause) {
  for (int i = 0; i < n; i++) {
    ulong word = read_channel_intel(BACK);
    for (int j = 0; j < pause; j++) word = word << 1 | word >> 63;
    to[i] = word;
  }
}

__kernel void count(int n) {
  for (int i = 0; i < n; i++) write_channel_intel(NARROW, (ulong)i * 0x9e3779b97f4a7c15ul);
}
