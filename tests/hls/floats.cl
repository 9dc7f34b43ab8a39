// SPDX-License-Identifier: Apache-2.0
//
// Kernels of the floating-point tests.
channel float2 PAIR_IN;
channel float4 CALC_OUT;
channel uint TEST_OUT;
__kernel void calc(int n) {
  for (int i = 0; i < n; i++) {
    float2 x = read_channel_intel(PAIR_IN);
    write_channel_intel(CALC_OUT, (float4)(x.s0 + x.s1, x.s0 * x.s1, x.s0 / x.s1, x.s0 - x.s1));
    uint bits = (x.s0 < x.s1) | (x.s0 <= x.s1) << 1 | (x.s0 == x.s1) << 2 | (x.s0 != x.s1) << 3 |
                (x.s0 > x.s1) << 4 | (x.s0 >= x.s1) << 5 | !(x.s0 < x.s1) << 6 |
                (fabs(x.s0) > -x.s1) << 7;
    write_channel_intel(TEST_OUT, bits);
  }
}
channel long INT_IN;
channel float4 FLOATS_OUT;
__kernel void from_int(int n) {
  for (int i = 0; i < n; i++) {
    long x = read_channel_intel(INT_IN);
    write_channel_intel(FLOATS_OUT, (float4)(x, (ulong)x, (int)x, (ushort)x));
  }
}
channel float FLOAT_IN;
channel long4 INTS_OUT;
__kernel void to_int(int n) {
  for (int i = 0; i < n; i++) {
    float x = read_channel_intel(FLOAT_IN);
    write_channel_intel(INTS_OUT, (long4)((long)x, (int)(x / 4294967296.0f),
                                          (uchar)(fabs(x) / 1e18f), (short)(x * 1e-16f)));
  }
}
__kernel void dot(__global const float *restrict a, __global const float *restrict b,
                  __global float *restrict out, int n) {
  float sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  out[0] = sum;
}

// Selections and comparisons as functions; elements of vectors decide by their highest bits.
channel int4 DECIDE_IN;
channel int16 DECIDE_OUT;
__kernel void decide(int n) {
  for (int i = 0; i < n; i++) {
    int4 x = read_channel_intel(DECIDE_IN);
    float4 f = as_float4(x);
    int4 chosen = select(x, x.wzyx, f < f.yxwz);
    int4 tests = select(select((int4)(1), (int4)(2), isnan(f)), (int4)(3), isless(f, 0.5f));
    float4 least = fmin(f, 1.5f), signs = copysign((float4)(2.0f), f);
    int bits = any(x > 3) | all(x > -9) << 1 | any(x.x) << 2 | all(convert_char4(x)) << 3;
    bits |= isequal(f.x, f.y) << 4 | signbit(f.z) << 5 | isgreaterequal(f.w, f.x) << 6;
    bits |= isunordered(f.x, f.y) << 7 | select(0, 256, x.y) | (int)step(f.x, f.y) << 9;
    bits ^= select((uchar)16, (uchar)32, (uchar)(x.z & 1)) << 10;
    int16 out = (int16)(chosen, tests, as_int4(least), as_int3(signs.xyz), bits);
    write_channel_intel(DECIDE_OUT, out);
  }
}
