// SPDX-License-Identifier: Apache-2.0
//
// Kernels of the kinds that public suites of high-level synthesis hold, written anew.

// Finite impulse response, 16 taps in a shift register.
channel short FIR_IN;
channel int FIR_OUT;
__constant short taps[16] = {1, -2, 3, -5, 8, -13, 21, 34, 34, 21, -13, 8, -5, 3, -2, 1};
__kernel void fir(int n) {
  short line[16];
#pragma unroll
  for (int k = 0; k < 16; k++) line[k] = 0;
  for (int i = 0; i < n; i++) {
    int sum = 0;
#pragma unroll
    for (int k = 15; k > 0; k--) line[k] = line[k - 1];
    line[0] = read_channel_intel(FIR_IN);
#pragma unroll
    for (int k = 0; k < 16; k++) sum += line[k] * taps[k];
    write_channel_intel(FIR_OUT, sum);
  }
}

// Matrix multiplication through local tiles.
#define TILE 8
__kernel void matmul(__global const int *restrict a, __global const int *restrict b,
                     __global int *restrict c, int n) {
  __local int ta[TILE][TILE], tb[TILE][TILE];
  for (int by = 0; by < n; by += TILE)
    for (int bx = 0; bx < n; bx += TILE) {
      int sum[TILE][TILE];
      for (int y = 0; y < TILE; y++)
        for (int x = 0; x < TILE; x++) sum[y][x] = 0;
      for (int bk = 0; bk < n; bk += TILE) {
        for (int y = 0; y < TILE; y++)
          for (int x = 0; x < TILE; x++) {
            ta[y][x] = a[(by + y) * n + bk + x];
            tb[y][x] = b[(bk + y) * n + bx + x];
          }
        for (int y = 0; y < TILE; y++)
          for (int x = 0; x < TILE; x++) {
            int s = sum[y][x];
            for (int k = 0; k < TILE; k++) s += ta[y][k] * tb[k][x];
            sum[y][x] = s;
          }
      }
      for (int y = 0; y < TILE; y++)
        for (int x = 0; x < TILE; x++) c[(by + y) * n + bx + x] = sum[y][x];
    }
}

// Edges of a picture with two line buffers.
#define WIDTH 24
channel uchar SOBEL_IN;
channel uchar SOBEL_OUT;
__kernel void sobel(int rows) {
  uchar above[WIDTH], middle[WIDTH];
  for (int i = 0; i < WIDTH; i++) above[i] = middle[i] = 0;
  for (int y = 0; y < rows; y++) {
    int w[3][3];
#pragma unroll
    for (int i = 0; i < 9; i++) w[i / 3][i % 3] = 0;
    for (int x = 0; x < WIDTH; x++) {
      uchar now = read_channel_intel(SOBEL_IN);
#pragma unroll
      for (int i = 0; i < 3; i++) {
        w[i][0] = w[i][1];
        w[i][1] = w[i][2];
      }
      w[0][2] = above[x];
      w[1][2] = middle[x];
      w[2][2] = now;
      above[x] = middle[x];
      middle[x] = now;
      int gx = w[0][2] + 2 * w[1][2] + w[2][2] - w[0][0] - 2 * w[1][0] - w[2][0];
      int gy = w[2][0] + 2 * w[2][1] + w[2][2] - w[0][0] - 2 * w[0][1] - w[0][2];
      write_channel_intel(SOBEL_OUT, (uchar)min((int)(abs(gx) + abs(gy)), 255));
    }
  }
}

