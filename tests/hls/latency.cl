// SPDX-License-Identifier: Apache-2.0
//
// A word there and back, again and again: `ping` asks, `pong` answers.
channel int SOURCE __attribute__((io("set_source_addr")));
channel int2 DEST_COUNT __attribute__((io("set_dest_addr_count")));
channel int8 SEND __attribute__((io("send_data")));
channel int8 RECEIVE __attribute__((io("receive_data")));

__kernel void ping(int own, int peer, int n, int first) {
  write_channel_intel(SOURCE, own);
  for (int i = 0; i < n; i++) {
    if (first || i > 0) write_channel_intel(DEST_COUNT, (int2)(1, peer));
    if (first || i > 0) write_channel_intel(SEND, (int8)(i));
    int8 word = read_channel_intel(RECEIVE);
    if (!first && i == n - 1) {
      write_channel_intel(DEST_COUNT, (int2)(1, peer));
      write_channel_intel(SEND, word);
    }
  }
}
