// SPDX-License-Identifier: Apache-2.0
//
// Functions of OpenCL C (6.15 of its specification), written in C: synthesis and emulation compile
// the same text. Names are macros: a file that defines a function of that name gets its own.
//
// Integer: all widths, scalars and vectors. float: sqrt is rounded correctly, floor,
// ceil, trunc, round and rint are exact; rsqrt and the native_ functions are these.
#ifndef KUMI_CL_LIB_H
#define KUMI_CL_LIB_H

#define __KUMI_FN static inline __attribute((overloadable, always_inline))

// Each signed type with its unsigned one, and their bits.
#define __KUMI_INTEGERS(F) \
  F(char, uchar, 8) F(short, ushort, 16) F(int, uint, 32) F(long, ulong, 64)
#define __KUMI_WIDTHS(F, ...) \
  F(__VA_ARGS__, 2) F(__VA_ARGS__, 3) F(__VA_ARGS__, 4) F(__VA_ARGS__, 8) F(__VA_ARGS__, 16)

// ---- the smaller, the greater, the absolute value
#define __KUMI_ORDER(T)                                      \
  __KUMI_FN T __kumi_min(T x, T y) { return y < x ? y : x; } \
  __KUMI_FN T __kumi_max(T x, T y) { return x < y ? y : x; }
#define __KUMI_ORDER_N(T, N) __KUMI_ORDER(T##N)
#define __KUMI_ORDERS(T) __KUMI_ORDER(T) __KUMI_WIDTHS(__KUMI_ORDER_N, T)
#define __KUMI_BOTH(S, U, W) __KUMI_ORDERS(S) __KUMI_ORDERS(U)
__KUMI_INTEGERS(__KUMI_BOTH)
__KUMI_ORDERS(float)

#define __KUMI_ABS(S, U)                                                           \
  __KUMI_FN U __kumi_abs(S x) { return __builtin_astype(x < (S)(0) ? -x : x, U); } \
  __KUMI_FN U __kumi_abs(U x) { return x; }                                        \
  __KUMI_FN U __kumi_abs_diff(S x, S y) {                                          \
    return x < y ? __builtin_astype(y, U) - __builtin_astype(x, U)                 \
                 : __builtin_astype(x, U) - __builtin_astype(y, U);                \
  }                                                                                \
  __KUMI_FN U __kumi_abs_diff(U x, U y) { return x < y ? y - x : x - y; }
#define __KUMI_ABS_N(S, U, N) __KUMI_ABS(S##N, U##N)
#define __KUMI_WIDE(S, U, W) __KUMI_WIDTHS(__KUMI_ABS_N, S, U)
__KUMI_INTEGERS(__KUMI_WIDE)
#define __KUMI_SCALAR_ABS(S, U, W)                                                         \
  __KUMI_FN U __kumi_abs(S x) { return (U)(x < 0 ? -(U)x : (U)x); }                        \
  __KUMI_FN U __kumi_abs(U x) { return x; }                                                \
  __KUMI_FN U __kumi_abs_diff(S x, S y) { return (U)(x < y ? (U)y - (U)x : (U)x - (U)y); } \
  __KUMI_FN U __kumi_abs_diff(U x, U y) { return (U)(x < y ? y - x : x - y); }
__KUMI_INTEGERS(__KUMI_SCALAR_ABS)

// ---- bits, and products wider than their operands (long long has 128 bits here)
#define __KUMI_BITS(T, U, W, SIGN)                                                   \
  __KUMI_FN T __kumi_clz(T x) { return (U)x ? __builtin_clzl((U)x) - (64 - W) : W; } \
  __KUMI_FN T __kumi_ctz(T x) { return (U)x ? __builtin_ctzl((U)x) : W; }            \
  __KUMI_FN T __kumi_popcount(T x) { return __builtin_popcountl((U)x); }             \
  __KUMI_FN T __kumi_mul_hi(T x, T y) {                                              \
    return (T)((SIGN _BitInt(2 * W)) x * (SIGN _BitInt(2 * W)) y >> W);              \
  }                                                                                  \
  __KUMI_FN T __kumi_hadd(T x, T y) { return (x >> 1) + (y >> 1) + (x & y & 1); }    \
  __KUMI_FN T __kumi_rhadd(T x, T y) { return (x >> 1) + (y >> 1) + ((x | y) & 1); }
