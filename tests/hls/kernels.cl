// SPDX-License-Identifier: Apache-2.0
//
// Kernels of the tests, one for each thing that a kernel may do.
typedef struct { int key; short weight; uchar tag; } record_t;

// ---- loops and arrays
channel int HIST_IN;
channel int HIST_OUT;
__kernel void hist(int n) {
  int bin[64];
  for (int i = 0; i < 64; i++) bin[i] = 0;
  for (int i = 0; i < n; i++) {
    int x = read_channel_intel(HIST_IN);
    bin[x & 63] += x;
    if (x == -1) break;
  }
  for (int i = 0; i < 64; i++) write_channel_intel(HIST_OUT, bin[i]);
}

channel int ROW_OUT;
__kernel void rows(int n, int m) {
  for (int i = 0; i < n; i++) {
    int sum = i;
    for (int j = 0; j < m; j++) {
      if (j == 5 && i == 2) continue;
      sum += i * j;
    }
    write_channel_intel(ROW_OUT, sum);
  }
}

channel uint COLLATZ_IN;
channel uint COLLATZ_OUT;
__kernel void collatz(int n) {
  for (int i = 0; i < n; i++) {
    uint x = read_channel_intel(COLLATZ_IN), steps = 0;
    while (x > 1) {
      x = x & 1 ? 3 * x + 1 : x / 2;
      steps++;
      if (steps == 200) break;
    }
    write_channel_intel(COLLATZ_OUT, steps);
  }
}

// A delay line: a distance of 8 iterations between the write and the read of a word.
channel short DELAY_IN;
channel short DELAY_OUT;
__kernel void delay(int n) {
  short line[16];
  for (int i = 0; i < 16; i++) line[i] = (short)i;
  for (int i = 0; i < n; i++) {
    write_channel_intel(DELAY_OUT, line[(i + 8) & 15]);
    line[i & 15] = read_channel_intel(DELAY_IN);
  }
}

__constant int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
channel int TABLE_OUT;
__kernel void table(int n) {
  int weights[4] = {10, -20, 30, -40};
  for (int i = 0; i < n; i++)
    write_channel_intel(TABLE_OUT, primes[i & 7] * weights[(i >> 3) & 3]);
}

// ---- types
channel record_t RECORD_IN;
channel record_t RECORD_OUT;
__kernel void records(int n) {
  for (int i = 0; i < n; i++) {
    record_t r = read_channel_intel(RECORD_IN);
    record_t s;
    s.key = r.key * r.weight;
    s.weight = (short)(r.weight - r.tag);
    s.tag = (uchar)(r.tag >> 1);
    write_channel_intel(RECORD_OUT, s);
  }
}

channel int8 VECTOR_IN;
channel int8 VECTOR_OUT;
channel short4 HALF_OUT;
__kernel void vectors(int n, int4 shift) {
  for (int i = 0; i < n; i++) {
    int8 v = read_channel_intel(VECTOR_IN);
    int8 w = (v > (int8)(i)) ? v.s76543210 : v * 3;
    w.s0 = v.s1 + shift.y;
    w.lo = min(w.lo, shift) >> 2;
    write_channel_intel(VECTOR_OUT, w);
    write_channel_intel(HALF_OUT, (short4)(w.s1, w.s3, (short)v[i & 7], 1));
  }
}

channel long WIDE_IN;
channel long WIDE_OUT;
__kernel void wide(int n) {
  for (int i = 0; i < n; i++) {
    long x = read_channel_intel(WIDE_IN);
    char c = (char)x;
    ushort u = (ushort)(x >> 16);
    long y = x * (x >> 7) + c / 3 - u % 7 + (long)abs(c) + popcount((uint)x);
    y ^= (ulong)x / (ulong)((x & 1023) | 1);
    y -= x % (((int)x & 63) | 1);
    y += add_sat((int)x, (int)(x >> 32)) + sub_sat((uchar)x, u > 99 ? (uchar)u : (uchar)1);
    write_channel_intel(WIDE_OUT, max(y, (long)-1000000000000));
  }
}

// ---- memory
__kernel void inplace(__global int *a, int n) {
  for (int i = 0; i < n; i++) a[i] = a[i] * 3 + 1;
}

__kernel void prefix(__global uint *a, int n) {
  for (int i = 1; i < n; i++) a[i] += a[i - 1];
}

__kernel void gather(__global const int *restrict index, __global const short *restrict from,
                     __global short *restrict to, int n) {
  for (int i = 0; i < n; i++) to[i] = from[index[i]] + 1;
}

// II 2 behind loads in flight: what waited for memory must not leave in one go.
channel int PAIRS_OUT;
__kernel void pairs(__global const int *restrict a, int n) {
  for (int i = 0; i < n; i++) {
    write_channel_intel(PAIRS_OUT, a[i]);
    if (a[i] & 1) write_channel_intel(PAIRS_OUT, i);
  }
}

__kernel void list(__global const int *restrict next, __global int *restrict out, int n) {
  int at = 0;
  for (int i = 0; i < n; i++) {
    at = next[at];
    out[i] = at;
  }
}

