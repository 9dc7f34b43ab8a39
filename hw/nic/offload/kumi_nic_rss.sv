// SPDX-License-Identifier: Apache-2.0
//
// Receive-side scaling and reported hashes: the commands VIRTIO_NET_CTRL_MQ_RSS_CONFIG and
// VIRTIO_NET_CTRL_MQ_HASH_CONFIG (virtio 1.2, 5.1.6.5.7.1 and 5.1.6.5.6.4) and what they set: hash
// types, key, and the first one the indirection table.
//
// word_*: the command behind its class and number, 16 bits each, in order; word_first: its first
//   one. word_half: only the low byte is there. plain: it is HASH_CONFIG. good: what has come is a
//   whole valid command; commit: it takes effect. clear: back to no scaling, the default key and
//   no report; even: back to no scaling, and where hashes are not reported to the default key.
// on, report, types, key, unclassified: as set, see nic_spread_t. table_queue: of entry
//   table_index, a cycle later. pairs: of queues in use (max_tx_vq).
// Bad input: a table that is longer than 128 or no power of two, a queue that does not exist, a key
//   that has not 40 bytes, hash types that are not offered, another length: good stays low.
module kumi_nic_rss
  import kumi_nic_pkg::*;
#(
    parameter  int PAIRS  = 2,                 // pairs of queues, 1..64
    localparam int LOOK_W = $clog2(PAIRS + 1)
) (
    input logic clk,
    input logic rst,
    input logic reports,  // VIRTIO_NET_F_HASH_REPORT was negotiated
    input logic clear,
    input logic even,
    input logic plain,

    // the command
    input logic word_valid,
    input logic word_first,
    input logic word_half,
    input logic [15:0] word,
    output logic good,
    input logic commit,
    output logic [7:0] pairs,

    // what it set
    output logic on,
    output logic report,
    output logic [5:0] types,
    output logic [319:0] key,
    output logic [LOOK_W-1:0] unclassified,
    input logic [6:0] table_index,
    output logic [LOOK_W-1:0] table_queue
);
  localparam int KEY_BYTES = 40;

  typedef enum logic [3:0] {
    S_TYPES,
    S_TYPES_HIGH,
    S_RESERVED,
    S_MASK,
    S_OTHERS,
    S_TABLE,
    S_PAIRS,
    S_LENGTH,
    S_KEY
  } state_e;
  state_e state_q, state;

  logic [5:0] types_q;
  logic [6:0] mask_q, entry_q, mask_on_q;
  logic [LOOK_W-1:0] others_q;
  logic [319:0] key_q;
  logic [5:0] bytes_q;  // of the key so far
  logic [7:0] pairs_q;
  logic wrong_q, wrong, bank_q;

  assign state = word_first ? S_TYPES : state_q;

  // What is wrong with this word.
  always_comb begin
    wrong = word_half && state != S_KEY;
    unique case (state)
      S_TYPES: wrong |= word[15:6] != '0;
      S_TYPES_HIGH: wrong |= word != '0;
      S_RESERVED: ;
      S_MASK: wrong |= word > 16'd127 || (word & (word + 1'b1)) != '0;
      S_OTHERS, S_TABLE: wrong |= word >= 16'(PAIRS);
      S_PAIRS: wrong |= word == '0 || word > 16'(PAIRS);
      S_LENGTH: wrong |= word[7:0] != 8'(KEY_BYTES);
      default: wrong |= bytes_q >= 6'(KEY_BYTES) || (!word_half && bytes_q == 6'(KEY_BYTES - 1));
    endcase
  end

  always_ff @(posedge clk) begin
    if (word_valid) begin
      wrong_q <= wrong || (wrong_q && !word_first);
      unique case (state)
        S_TYPES: begin
          types_q <= word[5:0];
          entry_q <= '0;
          bytes_q <= '0;
          state_q <= S_TYPES_HIGH;
        end
        S_TYPES_HIGH: state_q <= plain ? S_RESERVED : S_MASK;
        // Linux has something there.
        S_RESERVED: begin
          entry_q <= entry_q + 1'b1;
          if (entry_q == 7'd3) state_q <= S_LENGTH;
        end
        S_MASK: begin
          mask_q  <= word[6:0];
          state_q <= S_OTHERS;
        end
        S_OTHERS: begin
          others_q <= word[LOOK_W-1:0];
          state_q  <= S_TABLE;
        end
        S_TABLE: begin
          entry_q <= entry_q + 1'b1;
          if (entry_q == mask_q) state_q <= S_PAIRS;
        end
        S_PAIRS: begin
          pairs_q <= word[7:0];
          state_q <= S_LENGTH;
        end
        // The key begins in the high byte behind its length.
        S_LENGTH: begin
          key_q   <= {key_q[311:0], word[15:8]};
          bytes_q <= 6'd1;
          state_q <= S_KEY;
        end
        default: begin
          key_q   <= word_half ? {key_q[311:0], word[7:0]} : {key_q[303:0], word[7:0], word[15:8]};
          bytes_q <= bytes_q + (word_half ? 6'd1 : 6'd2);
          if (bytes_q >= 6'(KEY_BYTES)) bytes_q <= bytes_q;
        end
      endcase
    end
    if (commit) begin
      report <= 1'b1;
      types  <= types_q;
      key    <= key_q;
      if (!plain) begin
        on <= 1'b1;
        unclassified <= others_q;
        mask_on_q <= mask_q;
        bank_q <= !bank_q;
      end
    end
    if (even) begin
      on <= 1'b0;
      unclassified <= '0;
    end
    if (rst || clear || (even && !reports)) begin
      on <= 1'b0;
      report <= 1'b0;
      types <= '1;
      key <= NIC_RSS_KEY;
      unclassified <= '0;
    end
    if (rst) begin
      state_q <= S_TYPES;
      bank_q  <= 1'b0;
    end
  end
  assign good  = state_q == S_KEY && bytes_q == 6'(KEY_BYTES) && !wrong_q;
  assign pairs = pairs_q;

  // The table that is in use, and the next one.
  kumi_ram_sdp #(
      .W(LOOK_W),
      .DEPTH(256),
      .STYLE(0)
  ) u_table (
      .clk,
      .wr_en  (word_valid && state == S_TABLE),
      .wr_addr({!bank_q, entry_q}),
      .wr_data(word[LOOK_W-1:0]),
      .rd_en  (1'b1),
      .rd_addr({bank_q, table_index & mask_on_q}),
      .rd_data(table_queue)
  );
endmodule
