/* SPDX-License-Identifier: Apache-2.0
 *
 * The boundary between the cluster engine and a node library (C, versioned, no C++ types).
 *
 * A node library is one Verilated design with a generated adapter, built by `kumi build`. It
 * exports kumi_node_api(). The engine makes instances, fills their receive queues, lets them run up
 * to a time, and takes what their transmit queues hold. All calls on one instance come from one
 * thread at a time; an instance shares nothing with another.
 *
 * Time is in picoseconds of virtual time. Time zero is the first clock edge after set-up.
 */
#ifndef KUMI_ABI_H
#define KUMI_ABI_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KUMI_ABI_VERSION 6u
#define KUMI_BEAT_BYTES 64u

/* ---- beats and queues ---------------------------------------------------------------------- */

enum { KUMI_FIRST = 1, KUMI_LAST = 2, KUMI_BAD = 4 }; /* kumi_beat.flags; BAD counts with LAST */

/* A piece of a frame (stream ports) or one word (word ports).
 * t_ps: on an eth port the time at which the last byte of this piece is on the wire; elsewhere the
 * time of the clock edge that moved it. Along a queue t_ps never falls. */
typedef struct kumi_beat {
  uint64_t t_ps;
  uint64_t user; /* tuser of a stream beat; tuser[0] of the last beat is also KUMI_BAD */
  uint32_t dest; /* tdest */
  uint16_t id;   /* tid */
  uint8_t len;   /* valid bytes, 0..64 */
  uint8_t flags;
  uint8_t data[KUMI_BEAT_BYTES];
} kumi_beat;

/* Growable ring, one producer and one consumer that never run at once. cap is a power of two. */
typedef struct kumi_queue {
  kumi_beat* buf;
  uint64_t cap;
  uint64_t head; /* next to pop */
  uint64_t tail; /* next to push */
} kumi_queue;

static inline uint64_t kumi_queue_size(const kumi_queue* q) { return q->tail - q->head; }

static inline kumi_beat* kumi_queue_front(kumi_queue* q) { return &q->buf[q->head & (q->cap - 1)]; }

static inline void kumi_queue_grow(kumi_queue* q) {
  uint64_t cap = q->cap ? q->cap * 2 : 64;
  kumi_beat* buf = (kumi_beat*)malloc(cap * sizeof(kumi_beat));
  if (!buf) abort();
  for (uint64_t i = q->head; i != q->tail; ++i) buf[i & (cap - 1)] = q->buf[i & (q->cap - 1)];
  free(q->buf);
  q->buf = buf;
  q->cap = cap;
}

/* Returns the new last beat; the caller fills it (it is not cleared). */
static inline kumi_beat* kumi_queue_push(kumi_queue* q) {
  if (q->tail - q->head == q->cap) kumi_queue_grow(q);
  return &q->buf[q->tail++ & (q->cap - 1)];
}

static inline void kumi_queue_pop(kumi_queue* q) { ++q->head; }

/* ---- lanes --------------------------------------------------------------------------------- */

/* kumi_block.flags: what happened on the line just before this block. DARK: the line went dead and
 * this block holds nothing. PLUGGED: it came up, and the receiver's block boundary is `shift`. */
enum { KUMI_LANE_DARK = 1, KUMI_LANE_PLUGGED = 2 };
#define KUMI_BLOCK_BITS 66u

/* The 66 bits go over the line head[1], head[0], data[63] .. data[0].
 * At an ib port a block is what all lanes carry in a cycle, 4 or 8 symbols of 8b/10b: symbol s of
 * lane l, s = 0 first on the wire, is byte l * symbols per lane + s of data, and the same bit of
 * head is its K flag and of err its code violation. From the node DARK says that the transmitters
 * are off. */
typedef struct kumi_block {
  uint64_t t_ps; /* from the node: of its clock edge; toward it: of its arrival */
  uint64_t data;
  uint8_t head;
  uint8_t flags;
  uint8_t shift; /* 1..66 with PLUGGED: bits of this block that are in the window; 66 = aligned */
  uint8_t err;   /* ib, toward the node */
  uint8_t reserved[4];
} kumi_block;

/* Growable ring like kumi_queue. */
typedef struct kumi_blocks {
  kumi_block* buf;
  uint64_t cap;
  uint64_t head;
  uint64_t tail;
} kumi_blocks;

