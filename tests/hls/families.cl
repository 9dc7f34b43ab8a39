// SPDX-License-Identifier: Apache-2.0
//
// Programs of families that users write without thinking of hardware; each is one thing at a time.
typedef struct { int key; short weight; uchar tag; } item_t;
typedef struct { int x, y, z; } point_t;
typedef struct { uchar r, g, b; } pixel_t;
typedef struct __attribute__((packed)) { char tag; int value; } packed_t;
typedef union { uint word; uchar byte[4]; } word_t;
typedef enum { IDLE, LOW, HIGH, ENDED } state_t;

// ---- structs
channel item_t ITEM_IN;
channel item_t ITEM_OUT;
__kernel void sort_items(int n) {
  item_t t[16];
  for (int i = 0; i < n; i++) t[i & 15] = read_channel_intel(ITEM_IN);
  for (int i = 0; i < 15; i++)
    for (int j = 0; j < 15 - i; j++)
      if (t[j].key > t[j + 1].key) {
        item_t other = t[j];
        t[j] = t[j + 1];
        t[j + 1] = other;
      }
  for (int i = 0; i < 16; i++) write_channel_intel(ITEM_OUT, t[i]);
}

__kernel void points(__global const point_t *restrict a, __global point_t *restrict b, int n) {
  for (int i = 0; i < n; i++) {
    point_t p = a[i];
    int swap = p.x;
    p.x = p.z - p.y;
    p.z = swap;
    b[n - 1 - i] = p;
  }
}

__kernel void copies(__global const point_t *restrict a, __global point_t *restrict b, int n) {
  point_t t[8];
  for (int i = 0; i < 8; i++) t[i] = a[i];
  for (int i = 0; i < n; i++) {
    t[i & 7] = t[(i * 3) & 7];
    t[(i + 1) & 7].y += i;
  }
  for (int i = 0; i < 8; i++) b[i] = t[7 - i];
}

__kernel void gray(__global const pixel_t *restrict a, __global pixel_t *restrict b, int n) {
  for (int i = 0; i < n; i++) {
    pixel_t p = a[i];
    uchar light = (p.r * 77 + p.g * 151 + p.b * 28) >> 8;
    pixel_t q = {light, (uchar)(255 - light), p.b};
    b[i] = q;
  }
}

__kernel void packed(__global packed_t *a, int n) {
  for (int i = 0; i < n; i++) {
    a[i].value += a[i].tag;
    a[i].tag = (char)(a[i].tag << 1);
  }
}

channel uint UNION_IN;
channel uint UNION_OUT;
__kernel void swap_bytes(int n) {
  for (int i = 0; i < n; i++) {
    word_t w;
    w.word = read_channel_intel(UNION_IN);
    uchar first = w.byte[0];
    w.byte[0] = w.byte[3];
    w.byte[3] = first;
    write_channel_intel(UNION_OUT, w.word);
  }
}

// ---- integers
channel int SHIFT_IN;
channel int SHIFT_OUT;
__kernel void shifts(int n) {
  for (int i = 0; i < n; i++) {
    int x = read_channel_intel(SHIFT_IN);
    char c = (char)x;
    c += 100;
    short s = (short)(c << 9);
    s >>= 3;
    uchar u = (uchar)(c - 200);
    write_channel_intel(SHIFT_OUT, x >> (i & 31));
    write_channel_intel(SHIFT_OUT, (int)((uint)x >> (i & 31)) ^ (x << 5));
    write_channel_intel(SHIFT_OUT, c * 3 + s + u++);
    write_channel_intel(SHIFT_OUT, -x / 7 + x % 5 - (x >> 31) * u);
  }
}

channel long BUILTIN_IN;
channel ulong8 BUILTIN_OUT;
__kernel void builtins(int n) {
  for (int i = 0; i < n; i++) {
    long x = read_channel_intel(BUILTIN_IN);
    int a = (int)x, b = (int)(x >> 32);
    uchar c = (uchar)x;
    write_channel_intel(BUILTIN_OUT,
                        (ulong8)(rotate((uint)a, (uint)b), clz(a), ctz(b), mul_hi(a, b),
                                 mul_hi((ulong)x, 0x123456789abcdefUL), hadd(a, b), rhadd(b, a),
                                 abs(a)));
    write_channel_intel(BUILTIN_OUT,
                        (ulong8)(abs((char)a), abs_diff(a, b), popcount(c),
                                 mad24(b & 4095, 9, a), rotate(c, (uchar)3),
                                 bitselect(a, b, 0x0ff0), mul_hi((short)a, (short)b),
                                 clamp(b, -50, 50)));
  }
}

