// SPDX-License-Identifier: Apache-2.0
//
// Scheduling of the collectives, combinational: whether the received block, or this node's next
// block, may move now, and where it goes.
//
// cmd: the operation; rank, nodes: the node's position; running: the operation has started.
// parts_left, part_index: parts that this node still has to contribute, and those contributed.
//   left: bytes left of the current part. parts_seen, parts_needed: parts received completely, and
//   the number expected. inflight: blocks of a sum that have not returned as a result.
// initial_parts, initial_needed: parts_left and parts_needed at the start of the operation. sums:
//   an operation of all nodes, which rank 0 starts. illegal: the command cannot be executed.
// hdr -> in_xfer, in_go, counts: route of the received block; the operation accepts it now; it ends
//   a part that counts as seen.
// out_xfer, out_go, size, part_last: the same for this node's next block, its bytes, and whether it
//   is the last of its part.
module kumi_coll_sched
  import kumi_coll_pkg::*;
#(
    parameter int CHUNK  = 1024,
    parameter int WINDOW = 3
) (
    input coll_cmd_t cmd,
    input logic [7:0] rank,
    input logic [7:0] nodes,
    input logic running,
    input logic [7:0] parts_left,
    input logic [7:0] part_index,
    input logic [7:0] parts_seen,
    input logic [7:0] parts_needed,
    input logic [3:0] inflight,
    input logic [31:0] left,
    input coll_block_t hdr,
    output logic [7:0] initial_parts,
    output logic [7:0] initial_needed,
    output logic sums,
    output logic illegal,
    output coll_xfer_t in_xfer,
    output logic in_go,
    output logic counts,
    output coll_xfer_t out_xfer,
    output logic out_go,
    output logic [15:0] size,
    output logic part_last
);
  logic [7:0] last_rank, root_next, part_rank;

  function automatic logic [7:0] around(logic [8:0] value, logic [7:0] count);
    return value >= 9'(count) ? 8'(value - 9'(count)) : value[7:0];
  endfunction

  assign last_rank = nodes - 8'd1;
  assign sums = cmd.op == COLL_ALL_REDUCE || cmd.op == COLL_BARRIER;
  assign root_next = around(9'(cmd.root) + 9'd1, nodes);
  // The farthest node's part goes first, so that no node continues before all have passed.
  assign part_rank = around(9'(cmd.root) + 9'(nodes) - 9'(part_index), nodes);

  // ---- begin ---------------------------------------------------------------------------------
  always_comb begin
    initial_parts  = '0;
    initial_needed = '0;
    case (cmd.op)
      COLL_SEND: initial_parts = 8'd1;
      COLL_RECV: initial_needed = 8'd1;
      COLL_SCATTER:
      if (rank == cmd.root) initial_parts = nodes;
      else initial_needed = 8'd1;
      COLL_GATHER: begin
        initial_parts = 8'd1;
        // Those that come before this one, counted from the node behind the root.
        initial_needed = rank == cmd.root ? last_rank :
            around(9'(rank) + 9'(nodes) - 9'(root_next), nodes);
      end
      COLL_BROADCAST:
      if (rank == cmd.root) initial_parts = 8'd1;
      else initial_needed = 8'd1;
      COLL_REDUCE:
      if (rank == root_next) initial_parts = 8'd1;
      else initial_needed = 8'd1;
      COLL_ALL_REDUCE, COLL_BARRIER: begin
        if (rank == '0) initial_parts = 8'd1;
        if (nodes != 8'd1) initial_needed = rank == '0 || rank == last_rank ? 8'd1 : 8'd2;
      end
      default: ;
    endcase
  end

  assign illegal = cmd.op == COLL_NONE || cmd.op > COLL_PASS || cmd.root >= nodes
      || (cmd.length == '0 && cmd.op < COLL_BARRIER)
      || (cmd.root == rank && (cmd.op == COLL_SEND || cmd.op == COLL_RECV));

  // ---- blocks --------------------------------------------------------------------------------
  // A block that came: what becomes of it, and whether the operation wants it now.
  always_comb begin
    in_xfer = '0;
    in_xfer.from_prev = hdr.length != '0;
    in_xfer.is_float = cmd.is_float;
    in_xfer.hdr = hdr;
    in_xfer.ends = hdr.last;
    in_go = running && parts_seen != parts_needed;
    counts = hdr.last;
    case (hdr.kind)
      COLL_BLOCK_DATA: begin
        in_xfer.to_next  = hdr.dest != rank;
        in_xfer.to_local = hdr.dest == rank;
        if (in_xfer.to_next) in_go = 1'b1;
        else in_go = in_go && cmd.op == COLL_RECV && hdr.source == cmd.root;
        if (in_xfer.to_next) counts = 1'b0;
      end
      COLL_BLOCK_PART: begin
        in_xfer.to_next = hdr.dest != rank;
        in_xfer.to_local = hdr.dest == rank;
        in_go = in_go && cmd.op == COLL_SCATTER;
        if (in_xfer.to_next) counts = 1'b0;
      end
      COLL_BLOCK_GATHER: begin
        in_xfer.to_next = rank != cmd.root;
        in_xfer.to_local = rank == cmd.root;
        in_go = in_go && cmd.op == COLL_GATHER && (rank != cmd.root || parts_left == '0);
      end
      COLL_BLOCK_SUM: begin
        in_xfer.from_local = hdr.length != '0;
        in_xfer.to_local = cmd.op == COLL_REDUCE ? rank == cmd.root : rank == last_rank;
        in_xfer.to_next = cmd.op != COLL_REDUCE || rank != cmd.root;
        if (sums && rank == last_rank) begin
          in_xfer.hdr.kind = COLL_BLOCK_RESULT;
          in_xfer.hdr.hops = last_rank;
        end
        in_go = in_go && (cmd.op == COLL_REDUCE || sums);
      end
      default: begin
        in_xfer.to_local = 1'b1;
        in_xfer.to_next = hdr.hops > 8'd1;
        in_xfer.hdr.hops = hdr.hops - 8'd1;
        in_go = in_go && (cmd.op == COLL_BROADCAST || sums);
      end
    endcase
    if (hdr.length == '0) in_xfer.to_local = 1'b0;
  end

  // A block of this node: likewise.
  assign part_last = left <= 32'(CHUNK);
  assign size = part_last ? left[15:0] : 16'(CHUNK);

  always_comb begin
    out_xfer = '0;
    out_xfer.from_local = size != '0;
    out_xfer.to_next = nodes != 8'd1;
    out_xfer.ends = part_last;
    out_xfer.hdr = '{
        mark: COLL_MAGIC,
        kind: COLL_BLOCK_DATA,
        last: part_last,
        reserved: '0,
        hops: last_rank,
        source: rank,
        dest: cmd.root,
        length: size
    };
    out_go = running && parts_left != '0;
    case (cmd.op)
      COLL_SCATTER: begin
        out_xfer.hdr.kind = COLL_BLOCK_PART;
        out_xfer.hdr.dest = part_rank;
        out_xfer.to_next  = part_index != '0;
        out_xfer.to_local = part_index == '0;
      end
      COLL_GATHER: begin
        out_xfer.hdr.kind = COLL_BLOCK_GATHER;
        out_xfer.to_next  = rank != cmd.root;
        out_xfer.to_local = rank == cmd.root;
        if (rank != cmd.root) out_go = out_go && parts_seen == parts_needed;
      end
      COLL_BROADCAST: out_xfer.hdr.kind = COLL_BLOCK_RESULT;
      COLL_REDUCE, COLL_ALL_REDUCE, COLL_BARRIER: begin
        out_xfer.hdr.kind = COLL_BLOCK_SUM;
        out_xfer.to_local = nodes == 8'd1 && size != '0;
        if (32'(inflight) == WINDOW) out_go = 1'b0;
      end
      default: ;
    endcase
  end
endmodule
