// SPDX-License-Identifier: Apache-2.0
//
// What synthesis and emulation share: attributes of channels and kernels, Altera's names, and the
// functions of OpenCL C that are written in C (kumi_cl_lib.h).
#ifndef KUMI_CL_COMMON_H
#define KUMI_CL_COMMON_H

#define channel __attribute((annotate("kumi.channel"))) __global volatile

// Attributes in any nesting of parentheses, also with the second inside of the first's, as the
// paper prints them. __attribute is clang's other spelling of the word.
#define __kumi_attribute(...) __attribute((__VA_ARGS__))
#define __attribute__(...) __kumi_attribute __VA_ARGS__
#define depth(n) __kumi_depth(n)
#define __kumi_depth(n) annotate("kumi.depth=" #n)
#define io(name) annotate("kumi.io=" name)
#define autorun annotate("kumi.autorun")
#define max_global_work_dim(n) annotate("kumi.max_global_work_dim=" #n)
#define num_compute_units(...) __kumi_units(__VA_ARGS__)
#define __kumi_units(...) annotate("kumi.num_compute_units=" #__VA_ARGS__)

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

// The vendor's hints: a register, a load with its own unit. The schedule decides both here.
#define __fpga_reg(x) (x)
#define __burst_coalesced_load(p) (*(p))
#define __prefetching_load(p) (*(p))
#define __pipelined_load(p) (*(p))
#define __semi_streaming_load(p) (*(p))

#define get_compute_id(dim) __kumi_compute_id(dim)

#define get_global_id(dim) __kumi_item(0, dim)
#define get_local_id(dim) __kumi_item(1, dim)
#define get_group_id(dim) __kumi_item(2, dim)
#define get_global_size(dim) __kumi_item(3, dim)
#define get_local_size(dim) __kumi_item(4, dim)
#define get_num_groups(dim) __kumi_item(5, dim)
#define get_global_offset(dim) __kumi_item(6, dim)
#define get_work_dim() ((uint)__kumi_item(7, 0))
#define barrier(flags) __kumi_barrier(flags)
#define work_group_barrier(flags, ...) __kumi_barrier(flags)

#include "kumi_cl_lib.h"

#endif
