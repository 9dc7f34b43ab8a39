// SPDX-License-Identifier: Apache-2.0
//
// CRC-32 of IEEE 802.3 (clause 3.2.9), or another reflected one of 32 bits with start and final
// inversion of all ones, of each frame of a stream that it listens to.
//
// in_*: one beat in each cycle with in_valid high (tvalid && tready of the stream); there is no
//   back-pressure. All beats but the last are full; on the last in_keep is a run of ones from bit
//   0, at least one.
// out_valid: one pulse a frame, LATENCY cycles after its last beat. out_crc: the value as zlib and
//   gzip have it; on an Ethernet wire out_crc[7:0] is the first byte. A frame that ends with its
//   own correct CRC gives 0x2144df1c (with another POLY, another constant).
// Throughput one beat a cycle, frames back to back. LATENCY is a localparam of this module: 2 at 8
//   bits, 3 at 16, 3 at 32, 4 at 64, 7 at 128, 8 at 256, 9 at 512, 10 at 1024.
//
// How: the register after a full beat is a linear function of the register before it and the data.
//   The data's part has no loop and is pipelined; the loop is one 32 x 32 matrix. A partial last
//   beat is filled with zeros to the full width, and then those m zero bytes are taken back with
//   one inverse matrix for each bit of m, one pipeline stage each (two up to 64 bits), so that
//   there is neither a barrel shifter nor a CRC for each number of bytes.
module kumi_crc32 #(
    parameter int          DATA_W = 64,            // bits of data, 8..1024, a multiple of 8
    parameter logic [31:0] POLY   = 32'hedb8_8320  // bit-reversed polynomial; bit 31 must be one
) (
    input  logic                clk,
    input  logic                rst,
    input  logic                in_valid,
    input  logic                in_last,
    input  logic [  DATA_W-1:0] in_data,
    input  logic [DATA_W/8-1:0] in_keep,
    output logic                out_valid,
    output logic [        31:0] out_crc
);
  localparam int KEEP_W = DATA_W / 8;
  localparam int MISS_W = KEEP_W == 1 ? 1 : $clog2(KEEP_W);  // bits of the number of zero bytes
  localparam int STEPS = KEEP_W == 1 ? 0 : MISS_W;  // inverse matrices
  localparam int STEPS_A_STAGE = DATA_W <= 64 ? 2 : 1;
  localparam int STAGES = (STEPS + STEPS_A_STAGE - 1) / STEPS_A_STAGE;
  localparam bit MASK_REG = DATA_W > 64;
  localparam int LANE_W = DATA_W <= 128 ? DATA_W : 128;  // data bits summed before a register
  localparam int LANES = (DATA_W + LANE_W - 1) / LANE_W;
  localparam int LATENCY = 32'(MASK_REG) + 2 + STAGES;

  if (DATA_W < 8 || DATA_W > 1024 || DATA_W % 8 != 0) begin : gen_check_w
    $fatal(0, "DATA_W must be a multiple of 8 in 8..1024 (%m)");
  end
  if (!POLY[31]) begin : gen_check_poly
    $fatal(0, "bit 31 of POLY must be one (%m)");
  end

  typedef logic [31:0][31:0] matrix_t;  // [i] is the image of unit vector i

  function automatic logic [31:0] apply(input matrix_t m, input logic [31:0] v);
    logic [31:0] y;
    y = '0;
    for (int unit = 0; unit < 32; unit++) begin
      if (v[unit]) y ^= m[unit];
    end
    return y;
  endfunction

  // Rows from columns: bit r of the product is the parity of (row r & v).
  function automatic matrix_t transpose(input matrix_t m);
    matrix_t t;
    for (int r = 0; r < 32; r++) begin
      for (int c = 0; c < 32; c++) t[r][c] = m[c][r];
    end
    return t;
  endfunction

  function automatic logic [31:0] product(input matrix_t rows, input logic [31:0] v);
    logic [31:0] y;
    for (int r = 0; r < 32; r++) y[r] = ^(rows[r] & v);
    return y;
  endfunction

  // The register `n` zero bits later.
  function automatic logic [31:0] forward(input logic [31:0] unshifted, input int n);
    logic [31:0] c;
    c = unshifted;
    for (int i = 0; i < n; i++) c = (c >> 1) ^ (c[0] ? POLY : 32'd0);
    return c;
  endfunction

  // Takes 8 zero bits back.
  function automatic matrix_t back_one_byte();
    matrix_t m;
    logic [31:0] c;
    for (int i = 0; i < 32; i++) begin
      c = 32'd1 << i;
      for (int b = 0; b < 8; b++) c = {c[30:0] ^ (c[31] ? POLY[30:0] : 31'd0), c[31]};
      m[i] = c;
    end
    return m;
  endfunction

  function automatic matrix_t square(input matrix_t m);
    matrix_t s;
    for (int i = 0; i < 32; i++) s[i] = apply(m, m[i]);
    return s;
  endfunction

  // Takes 2**k zero bytes back.
  function automatic matrix_t back(input int k);
    matrix_t m;
    m = back_one_byte();
    for (int i = 0; i < k; i++) m = square(m);
    return m;
  endfunction

  // Register after one full beat of zeros.
  function automatic matrix_t beat_matrix();
    matrix_t m;
    for (int i = 0; i < 32; i++) m[i] = forward(32'd1 << i, DATA_W);
    return m;
  endfunction

  // The data's part for the lane that begins at bit `low`.
  typedef logic [31:0][LANE_W-1:0] rows_t;
  function automatic rows_t data_rows(input int low);
    rows_t rows;
    logic [31:0] c;
    int top;
    rows = '0;
    top = DATA_W - low < LANE_W ? DATA_W - low : LANE_W;
    c = forward(POLY, DATA_W - low - top);
    for (int j = top - 1; j >= 0; j--) begin
      for (int r = 0; r < 32; r++) rows[r][j] = c[r];
      c = forward(c, 1);
    end
    return rows;
  endfunction

  // Mask the bytes that are not there and count them.
  logic [DATA_W-1:0] masked, data;
  logic [MISS_W-1:0] missing, miss_a;
  logic valid_a, last_a;

  always_comb begin
    missing = '0;
    for (int i = 0; i < KEEP_W; i++) begin
      masked[8*i+:8] = in_data[8*i+:8] & {8{in_keep[i]}};
      if (in_last && in_keep[i] && (i == KEEP_W - 1 || !in_keep[(i+1)%KEEP_W])) begin
        missing |= MISS_W'(KEEP_W - 1 - i);
      end
    end
  end

  if (MASK_REG) begin : gen_mask_reg
    always_ff @(posedge clk) begin
      data    <= masked;
      miss_a  <= missing;
      last_a  <= in_last;
      valid_a <= in_valid && !rst;
    end
  end else begin : gen_mask
    assign data    = masked;
    assign miss_a  = missing;
    assign last_a  = in_last;
    assign valid_a = in_valid;
  end

  // The data's part, lane by lane. Bit j of a lane counts POLY advanced by the bits that follow.
  logic [LANES-1:0][31:0] part_q;
  logic [MISS_W-1:0] miss_b_q;
  logic valid_b_q, last_b_q;

  logic [LANES*LANE_W-1:0] lanes;
  assign lanes = (LANES * LANE_W)'(data);

  for (genvar l = 0; l < LANES; l++) begin : gen_lane
    localparam rows_t ROWS = data_rows(l * LANE_W);
    logic [31:0] part;
    for (genvar r = 0; r < 32; r++) begin : gen_row
      assign part[r] = ^(lanes[l*LANE_W+:LANE_W] & ROWS[r]);
    end
    always_ff @(posedge clk) part_q[l] <= part;
  end

  always_ff @(posedge clk) begin
    miss_b_q  <= miss_a;
    last_b_q  <= last_a;
    valid_b_q <= valid_a && !rst;
  end

  // The loop.
  localparam matrix_t BEAT = transpose(beat_matrix());
  logic [31:0] state_q, parts;
  logic first_q;

  always_comb begin
    parts = '0;
    for (int l = 0; l < LANES; l++) parts ^= part_q[l];
  end

  always_ff @(posedge clk) begin
    if (valid_b_q) begin
      state_q <= parts ^ product(BEAT, first_q ? 32'hffff_ffff : state_q);
      first_q <= last_b_q;
    end
    if (rst) first_q <= 1'b1;
  end

  // Take the zero bytes back.
  logic [STAGES:0][31:0] crc;
  logic [STAGES:0][MISS_W-1:0] miss;
  logic [STAGES:0] done;
  assign crc[0] = state_q;
  always_ff @(posedge clk) begin
    miss[0] <= miss_b_q;
    done[0] <= valid_b_q && last_b_q && !rst;
  end

  for (genvar s = 0; s < STAGES; s++) begin : gen_back
    logic [STEPS_A_STAGE:0][31:0] step;
    assign step[0] = crc[s];
    for (genvar k = 0; k < STEPS_A_STAGE; k++) begin : gen_step
      if (s * STEPS_A_STAGE + k < STEPS) begin : gen_matrix
        localparam matrix_t BACK = transpose(back(s * STEPS_A_STAGE + k));
        assign step[k+1] = miss[s][s*STEPS_A_STAGE+k] ? product(BACK, step[k]) : step[k];
      end else begin : gen_wire
        assign step[k+1] = step[k];
      end
    end
    always_ff @(posedge clk) begin
      crc[s+1]  <= step[STEPS_A_STAGE];
      miss[s+1] <= miss[s];
      done[s+1] <= done[s] && !rst;
    end
  end

  logic unused;
  assign unused = ^{miss, LATENCY};

  assign out_valid = done[STAGES];
  assign out_crc = ~crc[STAGES];
endmodule
