// SPDX-License-Identifier: Apache-2.0
//
// Verdict on a stream: compares checksum and size of each member, and holds the first error.
//
// s_*: bytes and tokens of kumi_inflate_copy; far: its report. m_valid: pass on the first m_count
//   bytes of m_data, and with m_end the end of the stream and its verdict m_error. Latency 1 cycle;
//   no back-pressure.
// failed: an error was found, from then until the stream's TOKEN_END. Members after one with a
//   wrong sum or size are dropped; after `far` kumi_inflate_copy drops what follows.
module kumi_inflate_check
  import kumi_gzip_pkg::*;
  import kumi_inflate_pkg::*;
#(
    parameter int BYTES = 8  // bytes a cycle, 4 to 16
) (
    input  logic                         clk,
    input  logic                         rst,
    input  logic                         s_valid,
    input  logic           [8*BYTES-1:0] s_data,
    input  logic           [        4:0] s_count,
    input  logic                         s_flush,
    input  inflate_token_t               s_token,
    input  logic                         far,
    output logic                         failed,
    output logic                         m_valid,
    output logic           [8*BYTES-1:0] m_data,
    output logic           [        4:0] m_count,
    output logic                         m_end,
    output gzip_error_e                  m_error
);
  localparam int WAIT = 10;  // cycles until a sum is valid: those of kumi_gzip_adler32, and one

  logic [31:0] crc, adler, sum_q, size_q, want_q;
  gzip_format_e format_q;
  gzip_error_e error_q;
  logic [WAIT-1:0] sum_due_q;
  logic size_due_q, clear_q, sum_bad_q, size_bad_q, drop_q;
  logic order;
  inflate_token_e kind;

  assign order = s_valid && s_flush;
  assign kind  = s_token.kind;

  kumi_gzip_crc32 #(
      .N(BYTES)
  ) u_crc (
      .clk,
      .rst,
      .in_clear(clear_q),
      .in_valid(s_valid),
      .in_count(($clog2(BYTES + 1))'(s_count)),
      .in_data (s_data),
      .crc
  );

  kumi_gzip_adler32 #(
      .N(BYTES)
  ) u_adler (
      .clk,
      .rst,
      .in_clear(clear_q),
      .in_valid(s_valid),
      .in_count(($clog2(BYTES + 1))'(s_count)),
      .in_data (s_data),
      .adler
  );

  always_ff @(posedge clk) begin
    if (s_valid) size_q <= size_q + 32'(s_count);
    clear_q <= order && kind == TOKEN_MEMBER;
    if (clear_q) size_q <= '0;
    if (order) want_q <= s_token.data;
    if (order && kind == TOKEN_MEMBER) format_q <= gzip_format_e'(s_token.data[1:0]);
    sum_due_q  <= {sum_due_q[WAIT-2:0], order && kind == TOKEN_CHECK};
    size_due_q <= order && kind == TOKEN_SIZE;
    sum_q      <= format_q == FORMAT_ZLIB ? adler : crc;
    sum_bad_q  <= sum_due_q[WAIT-1] && sum_q != want_q;
    size_bad_q <= size_due_q && size_q != want_q;
    if (error_q == GZIP_OK) begin
      if (far) error_q <= GZIP_ERR_DISTANCE;
      else if (sum_bad_q) error_q <= GZIP_ERR_CHECKSUM;
      else if (size_bad_q) error_q <= GZIP_ERR_SIZE;
    end
    if (sum_bad_q || size_bad_q) drop_q <= 1'b1;
    m_valid <= s_valid && ((s_count != '0 && !drop_q) || (s_flush && kind == TOKEN_END));
    m_data  <= s_data;
    m_count <= drop_q ? '0 : s_count;
    m_end   <= s_flush && kind == TOKEN_END;
    m_error <= error_q == GZIP_OK ? gzip_error_e'(s_token.data[4:0]) : error_q;
    if (rst || (order && kind == TOKEN_END)) begin
      error_q <= GZIP_OK;
      drop_q  <= 1'b0;
    end
    if (rst) begin
      sum_due_q <= '0;
      size_due_q <= 1'b0;
      clear_q <= 1'b1;
      m_valid <= 1'b0;
    end
  end

  assign failed = error_q != GZIP_OK;

  logic unused;
  assign unused = ^s_token;
endmodule
