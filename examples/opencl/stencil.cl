// SPDX-License-Identifier: Apache-2.0
//
// One step of a stencil, as a stream from board to board: each cell becomes the mean of itself,
// twice, and its neighbours. A word has 8 cells; COUNT words come in and go on to ADDR, so a chain
// of boards makes as many steps. Cells outside of the line are 0.
channel int SOURCE __attribute__((io("set_source_addr")));
channel int2 DEST_COUNT __attribute__((io("set_dest_addr_count")));
channel int8 SEND __attribute__((io("send_data")));
channel int8 RECEIVE __attribute__((io("receive_data")));

__kernel void smooth(int count, int own, int addr) {
  write_channel_intel(SOURCE, own);
  write_channel_intel(DEST_COUNT, (int2)(count, addr));
  int left = 0;
  int8 now = (int8)(0);
  for (int i = 0; i <= count; i++) {
    int8 next = (int8)(0);
    if (i < count) next = read_channel_intel(RECEIVE);
    int8 before = (int8)(left, now.s0123, now.s45, now.s6);
    int8 after = (int8)(now.s1234, now.s56, now.s7, next.s0);
    if (i > 0) write_channel_intel(SEND, (before + 2 * now + after) >> 2);
    left = now.s7;
    now = next;
  }
}
