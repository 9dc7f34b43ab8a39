// SPDX-License-Identifier: Apache-2.0
//
// Programs as people write them: a kernel for each habit, all with buffers of 128 elements.
#define A __global const int* restrict a
#define B __global int* restrict b

// nested while with breaks
__kernel void nested_while(A, B, int n) {
  int i = 0, k = 0;
  while (i < n) {
    int x = a[i];
    while (x > 0) {
      if ((x & 7) == 5) break;
      x -= 3;
      k++;
      if (k > 200) break;
    }
    if (k > 300) break;
    b[i] = x + k;
    i++;
  }
  b[40] = k;
}

// early continue
__kernel void early_continue(A, B, int n) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    if (a[i] & 1) continue;
    if (a[i] < 0) {
      s--;
      continue;
    }
    s += a[i];
    b[i] = s;
  }
  b[n] = s;
}

// switch with fall-through and default in the middle
__kernel void fall_through(A, B, int n) {
  for (int i = 0; i < n; i++) {
    int r = 0;
    switch (a[i] & 7) {
      case 0:
        r = 1;
        break;
      case 1:
        r += 2;
      case 2:
        r += 4;
        break;
      default:
        r = -1;
      case 5:
        r ^= 0x55;
        break;
      case 6:
        continue;
    }
    b[i] = r;
  }
}

// short and uchar promotion
__kernel void promotion(__global const uchar* restrict a, __global short* restrict b, int n) {
  uchar c = 250;
  short s = 32000;
  char d = -1;
  for (int i = 0; i < n; i++) {
    c += a[i];
    s += c;
    d = d * 3 + a[i];
    b[i] = (c << 1) + s - (d >> 1) + (uchar)(a[i] + 200) / 3;
  }
}

// vectors and swizzles
__kernel void vectors(__global const int4* restrict a, __global int4* restrict b, int n) {
  int4 acc = (int4)(1, 2, 3, 4);
  for (int i = 0; i < n / 4; i++) {
    int4 v = a[i].wzyx;
    acc.xy += v.zw;
    acc.hi = acc.lo ^ v.even;
    v.s13 = acc.s20;
    b[i] = v * acc + (v > acc);
  }
}

// struct arrays, nested structs
typedef struct {
  short x, y;
  uchar tag[4];
} point;
typedef struct {
  point p[2];
  int w;
} pair;
__kernel void nested_structs(A, B, int n) {
  pair t[8];
  for (int i = 0; i < 8; i++) {
    t[i].p[0].x = i;
    t[i].p[0].y = -i;
    t[i].p[1].x = a[i];
    t[i].p[1].y = a[i] >> 16;
    t[i].w = i * i;
    for (int j = 0; j < 4; j++) t[i].p[i & 1].tag[j] = a[i] >> (8 * j);
    for (int j = 0; j < 4; j++) t[i].p[!(i & 1)].tag[j] = j;
  }
  for (int i = 0; i < n; i++) {
    pair q = t[a[i] & 7];
    q.p[1].tag[i & 3]++;
    t[(a[i] >> 3) & 7] = q;
    b[i] = q.p[0].x + q.p[0].y * 3 + q.p[1].x + q.w + q.p[0].tag[1] + q.p[1].tag[i & 3];
  }
}

// ternaries nested, comma, compound
__kernel void ternaries(A, B, int n) {
  int x = 1, y = 2;
  for (int i = 0; i < n; i++) {
    int v = a[i];
    x = v > 10 ? (v & 1 ? x + 1 : y) : v < -10 ? (y += 2, x - v) : (x ^= v);
    y = (x > y) ? x - y : (x == y) ? 7 : y - x;
    b[i] = x * 3 + y;
  }
}

// pointer arithmetic
__kernel void pointer_walk(A, B, int n) {
  __global const int *p = a, *e = a + n;
  __global int* q = b + n;
  while (p < e) *--q = *p++ + (int)(e - p);
}

