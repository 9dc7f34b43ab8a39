// SPDX-License-Identifier: Apache-2.0
//
// ARP cache: a direct-mapped table from IPv4 to MAC address in one dual-port memory.
//
// look: look_en looks up look_ip; the result is valid from the next cycle until the next look_en:
//   look_hit, look_mac, look_old (the entry is in the second half of its life).
// work: the ARP engine's port: address or index in, work_* of the entry two cycles later;
//   work_write stores new_* at work_index. An entry is FREE, ASKED (a request is outstanding), OLD
//   or FRESH.
// Two addresses with the same hash replace each other; up to ENTRIES consecutive addresses never
// collide. A group MAC address cannot be stored. The engine clears the table after reset.
module kumi_arp_cache #(
    parameter int ENTRIES = 512  // a power of two, 64..4096
) (
    input  logic                       clk,
    input  logic                       look_en,
    input  logic [               31:0] look_ip,
    output logic                       look_hit,
    output logic                       look_old,
    output logic [               47:0] look_mac,
    input  logic [$clog2(ENTRIES)-1:0] work_index,
    input  logic [               31:0] work_ip,     // compared; hashed to the index
    output logic [$clog2(ENTRIES)-1:0] work_hash,
    output logic                       work_match,
    output logic [                1:0] work_state,
    output logic [               47:0] work_mac,
    input  logic                       work_write,
    input  logic                       work_keep,   // write the state only
    input  logic [                1:0] new_state,
    input  logic [               47:0] new_mac
);
  localparam int IW = $clog2(ENTRIES);
  localparam int TW = 32 - IW;

  if (ENTRIES < 64 || ENTRIES > 4096 || (ENTRIES & (ENTRIES - 1)) != 0) begin : gen_check_entries
    $fatal(0, "ENTRIES must be a power of two, 64..4096 (%m)");
  end

  // The upper bits are the tag; index and tag determine the address.
  function automatic logic [IW-1:0] hash(input logic [31:0] ip);
    logic [IW-1:0] h;
    h = '0;
    for (int i = 0; i < 32; i++) h[i%IW] ^= ip[i];
    return h;
  endfunction

  typedef struct packed {
    logic [1:0]    state;
    logic [TW-1:0] tag;
    logic [46:0]   mac;    // without the group bit
  } arp_entry_t;

  (* ram_style = "block", no_rw_check *) logic [$bits(arp_entry_t)-1:0] mem[ENTRIES];
  arp_entry_t look_q, work_q, write;
  logic [TW-1:0] look_tag_q;
  logic unused;

  function automatic logic [47:0] full(input logic [46:0] m);
    return {m[46:40], 1'b0, m[39:0]};
  endfunction

  always_ff @(posedge clk) begin
    if (look_en) begin
      look_q     <= mem[hash(look_ip)];
      look_tag_q <= look_ip[31:IW];
    end
  end

  always_ff @(posedge clk) begin
    if (work_write) mem[work_index] <= write;
    else work_q <= mem[work_index];
  end

  // The work port has its own output register.
  always_ff @(posedge clk) begin
    work_match <= work_q.state != '0 && work_q.tag == work_ip[31:IW];
    work_state <= work_q.state;
  end

  always_comb begin
    write.state = new_state;
    write.tag   = work_keep ? work_q.tag : work_ip[31:IW];
    write.mac   = work_keep ? work_q.mac : {new_mac[47:41], new_mac[39:0]};
  end

  assign look_hit  = look_q.state[1] && look_q.tag == look_tag_q;
  assign look_old  = !look_q.state[0];
  assign look_mac  = full(look_q.mac);
  assign work_hash = hash(work_ip);
  assign work_mac  = full(work_q.mac);
  assign unused    = new_mac[40];
endmodule
