// SPDX-License-Identifier: Apache-2.0
//
// Channels for emulation; clang includes this before the user's file. A channel is still a
// variable, but only its address counts: reads and writes are calls of the runtime, kumi_cl_emu.c.
#ifndef KUMI_CL_EMU_H
#define KUMI_CL_EMU_H

#include "kumi_cl_common.h"

void __kumi_emu_read(const volatile void* ch, void* word, int bytes, int line);
void __kumi_emu_write(const volatile void* ch, const void* word, int bytes, int line);
uint __kumi_emu_unit(uint dim);
ulong __kumi_item(uint what, uint dim);
void __kumi_emu_barrier(void);
_Bool __kumi_emu_try_read(const volatile void* ch, void* word, int bytes, int line);
_Bool __kumi_emu_try_write(const volatile void* ch, const void* word, int bytes, int line);

#define read_channel_intel(ch)                                       \
  __extension__({                                                    \
    __kumi_word(ch) __kumi_in;                                       \
    __kumi_emu_read(&(ch), &__kumi_in, sizeof(__kumi_in), __LINE__); \
    __kumi_in;                                                       \
  })
#define write_channel_intel(ch, value)                                  \
  __extension__({                                                       \
    __kumi_word(ch) __kumi_out = (value);                               \
    __kumi_emu_write(&(ch), &__kumi_out, sizeof(__kumi_out), __LINE__); \
  })
#define read_channel_nb_intel(ch, valid)                                            \
  __extension__({                                                                   \
    __kumi_word(ch) __kumi_in;                                                      \
    *(valid) = __kumi_emu_try_read(&(ch), &__kumi_in, sizeof(__kumi_in), __LINE__); \
    __kumi_in;                                                                      \
  })
#define write_channel_nb_intel(ch, value)                                   \
  __extension__({                                                           \
    __kumi_word(ch) __kumi_out = (value);                                   \
    __kumi_emu_try_write(&(ch), &__kumi_out, sizeof(__kumi_out), __LINE__); \
  })

#define __kumi_fence(flags) ((void)(flags))
#define __kumi_barrier(flags) ((void)(flags), __kumi_emu_barrier())
#define __kumi_compute_id(dim) ((ulong)__kumi_emu_unit(dim))

#endif
