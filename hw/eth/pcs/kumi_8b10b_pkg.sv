// SPDX-License-Identifier: Apache-2.0
//
// The 8b/10b code (IEEE 802.3 clause 36.2.4, tables 36-1 and 36-2). Bit 0 of a code group is a, the
// first on the wire; bit 9 is j. Running disparity 0 is negative.
package kumi_8b10b_pkg;

  // Special code groups, x.y as {y, x}.
  localparam logic [7:0] K28_5 = 8'hBC;  // comma
  localparam logic [7:0] K23_7 = 8'hF7;  // /R/
  localparam logic [7:0] K27_7 = 8'hFB;  // /S/
  localparam logic [7:0] K29_7 = 8'hFD;  // /T/
  localparam logic [7:0] K30_7 = 8'hFE;  // /V/

  typedef struct packed {
    logic       valid;  // in the table, for either disparity
    logic       k;
    logic [7:0] data;
  } decoded_t;

  // abcdei of D.x at negative disparity, written with a on the left.
  function automatic logic [5:0] six(input logic [4:0] x);
    unique case (x)
      5'd0: return 6'b100111;
      5'd1: return 6'b011101;
      5'd2: return 6'b101101;
      5'd3: return 6'b110001;
      5'd4: return 6'b110101;
      5'd5: return 6'b101001;
      5'd6: return 6'b011001;
      5'd7: return 6'b111000;
      5'd8: return 6'b111001;
      5'd9: return 6'b100101;
      5'd10: return 6'b010101;
      5'd11: return 6'b110100;
      5'd12: return 6'b001101;
      5'd13: return 6'b101100;
      5'd14: return 6'b011100;
      5'd15: return 6'b010111;
      5'd16: return 6'b011011;
      5'd17: return 6'b100011;
      5'd18: return 6'b010011;
      5'd19: return 6'b110010;
      5'd20: return 6'b001011;
      5'd21: return 6'b101010;
      5'd22: return 6'b011010;
      5'd23: return 6'b111010;
      5'd24: return 6'b110011;
      5'd25: return 6'b100110;
      5'd26: return 6'b010110;
      5'd27: return 6'b110110;
      5'd28: return 6'b001110;
      5'd29: return 6'b101110;
      5'd30: return 6'b011110;
      default: return 6'b101011;
    endcase
  endfunction

  // fghj of .y at negative disparity, f on the left; 7 is the primary form.
  function automatic logic [3:0] four(input logic [2:0] y);
    unique case (y)
      3'd0: return 4'b1011;
      3'd1: return 4'b1001;
      3'd2: return 4'b0101;
      3'd3: return 4'b1100;
      3'd4: return 4'b1101;
      3'd5: return 4'b1010;
      3'd6: return 4'b0110;
      default: return 4'b1110;
    endcase
  endfunction

  // Disparity after a sub-block: that of the sub-block, or unchanged (36.2.4.4).
  function automatic logic rd_six(input logic [5:0] c, input logic rd);
    logic [2:0] ones;
    ones = 3'(c[0]) + 3'(c[1]) + 3'(c[2]) + 3'(c[3]) + 3'(c[4]) + 3'(c[5]);
    if (ones > 3'd3 || c == 6'b000111) return 1'b1;
    if (ones < 3'd3 || c == 6'b111000) return 1'b0;
    return rd;
  endfunction

  function automatic logic rd_four(input logic [3:0] c, input logic rd);
    logic [2:0] ones;
    ones = 3'(c[0]) + 3'(c[1]) + 3'(c[2]) + 3'(c[3]);
    if (ones > 3'd2 || c == 4'b0011) return 1'b1;
    if (ones < 3'd2 || c == 4'b1100) return 1'b0;
    return rd;
  endfunction

  function automatic logic balanced6(input logic [5:0] c);
    return 3'(c[0]) + 3'(c[1]) + 3'(c[2]) + 3'(c[3]) + 3'(c[4]) + 3'(c[5]) == 3'd3;
  endfunction

  function automatic logic balanced4(input logic [3:0] c);
    return 3'(c[0]) + 3'(c[1]) + 3'(c[2]) + 3'(c[3]) == 3'd2;
  endfunction

  // Halves in wire order, a or f on the left.
  function automatic logic [9:0] reverse(input logic [9:0] c);
    logic [9:0] r;
    for (int i = 0; i < 10; i++) r[i] = c[9-i];
    return r;
  endfunction

  // Disparity after a whole code group.
  function automatic logic rd_behind(input logic [9:0] code, input logic rd);
    logic [9:0] c;
    c = reverse(code);
    return rd_four(c[3:0], rd_six(c[9:4], rd));
  endfunction

  // k must be set only for K28.0 to K28.7, K23.7, K27.7, K29.7 and K30.7.
  function automatic logic [9:0] encode(input logic [7:0] data, input logic k, input logic rd);
    logic [4:0] x;
    logic [2:0] y;
    logic [5:0] c6;
    logic [3:0] c4;
    logic mid, k28, alt;
    x   = data[4:0];
    y   = data[7:5];
    k28 = k && (x == 5'd28);
    c6  = k28 ? 6'b001111 : six(x);
    // Balanced sub-blocks are the same at both disparities, except D.7.
    if (rd && (!balanced6(c6) || x == 5'd7)) c6 = ~c6;
    mid = rd_six(c6, rd);
    alt = (y == 3'd7) && (k || (!mid && (x == 5'd17 || x == 5'd18 || x == 5'd20))
        || (mid && (x == 5'd11 || x == 5'd13 || x == 5'd14)));
    c4 = alt ? 4'b0111 : four(y);
    if (mid && (!balanced4(c4) || y == 3'd3)) c4 = ~c4;
    // K28.1, .2, .5 and .6 also alternate.
    if (k28 && !mid && balanced4(c4) && y != 3'd3) c4 = ~c4;
    return reverse({c6, c4});
  endfunction

  // Value of a six-bit sub-block; undefined if it is invalid.
  function automatic logic [4:0] five_of(input logic [5:0] c);
    logic [4:0] x;
    x = '0;
    for (int i = 0; i < 32; i++) begin
      if (c == six(5'(i)) || ((!balanced6(six(5'(i))) || i == 7) && c == ~six(5'(i)))) x |= 5'(i);
    end
    return x;
  endfunction

  function automatic logic [2:0] three_of(input logic [3:0] c);
    logic [2:0] y;
    y = '0;
    for (int i = 0; i < 7; i++) begin
      if (c == four(3'(i)) || ((!balanced4(four(3'(i))) || i == 3) && c == ~four(3'(i))))
        y |= 3'(i);
    end
    if (c == 4'b1110 || c == 4'b0001 || c == 4'b0111 || c == 4'b1000) y = 3'd7;
    return y;
  endfunction

  // The byte of a code group, decoded by sub-blocks and verified by re-encoding.
  function automatic decoded_t decode(input logic [9:0] code);
    logic [9:0] c;
    logic [5:0] c6;
    logic [3:0] c4;
    logic [4:0] x;
    logic [2:0] y;
    decoded_t d;
    c   = reverse(code);
    c6  = c[9:4];
    c4  = c[3:0];
    x   = five_of(c6);
    y   = three_of(c4);
    d.k = 1'b0;
    if (c6 == 6'b001111 || c6 == 6'b110000) begin
      d.k = 1'b1;
      x   = 5'd28;
      // After 110000 everything is inverted; after 001111, 1100 does not occur and 0011 is .3.
      y   = three_of((c6 == 6'b110000) ? ~c4 : c4);
    end else if ((c4 == 4'b0111 || c4 == 4'b1000)
                 && (x == 5'd23 || x == 5'd27 || x == 5'd29 || x == 5'd30)) begin
      d.k = 1'b1;
    end
    d.data  = {y, x};
    d.valid = (encode(d.data, d.k, 1'b0) == code) || (encode(d.data, d.k, 1'b1) == code);
    return d;
  endfunction

endpackage
