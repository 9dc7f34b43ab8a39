// SPDX-License-Identifier: Apache-2.0
// Kernels in the shapes of published FPGA designs: pipelines over channels, shift registers,
// replicated autorun kernels, sorting networks, scans, checksums, filters.
#pragma OPENCL EXTENSION cl_intel_channels : enable

#define TAPS 16
#define A __global const int* restrict a
#define B __global int* restrict b

// FIR filter: coefficients from memory, shift register, tree of sums
__kernel void fir_filter(A, B, int n) {
  int taps[TAPS], line[TAPS];
  for (int i = 0; i < TAPS; i++) taps[i] = a[i] >> 16;
#pragma unroll
  for (int i = 0; i < TAPS; i++) line[i] = 0;
  for (int k = 0; k < n; k++) {
#pragma unroll
    for (int i = TAPS - 1; i > 0; i--) line[i] = line[i - 1];
    line[0] = a[k];
    long sum = 0;
#pragma unroll
    for (int i = 0; i < TAPS; i++) sum += (long)line[i] * taps[i];
    b[k] = (int)(sum >> 4);
  }
}

// histogram with private copies, merged at the end
__kernel void histogram_lanes(A, B, int n) {
  __local uint bins[4][32];
  for (int l = 0; l < 4; l++)
    for (int i = 0; i < 32; i++) bins[l][i] = 0;
  for (int i = 0; i < n; i += 4) {
#pragma unroll
    for (int l = 0; l < 4; l++)
      if (i + l < n) bins[l][(a[i + l] >> 3) & 31] += 1 + l;
  }
  for (int i = 0; i < 32; i++) b[i] = bins[0][i] + bins[1][i] + bins[2][i] + bins[3][i];
}

// bitonic network over 8 registers, fully unrolled
__kernel void bitonic8(A, B, int n) {
  for (int base = 0; base + 8 <= n; base += 8) {
    int v[8];
#pragma unroll
    for (int i = 0; i < 8; i++) v[i] = a[base + i];
#pragma unroll
    for (int k = 2; k <= 8; k <<= 1) {
#pragma unroll
      for (int j = k >> 1; j > 0; j >>= 1) {
#pragma unroll
        for (int i = 0; i < 8; i++) {
          int l = i ^ j;
          if (l > i) {
            bool up = (i & k) == 0;
            if ((v[i] > v[l]) == up) {
              int t = v[i];
              v[i] = v[l];
              v[l] = t;
            }
          }
        }
      }
    }
#pragma unroll
    for (int i = 0; i < 8; i++) b[base + i] = v[i];
  }
}

// exclusive prefix sum in local memory, up and down (Blelloch)
__kernel void prefix_sum(A, B, int n) {
  __local int t[64];
  for (int i = 0; i < 64; i++) t[i] = i < n ? a[i] : 0;
  for (int d = 1; d < 64; d <<= 1)
    for (int i = 2 * d - 1; i < 64; i += 2 * d) t[i] += t[i - d];
  t[63] = 0;
  for (int d = 32; d > 0; d >>= 1)
    for (int i = 2 * d - 1; i < 64; i += 2 * d) {
      int s = t[i - d];
      t[i - d] = t[i];
      t[i] += s;
    }
  for (int i = 0; i < n; i++) b[i] = t[i];
}

