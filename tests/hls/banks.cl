// SPDX-License-Identifier: Apache-2.0
// Arrays that several accesses of an iteration share, and sums of several numbers an iteration.

#define IN(k) channel int k##_IN; channel int k##_OUT;
#define READ(k) read_channel_intel(k##_IN)
#define WRITE(k, x) write_channel_intel(k##_OUT, x)

channel int4 CYCLIC_IN;
channel int CYCLIC_OUT;
__kernel void cyclic(int n) { // a[4 i + k], written and read four at once
  int a[300];
  for (int i = 0; i < n; i++) {
    int4 v = read_channel_intel(CYCLIC_IN);
    a[4 * i] = v.x; a[4 * i + 1] = v.y; a[4 * i + 2] = v.z; a[4 * i + 3] = v.w;
  }
  for (int i = 0; i < n; i++)
    WRITE(CYCLIC, a[4 * i] - a[4 * i + 1] + 3 * a[4 * i + 2] - 5 * a[4 * i + 3]);
}

channel int4 GATHER_IN;
channel int GATHER_OUT;
__kernel void gather(int n) { // written four at once, read one by one at any index
  int a[256];
  for (int i = 0; i < n; i++) {
    int4 v = read_channel_intel(GATHER_IN);
#pragma unroll
    for (int k = 0; k < 4; k++) a[4 * i + k] = v[k];
  }
  for (int i = 0; i < 4 * n; i++) WRITE(GATHER, a[(i * 37 + 11) % (4 * n)]);
}

IN(SCATTER)
__kernel void scatter(int n) { // written one by one at any index, read and written four at once
  int a[64];
#pragma unroll 1
  for (int i = 0; i < 64; i++) a[i] = i;
  for (int i = 0; i < n; i++) { int v = READ(SCATTER); a[v & 63] = v >> 6; }
  for (int i = 0; i < 16; i++) {
    int t = a[4 * i] + a[4 * i + 1] + a[4 * i + 2] + a[4 * i + 3];
#pragma unroll
    for (int k = 0; k < 4; k++) a[4 * i + k] ^= t + k;
  }
  for (int i = 0; i < 64; i++) WRITE(SCATTER, a[63 - i]);
}

channel int4 ROWS_IN;
channel int ROWS_OUT;
__kernel void rows(int n) { // rows of 64 words
  int m[4][64];
  for (int i = 0; i < 64; i++) {
    int4 v = read_channel_intel(ROWS_IN);
#pragma unroll
    for (int k = 0; k < 4; k++) m[k][i] = v[k];
  }
  for (int j = 0; j < n; j++) WRITE(ROWS, m[j & 3][j * 5 & 63]);
}

IN(LINES)
__kernel void lines(int n) { // a window over rows whose length is no power of two
  int line[3][50];
  for (int y = 0; y < n; y++)
    for (int x = 0; x < 50; x++) {
      int v = READ(LINES);
      int a = line[1][x], b = line[2][x];
      line[0][x] = a; line[1][x] = b; line[2][x] = v;
      if (y > 1) WRITE(LINES, line[0][x] + 2 * a + 3 * b + v);
    }
}

IN(MIDDLE)
__kernel void middle(int n) { // banks in the middle of the index
  int m[8][4][16];
  for (int y = 0; y < 8; y++)
    for (int x = 0; x < 16; x++) {
      int v = READ(MIDDLE);
#pragma unroll
      for (int k = 0; k < 4; k++) m[y][k][x] = v * (k + 1);
    }
  for (int i = 0; i < n; i++) WRITE(MIDDLE, m[i & 7][i >> 3 & 3][i * 3 & 15]);
}

IN(TABLE)
__constant short LUT[64] = {
    3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7, 9, 5,
    -3, -1, -4, -1, -5, -9, -2, -6, -5, -3, -5, -8, -9, -7, -9, -3, -2, -3, -8, -4, -6, -2, -6, -4,
    -3, -3, -8, -3, -2, -7, -9, -5};
__kernel void table(int n) { // of which each load needs a quarter
  for (int i = 0; i < n; i++) {
    int v = READ(TABLE), x = v & 15, s = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) s += LUT[4 * x + k] * (v >> 8 * k & 255);
    WRITE(TABLE, s);
  }
}

