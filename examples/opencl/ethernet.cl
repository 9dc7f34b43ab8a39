// SPDX-License-Identifier: Apache-2.0
//
// Messages between FPGAs through the I/O channels of the Ethernet controller: a word is 256 bits,
// an address 32 (the node puts 02:00 in front). `sender` sends COUNT words of memory to ADDR,
// `receiver` puts COUNT words into memory.
channel int SOURCE __attribute__((depth(0))) __attribute__((io("set_source_addr")));
channel int2 DEST_COUNT __attribute__((depth(0))) __attribute__((io("set_dest_addr_count")));
channel int8 SEND __attribute__((depth(0))) __attribute__((io("send_data")));
channel int8 RECEIVE __attribute__((depth(0))) __attribute__((io("receive_data")));

__kernel void sender(__global const int8 *restrict data, int count, int own, int addr) {
  write_channel_intel(SOURCE, own);
  write_channel_intel(DEST_COUNT, (int2)(count, addr));
  for (int i = 0; i < count; i++) write_channel_intel(SEND, data[i]);
}

__kernel void receiver(__global int8 *restrict data, int count) {
  for (int i = 0; i < count; i++) data[i] = read_channel_intel(RECEIVE);
}