// SHA-256 of blocks of 16 words.
__constant uint sha_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
#define ROR(x, n) ((x) >> (n) | (x) << (32 - (n)))
channel uint SHA_IN;
channel uint SHA_OUT;
__kernel void sha256(int blocks) {
  uint h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  for (int b = 0; b < blocks; b++) {
    uint w[16];
    uint s0 = h[0], s1 = h[1], s2 = h[2], s3 = h[3], s4 = h[4], s5 = h[5], s6 = h[6], s7 = h[7];
    for (int i = 0; i < 64; i++) {
      uint x;
      if (i < 16)
        x = read_channel_intel(SHA_IN);
      else {
        uint a = w[(i + 1) & 15], c = w[(i + 14) & 15];
        x = w[i & 15] + (ROR(a, 7) ^ ROR(a, 18) ^ a >> 3) + w[(i + 9) & 15] +
            (ROR(c, 17) ^ ROR(c, 19) ^ c >> 10);
      }
      w[i & 15] = x;
      uint t1 = s7 + (ROR(s4, 6) ^ ROR(s4, 11) ^ ROR(s4, 25)) + ((s4 & s5) ^ (~s4 & s6)) +
                sha_k[i] + x;
      uint t2 = (ROR(s0, 2) ^ ROR(s0, 13) ^ ROR(s0, 22)) + ((s0 & s1) ^ (s0 & s2) ^ (s1 & s2));
      s7 = s6, s6 = s5, s5 = s4, s4 = s3 + t1;
      s3 = s2, s2 = s1, s1 = s0, s0 = t1 + t2;
    }
    h[0] += s0, h[1] += s1, h[2] += s2, h[3] += s3;
    h[4] += s4, h[5] += s5, h[6] += s6, h[7] += s7;
  }
  for (int i = 0; i < 8; i++) write_channel_intel(SHA_OUT, h[i]);
}

// Merge sort from one buffer into the other and back.
__kernel void merge_sort(__global int *a, __global int *b, int n) {
  for (int run = 1; run < n; run *= 2) {
    for (int low = 0; low < n; low += 2 * run) {
      int middle = min(low + run, n), high = min(low + 2 * run, n);
      int i = low, j = middle;
      for (int k = low; k < high; k++) {
        bool left = i < middle && (j >= high || a[i] <= a[j]);
        b[k] = left ? a[i++] : a[j++];
      }
    }
    for (int k = 0; k < n; k++) a[k] = b[k];
  }
}

// Breadth-first search: levels of the nodes of a graph.
__kernel void bfs(__global const int *restrict first, __global const int *restrict edge,
                  __global int *restrict level, int n) {
  int queue[256];
  int head = 0, tail = 0;
  for (int i = 0; i < n; i++) level[i] = -1;
  level[0] = 0;
  queue[tail++] = 0;
  while (head != tail) {
    int at = queue[head++ & 255];
    int depth = level[at];
    for (int e = first[at]; e < first[at + 1]; e++) {
      int to = edge[e];
      if (level[to] < 0) {
        level[to] = depth + 1;
        queue[tail++ & 255] = to;
      }
    }
  }
}

// Sparse matrix times vector.
__kernel void spmv(__global const int *restrict first, __global const int *restrict column,
                   __global const float *restrict value, __global const float *restrict x,
                   __global float *restrict y, int n) {
  for (int row = 0; row < n; row++) {
    float sum = 0;
    for (int i = first[row]; i < first[row + 1]; i++) sum += value[i] * x[column[i]];
    y[row] = sum;
  }
}

// Knuth, Morris, Pratt: how often a pattern of four is in a text.
__kernel void kmp(__global const char *restrict text, __global const char *restrict pattern,
                  __global int *restrict found, int n) {
  char p[4];
  int next[4];
  for (int i = 0; i < 4; i++) p[i] = pattern[i];
  next[0] = 0;
  for (int q = 1, k = 0; q < 4; q++) {
    while (k > 0 && p[k] != p[q]) k = next[k - 1];
    if (p[k] == p[q]) k++;
    next[q] = k;
  }
  int count = 0;
  for (int i = 0, q = 0; i < n; i++) {
    char c = text[i];
    while (q > 0 && p[q] != c) q = next[q - 1];
    if (p[q] == c) q++;
    if (q == 4) {
      count++;
      q = next[3];
    }
  }
  found[0] = count;
}

// CRC-32 with a table that the kernel makes for itself.
channel uchar CRC_IN;
channel uint CRC_OUT;
__kernel void crc32(int n) {
  uint table[256];
  for (uint i = 0; i < 256; i++) {
    uint c = i;
    for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
    table[i] = c;
  }
  uint crc = ~0u;
  for (int i = 0; i < n; i++) crc = table[(crc ^ read_channel_intel(CRC_IN)) & 255] ^ crc >> 8;
  write_channel_intel(CRC_OUT, ~crc);
}

