// SPDX-License-Identifier: Apache-2.0
//
// Runs a program of rounds on boards at an Ethernet network: in each, a board sends words of its
// memory to another, once what the round before sent to it has arrived (python/kumihimo/coarse).
//
// `give` sends, `take` receives. A step is an int8: {address of the destination, or -1: none; first
// word of `data`; place in the destination's inbox; words; the step whose arrival it awaits, or -1;
// first word of the inbox that is combined with the data; how: 0 not, 1 added, 2 in its place;
// frames of the awaited step}. A frame has a word of its own in front: {place, step, words}.
#define STEPS 256
#define FRAME 256
channel int SOURCE __attribute__((io("set_source_addr")));
channel int2 DEST_COUNT __attribute__((io("set_dest_addr_count")));
channel int8 SEND __attribute__((io("send_data")));
channel int8 RECEIVE __attribute__((io("receive_data")));
channel int GO;
channel int DONE;
channel int ARRIVED __attribute__((depth(64)));

__kernel void give(__global const int8 *restrict steps, __global int8 *restrict data,
                   __global const int8 *inbox, int count, int own) {
  int arrived[STEPS];
  for (int i = 0; i < STEPS; i++) arrived[i] = 0;
  write_channel_intel(SOURCE, own);
  read_channel_intel(GO);
  for (int s = 0; s < count; s++) {
    int8 step = steps[s];
    while (step.s4 >= 0 && arrived[step.s4 & (STEPS - 1)] < step.s7) {
      int from = read_channel_intel(ARRIVED) & (STEPS - 1);
      arrived[from] = arrived[from] + 1;
    }
    mem_fence(CLK_CHANNEL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (int first = 0; first < step.s3; first += FRAME) {
      int words = min(FRAME, step.s3 - first);
      if (step.s0 >= 0) {
        write_channel_intel(DEST_COUNT, (int2)(words + 1, step.s0));
        write_channel_intel(SEND, (int8)(step.s2 + first, s, words, 0, 0, 0, 0, 0));
      }
#pragma ivdep
      for (int i = 0; i < words; i++) {
        int8 mine = data[step.s1 + first + i];
        int8 other = inbox[step.s5 + first + i];
        int8 word = step.s6 == 0 ? mine : step.s6 == 1 ? mine + other : other;
        data[step.s1 + first + i] = word;
        if (step.s0 >= 0) write_channel_intel(SEND, word);
      }
    }
  }
  mem_fence(CLK_CHANNEL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  write_channel_intel(DONE, count);
}

__kernel void take(__global int8 *restrict inbox, int frames) {
  for (int frame = 0; frame < frames; frame++) {
    int8 head = read_channel_intel(RECEIVE);
    for (int i = 0; i < head.s2; i++) inbox[head.s0 + i] = read_channel_intel(RECEIVE);
    mem_fence(CLK_CHANNEL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    write_channel_intel(ARRIVED, head.s1);
  }
}
