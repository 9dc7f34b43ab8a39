// SPDX-License-Identifier: Apache-2.0
//
// A message there and a word back, again and again: latency and bandwidth of the paper's channels.
channel int SOURCE __attribute__((io("set_source_addr")));
channel int2 DEST_COUNT __attribute__((io("set_dest_addr_count")));
channel int8 SEND __attribute__((io("send_data")));
channel int8 RECEIVE __attribute__((io("receive_data")));

// `first` asks with messages of `words` words and is answered with one.
__kernel void exchange(int own, int peer, int turns, int words, int first) {
  write_channel_intel(SOURCE, own);
  int out = first ? words : 1;
  int in = first ? 1 : words;
  for (int turn = 0; turn < turns + 1 - first; turn++) {
    if (first || turn > 0) {
      write_channel_intel(DEST_COUNT, (int2)(out, peer));
      for (int i = 0; i < out; i++) write_channel_intel(SEND, (int8)(i));
    }
    if (first || turn < turns) {
      for (int i = 0; i < in; i++) read_channel_intel(RECEIVE);
    }
  }
}