__kernel void bytes(__global const uchar *restrict a, __global uchar *restrict b, int n) {
  for (int i = 0; i < n; i++)
    if (a[i] & 1) b[n - 1 - i] = a[i] ^ 0x55;
}

__kernel void twice(__global int *restrict a, __global int *restrict b, int n) {
  for (int i = 0; i < n; i++) a[i] = i + n;
  for (int i = 0; i < n; i++) b[i] = a[n - 1 - i] * 2;
}

// ---- channels between kernels
channel int TO_POOL;
channel int FROM_POOL __attribute__((depth(4)));
channel int ANSWER_OUT;
__kernel void asker(int n) {
  int x = 1;
  for (int i = 0; i < n; i++) {
    write_channel_intel(TO_POOL, x);
    x = read_channel_intel(FROM_POOL);
    write_channel_intel(ANSWER_OUT, x);
  }
}
__attribute__((max_global_work_dim(0))) __attribute__((autorun)) __kernel void pool(void) {
  int count = 0;
  while (1) write_channel_intel(FROM_POOL, read_channel_intel(TO_POOL) * 5 + count++);
}

channel int FAN[4];
channel int SPREAD_IN;
channel int JOIN_OUT;
__kernel void spread(int n) {
  for (int i = 0; i < n; i++) {
    int x = read_channel_altera(SPREAD_IN);
#pragma unroll
    for (int k = 0; k < 4; k++) write_channel_altera(FAN[k], x + k);
  }
}
__kernel void join(int n) {
  for (int i = 0; i < n; i++) {
    int sum = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) sum = sum * 3 + read_channel_altera(FAN[k]);
    write_channel_altera(JOIN_OUT, sum);
  }
}

// Compute units: a chain of four, each with its own channels.
channel int CHAIN[5];
__attribute__((max_global_work_dim(0))) __attribute__((autorun))
__attribute__((num_compute_units(4))) __kernel void link(void) {
  while (1) {
    int x = read_channel_intel(CHAIN[get_compute_id(0)]);
    write_channel_intel(CHAIN[get_compute_id(0) + 1], x * 3 + (int)get_compute_id(0));
  }
}

// The same channel several times in an iteration, and in both ways of a condition.
channel int SAME_IN;
channel int SAME_OUT;
__kernel void same(int n) {
  for (int i = 0; i < n; i++) {
    int a = read_channel_intel(SAME_IN), b = read_channel_intel(SAME_IN);
    if (a > b)
      write_channel_intel(SAME_OUT, a - b);
    else
      write_channel_intel(SAME_OUT, b);
    if (a & 1) write_channel_intel(SAME_OUT, a * b);
  }
}

// Non-blocking: what is offered is either taken or offered again.
channel int TRY_MID __attribute__((depth(2)));
channel int TRY_OUT;
__kernel void offer(int n) {
  int left = n, missed = 0;
  while (left > 0) {
    if (write_channel_nb_intel(TRY_MID, left))
      left--;
    else
      missed++;
  }
}
__kernel void poll(int n) {
  int got = 0;
  while (got < n) {
    bool good;
    int x = read_channel_nb_intel(TRY_MID, &good);
    if (good) {
      got++;
      write_channel_intel(TRY_OUT, x);
    }
  }
}

// The word in memory must be there before the channel says so.
channel int READY __attribute__((depth(8)));
channel int FENCE_OUT;
__kernel void producer(__global volatile int *a, int n) {
  for (int i = 0; i < n; i++) {
    a[i] = i * 7;
    mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_CHANNEL_MEM_FENCE);
    write_channel_intel(READY, i);
  }
}
__kernel void consumer(__global volatile int *a, int n) {
  for (int i = 0; i < n; i++) {
    int at = read_channel_intel(READY);
    mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_CHANNEL_MEM_FENCE);
    write_channel_intel(FENCE_OUT, a[at]);
  }
}

// ---- pointers into an array: behind the loop that made them, one of two, walking
channel int BEHIND_IN;
channel int BEHIND_OUT;
__kernel void behind(int n) {
  int t[4], sum = 0, at = 0;
  for (int i = 0; i < 4; i++) t[i] = n * i + 7;
  for (int i = 0; i < 3; i++) {
    at = read_channel_intel(BEHIND_IN) & 3;
    for (int j = 0; j < 2; j++) {
      int x = read_channel_intel(BEHIND_IN);
      sum += x & 1 ? t[at] : x;
    }
  }
  if (sum & 1) write_channel_intel(BEHIND_OUT, t[at]);
  write_channel_intel(BEHIND_OUT, sum);
}

channel int CHOSEN_OUT;
__kernel void chosen(int n) {
  int t[8];
  for (int i = 0; i < 8; i++) t[i] = n * i;
  __private int *p = t;
  for (int i = 0; i < n; i++) {
    uint x = i * 0x9E3779B1u >> 7;
    p = x & 64 ? &t[x & 7] : &t[i & 3];
    *p += x;
    if (x & 8) *p ^= i;
  }
  for (__private int *q = p; q != t + 7 && *q != 5; q++) t[1] += *q;
  *p += 3;
  for (__private int *q = t; q < t + 8; q++) write_channel_intel(CHOSEN_OUT, *q);
}
