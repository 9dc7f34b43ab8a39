// SPDX-License-Identifier: Apache-2.0
//
// Five blocks of hw/kernel written again as kernels, with the same streams: words with their byte
// mask and end mark, and the same records. ONLY takes one of them.

// kumi_udp_echo, 64 bits: datagrams of a port go back, others are dropped and counted.
typedef struct __attribute__((packed)) {
  ulong data;
  uchar keep, last;
} beat64;
typedef struct __attribute__((packed)) {
  uint peer_ip;
  ushort peer_port, local_port, length, checksum;
  uchar flags[9];
} udp_record;
channel udp_record ECHO_RECORD_IN;
channel udp_record ECHO_RECORD_OUT;
channel beat64 ECHO_IN;
channel beat64 ECHO_OUT;
channel uint ECHO_DROPPED;
#if !defined(ONLY) || ONLY == 1
__kernel void udp_echo(int datagrams, ushort port) {
  uint drops = 0;
  for (int i = 0; i < datagrams; i++) {
    udp_record record = read_channel_intel(ECHO_RECORD_IN);
    bool pass = port == 0 || record.local_port == port;
    if (pass) write_channel_intel(ECHO_RECORD_OUT, record);
    drops += !pass;
    ushort beats = (record.length + 7) / 8;
    for (ushort j = 0; j < beats; j++) {
      beat64 beat = read_channel_intel(ECHO_IN);
      if (pass) write_channel_intel(ECHO_OUT, beat);
    }
  }
  write_channel_intel(ECHO_DROPPED, drops);
}
#endif

// kumi_int_fp32_add: one lane, integers or single precision.
channel uint2 ADD_IN;
channel uint ADD_OUT;
#ifndef ONLY
__kernel void lane_add(int n, uchar is_float) {
  for (int i = 0; i < n; i++) {
    uint2 x = read_channel_intel(ADD_IN);
    uint whole = x.x + x.y;
    write_channel_intel(ADD_OUT, is_float ? as_uint(as_float(x.x) + as_float(x.y)) : whole);
  }
}
#endif

// PRBS-31 (x^31 + x^28 + 1), 128 bits a step, the oldest of the 31 bits before them in seed[0].
typedef struct {
  ulong2 bits;
  uint next;
} prbs_step;
// A bit is the sum of those 31 and 28 before it, so also of those 62 and 56, 124 and 112 before; bits
// are counted from the oldest of the seed.
prbs_step prbs128(uint seed) {
  ulong early = seed | (ulong)((seed ^ seed >> 3) & 0xfffffff) << 31;  // bits 0 to 58
  ulong gap = (early >> 28 ^ early >> 31) & 7;                         // 59 to 61
  ulong more = (early ^ early >> 6) & 0x1fffffffffffff;                // 62 to 114
  ulong mid = ((early >> 53 | gap << 6) ^ (gap | more << 3)) & 0x1ff;  // 115 to 123
  ulong top = early ^ early >> 12;                                     // 124 to 158
  prbs_step out = {(ulong2)(early >> 31 | gap << 28 | more << 31, more >> 33 | mid << 20 | top << 29),
                   (uint)(top >> 4) & 0x7fffffff};
  return out;
}

// Header of a message, 16 bytes, and the seed of its pattern (kumi_msg_pkg).
uint swap32(uint x) { return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24; }
uint msg_seed(uint source_mark, uint number, uint length, uint stamp) {
  uint fold = source_mark ^ (number << 13 | number >> 19) ^ (length << 23 | length >> 9) ^ stamp;
  uint seed = (fold & 0x7fffffff) ^ (fold >> 31) << 30;
  return seed ? seed : 0x7fffffff;
}