// Radix sort of bytes' worth of digits.
__kernel void radix_sort(__global uint *a, __global uint *b, int n) {
  for (int shift = 0; shift < 16; shift += 8) {
    int start[256];
    for (int i = 0; i < 256; i++) start[i] = 0;
    for (int i = 0; i < n; i++) start[a[i] >> shift & 255]++;
    int sum = 0;
    for (int i = 0; i < 256; i++) {
      int count = start[i];
      start[i] = sum;
      sum += count;
    }
    for (int i = 0; i < n; i++) b[start[a[i] >> shift & 255]++] = a[i];
    for (int i = 0; i < n; i++) a[i] = b[i];
  }
}

// Needleman and Wunsch: score of the best alignment of two sequences of 24.
__kernel void align24(__global const char *restrict a, __global const char *restrict b,
                      __global int *restrict score) {
  int row[25];
  for (int j = 0; j <= 24; j++) row[j] = -j;
  for (int i = 1; i <= 24; i++) {
    int diagonal = row[0];
    row[0] = -i;
    for (int j = 1; j <= 24; j++) {
      int best = diagonal + (a[i - 1] == b[j - 1] ? 1 : -1);
      diagonal = row[j];
      best = max(best, max(row[j], row[j - 1]) - 1);
      row[j] = best;
    }
  }
  score[0] = row[24];
}

// Jacobi steps of a stencil in floating point.
__kernel void jacobi(__global float *restrict a, __global float *restrict b, int n, int steps) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0f;
    for (int i = 1; i < n - 1; i++) a[i] = b[i];
  }
}

// Adaptive differential coding, 4 bits a sample.
__constant short steps[32] = {7,   8,   9,   10,  11,  12,  13,  14,  16,  17,  19,
                              21,  23,  25,  28,  31,  34,  37,  41,  45,  50,  55,
                              60,  66,  73,  80,  88,  97,  107, 118, 130, 143};
channel short ADPCM_IN;
channel uchar ADPCM_OUT;
__kernel void adpcm(int n) {
  int predicted = 0, index = 0;
  for (int i = 0; i < n; i++) {
    int step = steps[index], diff = read_channel_intel(ADPCM_IN) - predicted;
    uchar code = 0;
    if (diff < 0) {
      code = 8;
      diff = -diff;
    }
    int change = step >> 3;
    for (int bit = 4; bit; bit >>= 1) {
      if (diff >= step) {
        code |= bit;
        diff -= step;
        change += step;
      }
      step >>= 1;
    }
    predicted = clamp(predicted + (code & 8 ? -change : change), -32768, 32767);
    index = clamp(index + ((code & 7) < 4 ? -1 : 2 * ((code & 7) - 3)), 0, 31);
    write_channel_intel(ADPCM_OUT, code);
  }
}

// Inclusive prefix sum of a block through a tree of steps.
__kernel void scan(__global int *restrict a, int n) {
  int t[2][64];
  for (int i = 0; i < 64; i++) t[0][i] = i < n ? a[i] : 0;
  int from = 0;
  for (int step = 1; step < 64; step *= 2) {
    for (int i = 0; i < 64; i++) t[1 - from][i] = t[from][i] + (i >= step ? t[from][i - step] : 0);
    from = 1 - from;
  }
  for (int i = 0; i < n; i++) a[i] = t[from][i];
}

// Dense matrix times vector, one row after the other.
__kernel void matvec(__global const float *restrict a, __global const float *restrict x,
                     __global float *restrict y, int rows, int columns) {
  for (int r = 0; r < rows; r++) {
    float sum = 0.0f;
    for (int c = 0; c < columns; c++) sum += a[r * columns + c] * x[c];
    y[r] = sum;
  }
}