IN(SHIFT)
__kernel void shift(int n) { // neighbours in one iteration: banks that depend on the loop
  int a[40];
  for (int i = 0; i < 40; i++) a[i] = i * i;
  for (int r = 0; r < n; r++) {
    int v = READ(SHIFT);
    for (int i = 1; i < 39; i++) { a[i - 1] = a[i] + v; a[i + 1] = a[i - 1] ^ a[i]; }
  }
  for (int i = 0; i < 40; i++) WRITE(SHIFT, a[i]);
}

IN(ODD)
__kernel void odd(int n) { // steps of six, in runs and backwards
  ushort a[66];
  for (int i = 0; i < 66; i++) a[i] = i * 77;
  for (int i = 10; i >= 0; i--) {
    ushort v = READ(ODD);
    a[6 * i] = v; a[6 * i + 2] = v * 3; a[6 * i + 4] = a[6 * i + 5] - v;
  }
  for (int i = 0; i < n; i++) WRITE(ODD, a[i % 66]);
}

typedef struct { int key; short left, right; char tag; } Item;
IN(FIELDS)
__kernel void fields(int n) { // a struct's fields
  Item items[32];
  for (int i = 0; i < 32; i++) {
    int v = READ(FIELDS);
    items[i].key = v; items[i].left = v >> 3; items[i].right = v * 7; items[i].tag = v >> 20;
  }
  for (int i = 0; i < n; i++) {
    int k = i * 11 & 31;
    items[k].key += items[k].left * items[k].right;
    WRITE(FIELDS, items[k].key ^ items[31 - k].tag);
  }
}

IN(WAYS)
__kernel void ways(int n) { // stores of which only one happens
  int a[32];
#pragma unroll 1
  for (int i = 0; i < 32; i++) a[i] = 0;
  for (int i = 0; i < n; i++) {
    int v = READ(WAYS);
    if (v & 1) { a[2 * (v >> 1 & 15)] += v; } else { a[2 * (v >> 1 & 15) + 1] -= v; }
    if (v & 64) a[(v >> 7 & 15) * 2] = i;
  }
  for (int i = 0; i < 32; i++) WRITE(WAYS, a[i]);
}

channel int4 REDUCE_IN;
channel int8 REDUCE_OUT;
__kernel void reduce(int n) { // every kind of reduction
  int sum = 1, less = 2, bits = -1, any = 0, parity = 5;
  char narrow = 3;
  for (int i = 0; i < n; i++) {
    int4 v = read_channel_intel(REDUCE_IN);
    sum += v.x; sum -= v.y; sum += v.z * v.w; sum -= v.w;
    less -= v.x; less -= v.y; less -= v.z;
    bits &= v.x | 1; bits &= v.y | 2; bits &= v.z | 12;
    any |= v.x & 16; any |= v.y & 32; any |= v.z & 64;
    parity ^= v.x; parity ^= v.y; parity ^= v.w;
    narrow += v.x; narrow += v.y; narrow -= v.z;
  }
  write_channel_intel(REDUCE_OUT,
                      (int8)(sum, less, bits, any, parity, n, narrow, n));
}

channel int4 PRODUCT_IN;
channel int PRODUCT_OUT;
__kernel void product(int n) { // takes as long as one multiplication, not as three
  int product = 1;
  for (int i = 0; i < n; i++) {
    int4 v = read_channel_intel(PRODUCT_IN);
    product *= v.x | 1; product *= v.y | 1; product *= v.z | 1;
  }
  WRITE(PRODUCT, product);
}

channel int4 LANES_IN, LANES_OUT;
__kernel void lanes(int n) { // of vectors; one that is read in the loop keeps its order
  int4 sum = 0, seen = 7;
  for (int i = 0; i < n; i++) {
    int4 v = read_channel_intel(LANES_IN);
    sum += v; sum += v.yzwx; sum -= v * v;
    seen += v; int4 half_way = seen; seen += sum;
    write_channel_intel(LANES_OUT, half_way);
  }
  write_channel_intel(LANES_OUT, sum);
  write_channel_intel(LANES_OUT, seen);
}
