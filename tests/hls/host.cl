// SPDX-License-Identifier: Apache-2.0
//
// Kernels with arguments of every kind, for the tests of the interfaces in Python.
__kernel void scale(__global const float *restrict from, __global float *restrict to, float factor,
                    int n) {
  for (int i = 0; i < n; i++) to[i] = from[i] * factor;
}

__kernel void mix(__global int *restrict to, char small, ushort wide, long large, int4 four,
                  float2 two) {
  to[0] = small;
  to[1] = wide;
  to[2] = (int)large;
  to[3] = (int)(large >> 32);
  to[4] = four.x;
  to[5] = four.w;
  to[6] = as_int(two.y);
}

__kernel void square(__global const int *restrict from, __global int *restrict to) {
  int i = get_global_id(0);
  to[i] = from[i] * from[i];
}

channel int TOKEN;
__kernel void stuck(void) { write_channel_intel(TOKEN, 1); }
__kernel void take(__global int *restrict to, int n) {
  for (int i = 0; i < n; i++) to[i] = read_channel_intel(TOKEN);
}