// CRC-16/CCITT and Adler-32 of the same bytes, bit by bit and byte by byte
ushort crc16_step(ushort crc, uchar byte) {
  crc ^= (ushort)(byte << 8);
#pragma unroll
  for (int i = 0; i < 8; i++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  return crc;
}
__kernel void checksums(__global const uchar* restrict a, B, int n) {
  ushort crc = 0xffff;
  uint s1 = 1, s2 = 0;
  for (int i = 0; i < n; i++) {
    crc = crc16_step(crc, a[i]);
    s1 = (s1 + a[i]) % 65521;
    s2 = (s2 + s1) % 65521;
  }
  b[0] = crc;
  b[1] = (s2 << 16) | s1;
}

// matrix times vector: the vector in local memory, rows in float4, a partial sum a lane
__kernel void matvec_float(__global const float4* restrict a, __global float* restrict b, int n) {
  __local float4 x[4];
  for (int i = 0; i < 4; i++) x[i] = a[i];
  for (int r = 0; r < 8; r++) {
    float4 s = (float4)(0.0f);
    for (int c = 0; c < 4; c++) s += a[(r * 4 + c) & 31] * x[c];
    float sum = s.x + s.y + (s.z + s.w);
    b[r] = isnan(sum) ? 1.0f : sum;  // the sign of a NaN is not defined
  }
}

// sliding window over an image of 8 columns: two line buffers and a 3x3 window, median by sorting
int middle_of(int p, int q, int r) { return max(min(p, q), min(max(p, q), r)); }
__kernel void median_window(A, B, int n) {
  int rows[2 * 8 + 3];
#pragma unroll
  for (int i = 0; i < 19; i++) rows[i] = 0;
  for (int k = 0; k < n; k++) {
#pragma unroll
    for (int i = 18; i > 0; --i) rows[i] = rows[i - 1];
    rows[0] = a[k];
    int lo = min(min(rows[0], rows[1]), rows[2]);
    int hi = max(max(rows[16], rows[17]), rows[18]);
    int mid = middle_of(rows[8], rows[9], rows[10]);
    if (k >= 18 && (k & 7) >= 2) b[k] = middle_of(lo, mid, hi);
  }
}

// packets of structs through a chain of replicated autorun kernels
typedef struct {
  int value;
  short hops;
  uchar tag;
  bool last;
} packet;
channel packet CHAIN[4] __attribute__((depth(2)));
__attribute__((max_global_work_dim(0))) __attribute__((autorun))
__attribute__((num_compute_units(3))) __kernel void
stage_of_chain() {
  int id = get_compute_id(0);
  while (1) {
    packet p = read_channel_intel(CHAIN[id]);
    if ((p.tag & 3) != id) p.value += (id + 1) * p.hops;
    p.hops++;
    write_channel_intel(CHAIN[id + 1], p);
  }
}
__kernel void chain_in(A, int n) {
  for (int i = 0; i < n; i++) {
    packet p;
    p.value = a[i];
    p.hops = (short)(a[i] >> 8);
    p.tag = (uchar)i;
    p.last = i == n - 1;
    write_channel_intel(CHAIN[0], p);
  }
}
__kernel void chain_out(B, int n) {
  if (n <= 0) return;
  int i = 0;
  while (true) {
    packet p = read_channel_intel(CHAIN[3]);
    b[i++] = p.value ^ p.hops ^ (p.tag << 4);
    if (p.last) break;
  }
}

// while loop with several ways out, and state that lives behind it
__kernel void scan_tokens(__global const char* restrict a, B, int n) {
  int at = 0, words = 0, numbers = 0, depth = 0, error = 0;
  while (at < n) {
    char c = a[at] & 63;
    if (c == 40) {
      depth++;
    } else if (c == 41) {
      if (--depth < 0) {
        error = at;
        break;
      }
    } else if (c >= 48 && c <= 57) {
      long value = 0;
      while (at < n && (c = a[at] & 63) >= 48 && c <= 57) {
        value = value * 10 + (c - 48);
        if (value > 1000000) goto out;
        at++;
      }
      numbers += (int)value;
      continue;
    } else if (c == 0) {
      at += 2;
      continue;
    } else {
      words++;
    }
    at++;
  }
out:
  b[0] = at;
  b[1] = words;
  b[2] = numbers;
  b[3] = depth;
  b[4] = error;
}

// 64 and 128 bits: multiply with carry, division and modulo with sign
__kernel void long_arithmetic(__global const long* restrict a, __global long* restrict b, int n) {
  ulong state = 0x9e3779b97f4a7c15UL;
  for (int i = 0; i < n / 2; i++) {
    long x = a[i], y = a[i + 1] | 1;
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    ulong mixed = state * 0x2545f4914f6cdd1dUL + (ulong)x;
    long q = x / y, r = x % y;
    short sq = (short)((short)x / (short)((short)y | 1)), sr = (short)((char)x % ((char)y | 1));
    b[i] = (long)(mixed ^ mul_hi((ulong)x, mixed)) + q * 3 - r + sq - sr + (x >> (y & 63));
  }
}

// division and conversion of floats, with what integers cannot hold
__kernel void float_divide(__global const float* restrict a, __global float* restrict b, int n) {
  for (int i = 0; i < n - 1; i++) {
    float q = a[i] / a[i + 1];
    int whole = fabs(q) < 1e9f ? (int)q : 7;
    uint bits = as_uint(q) >> 23 & 0xff;
    float back = (float)whole + (float)(uchar)bits;
    float t = isnan(q) ? 1.0f : q;
    b[i] = back * 0.5f + (t > 1.0f ? 1.0f / t : t) + convert_float(convert_char_sat(t));
  }
}

// producer, two workers and a collector; the collector polls
typedef struct {
  uint4 data;
  uint index;
} job;
channel job JOBS[2] __attribute__((depth(4)));
channel uint2 DONE[2] __attribute__((depth(4)));
__kernel void farm(A, int n) {
  for (int i = 0; i < n; i++) {
    job j;
    j.index = i;
    j.data = (uint4)(a[i], i, a[i] ^ i, 3);
    if (i & 1)
      write_channel_intel(JOBS[1], j);
    else
      write_channel_intel(JOBS[0], j);
  }
}
uint work_on(job j) {
  uint h = 2166136261u;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    uint w = k == 0 ? j.data.x : k == 1 ? j.data.y : k == 2 ? j.data.z : j.data.w;
    h = (h ^ w) * 16777619u;
  }
  return h;
}
__kernel void worker0(int n) {
  for (int i = 0; i < (n + 1) / 2; i++) {
    job j = read_channel_intel(JOBS[0]);
    write_channel_intel(DONE[0], (uint2)(j.index, work_on(j)));
  }
}
__kernel void worker1(int n) {
  for (int i = 0; i < n / 2; i++) {
    job j = read_channel_intel(JOBS[1]);
    uint h = 0;
    for (uint t = 0; t < (j.index & 7); t++) h += work_on(j) >> t;
    write_channel_intel(DONE[1], (uint2)(j.index, h));
  }
}
__kernel void collect(B, int n) {
  int got = 0;
  while (got < n) {
    bool ok0, ok1;
    uint2 r0 = read_channel_nb_intel(DONE[0], &ok0);
    if (ok0) {
      b[r0.x] = r0.y;
      got++;
    }
    uint2 r1 = read_channel_nb_intel(DONE[1], &ok1);
    if (ok1) {
      b[r1.x] = r1.y;
      got++;
    }
  }
}