// function with pointer to array argument
void fill(int* t, int n, int x) {
  for (int i = 0; i < n; i++) t[i] = x + i * i;
}
int total(const int* t, int n) {
  int s = 0;
  while (n--) s += t[n];
  return s;
}
__kernel void array_arguments(A, B, int n) {
  int t[16], u[16];
  for (int i = 0; i < n; i++) {
    fill(t, 16, a[i]);
    fill(u, i & 15, a[i] >> 1);
    b[i] = total(t, 16) - total(u, i & 15) + total(t + 4, 3);
  }
}

// zero trips
__kernel void no_iterations(A, B, int n, int z) {
  for (int i = 0; i < z; i++) b[i] = a[i];
  int s = 5;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < z; j++) s += j;
    b[i] = s + i;
  }
  do {
    s++;
  } while (z > 0);
  b[n] = s;
}

// negative steps and steps with an unsigned counter down to zero
__kernel void negative_steps(A, B, int n) {
  uint s = 0;
  for (int i = n - 1; i >= 0; i -= 3) s = s * 31 + a[i];
  for (uint i = n; i-- > 0;) b[i] = a[i] - s;
  for (long i = 63; i > -64; i -= 7) s += i;
  b[n] = s;
}

// unsigned wrap
__kernel void unsigned_wrap(A, B, int n) {
  uchar c = 0;
  ushort h = 65530;
  uint u = 0xfffffff0u;
  ulong l = ~0ul;
  for (int i = 0; i < n; i++) {
    c -= 7;
    h += 3;
    u += a[i];
    l += u;
    b[i] = c + h + u + (uint)(l >> 32);
  }
  for (uchar k = 250; k > 10; k++) b[n] = k;
}

// 64-bit division
__kernel void wide_division(__global const long* restrict a, __global long* restrict b, int n) {
  for (int i = 0; i < n / 2; i++) {
    long d = a[i] >> 40;
    d = d ? d : 3;
    ulong u = a[i];
    b[i] = a[i] / d + a[i] % d * 5 + (long)(u / 10) - (long)(u % 1000000007ul);
  }
}

// shifts beyond the width are masked by OpenCL
__kernel void far_shifts(A, B, int n) {
  for (int i = 0; i < n; i++) {
    int k = a[i];
    long l = a[i];
    short s = k;
    b[i] = (k << (k & 63)) + (int)(l << k) + (int)((uint)k >> (i * 9)) + (s >> (i & 15)) +
           (int)(l >> (k + 50));
  }
}

// floats
__kernel void float_branches(__global const float* restrict a, __global float* restrict b, int n) {
  for (int i = 0; i < n; i++) {
    float x = a[i], y = a[n - 1 - i];
    float r = x < y ? x * y : x == y ? x + y : x / y;
    if (x != x) r = y - 1.0f;
    if (isinf(y)) r = 1.0f / x;
    b[i] = isnan(r) ? 42.0f : r;
  }
}

// subnormals
__kernel void subnormals(__global const float* restrict a, __global float* restrict b, int n) {
  for (int i = 0; i < n; i++) {
    float x = a[i] * 1e-30f * 1e-12f;
    b[i] = x + x * 0.5f - x / 3.0f;
    if (isnan(b[i])) b[i] = 0;
  }
}

// two-dimensional local arrays
__kernel void two_dimensions(A, B, int n) {
  __local int t[8][9];
  int u[3][4][5];
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 9; j++) t[i][j] = a[(i * 9 + j) % n] + i - j;
  for (int i = 0; i < 60; i++) ((int*)u)[i] = i * 7;
  for (int i = 0; i < n; i++) {
    int r = a[i] & 7, c = (uint)a[i] % 9;
    t[r][c] += t[7 - r][8 - c];
    u[r % 3][c & 3][i % 5] ^= t[c & 7][r];
    b[i] = t[r][c] * u[2 - r % 3][c & 3][i % 5];
  }
}

// do while with float condition
__kernel void newton(__global const float* restrict a, __global float* restrict b, int n) {
  for (int i = 0; i < n; i++) {
    float x = a[i], e = 1.0f;
    int k = 0;
    if (!(x > 0.0f && x < 1e6f)) x = 2.0f;
    float r = x;
    do {
      float o = r;
      r = 0.5f * (r + x / r);
      e = fabs(o - r);
      k++;
    } while (e > 1e-3f && k < 40);
    b[i] = r + k;
  }
}