// AES-128 of blocks with round keys that are given; the S-box is computed once.
channel uint4 AES_IN;
channel uint4 AES_OUT;
uchar aes_double(uchar x) { return (uchar)(x << 1 ^ (x & 0x80 ? 0x1b : 0)); }
__kernel void aes(__global const uint *restrict keys, int n) {
  uchar box[256];
  uint key[44];
  uchar p = 1, q = 1;
  do {
    p ^= aes_double(p);
    q ^= q << 1;
    q ^= q << 2;
    q ^= q << 4;
    q ^= q & 0x80 ? 9 : 0;
    box[p] = q ^ rotate(q, (uchar)1) ^ rotate(q, (uchar)2) ^ rotate(q, (uchar)3) ^
             rotate(q, (uchar)4) ^ 0x63;
  } while (p != 1);
  box[0] = 0x63;
  for (int i = 0; i < 44; i++) key[i] = keys[i];
  for (int b = 0; b < n; b++) {
    uchar s[16], t[16];
    uint4 word = read_channel_intel(AES_IN);
    for (int i = 0; i < 16; i++) s[i] = (uchar)(word[i >> 2] >> 8 * (i & 3));
    for (int i = 0; i < 16; i++) s[i] ^= (uchar)(key[i >> 2] >> 8 * (i & 3));
    for (int round = 1; round <= 10; round++) {
      for (int i = 0; i < 16; i++) t[i] = box[s[(i + 4 * (i & 3)) & 15]];
      for (int i = 0; i < 16; i++) {
        int c = i & 12;
        uchar a0 = t[i], a1 = t[c | ((i + 1) & 3)], a2 = t[c | ((i + 2) & 3)];
        uchar mixed = aes_double(a0) ^ aes_double(a1) ^ a1 ^ a2 ^ t[c | ((i + 3) & 3)];
        uint k = key[4 * round + (i >> 2)] >> 8 * (i & 3);
        s[i] = (round == 10 ? a0 : mixed) ^ (uchar)k;
      }
    }
    uint4 out;
    for (int c = 0; c < 4; c++)
      out[c] = s[4 * c] | s[4 * c + 1] << 8 | s[4 * c + 2] << 16 | (uint)s[4 * c + 3] << 24;
    write_channel_intel(AES_OUT, out);
  }
}

// Smith and Waterman: score of the best local alignment, the query in a row of cells.
#define QUERY 16
channel uchar SW_IN;
channel int SW_OUT;
__kernel void smith_waterman(__global const uchar *restrict query, int n) {
  uchar q[QUERY];
  short above[QUERY];
  short best = 0;
#pragma unroll
  for (int j = 0; j < QUERY; j++) {
    q[j] = query[j];
    above[j] = 0;
  }
  for (int i = 0; i < n; i++) {
    uchar c = read_channel_intel(SW_IN);
    short left = 0, corner = 0;
#pragma unroll
    for (int j = 0; j < QUERY; j++) {
      short match = corner + (q[j] == c ? 2 : -1);
      corner = above[j];
      short gap = max(left, corner) - 1;
      left = max(max(match, gap), 0);
      above[j] = left;
      best = max(best, left);
    }
  }
  write_channel_intel(SW_OUT, best);
}

// The three nearest of a set of points, by squared distance.
__kernel void nearest(__global const float2 *restrict points, float2 from,
                      __global int *restrict out, int n) {
  float d0 = INFINITY, d1 = INFINITY, d2 = INFINITY;
  int i0 = -1, i1 = -1, i2 = -1;
  for (int i = 0; i < n; i++) {
    float2 away = points[i] - from;
    float d = away.x * away.x + away.y * away.y;
    if (d < d0) {
      d2 = d1, i2 = i1, d1 = d0, i1 = i0, d0 = d, i0 = i;
    } else if (d < d1) {
      d2 = d1, i2 = i1, d1 = d, i1 = i;
    } else if (d < d2) {
      d2 = d, i2 = i;
    }
  }
  out[0] = i0;
  out[1] = i1;
  out[2] = i2;
}

// Bitonic sort of 32 keys in a network that is walked step by step.
__kernel void bitonic(__global int *restrict a) {
  int t[32];
  for (int i = 0; i < 32; i++) t[i] = a[i];
  for (int k = 2; k <= 32; k *= 2)
    for (int j = k / 2; j > 0; j /= 2)
      for (int i = 0; i < 32; i++) {
        int other = i ^ j;
        if (other > i) {
          int x = t[i], y = t[other];
          bool up = (i & k) == 0;
          t[i] = up == (x > y) ? y : x;
          t[other] = up == (x > y) ? x : y;
        }
      }
  for (int i = 0; i < 32; i++) a[i] = t[i];
}

// Histogram of 64 bins in four banks, added up at the end.
channel uchar BANKED_IN;
channel uint BANKED_OUT;
__kernel void histogram(int n) {
  uint bin[4][64];
  for (int i = 0; i < 256; i++) bin[i >> 6][i & 63] = 0;
  for (int i = 0; i < n; i++) bin[i & 3][read_channel_intel(BANKED_IN) & 63]++;
  for (int i = 0; i < 64; i++)
    write_channel_intel(BANKED_OUT, bin[0][i] + bin[1][i] + bin[2][i] + bin[3][i]);
}