// systolic array: 4 cells that pass on what they read, a product of matrices 4 x n by n x 4
__kernel void systolic(A, B, int n) {
  int acc[4][4], left[4][4], up[4][4];
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) acc[i][j] = left[i][j] = up[i][j] = 0;
  int steps = n / 4;
  for (int t = 0; t < steps + 6; t++) {
#pragma unroll
    for (int i = 3; i >= 0; i--)
#pragma unroll
      for (int j = 3; j >= 0; j--) {
        int x = j ? left[i][j - 1] : (t - i >= 0 && t - i < steps ? a[i * steps + t - i] : 0);
        int y = i ? up[i - 1][j] : (t - j >= 0 && t - j < steps ? a[(t - j) * 4 + j] : 0);
        acc[i][j] += x * y;
        left[i][j] = x;
        up[i][j] = y;
      }
  }
  for (int i = 0; i < 16; i++) b[i] = acc[i >> 2][i & 3];
}

// look-up table in constant memory, run-length coding with a pending run
__constant uchar SBOX[16] = {12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2};
__kernel void run_length(__global const uchar* restrict a, __global uchar* restrict b, int n) {
  int out = 0, run = 0;
  uchar prev = 0;
  for (int i = 0; i <= n; i++) {
    uchar v = i < n ? SBOX[(a[i] >> 6) & 15] : (uchar)255;
    if (i > 0 && (v != prev || run == 15)) {
      b[out++] = (uchar)(prev << 4 | run);
      run = 0;
    }
    prev = v;
    run++;
  }
  if (n < 1) b[0] = 0;
}

