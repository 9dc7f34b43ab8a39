/* SPDX-License-Identifier: Apache-2.0
   Sender and receiver of the paper on FPGA-to-FPGA Ethernet from OpenCL (figure 8), line by line as
   printed, quoted for the test; only the two kernels around the lines and their arguments are ours. */
/*I/O の定義Channel*/
channel int SET_SOURCE_ADDR __attribute__((depth
   (0))) __attribute__((io("set_source_addr")));
channel int2 SET_DEST_ADDR_COUNT __attribute__((
   depth(0))) __attribute__((io("
   set_dest_addr_count")));
channel int8 SEND_DATA __attribute__((depth(0))
   __attribute__((io("send_data"))));

/*受信側*/
channel int8 RECEIVE_DATA __attribute__((depth(0))
   ) __attribute__((io("receive_data")));

__kernel void sender(__global const int8 *restrict send_data256, int count, int source_addr,
                     int dest_addr) {
/*送信側*/
write_channel_intel(SET_SOURCE_ADDR, source_addr);
write_channel_intel(SET_DEST_ADDR_COUNT, (int2)(
   count, dest_addr));
for (int i = 0; i < count; i++){
    write_channel_intel(SEND_DATA, send_data256[i]);
}
}

__kernel void receiver(__global int8 *restrict receive_data256, int count) {
for (int i = 0; i < count; i++){
    receive_data256[i] = read_channel_intel(
   RECEIVE_DATA);
}
}
