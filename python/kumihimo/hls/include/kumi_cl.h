// SPDX-License-Identifier: Apache-2.0
//
// What OpenCL C lacks for kernels with channels, for synthesis: clang includes it before the user's
// file. A channel is a volatile global variable; a read or write of it is one volatile access, and
// its attributes are annotations that arrive in LLVM IR. See kumi_cl_emu.h for emulation.
#ifndef KUMI_CL_H
#define KUMI_CL_H

#define channel __attribute((annotate("kumi.channel"))) __global volatile

// Attributes in any nesting of parentheses, also __attribute__((depth(0)) __attribute__((io("x")))),
// as the paper prints it. __attribute is clang's other spelling of the word.
#define __kumi_attribute(...) __attribute((__VA_ARGS__))
#define __attribute__(...) __kumi_attribute __VA_ARGS__
#define depth(n) annotate("kumi.depth=" #n)
#define io(name) annotate("kumi.io=" name)
#define autorun annotate("kumi.autorun")
#define max_global_work_dim(n) annotate("kumi.max_global_work_dim=" #n)
#define num_compute_units(...) annotate("kumi.num_compute_units=" #__VA_ARGS__)

_Bool __kumi_can_read(const volatile __global void *ch);
_Bool __kumi_can_write(const volatile __global void *ch);
void __kumi_fence(uint flags);
ulong __kumi_compute_id(uint dim);

// The type of a channel's words: __typeof_unqual__ also drops the address space.
#define __kumi_word(ch) __typeof_unqual__(ch)
#define __kumi_bits(ch) unsigned _BitInt(8 * sizeof(ch))

#define read_channel_intel(ch)                                         \
  __extension__({                                                      \
    __kumi_bits(ch) __kumi_raw = *(volatile __global __kumi_bits(ch) *)&(ch); \
    *(__kumi_word(ch) *)&__kumi_raw;                                   \
  })
#define write_channel_intel(ch, value)                                 \
  __extension__({                                                      \
    __kumi_word(ch) __kumi_out = (value);                              \
    *(volatile __global __kumi_bits(ch) *)&(ch) = *(__kumi_bits(ch) *)&__kumi_out; \
  })
#define read_channel_nb_intel(ch, valid)                               \
  __extension__({                                                      \
    *(valid) = __kumi_can_read(&(ch));                                 \
    read_channel_intel(ch);                                            \
  })
#define write_channel_nb_intel(ch, value)                              \
  __extension__({                                                      \
    __kumi_word(ch) __kumi_new = (value);                              \
    _Bool __kumi_ok = __kumi_can_write(&(ch));                         \
    write_channel_intel(ch, __kumi_new);                               \
    __kumi_ok;                                                         \
  })

#define read_channel_altera(ch) read_channel_intel(ch)
#define write_channel_altera(ch, value) write_channel_intel(ch, value)
#define read_channel_nb_altera(ch, valid) read_channel_nb_intel(ch, valid)
#define write_channel_nb_altera(ch, value) write_channel_nb_intel(ch, value)

#define CLK_CHANNEL_MEM_FENCE 0x100
#define mem_fence(flags) __kumi_fence(flags)
#define read_mem_fence(flags) __kumi_fence(flags)
#define write_mem_fence(flags) __kumi_fence(flags)
#define get_compute_id(dim) __kumi_compute_id(dim)
#define printf(...) ((void)0)

#endif
