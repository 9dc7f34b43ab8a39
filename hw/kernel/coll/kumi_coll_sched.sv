// SPDX-License-Identifier: Apache-2.0
//
// What the operation of kumi_coll wants: of this node at its begin, of the block that came, of this
// node's next block. Combinational.
//
// cmd: the operation; rank, nodes: the node's place. running: it has begun. pieces, piece: parts
//   that this node brings yet, and how many it brought; left: bytes of the part under way.
// lasts, needed: ends of parts that were seen, and are to be seen. inflight: blocks of a sum that
//   left and have not come back as a result.
// all_pieces, all_needed: pieces and needed as they begin. sums: an operation of all, in which rank
//   0 begins. impossible: it cannot be.
// head -> in_move, in_go, counts: what becomes of the block that came; the operation wants it now;
//   it is the end of a part that is waited for.
// out_move, out_go, size, part_last: likewise this node's next block, its bytes, a part's last.
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
    input logic [7:0] pieces,
    input logic [7:0] piece,
    input logic [7:0] lasts,
    input logic [7:0] needed,
    input logic [3:0] inflight,
    input logic [31:0] left,
    input block_t head,
    output logic [7:0] all_pieces,
    output logic [7:0] all_needed,
    output logic sums,
    output logic impossible,
    output coll_xfer_t in_move,
    output logic in_go,
    output logic counts,
    output coll_xfer_t out_move,
    output logic out_go,
    output logic [15:0] size,
    output logic part_last
);
  logic [7:0] last_rank, root_next, piece_rank;

  function automatic logic [7:0] around(logic [8:0] value, logic [7:0] count);
    return value >= 9'(count) ? 8'(value - 9'(count)) : value[7:0];
  endfunction

  assign last_rank = nodes - 8'd1;
  assign sums = cmd.op == COLL_ALL_REDUCE || cmd.op == COLL_BARRIER;
  assign root_next = around(9'(cmd.root) + 9'd1, nodes);
  // The farthest node's part goes first, so that nobody goes on before all have passed.
  assign piece_rank = around(9'(cmd.root) + 9'(nodes) - 9'(piece), nodes);

  // ---- begin ---------------------------------------------------------------------------------
  always_comb begin
    all_pieces = '0;
    all_needed = '0;
    case (cmd.op)
      COLL_SEND: all_pieces = 8'd1;
      COLL_RECV: all_needed = 8'd1;
      COLL_SCATTER:
      if (rank == cmd.root) all_pieces = nodes;
      else all_needed = 8'd1;
      COLL_GATHER: begin
        all_pieces = 8'd1;
        // Those that come before this one, counted from the node behind the root.
        all_needed = rank == cmd.root ? last_rank :
            around(9'(rank) + 9'(nodes) - 9'(root_next), nodes);
      end
      COLL_BROADCAST:
      if (rank == cmd.root) all_pieces = 8'd1;
      else all_needed = 8'd1;
      COLL_REDUCE:
      if (rank == root_next) all_pieces = 8'd1;
      else all_needed = 8'd1;
      COLL_ALL_REDUCE, COLL_BARRIER: begin
        if (rank == '0) all_pieces = 8'd1;
        if (nodes != 8'd1) all_needed = rank == '0 || rank == last_rank ? 8'd1 : 8'd2;
      end
      default: ;
    endcase
  end

  assign impossible = cmd.op == COLL_NONE || cmd.op > COLL_PASS || cmd.root >= nodes
      || (cmd.length == '0 && cmd.op < COLL_BARRIER)
      || (cmd.root == rank && (cmd.op == COLL_SEND || cmd.op == COLL_RECV));

  // ---- blocks --------------------------------------------------------------------------------
  // A block that came: what becomes of it, and whether the operation wants it now.
  always_comb begin
    in_move = '0;
    in_move.from_before = head.length != '0;
    in_move.is_float = cmd.is_float;
    in_move.head = head;
    in_move.ends = head.last;
    in_go = running && lasts != needed;
    counts = head.last;
    case (head.kind)
      BLOCK_DATA: begin
        in_move.to_next  = head.dest != rank;
        in_move.to_local = head.dest == rank;
        if (in_move.to_next) in_go = 1'b1;
        else in_go = in_go && cmd.op == COLL_RECV && head.source == cmd.root;
        if (in_move.to_next) counts = 1'b0;
      end
      BLOCK_PART: begin
        in_move.to_next = head.dest != rank;
        in_move.to_local = head.dest == rank;
        in_go = in_go && cmd.op == COLL_SCATTER;
        if (in_move.to_next) counts = 1'b0;
      end
      BLOCK_GATHER: begin
        in_move.to_next = rank != cmd.root;
        in_move.to_local = rank == cmd.root;
        in_go = in_go && cmd.op == COLL_GATHER && (rank != cmd.root || pieces == '0);
      end
      BLOCK_SUM: begin
        in_move.from_local = head.length != '0;
        in_move.to_local = cmd.op == COLL_REDUCE ? rank == cmd.root : rank == last_rank;
        in_move.to_next = cmd.op != COLL_REDUCE || rank != cmd.root;
        if (sums && rank == last_rank) begin
          in_move.head.kind = BLOCK_RESULT;
          in_move.head.hops = last_rank;
        end
        in_go = in_go && (cmd.op == COLL_REDUCE || sums);
      end
      default: begin
        in_move.to_local = 1'b1;
        in_move.to_next = head.hops > 8'd1;
        in_move.head.hops = head.hops - 8'd1;
        in_go = in_go && (cmd.op == COLL_BROADCAST || sums);
      end
    endcase
    if (head.length == '0) in_move.to_local = 1'b0;
  end

  // A block of this node: likewise.
  assign part_last = left <= 32'(CHUNK);
  assign size = part_last ? left[15:0] : 16'(CHUNK);

  always_comb begin
    out_move = '0;
    out_move.from_local = size != '0;
    out_move.to_next = nodes != 8'd1;
    out_move.ends = part_last;
    out_move.head = '{
        mark: BLOCK_MARK,
        kind: BLOCK_DATA,
        last: part_last,
        zero: '0,
        hops: last_rank,
        source: rank,
        dest: cmd.root,
        length: size
    };
    out_go = running && pieces != '0;
    case (cmd.op)
      COLL_SCATTER: begin
        out_move.head.kind = BLOCK_PART;
        out_move.head.dest = piece_rank;
        out_move.to_next   = piece != '0;
        out_move.to_local  = piece == '0;
      end
      COLL_GATHER: begin
        out_move.head.kind = BLOCK_GATHER;
        out_move.to_next   = rank != cmd.root;
        out_move.to_local  = rank == cmd.root;
        if (rank != cmd.root) out_go = out_go && lasts == needed;
      end
      COLL_BROADCAST: out_move.head.kind = BLOCK_RESULT;
      COLL_REDUCE, COLL_ALL_REDUCE, COLL_BARRIER: begin
        out_move.head.kind = BLOCK_SUM;
        out_move.to_local  = nodes == 8'd1 && size != '0;
        if (32'(inflight) == WINDOW) out_go = 1'b0;
      end
      default: ;
    endcase
  end
endmodule
