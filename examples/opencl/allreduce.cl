// SPDX-License-Identifier: Apache-2.0
//
// Ring all-reduce: NODES nodes hold as many chunks of COUNT words each (a word: 8 ints); afterwards
// each holds the sums. In the first NODES - 1 rounds a chunk goes round and is added to, in the
// others the sums go round.
//
// `give` sends what `take` has put in place: a token from one to the other for each round.
#define NODES 4
channel int SOURCE __attribute__((io("set_source_addr")));
channel int2 DEST_COUNT __attribute__((io("set_dest_addr_count")));
channel int8 SEND __attribute__((io("send_data")));
channel int8 RECEIVE __attribute__((io("receive_data")));
channel bool ROUND __attribute__((depth(2 * NODES)));

__kernel void give(__global const int8 *data, int count, int rank, int own, int next) {
  write_channel_intel(SOURCE, own);
  for (int round = 0; round < 2 * (NODES - 1); round++) {
    if (round > 0) read_channel_intel(ROUND);
    mem_fence(CLK_CHANNEL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    __global const int8 *chunk = data + ((rank - round + 2 * NODES) % NODES) * count;
    write_channel_intel(DEST_COUNT, (int2)(count, next));
    for (int i = 0; i < count; i++) write_channel_intel(SEND, chunk[i]);
  }
}

__kernel void take(__global int8 *data, int count, int rank) {
  for (int round = 0; round < 2 * (NODES - 1); round++) {
    int first = ((rank - round - 1 + 2 * NODES) % NODES) * count;
    bool adds = round < NODES - 1;
    for (int i = 0; i < count; i++) {
      int8 word = read_channel_intel(RECEIVE);
      data[first + i] = adds ? data[first + i] + word : word;
    }
    mem_fence(CLK_CHANNEL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (round < 2 * (NODES - 1) - 1) write_channel_intel(ROUND, true);
  }
}