#define __KUMI_ALL_BITS(S, U, W) __KUMI_BITS(S, U, W, signed) __KUMI_BITS(U, U, W, unsigned)
__KUMI_INTEGERS(__KUMI_ALL_BITS)
#define __KUMI_EACH(F, T, N)                                               \
  __KUMI_FN T##N __kumi_##F(T##N x) {                                      \
    T##N y;                                                                \
    _Pragma("unroll") for (int i = 0; i < N; i++) y[i] = __kumi_##F(x[i]); \
    return y;                                                              \
  }
#define __KUMI_EACH_PAIR(F, T, N)                                                \
  __KUMI_FN T##N __kumi_##F(T##N x, T##N y) {                                    \
    T##N z;                                                                      \
    _Pragma("unroll") for (int i = 0; i < N; i++) z[i] = __kumi_##F(x[i], y[i]); \
    return z;                                                                    \
  }
#define __KUMI_BITS_N(T, N)   \
  __KUMI_EACH(clz, T, N)      \
  __KUMI_EACH(ctz, T, N)      \
  __KUMI_EACH(popcount, T, N) \
  __KUMI_EACH_PAIR(mul_hi, T, N) __KUMI_EACH_PAIR(hadd, T, N) __KUMI_EACH_PAIR(rhadd, T, N)
#define __KUMI_WIDE_BITS(S, U, W) __KUMI_WIDTHS(__KUMI_BITS_N, S) __KUMI_WIDTHS(__KUMI_BITS_N, U)
__KUMI_INTEGERS(__KUMI_WIDE_BITS)

// The width is that of a scalar, or of a vector's element.
#define __kumi_t(x) __typeof_unqual__(x)
#define __kumi_width(x) (8 * sizeof(x) / vec_step(x))
#define __kumi_rotate(x, n)                                                                  \
  __extension__({                                                                            \
    __kumi_t(x) __kumi_x = (x);                                                              \
    __kumi_t(x) __kumi_n = (__kumi_t(x))(n) & (__kumi_t(x))(__kumi_width(x) - 1);            \
    __kumi_t(x) __kumi_low = ((__kumi_t(x))(1) << __kumi_n) - (__kumi_t(x))(1);              \
    (__kumi_t(x))((__kumi_x << __kumi_n) |                                                   \
                  ((__kumi_x >> ((__kumi_t(x))(__kumi_width(x)) - __kumi_n)) & __kumi_low)); \
  })

#define __kumi_bitselect(a, b, c)                             \
  __extension__({                                             \
    __kumi_t(a) __kumi_b = (b), __kumi_c = (c);               \
    (__kumi_t(a))(((a) & ~__kumi_c) | (__kumi_b & __kumi_c)); \
  })

// ---- selection: vectors decide by the highest bit of each element, scalars by whether it is not
// 0. any and all take signed integers, of a scalar its highest bit as well (OpenCL C 6.15.6).
#define __KUMI_TESTS(T)                           \
  __KUMI_FN int __kumi_any(T x) { return x < 0; } \
  __KUMI_FN int __kumi_all(T x) { return x < 0; } \
  __KUMI_WIDTHS(__KUMI_TESTS_N, T)
#define __KUMI_TESTS_N(T, N)                                 \
  __KUMI_FN int __kumi_any(T##N x) {                         \
    T y = 0;                                                 \
    _Pragma("unroll") for (int i = 0; i < N; i++) y |= x[i]; \
    return y < 0;                                            \
  }                                                          \
  __KUMI_FN int __kumi_all(T##N x) {                         \
    T y = -1;                                                \
    _Pragma("unroll") for (int i = 0; i < N; i++) y &= x[i]; \
    return y < 0;                                            \
  }
__KUMI_TESTS(char)
__KUMI_TESTS(short)
__KUMI_TESTS(int)
__KUMI_TESTS(long)

// Both values exist before one is taken: their expressions may read channels.
#define __kumi_select(a, b, c)                               \
  __extension__({                                            \
    __kumi_joint(a, b) __kumi_no = (__kumi_joint(a, b))(a);  \
    __kumi_joint(a, b) __kumi_yes = (__kumi_joint(a, b))(b); \
    (c) ? __kumi_yes : __kumi_no;                            \
  })

