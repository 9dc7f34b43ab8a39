// SPDX-License-Identifier: Apache-2.0
//
// Kernels that exist as hand-written RTL as well (hand/): the data paths of echo, sum, message
// generator, message checker and all-reduce in hw/kernel, without their registers and headers.
channel ulong ECHO_IN;
channel ulong ECHO_OUT;
__kernel void echo(int n) {
  for (int i = 0; i < n; i++) write_channel_intel(ECHO_OUT, read_channel_intel(ECHO_IN));
}

channel int4 ADD_A;
channel int4 ADD_B;
channel int4 ADD_OUT;
__kernel void add(int n) {
  for (int i = 0; i < n; i++)
    write_channel_intel(ADD_OUT, read_channel_intel(ADD_A) + read_channel_intel(ADD_B));
}

// A Galois register, x^32 + x^22 + x^2 + x + 1, beside a count.
uint following(uint x) { return x >> 1 ^ (x & 1 ? 0x80200003u : 0); }

channel ulong GEN_OUT;
__kernel void gen(int n, uint seed) {
  uint x = seed;
  for (int i = 0; i < n; i++) {
    write_channel_intel(GEN_OUT, (ulong)x << 32 | (uint)i);
    x = following(x);
  }
}

channel ulong CHECK_IN;
channel uint CHECK_OUT;
__kernel void check(int n, uint seed) {
  uint x = seed, wrong = 0;
  for (int i = 0; i < n; i++) {
    ulong word = read_channel_intel(CHECK_IN);
    if (word != ((ulong)x << 32 | (uint)i)) wrong++;
    x = following(x);
  }
  write_channel_intel(CHECK_OUT, wrong);
}

// A block of an all-reduce: from the node before, from here, or their sum; on, and to memory here.
channel int8 PREV;
channel int8 LOCAL;
channel int8 NEXT;
channel int8 KEPT;
__kernel void combine(int n, uchar from_prev, uchar from_local, uchar keep) {
  for (int i = 0; i < n; i++) {
    int8 a = (int8)(0), b = (int8)(0);
    if (from_prev) a = read_channel_intel(PREV);
    if (from_local) b = read_channel_intel(LOCAL);
    int8 sum = a + b;
    write_channel_intel(NEXT, sum);
    if (keep) write_channel_intel(KEPT, sum);
  }
}
