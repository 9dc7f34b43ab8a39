// SPDX-License-Identifier: Apache-2.0
//
// Kernels that deadlock when they are asked to.
channel int TO_TWO;
channel int TO_ONE __attribute__((depth(1)));
__kernel void one(int n, int answers) {
  int x = 0;
  for (int i = 0; i < n; i++) {
    write_channel_intel(TO_TWO, x + i);
    if (i < answers) x = read_channel_intel(TO_ONE);
  }
}
__kernel void two(int n, int answers) {
  for (int i = 0; i < n; i++) {
    int x = read_channel_intel(TO_TWO);
    if (i < answers) write_channel_intel(TO_ONE, x);
  }
}

// One that waits for as long as the other one has not been started.
channel int LOOP __attribute__((depth(4)));
__kernel void feeds(int n) {
  for (int i = 0; i < n; i++) write_channel_intel(LOOP, i);
}
__kernel void takes(int n) {
  for (int i = 0; i < n; i++) read_channel_intel(LOOP);
}

// Each waits for the other's first word, from the beginning.
channel int LEFT;
channel int RIGHT;
__attribute__((max_global_work_dim(0))) __attribute__((autorun)) __kernel void left(void) {
  for (;;) write_channel_intel(LEFT, read_channel_intel(RIGHT));
}
__attribute__((max_global_work_dim(0))) __attribute__((autorun)) __kernel void right(void) {
  for (;;) write_channel_intel(RIGHT, read_channel_intel(LEFT));
}