// ---- conversions: of integers modulo their width; _sat: to the nearest value of the type
#define __KUMI_LEAST_char CHAR_MIN
#define __KUMI_LEAST_short SHRT_MIN
#define __KUMI_LEAST_int INT_MIN
#define __KUMI_LEAST_long LONG_MIN
#define __KUMI_LEAST_uchar 0
#define __KUMI_LEAST_ushort 0
#define __KUMI_LEAST_uint 0
#define __KUMI_LEAST_ulong 0
#define __KUMI_MOST_char CHAR_MAX
#define __KUMI_MOST_short SHRT_MAX
#define __KUMI_MOST_int INT_MAX
#define __KUMI_MOST_long LONG_MAX
#define __KUMI_MOST_uchar UCHAR_MAX
#define __KUMI_MOST_ushort USHRT_MAX
#define __KUMI_MOST_uint UINT_MAX
#define __KUMI_MOST_ulong ULONG_MAX

#define __KUMI_TO_N(T, S, N) \
  __KUMI_FN T##N convert_##T##N(S##N x) { return __builtin_convertvector(x, T##N); }
#define __KUMI_TO(T, S)                         \
  __KUMI_FN T convert_##T(S x) { return (T)x; } \
  __KUMI_WIDTHS(__KUMI_TO_N, T, S)
#define __KUMI_SAT_N(T, S, N)                                                     \
  __KUMI_FN T##N convert_##T##N##_sat(S##N x) {                                   \
    T##N y;                                                                       \
    _Pragma("unroll") for (int i = 0; i < N; i++) y[i] = convert_##T##_sat(x[i]); \
    return y;                                                                     \
  }
// One bit more than the widest type holds every value of all of them.
#define __KUMI_SAT(T, S)                                                 \
  __KUMI_TO(T, S)                                                        \
  __KUMI_FN T convert_##T##_sat(S x) {                                   \
    _BitInt(66) v = x, least = __KUMI_LEAST_##T, most = __KUMI_MOST_##T; \
    return (T)(v < least ? least : v > most ? most : v);                 \
  }                                                                      \
  __KUMI_WIDTHS(__KUMI_SAT_N, T, S)