channel long SAT_IN;
channel int8 SAT_OUT;
__kernel void saturate(int n) {
  for (int i = 0; i < n; i++) {
    long x = read_channel_intel(SAT_IN);
    int a = (int)(x >> 20);
    int4 v = (int4)(a, a >> 8, -a, (int)x & 511);
    int4 w = convert_int4(convert_uchar4_sat(v)) + convert_int4(convert_short4(v));
    write_channel_intel(SAT_OUT,
                        (int8)(convert_char_sat(a), convert_uchar_sat(x), convert_int_sat(x),
                               convert_short_sat((ulong)x), convert_int_sat((uint)a),
                               convert_ushort_sat(a), w.x + w.y, w.z - w.w));
  }
}

// ---- vectors
channel float4 SWIZZLE_IN;
channel float8 SWIZZLE_OUT;
__kernel void swizzle(int n) {
  float4 last = (float4)(1, 2, 3, 4);
  for (int i = 0; i < n; i++) {
    float4 v = read_channel_intel(SWIZZLE_IN);
    float4 w = v.wzyx;
    w.xz = v.yy + last.even;
    w.s3 = dot(v, last);
    last = (v > w) ? v : w;
    write_channel_intel(SWIZZLE_OUT, (float8)(w.hi, v.odd, max(v, w)));
  }
}

channel float ROUND_IN;
channel float8 ROUND_OUT;
__kernel void rounding(int n) {
  for (int i = 0; i < n; i++) {
    float x = read_channel_intel(ROUND_IN);
    write_channel_intel(ROUND_OUT,
                        (float8)(floor(x), ceil(x), trunc(x), round(x), rint(x), sqrt(x),
                                 fmax(x, 1.0f), clamp(x, -2.0f, 2.0f)));
  }
}

channel float FSAT_IN;
channel int4 FSAT_OUT;
__kernel void float_to_sat(int n) {
  for (int i = 0; i < n; i++) {
    float x = read_channel_intel(FSAT_IN);
    write_channel_intel(FSAT_OUT, (int4)(convert_uchar_sat(x), convert_short_sat(x),
                                         convert_int_sat(x), convert_char_sat(x * 0.5f)));
  }
}

// ---- control
channel uchar TOKEN_IN;
channel int TOKEN_OUT;
__kernel void machine(void) {
  state_t state = IDLE;
  int count = 0;
  while (state != ENDED) {
    uchar c = read_channel_intel(TOKEN_IN);
    switch (state) {
      case IDLE:
        if (c == 0)
          state = ENDED;
        else
          state = c < 128 ? LOW : HIGH;
        break;
      case LOW:
        count += c;  // falls through
      case HIGH:
        count ^= c << 4;
        state = c & 1 ? IDLE : LOW;
        break;
      default:
        count = -1;
    }
    switch (c % 7) {
      case 2:
      case 3: write_channel_intel(TOKEN_OUT, count); break;
      case 5: write_channel_intel(TOKEN_OUT, -count);
    }
  }
  write_channel_intel(TOKEN_OUT, count);
}

channel int NEST_OUT;
__kernel void nests(int n, int m) {
  int found = 0;
  for (int i = 2; i < n; i++) {
    bool prime = true;
    for (int j = 2; j * j <= i; j++) {
      if (i % j) continue;
      prime = false;
      break;
    }
    if (!prime) continue;
    int k = 0;
    do {
      k += 3;
      if (k == m) goto next;
    } while (k < i);
    write_channel_intel(NEST_OUT, i * 100 + k);
  next:
    if (++found == m) break;
  }
  write_channel_intel(NEST_OUT, -found);
}

channel int FRAME_IN;
channel int FRAME_OUT;
__kernel void frames(void) {
  int length;
  while ((length = read_channel_intel(FRAME_IN)) > 0) {
    int sum = 0;
    while (length--) sum += read_channel_intel(FRAME_IN);
    write_channel_intel(FRAME_OUT, sum);
  }
}

int early(int x) {
  if (x < 0) return -1;
  for (int i = 0; i < 20; i++)
    if ((x >> i) == 1) return i;
  return 99;
}
channel int EARLY_IN;
channel int EARLY_OUT;
__kernel void returns(int n) {
  for (int i = 0; i < n; i++) {
    int x = read_channel_intel(EARLY_IN);
    if (x == 77) return;
    write_channel_intel(EARLY_OUT, early(x));
  }
}

