// SPDX-License-Identifier: Apache-2.0
//
// Sums of float: in the order of the program, and where another one is allowed.
channel float ORDER_IN;
channel float ORDER_OUT;
__kernel void in_order(int n) {
  float s = 0;
  for (int i = 0; i < n; i++) s += read_channel_intel(ORDER_IN);
  write_channel_intel(ORDER_OUT, s);
}

#pragma clang fp reassociate(on)
channel float ANY_IN;
channel float ANY_OUT;
__kernel void any_order(int n, float first) {
  float s = first;
  for (int i = 0; i < n; i++) s += read_channel_intel(ANY_IN);
  write_channel_intel(ANY_OUT, s);
}

__kernel void products(__global const float* restrict a, __global const float* restrict x,
                       __global float* restrict y, int rows, int n) {
  for (int r = 0; r < rows; r++) {
    float s = 0;
    for (int i = 0; i < n; i++) s += a[r * n + i] * x[i];
    y[r] = s;
  }
}

__kernel void signs(__global const float* restrict a, __global float* restrict y, int n) {
  float up = 1.5f, down = 0;
  for (int i = 0; i < n; i++) {
    float x = a[i];
    if (x > 0)
      up += x;
    else
      down -= x;
  }
  y[0] = up;
  y[1] = down;
}

// A sum for each element of a vector, some of them under a condition.
__kernel void vectors(__global const float4* restrict a, __global float4* restrict y, int n) {
  float4 s = (float4)(1.5f, 0, -2.0f, 0.25f), t = 0;
  for (int i = 0; i < n; i++) {
    float4 x = a[i];
    s += x;
    if (x.y > 0) t += x.wzyx;
  }
  y[0] = s;
  y[1] = t;
}

// Elements that become each other's keep the order of the program.
__kernel void turning(__global const float2* restrict a, __global float2* restrict y, int n) {
  float2 s = 0;
  for (int i = 0; i < n; i++) s = s.yx + a[i];
  y[0] = s;
}

// What a sum is so far is seen: it keeps the order of the program.
__kernel void prefixes(__global const float* restrict a, __global float* restrict y, int n) {
  float s = 0;
  for (int i = 0; i < n; i++) {
    s += a[i];
    y[i] = s;
  }
}

// A loop that ends in the middle, and one in which the sum decides.
__kernel void until(__global const float* restrict a, __global float* restrict y, int n) {
  float s = 0, t = 0;
  for (int i = 0; i < n; i++) {
    if (a[i] == 7.0f) break;
    s += a[i];
  }
  for (int i = 0; i < n && t < 100.0f; i++) t += a[i];
  y[0] = s;
  y[1] = t;
}
