// SPDX-License-Identifier: Apache-2.0
//
// Litmus tests of channels: what a program may rely on, whatever stalls.

// ---- two kernels that ask and answer each other, without depth and with one word
channel int ASK;
channel int ANSWER;
channel int ASK_ONE __attribute__((depth(1)));
channel int ANSWER_ONE __attribute__((depth(1)));
channel int CYCLE_OUT;
__kernel void asks(int n) {
  int x = 1;
  for (int i = 0; i < n; i++) {
    write_channel_intel(ASK, x + i);
    x = read_channel_intel(ANSWER);
    write_channel_intel(ASK_ONE, x);
    x ^= read_channel_intel(ANSWER_ONE);
  }
  write_channel_intel(CYCLE_OUT, x);
}
__kernel void answers(int n) {
  for (int i = 0; i < n; i++) {
    write_channel_intel(ANSWER, read_channel_intel(ASK) * 3);
    write_channel_intel(ANSWER_ONE, read_channel_intel(ASK_ONE) + i);
  }
}

// ---- a word through a channel says that memory was written
channel int WRITTEN __attribute__((depth(2)));
channel int READ_BACK;
__kernel void writes_memory(__global volatile int* box, int n) {
  for (int i = 0; i < n; i++) {
    box[i & 7] = i * 17;
    mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_CHANNEL_MEM_FENCE);
    write_channel_intel(WRITTEN, i);
    read_channel_intel(READ_BACK);
  }
}
channel int SEEN;
__kernel void reads_memory(__global volatile int* box, int n) {
  for (int i = 0; i < n; i++) {
    int at = read_channel_intel(WRITTEN);
    mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_CHANNEL_MEM_FENCE);
    int x = box[at & 7];
    write_channel_intel(SEEN, x);
    write_channel_intel(READ_BACK, x);
  }
}

// ---- two channels in the order that a fence gives them; the reader takes the second one first
channel int FIRST __attribute__((depth(4)));
channel int SECOND __attribute__((depth(4)));
channel int ORDER_OUT;
__kernel void in_order(int n) {
  for (int i = 0; i < n; i++) {
    write_channel_intel(FIRST, i);
    mem_fence(CLK_CHANNEL_MEM_FENCE);
    write_channel_intel(SECOND, i);
  }
}
__kernel void looks(int n) {
  for (int i = 0; i < n; i++) {
    int second = read_channel_intel(SECOND);
    mem_fence(CLK_CHANNEL_MEM_FENCE);
    bool there;
    int first = read_channel_nb_intel(FIRST, &there);
    write_channel_intel(ORDER_OUT, there && first == second);
  }
}

// ---- non-blocking: a word is lost only where the writer was told, and none is made up
channel int TRIED __attribute__((depth(1)));
channel int KEPT_OUT;
channel int SENT_OUT;
__kernel void tries(int n) {
  int sent = 0;
  for (int i = 1; i <= n; i++)
    if (write_channel_nb_intel(TRIED, i)) sent += i;
  while (!write_channel_nb_intel(TRIED, -1));
  write_channel_intel(SENT_OUT, sent);
}
__kernel void polls(int slow) {
  int got = 0;
  for (;;) {
    bool there;
    int x = read_channel_nb_intel(TRIED, &there);
    if (there && x < 0) break;
    if (there) got += x;
    for (int i = 0; i < slow; i++) got ^= 0;
  }
  write_channel_intel(KEPT_OUT, got);
}

// ---- one of several channels: whichever the program takes
channel int EVEN_IN;
channel int ODD_IN;
channel int MERGED;
__kernel void merges(int n) {
  for (int i = 0; i < n; i++) {
    int x = i & 1 ? read_channel_intel(ODD_IN) : read_channel_intel(EVEN_IN);
    write_channel_intel(MERGED, x + i);
  }
}

channel int ROUTE_IN;
channel int ROUTES[3] __attribute__((depth(2)));
__kernel void routes(int n) {
  for (int i = 0; i < n; i++) {
    int x = read_channel_intel(ROUTE_IN);
    if (x & 1)
      write_channel_intel(ROUTES[0], x);
    else if (x & 2)
      write_channel_intel(ROUTES[1], x);
    else
      write_channel_intel(ROUTES[2], x);
  }
}

channel int SOURCES[3];
channel int CHOSEN;
int from(int which) {
  switch (which) {
    case 0:
      return read_channel_intel(SOURCES[0]);
    case 1:
      return read_channel_intel(SOURCES[1]);
  }
  return read_channel_intel(SOURCES[2]);
}
__kernel void chooses(int n) {
  int which = 0;
  for (int i = 0; i < n; i++) {
    int x = from(which);
    which = (x & 0xff) % 3;
    write_channel_intel(CHOSEN, x);
  }
  write_channel_intel(CHOSEN, from(2) + from(which));
}

channel int SIDE_A;
channel int SIDE_B;
channel int BOTH;
__kernel void alternates(int n) {
  bool side = false;
  for (int got = 0; got < n; side = !side) {
    bool there;
    int x = side ? read_channel_nb_intel(SIDE_A, &there) : read_channel_nb_intel(SIDE_B, &there);
    if (!there) continue;
    write_channel_intel(BOTH, x);
    got++;
  }
}