// goto forward and multiple returns
__kernel void goto_out(A, B, int n) {
  int i = 0, s = 0;
  for (i = 0; i < n; i++) {
    for (int j = 0; j < 5; j++) {
      s += a[i] ^ j;
      if ((s & 31) == 17) goto out;
    }
    b[i] = s;
    if (s == 12345) return;
  }
out:
  b[n] = s + i;
}

// bool logic and short circuits with loads guarded by bounds
__kernel void short_circuits(A, B, int n) {
  bool seen = false, odd;
  for (int i = 0; i < n; i++) {
    odd = i > 0 && a[i - 1] & 1;
    seen |= (i + 1 < n && a[i + 1] < 0) || !odd;
    b[i] = seen + 2 * odd + 4 * !seen + (a[i] && seen);
  }
}

// constant tables, strings, enums, macros
__constant int primes[] = {2, 3, 5, 7, 11, 13, 17, 19};
__constant char text[] = "Kumihimo kernels";
enum { RED = 3, GREEN, BLUE = -2 };
__kernel void tables(A, B, int n) {
  for (int i = 0; i < n; i++) {
    int e = a[i] % 3 == 0 ? RED : a[i] % 3 == 1 ? GREEN : BLUE;
    b[i] = primes[a[i] & 7] * e + text[i % sizeof(text)];
  }
}

// bit fields and unions
typedef struct {
  uchar lo, mid;
  short hi;
} bits_t;
typedef union {
  uint u;
  bits_t f;
  float x;
  uchar c[4];
  ushort h[2];
} any_t;
__kernel void unions(A, B, int n) {
  for (int i = 0; i < n; i++) {
    any_t v;
    v.u = a[i];
    v.f.lo += 3;
    v.f.mid ^= v.f.hi;
    v.f.hi -= 1;
    b[i] = v.u + v.c[2] + v.h[0];
  }
}

// collatz, gcd, isqrt: data dependent loops in functions
uint gcd(uint x, uint y) {
  while (y) {
    uint t = x % y;
    x = y;
    y = t;
  }
  return x;
}
uint isqrt(uint x) {
  uint r = 0, bit = 1u << 30;
  while (bit > x) bit >>= 2;
  while (bit) {
    if (x >= r + bit) {
      x -= r + bit;
      r = (r >> 1) + bit;
    } else
      r >>= 1;
    bit >>= 2;
  }
  return r;
}
__kernel void loops_in_functions(A, B, int n) {
  for (int i = 0; i < n; i++) b[i] = gcd(a[i] & 0xffff, i * 6) * 1000 + isqrt(a[i]);
}

// stack, queue in arrays
__kernel void stack_and_queue(A, B, int n) {
  int st[32], sp = 0, q[16], h = 0, t = 0;
  for (int i = 0; i < n; i++) {
    if ((a[i] & 3) && sp < 32)
      st[sp++] = a[i];
    else if (sp)
      b[i] = st[--sp] + sp;
    else
      b[i] = -1;
    if (a[i] & 4) {
      q[t] = i;
      t = (t + 1) & 15;
    } else if (h != t) {
      b[i] ^= q[h] << 8;
      h = (h + 1) & 15;
    }
  }
  while (sp > 0) b[n] += st[--sp];
}

// matrix by value in struct returned from function
typedef struct {
  int m[2][2];
} mat;
mat mul(mat x, mat y) {
  mat r;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      r.m[i][j] = 0;
      for (int k = 0; k < 2; k++) r.m[i][j] += x.m[i][k] * y.m[k][j];
    }
  return r;
}
__kernel void struct_values(A, B, int n) {
  mat p = {{{1, 0}, {0, 1}}};
  for (int i = 0; i < n; i++) {
    mat q = {{{a[i], 1}, {1, 0}}};
    p = mul(p, q);
    b[i] = p.m[0][1] + p.m[1][0];
  }
}

// long long arithmetic with mixed signs and casts
__kernel void mixed_signs(A, B, int n) {
  for (int i = 0; i < n; i++) {
    long x = (long)a[i] * a[n - 1 - i];
    uint u = a[i];
    if (u > -1) x = 0;
    if ((long)u < a[i]) x++;
    b[i] = (int)(x >> 17) + (int)(x % 97) + (short)x + (uchar)(x >> 8) - (char)u;
  }
}