// a heap as priority queue in a private array
__kernel void heap_sort(A, B, int n) {
  int heap[64], size = 0;
  for (int i = 0; i < n && i < 64; i++) {
    int at = size++;
    heap[at] = a[i];
    while (at > 0) {
      int up = (at - 1) / 2;
      if (heap[up] <= heap[at]) break;
      int t = heap[up];
      heap[up] = heap[at];
      heap[at] = t;
      at = up;
    }
  }
  for (int i = 0; size > 0; i++) {
    b[i] = heap[0];
    heap[0] = heap[--size];
    int at = 0;
    for (;;) {
      int child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && heap[child + 1] < heap[child]) child++;
      if (heap[at] <= heap[child]) break;
      int t = heap[at];
      heap[at] = heap[child];
      heap[child] = t;
      at = child;
    }
  }
}

// FIFO of pixels with a vector type, colour conversion in fixed point
__kernel void colours(__global const uchar4* restrict a, __global uchar4* restrict b, int n) {
  for (int i = 0; i < n; i++) {
    int4 p = convert_int4(a[i]);
    int y = (77 * p.x + 150 * p.y + 29 * p.z + 128) >> 8;
    int4 c = (int4)(y, (p.z - y) * 144 / 256 + 128, (p.x - y) * 183 / 256 + 128, p.w);
    b[i] = convert_uchar4_sat(c);
    if (any(c.xy > c.zw)) b[i].w = 1;
  }
}

// union of float and int; packed date; bool arrays; char sign
typedef union {
  float f;
  uint u;
  struct {
    ushort lo, hi;
  } h;
} word;
__kernel void unions2(A, B, int n) {
  bool seen[32];
  for (int i = 0; i < 32; i++) seen[i] = false;
  for (int i = 0; i < n; i++) {
    word w;
    w.u = a[i];
    w.h.lo ^= w.h.hi;
    bool old = seen[w.u & 31];
    seen[w.u & 31] = !old || (w.h.hi & 1);
    char c = (char)w.u;
    b[i] = old + (c >> 1) + (uchar)c * 2 + (c < 0 ? -c : c) % 7;
  }
}

// do-while with collatz, long counters, nested functions with pointers out
void split_digits(uint x, int* tens, int* ones) {
  *tens = x / 10;
  *ones = x % 10;
}
int digit_sum(uint x) {
  int s = 0;
  do {
    int t, o;
    split_digits(x, &t, &o);
    s += o;
    x = t;
  } while (x);
  return s;
}
__kernel void collatz(A, B, int n) {
  for (int i = 0; i < n; i++) {
    ulong x = (uint)a[i] & 1023;
    x++;
    int steps = 0;
    do {
      x = x & 1 ? 3 * x + 1 : x >> 1;
      steps++;
    } while (x != 1 && steps < 50);
    b[i] = digit_sum(steps * 37 + (uint)x);
  }
}

// switch in a loop with continue and default in the middle, state in an enum
enum phase { IDLE, HEAD, BODY = 5, TAIL };
__kernel void protocol(A, B, int n) {
  enum phase st = IDLE;
  int len = 0, sum = 0, out = 0;
  for (int i = 0; i < n; i++) {
    int v = a[i] & 15;
    switch (st) {
      case IDLE:
        if (v != 5) continue;
        st = HEAD;
        break;
      default:
        sum = 0;
        st = IDLE;
        break;
      case HEAD:
        len = v;
        st = len ? BODY : TAIL;
        break;
      case BODY:
        sum += v;
        if (--len > 0) break;
      case TAIL:
        b[out++] = sum << 8 | i;
        st = IDLE;
    }
  }
  for (; out < n; out++) b[out] = -1;
}

// 2-D local array, transposed by blocks; row pointers
__kernel void block_transpose(A, B, int n) {
  int t[4][4];
  for (int blk = 0; blk < n / 16; blk++) {
    for (int i = 0; i < 4; i++) {
      int* row = t[i];
      for (int j = 0; j < 4; j++) row[j] = a[blk * 16 + i * 4 + j];
    }
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) b[blk * 16 + i * 4 + j] = t[j][i];
  }
}