static inline void kumi_blocks_grow(kumi_blocks* q) {
  uint64_t cap = q->cap ? q->cap * 2 : 256;
  kumi_block* buf = (kumi_block*)malloc(cap * sizeof(kumi_block));
  if (!buf) abort();
  for (uint64_t i = q->head; i != q->tail; ++i) buf[i & (cap - 1)] = q->buf[i & (q->cap - 1)];
  free(q->buf);
  q->buf = buf;
  q->cap = cap;
}

static inline kumi_block* kumi_blocks_push(kumi_blocks* q) {
  if (q->tail - q->head == q->cap) kumi_blocks_grow(q);
  return &q->buf[q->tail++ & (q->cap - 1)];
}

/* ---- Serial ATA ---------------------------------------------------------------------------- */

/* kumi_sata_word.flags. Patterns are levels: high as long as they last. From the node COMINIT is
 * COMRESET. IDLE: the line is silent and data says nothing. ERROR: could not be decoded. */
enum { KUMI_SATA_COMINIT = 1, KUMI_SATA_COMWAKE = 2, KUMI_SATA_IDLE = 4, KUMI_SATA_ERROR = 8 };

/* One cycle of a line: 32 bits, bits 7:0 first on the wire, and a K flag for each byte. */
typedef struct kumi_sata_word {
  uint32_t data;
  uint8_t k;
  uint8_t flags;
  uint16_t reserved;
} kumi_sata_word;

/* The device at a sata port. Called at each edge of the port's clock, in the thread that runs the
 * node, with what the node shows just before it; says what the node sees at the next edge. */
typedef void (*kumi_sata_fn)(void* ctx, uint64_t t_ps, const kumi_sata_word* from_node,
                             kumi_sata_word* to_node);

/* ---- host memory --------------------------------------------------------------------------- */

/* The memory behind an axi port, in place of the library's own: a host's, which changes by itself.
 * Called in the thread that runs the node, for a read when its address is taken, for a write first
 * with CHECK for each of its beats and then with WRITE. Returns the AXI response: 0, 2 or 3. */
enum { KUMI_HOST_READ = 0, KUMI_HOST_WRITE = 1, KUMI_HOST_CHECK = 2 };
typedef int (*kumi_host_fn)(void* ctx, int operation, uint64_t addr, void* data, uint64_t bytes);

/* ---- what a design has --------------------------------------------------------------------- */

typedef enum kumi_port_kind {
  KUMI_PORT_ETH = 0,  /* s_axis_ethN_ / m_axis_ethN_: Ethernet frames without FCS, both ways */
  KUMI_PORT_AXIS = 1, /* any other s_axis_NAME_ or m_axis_NAME_ (one way or a pair) */
  KUMI_PORT_AXIL = 2, /* s_axil_ or s_axil_NAME_: AXI4-Lite registers, the engine is the master */
  KUMI_PORT_HDR = 3,  /* s_hdr_NAME_{data,valid,ready} / m_hdr_NAME_: header stream, data <= 512 b;
                         carried as one-beat frames, data little-endian, len = bytes of data */
  KUMI_PORT_AXI = 4,  /* m_axi_NAME_: AXI4 master of a memory that the library models */
  KUMI_PORT_LANE = 5, /* m_lane_NAME_{data,head} / s_lane_NAME_{data,head,slip}: a serial lane, one
                         66-bit block a clock cycle each way */
  KUMI_PORT_SATA = 6, /* m_sata_NAME_ / s_sata_NAME_{data,k,cominit,comwake,idle,...}: the host's
                         end of a Serial ATA line, one word a clock cycle each way */
  KUMI_PORT_IB = 7    /* m_ib_NAME_{data,k,quiet} / s_ib_NAME_{data,k,err,signal}: an InfiniBand
                         port of 1 or 4 lanes, 4 or 8 symbols a clock cycle each way */
} kumi_port_kind;

enum { KUMI_TO_NODE = 1, KUMI_FROM_NODE = 2 }; /* kumi_port_info.dirs */

typedef struct kumi_port_info {
  const char* name; /* eth0, "" for s_axis_tdata, ... */
  uint32_t kind;    /* kumi_port_kind */
  uint32_t dirs;
  uint32_t rx_bits;  /* data bits toward the node, 0 if none */
  uint32_t tx_bits;  /* data bits from the node, 0 if none */
  uint32_t clock;    /* index into clocks */
  uint32_t tx_clock; /* the same from the node; differs at most at a lane */
  uint32_t lanes;    /* ib: 1 or 4 */
} kumi_port_info;

