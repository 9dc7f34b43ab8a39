// SPDX-License-Identifier: Apache-2.0
//
// Matrix product of floats in memory, C = A * B, matrices of N x N with N at most 64. A row of C
// stands in the chip while the rows of B pass, each word of which is loaded in bursts.
#define MOST 64
__kernel void matmul(__global const float *restrict a, __global const float *restrict b,
                     __global float *restrict c, int n) {
  float row[MOST];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) row[j] = 0.0f;
    for (int k = 0; k < n; k++) {
      float factor = a[i * n + k];
      for (int j = 0; j < n; j++) row[j] += factor * b[k * n + j];
    }
    for (int j = 0; j < n; j++) c[i * n + j] = row[j];
  }
}