// float: polynomial by Horner, clamp, mix, step
__kernel void poly(__global const float* restrict a, __global float* restrict b, int n) {
  const float c[5] = {1.0f, -0.5f, 0.25f, 3.0f, -2.0f};
  for (int i = 0; i < n; i++) {
    float x = clamp(a[i], -4.0f, 4.0f);
    if (isnan(x)) x = 0.0f;
    float r = 0.0f;
#pragma unroll
    for (int k = 4; k >= 0; k--) r = r * x + c[k];
    b[i] = mix(r, x, step(0.5f, x)) + sqrt(fabs(x));
  }
}

// vectors: dot of short8 as int, shuffles, as_type, hi lo
__kernel void vec_ops(__global const short8* restrict a, __global int* restrict b, int n) {
  int8 acc = (int8)(0);
  for (int i = 0; i < n / 4; i++) {
    int8 x = convert_int8(a[i]);
    acc = acc * 3 + x * x.s76543210;
    int4 y = acc.hi - acc.lo;
    y.even += y.odd;
    uint2 z = as_uint2(y.xy);
    b[i] = y.x ^ y.w ^ (int)rotate(z.x, z.y & 31) ^ popcount(z.y);
  }
}

// ring of two kernels with a token and nb writes
channel int PING __attribute__((depth(0)));
channel int PONG __attribute__((depth(1)));
__kernel void ping_side(A, B, int n) {
  int v = 1;
  for (int i = 0; i < n; i++) {
    while (!write_channel_nb_intel(PING, v + a[i]));
    v = read_channel_intel(PONG);
    b[i] = v;
  }
}
__kernel void pong_side(int n) {
  for (int i = 0; i < n; i++) {
    int x;
    bool ok = false;
    while (!ok) x = read_channel_nb_intel(PING, &ok);
    write_channel_intel(PONG, x / 3 + i % 5 - (x >> 31));
  }
}

// early break from nested loops with a flag, modulo by variable, ulong shifts
__kernel void primes(A, B, int n) {
  int found = 0;
  for (uint c = 2 + (uint)(a[0] & 63); found < n && c < 400; c++) {
    bool prime = true;
    for (uint d = 2; d * d <= c; d++)
      if (c % d == 0) {
        prime = false;
        break;
      }
    if (prime) b[found++] = c;
  }
  while (found < n) b[found++] = 0;
}

// products, sums and comparisons that clang knows by their shape
__kernel void mulover(__global const uint* restrict a, B, int n) {
  for (int i = 0; i < n; i++) {
    ulong p = (ulong)a[i] * a[i + 1];
    b[i] = p > 0xffffffffUL ? -1 : (int)p;
  }
}
__kernel void addover(__global const uint* restrict a, B, int n) {
  for (int i = 0; i < n; i++) {
    uint s = a[i] + a[i + 1];
    b[i] = s < a[i] ? -1 : (int)s;
    int x = (int)a[i] >> 3, y = (int)a[i + 1];
    long t = (long)x + y;
    b[i] ^= t > 2147483647L ? 2147483647 : t < -2147483648L ? (int)0x80000000 : (int)t;
  }
}
int compare(int x, int y) { return (x > y) - (x < y); }
__kernel void threeway(A, B, int n) {
  for (int i = 0; i < n; i++)
    b[i] = compare(a[i], a[i + 1]) + ((uint)a[i]<(uint)a[i + 1] ? -1 : (uint)a[i]>(uint) a[i + 1]);
}
__kernel void fminmax(__global const float* restrict a, __global float* restrict b, int n) {
  float lo = 1e30f, hi = -1e30f;
  int at = 0;
  for (int i = 0; i < n; i++) {
    float x = a[i];
    lo = x < lo ? x : lo;
    if (x > hi) {
      hi = x;
      at = i;
    }
  }
  b[0] = lo;
  b[1] = hi;
  b[2] = at;
}