// ---- pointers
__kernel void walk(__global int *restrict a, __global int *restrict b, int n) {
  __global int *p = a, *end = a + n;
  __global int *q = b + n;
  while (p < end) *--q = *p++ * 2;
  *q += (int)(end - p) + (int)(q - b);
}

// A pointer that was an argument a moment ago: a's words are written before they are read.
__kernel void through(__global int *restrict a, __global int *restrict b, int n) {
  __global int *p = a;
  for (int i = 0; i < n; i++) *p++ = i * 5;
  for (int i = 0; i < n; i++) b[i] = a[n - 1 - i];
}

__kernel void either(__global int *restrict a, __global int *restrict b, int n) {
  for (int i = 0; i < n; i++) {
    __global int *p = i & 1 ? a : b;
    p[i] = p[i] + i;
  }
  for (int i = 0; i < n; i++) a[i] -= b[i];
}

__kernel void ping_pong(__global int *a, __global int *b, int n, int rounds) {
  for (int r = 0; r < rounds; r++) {
    for (int i = 0; i < n; i++) b[i] = a[i] + a[i ? i - 1 : 0];
    __global int *swap = a;
    a = b;
    b = swap;
  }
}

__kernel void views(__global uint *restrict a, __global uchar *restrict b, int n) {
  __global const uchar *bytes = (__global const uchar *)a;
  for (int i = 0; i < 4 * n; i++) b[i] = bytes[4 * n - 1 - i];
  __global ushort *halves = (__global ushort *)b;
  for (int i = 0; i < n; i++) halves[2 * i] += 1;
}

// ---- arrays
channel uchar TEXT_IN;
channel uchar TEXT_OUT;
__kernel void runs(int n) {
  uchar last = 0, count = 0;
  for (int i = 0; i < n; i++) {
    uchar c = read_channel_intel(TEXT_IN) & 3;
    if (i && (c != last || count == 255)) {
      write_channel_intel(TEXT_OUT, last);
      write_channel_intel(TEXT_OUT, count);
      count = 0;
    }
    last = c;
    count++;
  }
  write_channel_intel(TEXT_OUT, last);
  write_channel_intel(TEXT_OUT, count);
}

channel int LIFE_OUT;
__kernel void life(uint seed, int rounds) {
  bool cell[10][10], next[10][10];
  for (int y = 0; y < 10; y++)
    for (int x = 0; x < 10; x++) {
      cell[y][x] = y % 9 && x % 9 && seed & 1;
      next[y][x] = false;
      seed = seed * 1664525 + 1013904223;
      seed ^= seed >> 15;
    }
  for (int r = 0; r < rounds; r++) {
    for (int y = 1; y < 9; y++)
      for (int x = 1; x < 9; x++) {
        int around = 0;
        for (int k = 0; k < 9; k++) around += k != 4 && cell[y + k / 3 - 1][x + k % 3 - 1];
        next[y][x] = around == 3 || (around == 2 && cell[y][x]);
      }
    for (int y = 0; y < 10; y++)
      for (int x = 0; x < 10; x++) cell[y][x] = next[y][x];
  }
  for (int y = 0; y < 10; y++) {
    int row = 0;
    for (int x = 0; x < 10; x++) row = row << 1 | cell[y][x];
    write_channel_intel(LIFE_OUT, row);
  }
}

__constant item_t items[4] = {{1, -2, 3}, {1 << 30, 5, 255}, {-7, 1000, 9}};
channel int CONST_OUT;
__kernel void constants(int n) {
  point_t t[4] = {{1, 2, 3}, {4, 5, 6}};
  for (int i = 0; i < n; i++) {
    t[i & 3].z += items[i & 3].key * items[(i + 1) & 3].weight;
    write_channel_intel(CONST_OUT, t[i & 3].z + t[(i + 2) & 3].x + items[i & 3].tag);
  }
}

// ---- names that OpenCL has as well
static int max3(int a, int b, int c) { return max(max(a, b), c); }
static uint rotate_left(uint x, int n) { return (x << n) | (x >> (32 - n)); }
uint hash(uint x) { return rotate_left(x * 0x9e3779b1u, 13) ^ x; }
int select(int a, int b) { return a > b ? a - b : b; }
channel int NAMES_IN;
channel int NAMES_OUT;
__kernel void names(int n) {
  int reg = 1, wire = 2, output = 3, always = 0;
  for (int begin = 0; begin < n; begin++) {
    int module = read_channel_intel(NAMES_IN);
    reg = max3(reg, wire, module);
    wire = select(module, output) + (int)hash(always);
    output ^= reg;
    always += wire;
    write_channel_intel(NAMES_OUT, always);
  }
}