// unrolled
__kernel void unrolled_window(A, B, int n) {
  int w[8] = {0};
  for (int i = 0; i < n; i++) {
#pragma unroll
    for (int k = 7; k > 0; k--) w[k] = w[k - 1];
    w[0] = a[i];
    int s = 0;
#pragma unroll 4
    for (int k = 0; k < 8; k++) s += w[k] * (k + 1);
    b[i] = s;
  }
}

// bubble sort in a private array with a variable bound
__kernel void bubble_sort(A, B, int n) {
  int t[64];
  for (int i = 0; i < n; i++) t[i] = a[i];
  for (int i = n; i > 1; i--) {
    bool moved = false;
    for (int j = 0; j + 1 < i; j++)
      if (t[j] > t[j + 1]) {
        int x = t[j];
        t[j] = t[j + 1];
        t[j + 1] = x;
        moved = true;
      }
    if (!moved) break;
  }
  for (int i = 0; i < n; i++) b[i] = t[i];
}

// in-place global without restrict
__kernel void in_place(__global int* b, int n) {
  for (int i = 1; i < n; i++) b[i] += b[i - 1] ^ b[b[i] & 7];
  for (int i = 0, j = n - 1; i < j; i++, j--) {
    int t = b[i];
    b[i] = b[j];
    b[j] = t;
  }
}

// vector of 3, of 16, of chars; any, conversions
__kernel void wide_vectors(__global const uchar* restrict a, __global int* restrict b, int n) {
  for (int i = 0; i < n / 16; i++) {
    uchar16 v;
    for (int k = 0; k < 16; k++) v[k] = a[16 * i + k];
    char3 c = (char3)(v.s0, v.s7, v.sf);
    short8 s = convert_short8(v.odd) - (short)9;
    int3 w = convert_int3(c) * 3;
    b[i] = w.x + w.y + w.z + s.s0 * s.s7 + (v.lo.s3 << 2);
  }
}

// float to and from integers, min and max of floats
__kernel void float_conversions(__global const float* restrict a, __global float* restrict b,
                                int n) {
  for (int i = 0; i < n; i++) {
    float x = a[i];
    if (!(fabs(x) < 1e9f)) x = 0.25f;
    int k = (int)x;
    uint u = (uint)fabs(x);
    uchar c = (uchar)(fabs(x) < 255.0f ? x * x < 60000.0f ? fabs(x) : 1.0f : 3.0f);
    b[i] = k * 0.5f + u + c - fmin(x, 3.0f) + fmax((float)i, x) + floor(x) + sqrt(fabs(x));
  }
}

// hash table with probing
__kernel void hash_table(A, B, int n) {
  int key[32];
  uchar used[32];
  for (int i = 0; i < 32; i++) used[i] = 0;
  for (int i = 0; i < n; i++) {
    uint h = (uint)a[i] * 2654435761u >> 27;
    int c = 0;
    while (used[h] && key[h] != a[i] && c < 32) {
      h = (h + 1) & 31;
      c++;
    }
    if (c < 32) {
      used[h]++;
      key[h] = a[i];
    }
    b[i] = h * 100 + c;
  }
}

// two pointers merge
__kernel void merge(A, B, int n) {
  int i = 0, j = n / 2, k = 0;
  while (i < n / 2 && j < n) b[k++] = a[i] <= a[j] ? a[i++] : a[j++];
  while (i < n / 2) b[k++] = a[i++];
  while (j < n) b[k++] = a[j++];
}

// volatile, const, static const local array, sizeof, offset
__kernel void volatile_steps(A, B, int n) {
  const short steps[4] = {1, -1, 2, -3};
  volatile int v = 3;
  for (int i = 0; i < n; i++) {
    v += steps[i & 3];
    b[i] = v * (int)sizeof(steps) + (a[i] > v ? steps[v & 3] : -steps[3 - (v & 3)]);
  }
}

