// SPDX-License-Identifier: Apache-2.0
//
// Kernels on sockets: bytes of TCP streams go back inverted, datagrams turned round.
channel uint LISTEN __attribute__((io("tcp_listen")));
channel ulong2 BYTES __attribute__((io("tcp_receive")));
channel ulong2 REPLY __attribute__((io("tcp_send")));
channel uint4 DATAGRAM __attribute__((io("udp_receive_header")));
channel ulong DATAGRAM_WORD __attribute__((io("udp_receive_data")));
channel uint4 BACK __attribute__((io("udp_send_header")));
channel ulong BACK_WORD __attribute__((io("udp_send_data")));

__attribute__((max_global_work_dim(0))) __attribute__((autorun)) __kernel void invert(void) {
  write_channel_intel(LISTEN, 7000);
  while (1) {
    ulong2 word = read_channel_intel(BYTES);
    word.x = ~word.x;
    write_channel_intel(REPLY, word);
  }
}

#define MOST 256
__attribute__((max_global_work_dim(0))) __attribute__((autorun)) __kernel void turn(void) {
  ulong words[MOST];
  while (1) {
    uint4 from = read_channel_intel(DATAGRAM);
    uint count = (from.w + 7) / 8;
    for (uint i = 0; i < count; i++) words[i % MOST] = read_channel_intel(DATAGRAM_WORD);
    write_channel_intel(BACK, (uint4)(from.x, from.y, from.z, from.w));
    for (uint i = 0; i < count; i++) write_channel_intel(BACK_WORD, words[(count - 1 - i) % MOST]);
  }
}