// ---- channels
channel int TREE_IN[2][2];
channel int TREE_OUT;
__kernel void tree(int n) {
  for (int i = 0; i < n; i++) {
    int sum = 0;
#pragma unroll
    for (int y = 0; y < 2; y++) {
#pragma unroll
      for (int x = 0; x < 2; x++) sum += (y + 1) * read_channel_intel(TREE_IN[y][x]);
    }
    write_channel_intel(TREE_OUT, sum);
  }
}

channel float16 WIDE_VECTOR_IN;
channel float16 WIDE_VECTOR_OUT;
__kernel void relu(int n) {
  for (int i = 0; i < n; i++)
    write_channel_intel(WIDE_VECTOR_OUT, max(read_channel_intel(WIDE_VECTOR_IN), 0.0f));
}

// ---- work-items
__kernel void add_items(__global const int *restrict a, __global const int *restrict b,
                        __global int *restrict c) {
  int i = get_global_id(0);
  c[i] = a[i] + b[i] * (int)get_global_size(0);
}

__kernel void transpose(__global const int *restrict a, __global int *restrict b) {
  size_t x = get_global_id(0), y = get_global_id(1);
  b[x * get_global_size(1) + y] = a[y * get_global_size(0) + x];
}

__attribute__((reqd_work_group_size(8, 1, 1))) __kernel void reverse_groups(
    __global int *restrict a) {
  __local int t[8];
  int l = get_local_id(0);
  t[l] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[get_global_id(0)] = t[7 - l] + (int)get_group_id(0);
}

__attribute__((reqd_work_group_size(16, 1, 1))) __kernel void reduce_groups(
    __global const int *restrict a, __global int *restrict sums, int scale) {
  __local int t[16];
  int l = get_local_id(0), own = a[get_global_id(0)] * scale;
  t[l] = own;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 8; step > 0; step >>= 1) {
    if (l < step) t[l] += t[l + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == own % 16) t[l] += 1000;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) sums[get_group_id(0)] = t[0];
}

__attribute__((reqd_work_group_size(4, 4, 1))) __kernel void tiled_product(
    __global const int *restrict a, __global const int *restrict b, __global int *restrict c,
    int n) {
  __local int ta[4][4], tb[4][4];
  int x = get_local_id(0), y = get_local_id(1), sum = 0;
  int column = get_global_id(0), row = get_global_id(1);
  for (int k = 0; k < n; k += 4) {
    ta[y][x] = a[row * n + k + x];
    tb[y][x] = b[(k + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 4; i++) sum += ta[y][i] * tb[i][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}

// ---- pointers into one of several arrays
__constant short TABLE_UP[6] = {1, 5, 9, 70, 300, -4};
__constant short TABLE_DOWN[3] = {-7, 600, 31};
channel int CHOSEN_OUT;
__kernel void chosen_arrays(__global const int* restrict a, int n) {
  int t[16], u[5];
  __local long v[8], w[8];
  for (int i = 0; i < 16; i++) t[i] = i * 3;
  for (int i = 0; i < 5; i++) u[i] = a[i];
  for (int i = 0; i < 8; i++) {
    v[i] = a[i] * 3l;
    w[i] = i;
  }
  for (int i = 0; i < n; i++) {
    int x = a[i];
    int* p = x & 1 ? t + (x >> 8 & 15) : u + (uint)x % 5;
    __local long* q = x & 2 ? v : w;
    __constant short* r = x & 4 ? TABLE_UP + 3 : TABLE_DOWN;
    *p += i;
    q[x >> 4 & 7] -= r[i % 3];
    write_channel_intel(CHOSEN_OUT, *p + (int)q[x >> 5 & 7] + (x & 8 ? t[i & 15] : u[i % 5]));
  }
}

channel int SWAPPED_OUT;
__kernel void swapped_buffers(__global const int* restrict a, int rounds) {
  int t[20], u[20], *from = t, *to = u;
  for (int i = 0; i < 20; i++) t[i] = u[i] = a[i];
  for (int r = 0; r < rounds; r++) {
    for (int i = 1; i < 19; i++) to[i] = from[i - 1] + from[i + 1] - from[i];
    int* swap = from;
    from = to;
    to = swap;
  }
  for (int i = 0; i < 20; i++) write_channel_intel(SWAPPED_OUT, from[i]);
}