#define __KUMI_SAT_FLOAT(T)                                                   \
  __KUMI_TO(T, float)                                                         \
  __KUMI_TO(float, T)                                                         \
  __KUMI_FN T convert_##T##_sat(float x) {                                    \
    if (!(x > (float)__KUMI_LEAST_##T)) return x == x ? __KUMI_LEAST_##T : 0; \
    return x >= (float)__KUMI_MOST_##T ? __KUMI_MOST_##T : (T)x;              \
  }                                                                           \
  __KUMI_WIDTHS(__KUMI_SAT_N, T, float)
#define __KUMI_PAIR(T, S, U) __KUMI_SAT(T, S) __KUMI_SAT(T, U)
#define __KUMI_SMALL(T) __KUMI_PAIR(T, char, uchar) __KUMI_PAIR(T, short, ushort)
#define __KUMI_LARGE(T) __KUMI_PAIR(T, int, uint) __KUMI_PAIR(T, long, ulong)
#define __KUMI_FROM(T) __KUMI_SMALL(T) __KUMI_LARGE(T) __KUMI_SAT_FLOAT(T)
__KUMI_FROM(char)
__KUMI_FROM(uchar)
__KUMI_FROM(short)
__KUMI_FROM(ushort)
__KUMI_FROM(int)
__KUMI_FROM(uint)
__KUMI_FROM(long)
__KUMI_FROM(ulong)
__KUMI_TO(float, float)

// ---- float
#define __KUMI_SIGN 0x80000000u
__KUMI_FN float __kumi_signed_as(float x, float sign) {
  return as_float((as_uint(x) & ~__KUMI_SIGN) | (as_uint(sign) & __KUMI_SIGN));
}
__KUMI_FN float __kumi_fabs(float x) { return as_float(as_uint(x) & ~__KUMI_SIGN); }
// At and above 2^23 every float is an integer; NaN and infinities pass as well.
__KUMI_FN float __kumi_trunc(float x) {
  return __kumi_fabs(x) < 8388608.0f ? __kumi_signed_as((float)(int)x, x) : x;
}
__KUMI_FN float __kumi_floor(float x) {
  float t = __kumi_trunc(x);
  return __kumi_signed_as(t > x ? t - 1.0f : t, x);
}
__KUMI_FN float __kumi_ceil(float x) {
  float t = __kumi_trunc(x);
  return __kumi_signed_as(t < x ? t + 1.0f : t, x);
}
__KUMI_FN float __kumi_round(float x) {
  float t = __kumi_fabs(__kumi_trunc(x));
  return __kumi_signed_as(__kumi_fabs(x) - t >= 0.5f ? t + 1.0f : t, x);
}
__KUMI_FN float __kumi_rint(float x) {
  float a = __kumi_fabs(x);
  return a < 8388608.0f ? __kumi_signed_as((a + 8388608.0f) - 8388608.0f, x) : x;
}
// Digit by digit: 24 bits of the root and one to round by; a root is never half way.
__KUMI_FN float __kumi_sqrt(float x) {
  uint bits = as_uint(x), m = bits & 0x7fffff;
  int e = (int)(bits >> 23 & 255);
  int shift = e ? 0 : __kumi_clz(m) - 8;
  m = e ? m | 0x800000 : m << (shift & 31);
  e = (e ? e : 1 - shift) - 127;
  ulong radicand = (ulong)m << (25 + (e & 1));
  uint rest = 0, root = 0;
  _Pragma("unroll") for (int i = 50; i >= 0; i -= 2) {
    rest = rest << 2 | (uint)(radicand >> i & 3);
    uint trial = root << 2 | 1;
    bool fits = rest >= trial;
    rest = fits ? rest - trial : rest;
    root = root << 1 | fits;
  }
  uint value = ((uint)((e >> 1) + 126) << 23) + (root >> 1) + (root & 1);
  if ((bits & ~__KUMI_SIGN) == 0 || bits == 0x7f800000u) return x;
  if (bits >> 31 || bits > 0x7f800000u) return as_float(0x7fc00000u);
  return as_float(value);
}
#define __KUMI_LANES_N(F, N) __KUMI_EACH(F, float, N)
#define __KUMI_LANES(F) __KUMI_WIDTHS(__KUMI_LANES_N, F)
__KUMI_LANES(fabs)
__KUMI_LANES(trunc)
__KUMI_LANES(floor)
__KUMI_LANES(ceil)
__KUMI_LANES(round)
__KUMI_LANES(rint)
__KUMI_LANES(sqrt)
__KUMI_FN float __kumi_fmin(float x, float y) { return y < x || x != x ? y : x; }
__KUMI_FN float __kumi_fmax(float x, float y) { return x < y || x != x ? y : x; }
__KUMI_FN float __kumi_copysign(float x, float y) { return __kumi_signed_as(x, y); }
__KUMI_FN float __kumi_fdim(float x, float y) { return x <= y ? 0.0f : x - y; }
__KUMI_FN float __kumi_step(float edge, float x) { return x < edge ? 0.0f : 1.0f; }
#define __KUMI_PAIRS_N(F, N) __KUMI_EACH_PAIR(F, float, N)
#define __KUMI_PAIRS(F) __KUMI_WIDTHS(__KUMI_PAIRS_N, F)
__KUMI_PAIRS(fmin)
__KUMI_PAIRS(fmax)
__KUMI_PAIRS(copysign)
__KUMI_PAIRS(fdim)
__KUMI_PAIRS(step)
// Comparisons as functions: 1 of scalars, -1 of vectors.
#define __KUMI_COMPARE(F, T, I)                                            \
  __KUMI_FN I __kumi_isequal(F x, F y) { return x == y; }                  \
  __KUMI_FN I __kumi_isnotequal(F x, F y) { return x != y; }               \
  __KUMI_FN I __kumi_isless(F x, F y) { return x < y; }                    \
  __KUMI_FN I __kumi_islessequal(F x, F y) { return x <= y; }              \
  __KUMI_FN I __kumi_islessgreater(F x, F y) { return (x < y) | (x > y); } \
  __KUMI_FN I __kumi_isordered(F x, F y) { return (x == x) & (y == y); }   \
  __KUMI_FN I __kumi_isnan(F x) { return x != x; }                         \
  __KUMI_FN I __kumi_signbit(F x) { return (I)(__builtin_astype(x, I) < (I)(0)); }
#define __KUMI_COMPARE_N(F, N) __KUMI_COMPARE(F##N, F, int##N)
__KUMI_COMPARE(float, float, int)
__KUMI_WIDTHS(__KUMI_COMPARE_N, float)
__KUMI_FN float __kumi_dot(float2 a, float2 b) { return a.x * b.x + a.y * b.y; }
__KUMI_FN float __kumi_dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__KUMI_FN float __kumi_dot(float4 a, float4 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

// ---- the names
// OpenCL takes a scalar beside a vector, and the wider of two scalars.
#define __kumi_mix(a, b, c)                               \
  __extension__({                                         \
    __kumi_t(a) __kumi_from = (a);                        \
    __kumi_from + ((__kumi_t(a))(b) - __kumi_from) * (c); \
  })
#define __kumi_pair(f, a, b) f((__kumi_joint(a, b))(a), (__kumi_joint(a, b))(b))
#define __kumi_joint(a, b) __typeof__((a) + (b))
#define min(a, b) __kumi_pair(__kumi_min, a, b)
#define max(a, b) __kumi_pair(__kumi_max, a, b)
#define clamp(x, low, high) min(max(x, low), high)
#define abs(a) __kumi_abs(a)
#define abs_diff(a, b) __kumi_abs_diff(a, b)
// The builtin wants values: a variable has its address space in its type.
#define add_sat(a, b) __builtin_elementwise_add_sat((__kumi_t(a))(a), (__kumi_t(b))(b))
#define sub_sat(a, b) __builtin_elementwise_sub_sat((__kumi_t(a))(a), (__kumi_t(b))(b))
#define select(a, b, c) __kumi_select(a, b, c)
#define any(a) __kumi_any(a)
#define all(a) __kumi_all(a)
#define popcount(a) __kumi_popcount(a)
#define clz(a) __kumi_clz(a)
#define ctz(a) __kumi_ctz(a)
#define hadd(a, b) __kumi_hadd(a, b)
#define rhadd(a, b) __kumi_rhadd(a, b)
#define mul_hi(a, b) __kumi_mul_hi(a, b)
#define mad_hi(a, b, c) (__kumi_mul_hi(a, b) + (c))
#define mul24(a, b) ((a) * (b))
#define mad24(a, b, c) ((a) * (b) + (c))
#define mad(a, b, c) ((a) * (b) + (c))
#define rotate(a, n) __kumi_rotate(a, n)
#define bitselect(a, b, c) __kumi_bitselect(a, b, c)
#define fabs(a) __kumi_fabs(a)
// A scalar beside a vector counts for each element.
#define fmin(a, b) __kumi_pair(__kumi_fmin, a, b)
#define fmax(a, b) __kumi_pair(__kumi_fmax, a, b)
#define fdim(a, b) __kumi_pair(__kumi_fdim, a, b)
#define step(a, b) __kumi_pair(__kumi_step, a, b)
#define copysign(a, b) __kumi_pair(__kumi_copysign, a, b)
#define mix(a, b, c) __kumi_mix(a, b, c)
#define trunc(a) __kumi_trunc(a)
#define floor(a) __kumi_floor(a)
#define ceil(a) __kumi_ceil(a)
#define round(a) __kumi_round(a)
#define rint(a) __kumi_rint(a)
#define sqrt(a) __kumi_sqrt(a)
#define native_sqrt(a) __kumi_sqrt(a)
#define rsqrt(a) (1.0f / __kumi_sqrt(a))
#define native_rsqrt(a) (1.0f / __kumi_sqrt(a))
#define native_recip(a) (1.0f / (a))
#define native_divide(a, b) ((a) / (b))
#define dot(a, b) __kumi_dot(a, b)
#define isequal(a, b) __kumi_pair(__kumi_isequal, a, b)
#define isnotequal(a, b) __kumi_pair(__kumi_isnotequal, a, b)
#define isless(a, b) __kumi_pair(__kumi_isless, a, b)
#define islessequal(a, b) __kumi_pair(__kumi_islessequal, a, b)
#define isgreater(a, b) isless(b, a)
#define isgreaterequal(a, b) islessequal(b, a)
#define islessgreater(a, b) __kumi_pair(__kumi_islessgreater, a, b)
#define isordered(a, b) __kumi_pair(__kumi_isordered, a, b)
#define isunordered(a, b) (!isordered(a, b))
#define signbit(a) __kumi_signbit(a)
#define isnan(a) __kumi_isnan(a)
#define isinf(a) (__kumi_fabs(a) == INFINITY)
#define isfinite(a) (__kumi_fabs(a) < INFINITY)

#endif