// select of two local arrays by condition
__kernel void chosen_array(A, B, int n) {
  int t[16], u[16];
  for (int i = 0; i < 16; i++) {
    t[i] = i * 3;
    u[i] = a[i];
  }
  for (int i = 0; i < n; i++) {
    int* p = a[i] & 1 ? t : u;
    b[i] = p[a[i] >> 1 & 15] + (i & 2 ? t[i & 15] : u[i & 15]);
    p[i & 15] += i;
  }
}

// binary search, lower bound
__kernel void binary_search(A, B, int n) {
  int t[33];
  for (int i = 0; i < 33; i++) t[i] = i * i - 50;
  for (int i = 0; i < n; i++) {
    int lo = 0, hi = 33;
    while (lo < hi) {
      int mid = (lo + hi) >> 1;
      if (t[mid] < (a[i] & 1023) - 60)
        lo = mid + 1;
      else
        hi = mid;
    }
    b[i] = lo;
  }
}

// loop with two counters and a long long bound, increments in the condition
__kernel void two_counters(A, B, int n) {
  ulong i = 0;
  int k = 0;
  while (i++ < (ulong)n) {
    k = k + (i & 1 ? 1 : -1) * a[i - 1];
    b[i - 1] = k--;
  }
}

// LFSR, parity, Gray, bit reversal by hand
__kernel void feedback_register(A, B, int n) {
  ushort l = 0xACE1;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < (a[i] & 7); k++) l = (l >> 1) ^ (-(l & 1) & 0xB400);
    uint x = a[i], r = 0;
    for (int k = 0; k < 32; k++) {
      r = r << 1 | (x & 1);
      x >>= 1;
    }
    int p = 0;
    for (uint y = a[i]; y; y &= y - 1) p ^= 1;
    b[i] = (int)(l ^ r) + p + popcount((uint)a[i]) + clz(a[i]);
  }
}

// early return, empty bodies, unused
__kernel void early_return(A, B, int n, int stop) {
  if (stop < 0) return;
  for (int i = 0; i < n; i++);
  for (int i = 0; i < n; i++) {
    if (i == stop) return;
    b[i] = a[i] * 2;
  }
  b[n] = 1;
}

// saturating and rotating with chars, abs, ternary operator on vectors
__kernel void vector_conditions(__global const char4* restrict a, __global char4* restrict b,
                                int n) {
  for (int i = 0; i < n; i++) {
    char4 v = a[i];
    char4 m = v > (char4)(0) ? v : -v;
    b[i] = add_sat(m, v) + rotate(v, (char4)(3)) - (v == m ? (char4)(1) : m.yxwz);
  }
}

// structs in global memory, pointer to a field
typedef struct {
  int key;
  short v[3];
  uchar c;
} rec;
__kernel void struct_memory(__global rec* restrict r, B, int n) {
  for (int i = 0; i < n; i++) {
    __global rec* p = &r[i & 15];
    __global short* q = &p->v[i % 3];
    *q += 5;
    p->key ^= *q;
    p->c++;
    b[i] = p->key + p->c + p->v[0];
  }
}

// three nested loops with triangular bounds
__kernel void triangle(A, B, int n) {
  int c = 0;
  for (int i = 0; i < n / 4; i++)
    for (int j = i; j < n / 4; j++) {
      int s = 0;
      for (int k = j; k > i; k--) s += a[k] * (k - i);
      if (s & 1)
        c++;
      else
        c -= s & 3;
    }
  b[0] = c;
}

// long double-buffered arrays with a swap of pointers
__kernel void swapped_arrays(A, B, int n) {
  int t[20], u[20];
  int *p = t, *q = u;
  for (int i = 0; i < 20; i++) t[i] = u[i] = a[i];
  for (int r = 0; r < 5; r++) {
    for (int i = 1; i < 19; i++) q[i] = p[i - 1] + p[i + 1] - p[i];
    int* x = p;
    p = q;
    q = x;
  }
  for (int i = 0; i < 20; i++) b[i] = p[i];
}

// uchar loop counter that wraps, compared with int
__kernel void wrapping_counters(A, B, int n) {
  int c = 0;
  for (uchar i = 200; i != 20; i++) c += a[i & 31];
  for (short i = 32760; i > 0; i++) c++;
  b[0] = c;
}
