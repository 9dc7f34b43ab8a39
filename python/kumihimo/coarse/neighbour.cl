// SPDX-License-Identifier: Apache-2.0
//
// The programs of exchange.cl on a torus of serial links: link 0 leads to the next board along x,
// link 1 comes from the one before, links 2 and 3 the same along y.
//
// A step as there, of 8 ints; its destination is 0 (along x), 1 (along y) or -1 (none), and the
// steps of one dimension await the last one of it. Words have 8 bytes, and there is one frame a
// step: {place << 32 | words, step} in front.
#define STEPS 256
channel ulong TO_X __attribute__((io("link0_send")));
channel ulong FROM_X __attribute__((io("link1_receive")));
channel ulong TO_Y __attribute__((io("link2_send")));
channel ulong FROM_Y __attribute__((io("link3_receive")));
channel int GO;
channel int DONE;
channel int ARRIVED_X __attribute__((depth(64)));
channel int ARRIVED_Y __attribute__((depth(64)));

__kernel void give(__global const int8 *restrict steps, __global uint2 *restrict data,
                   __global const uint2 *inbox, int count) {
  int last_x = -1, last_y = -1;  // steps that have arrived
  read_channel_intel(GO);
  for (int s = 0; s < count; s++) {
    int8 step = steps[s];
    if (step.s7 == 0)
      while (last_x < step.s4) last_x = read_channel_intel(ARRIVED_X);
    else
      while (last_y < step.s4) last_y = read_channel_intel(ARRIVED_Y);
    mem_fence(CLK_CHANNEL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (step.s0 == 0) {
      write_channel_intel(TO_X, (ulong)step.s2 << 32 | (uint)step.s3);
      write_channel_intel(TO_X, (ulong)s);
    } else if (step.s0 == 1) {
      write_channel_intel(TO_Y, (ulong)step.s2 << 32 | (uint)step.s3);
      write_channel_intel(TO_Y, (ulong)s);
    }
#pragma ivdep
    for (int i = 0; i < step.s3; i++) {
      uint2 mine = data[step.s1 + i];
      uint2 other = inbox[step.s5 + i];
      uint2 word = step.s6 == 0 ? mine : step.s6 == 1 ? mine + other : other;
      data[step.s1 + i] = word;
      if (step.s0 == 0) write_channel_intel(TO_X, as_ulong(word));
      if (step.s0 == 1) write_channel_intel(TO_Y, as_ulong(word));
    }
  }
  mem_fence(CLK_CHANNEL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  write_channel_intel(DONE, count);
}

#define TAKE(NAME, FROM, ARRIVED)                                                      \
  __kernel void NAME(__global ulong *restrict inbox, int frames) {                     \
    for (int frame = 0; frame < frames; frame++) {                                     \
      ulong head = read_channel_intel(FROM);                                           \
      int step = (int)read_channel_intel(FROM);                                        \
      int place = (int)(head >> 32), words = (int)head;                                \
      for (int i = 0; i < words; i++) inbox[place + i] = read_channel_intel(FROM);     \
      mem_fence(CLK_CHANNEL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                         \
      write_channel_intel(ARRIVED, step);                                              \
    }                                                                                  \
  }
TAKE(take_x, FROM_X, ARRIVED_X)
TAKE(take_y, FROM_Y, ARRIVED_Y)
