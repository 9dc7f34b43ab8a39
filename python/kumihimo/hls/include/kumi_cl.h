// SPDX-License-Identifier: Apache-2.0
//
// Channels for synthesis; clang includes this before the user's file. A channel is a volatile
// global variable, a read or write of it one volatile access of all its bits, and its attributes
// are annotations, which arrive in LLVM IR. kumi_cl_emu.h is the counterpart for emulation.
#ifndef KUMI_CL_H
#define KUMI_CL_H

#include "kumi_cl_common.h"

_Bool __kumi_can_read(const volatile __global void* ch);
_Bool __kumi_can_write(const volatile __global void* ch);
void __kumi_fence(uint flags);
ulong __kumi_item(uint what, uint dim);  // of a work-item, until its kernel is a loop over them
void __kumi_barrier(uint flags);

// Which compute unit is compiled: each is a kernel of its own.
#ifndef KUMI_UNIT0
#define KUMI_UNIT0 0
#endif
#ifndef KUMI_UNIT1
#define KUMI_UNIT1 0
#endif
#ifndef KUMI_UNIT2
#define KUMI_UNIT2 0
#endif
#define __kumi_compute_id(dim) \
  ((ulong)((dim) == 0 ? KUMI_UNIT0 : (dim) == 1 ? KUMI_UNIT1 : KUMI_UNIT2))

#define __kumi_bits(ch) unsigned _BitInt(8 * sizeof(ch))

#define read_channel_intel(ch)                                               \
  __extension__({                                                            \
    __kumi_bits(ch) __kumi_raw = *(volatile __global __kumi_bits(ch)*)&(ch); \
    *(__kumi_word(ch)*)&__kumi_raw;                                          \
  })
#define write_channel_intel(ch, value)                                           \
  __extension__({                                                                \
    __kumi_word(ch) __kumi_out = (value);                                        \
    *(volatile __global __kumi_bits(ch)*)&(ch) = *(__kumi_bits(ch)*)&__kumi_out; \
  })
#define read_channel_nb_intel(ch, valid) \
  __extension__({                        \
    *(valid) = __kumi_can_read(&(ch));   \
    read_channel_intel(ch);              \
  })
#define write_channel_nb_intel(ch, value)      \
  __extension__({                              \
    __kumi_word(ch) __kumi_new = (value);      \
    _Bool __kumi_ok = __kumi_can_write(&(ch)); \
    write_channel_intel(ch, __kumi_new);       \
    __kumi_ok;                                 \
  })

#define printf(...) ((void)0)

#endif
