// SPDX-License-Identifier: Apache-2.0
// Loops in loops: the inner one begins again while its last iterations drain.

#define IN(k) channel int k##_IN; channel int k##_OUT;
#define READ(k) read_channel_intel(k##_IN)
#define WRITE(k, x) write_channel_intel(k##_OUT, x)

IN(SCALE)
__kernel void scale(int n, int m) { // a long pipe that ends in a channel
  for (int y = 0; y < n; y++)
    for (int x = 0; x < m; x++) { int v = READ(SCALE); WRITE(SCALE, v * v * 77 + x * y); }
}

IN(DEEP)
__kernel void deep(int n, int m) { // three loops, all of them only counted
  for (int z = 0; z < n; z++)
    for (int y = 0; y < m; y++)
      for (int x = 0; x < 3; x++) { int v = READ(DEEP); WRITE(DEEP, v * (x + 4 * y) * z); }
}

IN(ENDS)
__kernel void ends(int n, int m) { // what follows the nest comes after all of it
  int a[128];
  for (int y = 0; y < n; y++)
    for (int x = 0; x < m; x++) { int v = READ(ENDS); a[(y * m + x) & 127] = v * v * 3 + x; }
  for (int i = 0; i < n * m && i < 128; i++) WRITE(ENDS, a[i]);
  WRITE(ENDS, 99);
}

IN(SUMS)
__kernel void sums(int n, int m) { // a value of each run of the inner loop is used by the next
  int carry = 1;
  for (int y = 0; y < n; y++) {
    int s = carry;
    for (int x = 0; x < m; x++) { int v = READ(SUMS); s += v * v; WRITE(SUMS, s ^ x); }
    carry = s >> 3;
  }
  WRITE(SUMS, carry);
}

IN(STORED)
__kernel void stored(int n, int m) { // an array that the inner loop reads and writes
  int a[16];
#pragma unroll 1
  for (int i = 0; i < 16; i++) a[i] = i;
  for (int y = 0; y < n; y++)
    for (int x = 0; x < m; x++) {
      int v = READ(STORED);
      a[(x * 3 + y) & 15] = a[x & 15] * v + 1;
      WRITE(STORED, a[(x + 1) & 15] * 5);
    }
}

IN(LATE)
__kernel void late(int n, int m) { // the outer variable is needed late
  for (int y = 0; y < n; y++)
    for (int x = 0; x < m; x++) { int v = READ(LATE); WRITE(LATE, (v * v * 7 + y) * (v + 1) - y); }
}

IN(SPLIT)
__kernel void split(int n, int m) { // two inner loops, of which each round has one
  for (int y = 0; y < n; y++) {
    if (y & 1) {
      for (int x = 0; x < m; x++) { int v = READ(SPLIT); WRITE(SPLIT, v * v * v); }
    } else {
      for (int x = 0; x <= m; x++) WRITE(SPLIT, READ(SPLIT) - y);
    }
  }
}

IN(BREAKS)
__kernel void breaks(int n, int m) { // the inner loop has two ends, the outer one as well
  for (int y = 0; y < n; y++) {
    for (int x = 0; x < m; x++) {
      int v = READ(BREAKS);
      if (v == 7) break;
      if (v == 9) { WRITE(BREAKS, -1); return; }
      WRITE(BREAKS, v * v * 3 + x);
    }
  }
  WRITE(BREAKS, -2);
}

IN(SHARED)
__kernel void shared(int n, int m) { // two writes of a channel, II 2
  for (int y = 0; y < n; y++)
    for (int x = 0; x < m; x++) {
      int v = READ(SHARED);
      WRITE(SHARED, v + y);
      WRITE(SHARED, v * v * 5);
    }
}

__kernel void copy(__global const int *restrict a, __global int *restrict b, int n, int m) {
  for (int y = 0; y < n; y++) // loads in flight: no early end
    for (int x = 0; x < m; x++) b[y * m + x] = a[y * m + x] * a[y * m + x] + y;
}

__kernel void fill(__global int *restrict b, int n, int m) { // stores in flight at the end
  for (int y = 0; y < n; y++)
    for (int x = 0; x < m; x++) b[y * m + x] = x * y * 12345 * (x + 3);
}

IN(TRIANGLE)
__kernel void triangle(int n, int m) { // runs of one iteration
  for (int y = 0; y < n; y++)
    for (int x = y; x <= y + (y & m); x++) { int v = READ(TRIANGLE); WRITE(TRIANGLE, v * x * 9); }
}

IN(TRIED)
__kernel void tried(int n, int m) { // the inner loop takes what is there
  for (int y = 0; y < n; y++)
    for (int x = 0; x < m; x++) {
      int v = READ(TRIED);
      WRITE(TRIED, v * v + x);
      mem_fence(CLK_CHANNEL_MEM_FENCE);
      WRITE(TRIED, x);
    }
}

IN(LOOKS)
__kernel void looks(int n, int m) { // two reads of an array, of which one comes late; a write early
  int a[8];
#pragma unroll 1
  for (int i = 0; i < 8; i++) a[i] = i;
  for (int y = 0; y < n; y++)
    for (int x = 0; x < m; x++) {
      int v = READ(LOOKS), first = a[v & 7];
      a[y & 7] = v;
      WRITE(LOOKS, first + a[(v * v * 77 >> 4) & 7]);
    }
}

__kernel void shift(__global int *a, __global int *restrict b, __global int *restrict c, int n,
                    int m) { // three pointers, of which one is read and written
  for (int y = 0; y < n; y++)
    for (int x = 0; x < m; x++) {
      c[y * m + x] = b[y * m + x];
      a[(y + x) & 15] = a[(y * 3 + x) & 15] * 7 + b[y * m + x] + x;
    }
}