typedef struct kumi_pin_info { /* every other scalar or vector port of the top */
  const char* name;
  uint32_t is_output;
  uint32_t bits;
} kumi_pin_info;

typedef struct kumi_design_info {
  uint32_t abi_version;
  const char* design;
  const char* hash; /* content hash of sources, parameters, tools and flags */
  uint32_t n_clocks;
  const char* const* clocks; /* clocks[0] is "clk" */
  uint32_t n_ports;
  const kumi_port_info* ports;
  uint32_t n_pins;
  const kumi_pin_info* pins;
  uint32_t traced; /* built with FST tracing */
} kumi_design_info;

/* ---- a port of an instance ----------------------------------------------------------------- */

/* Filled by the engine before set-up; may change between calls of run. */
typedef struct kumi_port_config {
  double ps_per_byte; /* eth: line rate; 0 = as fast as the port takes it */
  uint32_t
      frame_overhead; /* eth: bytes that each frame adds on the line (preamble, FCS, gap): 24 */
  uint32_t rx_limit_bytes; /* eth: bytes that wait before the node; a frame that does not fit is
                              dropped and counted. 0 = no limit */
  uint32_t rx_stall;       /* chance, of 65536, that a beat is not offered in a cycle (tests) */
  uint32_t tx_stall;       /* chance, of 65536, that ready is low in a cycle (tests) */
  uint64_t seed;           /* of the stalls, and of what a memory leaves to chance */
  uint32_t lane_noise;     /* lane, ib: a dark line is noise, else zeros */
  uint32_t mem_flags;      /* axi: KUMI_MEM_* */
  uint64_t mem_size;       /* axi: bytes; 0 = 4 GiB */
  uint64_t
      mem_latency_ps;     /* axi: from the address (write: the last data) to the answer, at least */
  uint64_t mem_jitter_ps; /* axi: each burst takes 0 to so much longer */
  double mem_ps_per_byte; /* axi: of each direction; 0 = one beat a cycle */
} kumi_port_config;

enum {
  KUMI_MEM_REORDER = 1,    /* bursts of different ids are answered in any order */
  KUMI_MEM_INTERLEAVE = 2, /* with REORDER: read beats of different ids alternate, too */
  KUMI_MEM_SHARED = 4      /* both directions share the bandwidth */
};

typedef struct kumi_port_stats {
  uint64_t rx_frames, rx_beats, rx_bytes; /* given to the node (beats of its own width) */
  uint64_t tx_frames, tx_beats, tx_bytes; /* taken from the node */
  uint64_t tx_bad;                        /* frames the node itself marked bad */
  uint64_t rx_overflow;                   /* frames dropped for rx_limit_bytes */
  uint64_t tx_gap;          /* cycles without a beat inside a frame while ready (eth) */
  uint64_t rx_wait;         /* cycles in which an offered beat was not taken */
  uint64_t protocol_errors; /* broken AXI-Stream rules: valid withdrawn, hole in keep */
  /* axi: rx_* are reads (bursts, beats, bytes), tx_* writes, rx_wait cycles in which an offered R
   * or B was not taken, tx_bad bursts that were answered with an error. lane, ib: *_beats are
   * blocks. sata: *_beats are words of a line that is not idle. */
  uint64_t lane_slips;   /* slip pulses of the node */
  uint64_t lane_repeats; /* cycles without a new block: the sender's clock is slower */
  uint64_t lane_skips;   /* blocks that the node never saw: the sender's clock is faster */
  uint64_t lane_dark;    /* cycles without a line */
} kumi_port_stats;

typedef struct kumi_axil_op {
  uint64_t t_ps; /* not before */
  uint64_t tag;
  uint32_t addr;
  uint32_t data; /* write data; after completion of a read its value */
  uint8_t strb;  /* write strobes */
  uint8_t write;
  uint8_t resp; /* after completion: 0 OKAY, 2 SLVERR, 3 DECERR, 255 time-out */
} kumi_axil_op;

