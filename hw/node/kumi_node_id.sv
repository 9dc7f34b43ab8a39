// SPDX-License-Identifier: Apache-2.0
//
// Identity block of a node (regs/id.rdl): name, shape, block table, cycle counter.
//
// s_axil: the block's registers. now: cycles since reset.
module kumi_node_id #(
    parameter int DATA_W = 64,  // bits of the data path, shown to software
    parameter logic [255:0] NAME = "node",  // of the design, at most 32 characters
    parameter int BLOCKS = 1,  // register blocks behind this one, 1..15
    parameter kumi_regs_pkg::block_t [BLOCKS-1:0] KINDS = '0,  // what they are, from KINDS[0]
    parameter logic [63:0] BUILD = '0  // build hash
) (
    input logic clk,
    input logic rst,
    kumi_axil_if.slv s_axil,
    output logic [63:0] now
);
  kumi_id_regs_pkg::kumi_id_regs__in_t  hwif_in;
  kumi_id_regs_pkg::kumi_id_regs__out_t hwif_out;

  kumi_id_regs u_regs (
      .clk,
      .rst,
      .s_axil,
      .hwif_in,
      .hwif_out
  );

  logic [63:0] now_q;
  logic [31:0] high_q;  // as it was when the low word was read

  always_ff @(posedge clk) begin
    now_q <= now_q + 1'b1;
    if (hwif_out.cycles_lo.value.swacc) high_q <= now_q[63:32];
    if (rst) begin
      now_q  <= '0;
      high_q <= '0;
    end
  end
  assign now = now_q;

  // The text in memory order: first character in the low byte of word 0.
  function automatic logic [255:0] memory_order(input logic [255:0] text);
    logic [255:0] rest;
    rest = text;
    memory_order = '0;
    for (int i = 0; i < 32; ++i) begin
      // The last character is in the low byte; each further one pushes it up.
      if (rest[7:0] != '0) memory_order = {memory_order[247:0], rest[7:0]};
      rest = rest >> 8;
    end
  endfunction
  localparam logic [255:0] TEXT = memory_order(NAME);

  for (genvar i = 0; i < 8; ++i) begin : gen_name
    assign hwif_in.name[i].value.next = TEXT[32*i+:32];
  end

  // Block table: the identity itself, then the others in the order of their windows.
  for (genvar i = 0; i < 16; ++i) begin : gen_block
    localparam kumi_regs_pkg::block_t KIND =
        (i == 0) ? kumi_regs_pkg::BLOCK_ID :
        (i <= BLOCKS) ? KINDS[(i<1 || i>BLOCKS) ? 0 : i-1] : kumi_regs_pkg::BLOCK_NONE;
    assign hwif_in.block[i].kind.value.next = KIND.kind;
    assign hwif_in.block[i].place.version.next = KIND.version;
    assign hwif_in.block[i].place.page.next = 20'(i);
  end

  assign hwif_in.shape.data_w.next = 16'(DATA_W);
  assign hwif_in.shape.blocks.next = 8'(BLOCKS + 1);
  assign hwif_in.build_lo.value.next = BUILD[31:0];
  assign hwif_in.build_hi.value.next = BUILD[63:32];
  assign hwif_in.cycles_lo.value.next = now_q[31:0];
  assign hwif_in.cycles_hi.value.next = high_q;
endmodule
