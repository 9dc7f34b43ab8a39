// SPDX-License-Identifier: Apache-2.0
//
// Which frames are received (virtio 1.2, 5.1.6.5.1 to 5.1.6.5.3): modes, a table of addresses, and
// the VLANs that are let through.
//
// word_*: a command behind its class and number, 16 bits each, in order; word_first: its first one;
//   word_half: only the low byte is there. Any command may pass by. good: what has come is a whole
//   MAC_TABLE_SET; table_set: it takes effect. mode_set: mode `mode_number` (0 promiscuous, 1 all
//   groups, 2 all single addresses, 3 no groups, 4 no single addresses, 5 no broadcast) becomes
//   mode_on. vlan_set: VLAN vlan_id is let through if vlan_on, else no longer.
// ready: low while a table is taken over or VLANs are cleared: no words then, and nothing is set.
// mac: the device's own address. vlans: tags are filtered (VIRTIO_NET_F_CTRL_VLAN).
// clear: as after a reset: no mode, no VLAN, and every group until the driver sets a table.
// look: of a frame; take, 4 cycles later: it is received. Every cycle. Promiscuous takes all. What
//   has no place in the table opens its half of it, single addresses or groups, as an overflow in
//   QEMU's does; and a table that is being taken over lets all through.
// Bad input: a MAC_TABLE_SET whose counts do not match its length: good stays low.
module kumi_nic_filter
  import kumi_nic_pkg::*;