// kumi_msg_build, 128 bits: messages of headers and pattern.
typedef struct __attribute__((packed)) {
  ulong2 data;
  ushort keep;
  uchar last;
} beat128;
typedef struct __attribute__((packed)) {
  uint length;
  ushort peer;
} msg_record;
typedef struct __attribute__((packed)) {
  msg_record record;
  ushort source;
  uint number, stamp;
} msg_request;
channel msg_request GEN_REQUEST;
channel msg_record GEN_RECORD;
channel beat128 GEN_OUT;
#ifndef ONLY
__kernel void msg_build(int messages) {
  for (int i = 0; i < messages; i++) {
    msg_request r = read_channel_intel(GEN_REQUEST);
    write_channel_intel(GEN_RECORD, r.record);
    uint length = r.record.length;
    uint seed = msg_seed((uint)r.source << 16 | 0x4B4D, r.number, length, r.stamp);
    uint mark = swap32(0x4B4D0000u | r.source);
    ulong2 head = (ulong2)((ulong)swap32(r.number) << 32 | mark,
                           (ulong)swap32(r.stamp) << 32 | swap32(length));
    uint rest = length & 15;
    ushort tail = rest ? (1u << rest) - 1 : 0xffff;
    int beats = length / 16 + (rest != 0);
    for (int j = 0; j < beats; j++) {
      prbs_step step = prbs128(seed);
      beat128 beat;
      beat.data = j == 0 ? head : step.bits;
      beat.last = j == beats - 1;
      beat.keep = beat.last ? tail : 0xffff;
      write_channel_intel(GEN_OUT, beat);
      if (j > 0) seed = step.next;
    }
  }
}
#endif

// kumi_msg_check, 128 bits, messages of one sender after the other.
channel beat128 CHECK_IN;
channel uint4 CHECK_COUNTS;
#if !defined(ONLY) || ONLY == 4
__kernel void msg_check(int beats) {
  uint messages = 0, wrong = 0, bad_bytes = 0, bytes = 0;
  uint left = 0, seed = 0;
  uchar begin = 1, error = 0;
  for (int i = 0; i < beats; i++) {
    beat128 beat = read_channel_intel(CHECK_IN);
    uint count = popcount(beat.keep);
    uint first = swap32((uint)beat.data.x), number = swap32((uint)(beat.data.x >> 32));
    uint length = swap32((uint)beat.data.y), stamp = swap32((uint)(beat.data.y >> 32));
    prbs_step step = prbs128(seed);
    ulong2 d = step.bits ^ beat.data;
    uint differs = 0;
#pragma unroll
    for (int k = 0; k < 16; k++) {
      uchar x = k < 8 ? d.x >> 8 * k : d.y >> 8 * (k - 8);
      differs |= (uint)(x != 0 && (beat.keep >> k & 1)) << k;
    }
    if (begin) differs = 0;
    uint now = begin ? length : left;
    uchar ends = beat.last & 1;
    uchar head_error = begin && (first >> 16 != 0x4B4D || count < 16);
    uchar length_error = ends ? now != count : now < count;
    uchar here = head_error | length_error | (differs != 0);
    error = begin ? here : error | here;
    messages += ends;
    wrong += ends & error;
    bytes += count;
    bad_bytes += popcount(differs);
    seed = begin ? msg_seed(first << 16 | 0x4B4D, number, length, stamp) : step.next;
    left = now - count;
    begin = ends;
  }
  write_channel_intel(CHECK_COUNTS, (uint4)(messages, wrong, bytes, bad_bytes));
}
#endif

// kumi_coll_datapath, 256 bits: a block from the node before, from here, or their sum; behind its
// header to the next node, and to memory here.
typedef struct __attribute__((packed)) {
  uint8 data;
  uint keep;
  uchar last;
} beat256;
channel uint8 COLL_PREV;
channel uint8 COLL_LOCAL;
channel beat256 COLL_NEXT;
channel beat256 COLL_KEPT;
#ifndef ONLY
__kernel void coll(uchar from_prev, uchar from_local, uchar is_float, uchar to_next, uchar to_local,
                   uchar ends, ulong header, ushort length) {
  int beats = (length + 31) / 32;
  uint rest = length & 31;
  uint tail = rest ? (1u << rest) - 1 : 0xffffffff;
  bool real = is_float && from_prev && from_local;
  for (int i = to_next ? -2 : 0; i < beats; i++) {
    beat256 out;
    bool head = i < 0, end = i == beats - 1;
    uint8 a = (uint8)(0), b = (uint8)(0);
    if (!head && from_prev) a = read_channel_intel(COLL_PREV);
    if (!head && from_local) b = read_channel_intel(COLL_LOCAL);
    uint8 whole = a + b;
    float8 sum = as_float8(a) + as_float8(b);
    out.data = real ? as_uint8(sum) : whole;
    if (head) out.data = (uint8)(0);
    if (i == -2) {
      out.data.s0 = (uint)header;
      out.data.s1 = header >> 32;
    }
    out.keep = end && !head ? tail : 0xffffffff;
    out.last = end;
    if (to_next) write_channel_intel(COLL_NEXT, out);
    out.last = end && ends;
    if (to_local && !head) write_channel_intel(COLL_KEPT, out);
  }
}
#endif
