// SPDX-License-Identifier: Apache-2.0
//
// Key-value store behind a UDP port: a request is 16 bytes, so is its answer.
//
//   word 0: operation (0: get, 1: put, 2: delete), then 24 bits that the answer repeats, then the key
//   word 1: value
//
// An answer has in place of the operation 0: found, or done; 1: there is no such key; 2: no room.
// Keys are found by a hash and the slots behind it, so a key is at most PROBES slots from its own.
#define PORT 6000
#define SLOTS 1024
#define PROBES 8

channel uint4 REQUEST __attribute__((io("udp_receive_header")));
channel ulong REQUEST_WORD __attribute__((io("udp_receive_data")));
channel uint4 ANSWER __attribute__((io("udp_send_header")));
channel ulong ANSWER_WORD __attribute__((io("udp_send_data")));

enum { GET, PUT, DELETE };
enum { DONE, MISSING, FULL };

uint hash(uint key) {
  key *= 0x9e3779b1u;
  return key >> 22;
}

__attribute__((max_global_work_dim(0))) __attribute__((autorun)) __kernel void store(void) {
  uint keys[SLOTS];
  uchar used[SLOTS];
  ulong values[SLOTS];
  for (int i = 0; i < SLOTS; i++) used[i] = 0;
  while (1) {
    uint4 from = read_channel_intel(REQUEST);
    ulong word[2] = {0, 0};
    for (uint i = 0; i < (from.w + 7) / 8; i++) {
      ulong x = read_channel_intel(REQUEST_WORD);
      if (i == 0) word[0] = x;
      if (i == 1) word[1] = x;
    }
    if (from.z != PORT || from.w != 16) continue;
    uint what = word[0] & 255, key = (uint)(word[0] >> 32);
    int found = -1, empty = -1;
    for (int i = 0; i < PROBES; i++) {
      uint at = (hash(key) + i) % SLOTS;
      if (used[at] && keys[at] == key) found = at;
      if (!used[at] && empty < 0) empty = at;
    }
    uint status = DONE;
    ulong value = word[1];
    if (what == PUT) {
      int at = found >= 0 ? found : empty;
      if (at >= 0) {
        used[at] = 1;
        keys[at] = key;
        values[at] = value;
      } else {
        status = FULL;
      }
    } else if (found >= 0) {
      value = values[found];
      if (what == DELETE) used[found] = 0;
    } else {
      status = MISSING;
      value = 0;
    }
    write_channel_intel(ANSWER, (uint4)(from.x, from.y, PORT, 16));
    write_channel_intel(ANSWER_WORD, (word[0] & ~255UL) | status);
    write_channel_intel(ANSWER_WORD, value);
  }
}