#(
    parameter int ENTRIES = 32  // addresses in the table, 2 or more
) (
    input logic clk,
    input logic rst,
    input logic clear,

    input logic word_valid,
    input logic word_first,
    input logic word_half,
    input logic [15:0] word,
    output logic good,
    output logic ready,
    input logic table_set,
    input logic mode_set,
    input logic [2:0] mode_number,
    input logic mode_on,
    input logic vlan_set,
    input logic [11:0] vlan_id,
    input logic vlan_on,

    input logic [47:0] mac,
    input logic vlans,
    input nic_look_t look,
    output logic take
);
  localparam int FILL_W = $clog2(ENTRIES + 1);
  localparam int PLACE_W = $clog2(ENTRIES);

  // ---- the command ---------------------------------------------------------------------------
  typedef enum logic [2:0] {
    S_LOW,   // number of addresses
    S_HIGH,
    S_A,     // an address, 2 bytes each
    S_B,
    S_C,
    S_END
  } state_e;
  state_e state_q, state, after;

  logic groups_q, wrong_q, wrong, over;
  logic [15:0] left_q, left;
  logic [31:0] part_q;
  logic [FILL_W-1:0] fill_q;
  logic [1:0] open_q;  // more addresses than places: groups, single ones

  assign state = word_first ? S_LOW : state_q;
  assign over  = fill_q == FILL_W'(ENTRIES);
  assign after = groups_q ? S_END : S_LOW;  // this half is done

  always_comb begin
    wrong = word_half || state == S_END || (state == S_HIGH && word != '0);
    left  = state == S_C ? left_q - 1'b1 : left_q;
  end

  always_ff @(posedge clk) begin
    if (word_valid) begin
      wrong_q <= wrong || (wrong_q && !word_first);
      unique case (state)
        S_LOW: begin
          if (word_first) begin
            groups_q <= 1'b0;
            fill_q   <= '0;
            open_q   <= '0;
          end
          left_q  <= word;
          state_q <= S_HIGH;
        end
        S_HIGH: begin
          groups_q <= groups_q || left_q == '0;
          state_q  <= left_q == '0 ? after : S_A;
        end
        S_A: begin
          part_q[31:16] <= {word[7:0], word[15:8]};
          state_q <= S_B;
        end
        S_B: begin
          part_q[15:0] <= {word[7:0], word[15:8]};
          state_q <= S_C;
        end
        S_C: begin
          left_q <= left;
          if (over) open_q[groups_q] <= 1'b1;
          else fill_q <= fill_q + 1'b1;
          groups_q <= groups_q || left == '0;
          state_q  <= left == '0 ? after : S_A;
        end
        default: ;
      endcase
    end
    if (rst) state_q <= S_LOW;
  end
  assign good = state_q == S_END && !wrong_q;

  logic [47:0] entry;
  logic [PLACE_W-1:0] place_q;
  kumi_ram_sdp #(
      .W(48),
      .DEPTH(ENTRIES),
      .STYLE(0)
  ) u_next (
      .clk,
      .wr_en  (word_valid && state == S_C && !over),
      .wr_addr(fill_q[PLACE_W-1:0]),
      .wr_data({part_q, word[7:0], word[15:8]}),
      .rd_en  (1'b1),
      .rd_addr(place_q),
      .rd_data(entry)
  );

  // ---- what is set ---------------------------------------------------------------------------
  logic [5:0] modes_q;
  logic [1:0] all_q;  // of a half: it does not fit
  logic [ENTRIES-1:0] valid_q;
  logic [ENTRIES-1:0][47:0] table_q;
  logic copy_q, shift_q, inside_q, clearing_q, tag_known;
  logic [11:0] clear_q;

  assign ready = !copy_q && !shift_q && !clearing_q;

  always_ff @(posedge clk) begin
    if (mode_set) modes_q[mode_number] <= mode_on;
    if (table_set) begin
      copy_q  <= 1'b1;
      place_q <= '0;
      all_q   <= open_q;
    end
    if (copy_q) begin
      place_q <= place_q + 1'b1;
      if (place_q == PLACE_W'(ENTRIES - 1)) copy_q <= 1'b0;
    end
    shift_q  <= copy_q;
    inside_q <= FILL_W'(place_q) < fill_q;
    if (shift_q) begin
      valid_q <= {inside_q, valid_q[ENTRIES-1:1]};
      table_q <= {entry, table_q[ENTRIES-1:1]};
    end
    if (clearing_q) clear_q <= clear_q + 1'b1;
    if (clear_q == '1) clearing_q <= 1'b0;
    if (rst || clear) begin
      modes_q <= '0;
      all_q <= 2'b10;
      valid_q <= '0;
      copy_q <= 1'b0;
      shift_q <= 1'b0;
      clearing_q <= 1'b1;
      clear_q <= '0;
    end
  end

  kumi_ram_sdp #(
      .W(1),
      .DEPTH(4096)
  ) u_vlans (
      .clk,
      .wr_en  (vlan_set || clearing_q),
      .wr_addr(clearing_q ? clear_q : vlan_id),
      .wr_data(!clearing_q && vlan_on),
      .rd_en  (1'b1),
      .rd_addr(look.vlan),
      .rd_data(tag_known)
  );

  // ---- a frame, a step a cycle ---------------------------------------------------------------
  logic [ENTRIES-1:0][3:0] same_q;
  logic [3:0] own_same_q, all_same_q;
  logic [ENTRIES-1:0] hit_q;
  logic group_q, group2_q, group3_q, tagged_q, tag_ok_q, tag_ok2_q;
  logic own_q, own2_q, everybody_q, everybody2_q, found_q;

  always_ff @(posedge clk) begin
    // 1
    for (int e = 0; e < ENTRIES; ++e) begin
      for (int i = 0; i < 4; ++i) same_q[e][i] <= look.to[12*i+:12] == table_q[e][12*i+:12];
    end
    for (int i = 0; i < 4; ++i) begin
      own_same_q[i] <= look.to[12*i+:12] == mac[12*i+:12];
      all_same_q[i] <= &look.to[12*i+:12];
    end
    group_q  <= look.to[40];
    tagged_q <= look.has_tag && vlans;
    // 2
    for (int e = 0; e < ENTRIES; ++e) hit_q[e] <= valid_q[e] && &same_q[e];
    own_q <= &own_same_q;
    everybody_q <= &all_same_q;
    group2_q <= group_q;
    tag_ok_q <= !tagged_q || tag_known;
    // 3
    found_q <= |hit_q || all_q[group2_q] || shift_q || copy_q;
    own2_q <= own_q;
    everybody2_q <= everybody_q;
    group3_q <= group2_q;
    tag_ok2_q <= tag_ok_q;
    // 4
    take <= modes_q[0] || (tag_ok2_q && (everybody2_q ? !modes_q[5] :
        group3_q ? !modes_q[3] && (modes_q[1] || found_q) :
        !modes_q[4] && (modes_q[2] || found_q || own2_q)));
  end
endmodule
