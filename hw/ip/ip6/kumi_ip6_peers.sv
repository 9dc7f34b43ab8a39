// SPDX-License-Identifier: Apache-2.0
//
// Peers of IPv6: 128-bit addresses known by handles of 32 bits, which the IPv4 stack and its
// kernels take for the peer's address (as the translators of RFC 7915 do, though never on the
// wire). A peer that speaks to several of our addresses has a handle for each (own: its number).
//
// learn_*: a packet has come from an address; learn_done one cycle, with the handle, or learn_full:
//   no entry may be given up. The MAC address is that of the newest packet: the peer's or its
//   router's. learn_ready: idle. 9 cycles a packet.
// find_*: address and MAC address of a handle, 2 cycles later; found 0: it was given up since.
//   find_en must stay low for 1 cycle after it was high.
// second: one pulse a second. clearing: ENTRIES cycles after reset; nothing may be asked.
// An address has four places. A new one takes a free one, else the one that was silent the longest
//   of those with less than 3 packets or a silence of 60 s. So a flood of invented addresses cannot
//   push out peers that are heard. A handle has the count of a place's peers: it means another only
//   after 2^GEN_W - 1 of them.
module kumi_ip6_peers
  import kumi_ip6_pkg::*;
#(
    parameter int ENTRIES = 256  // peers, a power of two, 8..65536
) (
    input  logic         clk,
    input  logic         rst,
    input  logic         second,
    output logic         clearing,
    input  logic         learn_valid,
    output logic         learn_ready,
    input  logic [127:0] learn_address,
    input  logic [  1:0] learn_own,
    input  logic [ 47:0] learn_mac,
    output logic         learn_done,
    output logic         learn_full,
    output logic [ 31:0] learn_handle,
    input  logic         find_en,
    input  logic [ 31:0] find_handle,
    output logic         found,
    output logic [127:0] found_address,
    output logic [  1:0] found_own,
    output logic [ 47:0] found_mac
);
  localparam int AW = $clog2(ENTRIES);
  localparam int SET_W = AW - 2;
  localparam int GEN_W = 28 - AW;
  localparam logic [1:0] KNOWN = 2'd3;
  localparam logic [15:0] SILENCE = 16'd60;  // seconds

  typedef struct packed {
    logic             valid;
    logic [1:0]       packets;  // until KNOWN
    logic [15:0]      heard;    // second of the newest
    logic [GEN_W-1:0] gen;      // of the handle
    logic [47:0]      mac;
    logic [1:0]       own;
    logic [127:0]     address;
  } ip6_peer_t;

  if (ENTRIES < 8 || ENTRIES > 65536 || (ENTRIES & (ENTRIES - 1)) != 0) begin : gen_check_entries
    $fatal(0, "ENTRIES must be a power of two, 8..65536 (%m)");
  end

  function automatic logic [SET_W-1:0] set_of(input logic [127:0] address);
    logic [SET_W-1:0] folded;
    folded = '0;
    for (int i = 0; i < 128; i += SET_W) folded ^= SET_W'(address >> i);
    return folded;
  endfunction

  logic [15:0] now_q;
  always_ff @(posedge clk) begin
    if (second) now_q <= now_q + 1'b1;
    if (rst) now_q <= '0;
  end

  // ---- memory: one copy to learn, one to find -------------------------------------------------
  logic write;
  logic [AW-1:0] write_at, read_at, clear_q;
  ip6_peer_t written, read, sent;

  kumi_ram_sdp #(
      .W($bits(ip6_peer_t)),
      .DEPTH(ENTRIES)
  ) u_learn (
      .clk,
      .wr_en  (write),
      .wr_addr(write_at),
      .wr_data(written),
      .rd_en  (1'b1),
      .rd_addr(read_at),
      .rd_data(read)
  );

  kumi_ram_sdp #(
      .W($bits(ip6_peer_t)),
      .DEPTH(ENTRIES)
  ) u_find (
      .clk,
      .wr_en  (write),
      .wr_addr(write_at),
      .wr_data(written),
      .rd_en  (find_en),
      .rd_addr(find_handle[AW-1:0]),
      .rd_data(sent)
  );

  // ---- to learn: four places are read, one is written -----------------------------------------
  typedef enum logic [1:0] {
    IDLE,
    LOOK,
    CHOOSE,
    STORE
  } state_e;

  state_e state_q;
  logic [SET_W-1:0] set_q;
  logic [127:0] address_q;
  logic [1:0] own_q;
  logic [47:0] mac_q;
  logic [2:0] asked_q, seen_q;  // places read, and compared
  logic same_q, usable_q, hit_q, choice_q;  // of the place that was compared; of those before
  logic [1:0] place_q, best_place_q;
  logic [15:0] silent_q, best_silent_q;
  ip6_peer_t entry_q, best_q;
  logic free_q, seen_valid_q, compared_q;

  assign learn_ready = state_q == IDLE && !clearing;
  assign read_at = {set_q, asked_q[1:0]};

  always_ff @(posedge clk) begin
    learn_done   <= 1'b0;
    learn_full   <= 1'b0;
    seen_valid_q <= state_q == LOOK && asked_q < 3'd4;
    if (state_q == LOOK && asked_q < 3'd4) asked_q <= asked_q + 1'b1;

    // what was read
    compared_q <= seen_valid_q;
    if (seen_valid_q) begin
      entry_q  <= read;
      same_q   <= read.valid && {read.own, read.address} == {own_q, address_q};
      free_q   <= !read.valid;
      silent_q <= now_q - read.heard;
      seen_q   <= seen_q + 1'b1;
      place_q  <= seen_q[1:0];
      usable_q <= read.packets != KNOWN;
    end

    // the best place so far: the address's own, a free one, the one silent for longest
    if (compared_q && !hit_q) begin
      if (same_q || free_q || ((usable_q || silent_q >= SILENCE)
          && (!choice_q || silent_q > best_silent_q))) begin
        hit_q <= same_q;
        choice_q <= 1'b1;
        best_place_q <= place_q;
        best_silent_q <= free_q ? '1 : silent_q;
        best_q <= entry_q;
      end
    end

    unique case (state_q)
      IDLE: begin
        if (learn_valid && learn_ready) begin
          address_q <= learn_address;
          own_q <= learn_own;
          mac_q <= learn_mac;
          set_q <= set_of(learn_address);
          asked_q <= '0;
          seen_q <= '0;
          hit_q <= 1'b0;
          choice_q <= 1'b0;
          best_silent_q <= '0;
          state_q <= LOOK;
        end
      end
      LOOK:   if (seen_q == 3'd4 && !seen_valid_q) state_q <= CHOOSE;
      CHOOSE: state_q <= STORE;
      STORE: begin
        learn_done <= choice_q;
        learn_full <= !choice_q;
        learn_handle <= {HANDLE_NET, written.gen, set_q, best_place_q};
        state_q <= IDLE;
      end
    endcase
    if (rst) begin
      state_q <= IDLE;
      seen_valid_q <= 1'b0;
      compared_q <= 1'b0;
      learn_done <= 1'b0;
      learn_full <= 1'b0;
    end
  end

  // A place given to another address gets another handle; 255.255.255.255 is none.
  logic [GEN_W-1:0] next_gen_q;
  always_ff @(posedge clk) begin
    if (!best_q.valid) next_gen_q <= '0;
    else if (hit_q) next_gen_q <= best_q.gen;
    else next_gen_q <= best_q.gen == '1 - 1'b1 ? '0 : best_q.gen + 1'b1;
  end

  always_comb begin
    written = '0;
    write = clearing || (state_q == STORE && choice_q);
    write_at = clearing ? clear_q : {set_q, best_place_q};
    if (!clearing) begin
      written.valid = 1'b1;
      written.packets = hit_q ? best_q.packets + 2'(best_q.packets != KNOWN) : 2'd1;
      written.heard = now_q;
      written.gen = next_gen_q;
      written.own = own_q;
      written.mac = mac_q;
      written.address = address_q;
    end
  end

  always_ff @(posedge clk) begin
    if (clearing) begin
      clear_q  <= clear_q + 1'b1;
      clearing <= clear_q != '1;
    end
    if (rst) begin
      clear_q  <= '0;
      clearing <= 1'b1;
    end
  end

  // ---- to find --------------------------------------------------------------------------------
  logic [GEN_W-1:0] wanted_q;
  always_ff @(posedge clk) begin
    wanted_q <= find_handle[AW+:GEN_W];
    found <= sent.valid && sent.gen == wanted_q;
    found_address <= sent.address;
    found_own <= sent.own;
    found_mac <= sent.mac;
  end

  logic unused;
  assign unused = &{find_handle[31:28], sent.packets, sent.heard, entry_q.heard, best_q.heard,
                    best_q.mac, best_q.own, best_q.address};
endmodule
