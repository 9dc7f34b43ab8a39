// SPDX-License-Identifier: Apache-2.0
//
// What synthesis and emulation share: attributes of channels and kernels, Altera's names, and the
// integer functions of OpenCL C as clang's own, which need no library.
#ifndef KUMI_CL_COMMON_H
#define KUMI_CL_COMMON_H

#define channel __attribute((annotate("kumi.channel"))) __global volatile

// Attributes in any nesting of parentheses, also with the second inside of the first's, as the
// paper prints them. __attribute is clang's other spelling of the word.
#define __kumi_attribute(...) __attribute((__VA_ARGS__))
#define __attribute__(...) __kumi_attribute __VA_ARGS__
#define depth(n) annotate("kumi.depth=" #n)
#define io(name) annotate("kumi.io=" name)
#define autorun annotate("kumi.autorun")
#define max_global_work_dim(n) annotate("kumi.max_global_work_dim=" #n)
#define num_compute_units(...) annotate("kumi.num_compute_units=" #__VA_ARGS__)

// The type of a channel's words: __typeof_unqual__ also drops the address space.
#define __kumi_word(ch) __typeof_unqual__(ch)

#define read_channel_altera(ch) read_channel_intel(ch)
#define write_channel_altera(ch, value) write_channel_intel(ch, value)
#define read_channel_nb_altera(ch, valid) read_channel_nb_intel(ch, valid)
#define write_channel_nb_altera(ch, value) write_channel_nb_intel(ch, value)

#define CLK_CHANNEL_MEM_FENCE 0x100
#define mem_fence(flags) __kumi_fence(flags)
#define read_mem_fence(flags) __kumi_fence(flags)
#define write_mem_fence(flags) __kumi_fence(flags)
#define get_compute_id(dim) __kumi_compute_id(dim)

#define min(a, b) __kumi_pair(__builtin_elementwise_min, a, b)
#define max(a, b) __kumi_pair(__builtin_elementwise_max, a, b)
#define add_sat(a, b) __builtin_elementwise_add_sat(a, b)
#define sub_sat(a, b) __builtin_elementwise_sub_sat(a, b)
#define abs(a) __builtin_elementwise_abs(a)
#define popcount(a) \
  ((__typeof__(a))__builtin_popcountll((ulong)(a) & (~0UL >> (64 - 8 * sizeof(a)))))
#define fabs(a) __builtin_elementwise_abs(a)
#define clamp(x, low, high) min(max(x, low), high)

// OpenCL takes a scalar beside a vector, and the wider of two scalars.
#define __kumi_pair(f, a, b) f((__kumi_joint(a, b))(a), (__kumi_joint(a, b))(b))
#define __kumi_joint(a, b) __typeof__((a) + (b))

#endif