typedef struct kumi_port {
  kumi_queue rx; /* engine pushes, node pops. On an eth port t_ps includes the cable */
  kumi_queue tx; /* node pushes, engine pops */
  kumi_port_config cfg;
  kumi_port_stats stats;
  kumi_blocks lane_rx; /* lane and ib have these in place of rx and tx */
  kumi_blocks lane_tx;
  kumi_sata_fn sata; /* sata: set by the engine before set-up; null = nothing is plugged in */
  void* sata_ctx;
  kumi_host_fn host; /* axi: set by the engine before set-up; null = the library's own memory */
  void* host_ctx;
} kumi_port;

/* ---- instances ----------------------------------------------------------------------------- */

typedef struct kumi_node kumi_node; /* opaque */

typedef struct kumi_node_config {
  const char* name;          /* of the instance, for messages */
  const uint64_t* period_ps; /* one a clock */
  const uint64_t* phase_ps;  /* one a clock, time of the first rising edge; may be null (all 0) */
  uint64_t seed;             /* of uninitialised registers */
  const char* trace_path;    /* null, or the FST file of a traced build */
  void (*log)(void* ctx, int level, const char* text); /* $display, assertion failures; level 0
                                                          info, 1 warning, 2 error */
  void* log_ctx;
} kumi_node_config;

typedef struct kumi_node_api {
  const kumi_design_info* info;

  kumi_node* (*create)(const kumi_node_config*);
  void (*destroy)(kumi_node*);

  kumi_port* (*port)(kumi_node*, uint32_t index); /* stable for the instance's life */

  /* Before time zero: hold reset for so many cycles of the slowest clock, then run further cycles.
   * Stream ports are closed (no valid, no ready) during set-up; AXI-Lite operations run. */
  void (*reset)(kumi_node*, uint32_t cycles);
  void (*setup)(kumi_node*, uint32_t cycles);

  /* Run every clock edge with time < until_ps. Returns the number of rising edges of clk. */
  uint64_t (*run)(kumi_node*, uint64_t until_ps);

  /* Time of the last handshake on any port but lane, sata and ib, which never rest; with these also
   * of the last edge at which an output pin `busy` was high. UINT64_MAX if none yet. */
  uint64_t (*last_activity)(const kumi_node*);

  /* Pins: little-endian 32-bit words, (bits + 31) / 32 of them. An input takes effect at the next
   * clock edge; an output is as it was before the last edge that run made. */
  void (*set_pin)(kumi_node*, uint32_t index, const uint32_t* words);
  void (*get_pin)(const kumi_node*, uint32_t index, uint32_t* words);

  /* AXI-Lite: operations complete in order. pop returns 0 when nothing has completed. An operation
   * without an answer for 65536 cycles completes with resp 255. */
  void (*axil_push)(kumi_node*, uint32_t port, const kumi_axil_op*);
  int (*axil_pop)(kumi_node*, uint32_t port, kumi_axil_op*);
  uint64_t (*axil_pending)(const kumi_node*, uint32_t port);

  /* Waveform on or off from now on (traced builds; others ignore it). */
  void (*trace)(kumi_node*, int on);

  /* Non-zero after $finish, $stop, a failed assertion, or signals that never settle; the text stays
   * valid until destroy. */
  int (*failed)(const kumi_node*, const char** text);

  /* For measuring the engine: toggle clk so many times without touching a port. */
  void (*toggle)(kumi_node*, uint64_t cycles);

  /* The memory behind an axi port. Bytes never written are zero. A faulty byte makes what touches
   * it answer SLVERR. The digest is of the content, whichever way it came about. */
  void (*mem_read)(const kumi_node*, uint32_t port, uint64_t addr, void* data, uint64_t bytes);
  void (*mem_write)(kumi_node*, uint32_t port, uint64_t addr, const void* data, uint64_t bytes);
  void (*mem_fault)(kumi_node*, uint32_t port, uint64_t addr, uint64_t bytes, int on);
  uint64_t (*mem_digest)(kumi_node*, uint32_t port);

  /* Runs the design's `final` blocks; nothing runs afterwards. destroy does it otherwise. */
  void (*finish)(kumi_node*);
} kumi_node_api;

typedef const kumi_node_api* (*kumi_node_api_fn)(void);
#define KUMI_NODE_API_SYMBOL "kumi_node_api_v1"

#ifdef __cplusplus
}
#endif
#endif
