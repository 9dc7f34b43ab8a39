// SPDX-License-Identifier: Apache-2.0
//
// ICMP "port unreachable" (RFC 792; RFC 1122, 3.2.2.1 and 4.1.3.1) for datagrams to closed ports.
//
// closed_valid: a datagram that deserves an answer has ended, a pulse with its headers; kumi_ip_rx
//   decides that (RFC 1122, 3.2.2: none for groups, broadcasts, fragments, ICMP, invalid sources).
// The message quotes the IP and UDP headers, 28 bytes: no longer than the shortest frame by more
//   than 10 bytes, and limited (kumi_icmp_limit), so it does not amplify.
// t_*: record for the resolver; p_*: payload for the frame builder, no earlier than its record.
// ev_made: a message was queued; ev_limited: none, because of the rate limit or a full queue.
// Latency 9 cycles to the record. QUEUE messages wait, one is made in at most 12 cycles.
module kumi_icmp_unreachable
  import kumi_ip_pkg::*;
#(
    parameter int DATA_W = 64,  // bits of a beat
    parameter int QUEUE  = 8    // a power of two
) (
    input  logic                      clk,
    input  logic                      rst,
    input  logic                      tick,
    input  logic       [        15:0] interval,      // kumi_icmp_limit
    input  logic                      closed_valid,
    input  ip_closed_t                closed,
    output ip_tx_t                    t,
    output logic                      t_valid,
    input  logic                      t_ready,
    output logic       [  DATA_W-1:0] p_data,
    output logic       [DATA_W/8-1:0] p_keep,
    output logic                      p_valid,
    input  logic                      p_ready,
    output logic                      p_last,
    output logic                      ev_made,
    output logic                      ev_limited,
    output logic                      active
);
  localparam int B = DATA_W / 8;
  localparam int LENGTH = 36;  // bytes of the message
  localparam int BEATS = (LENGTH + B - 1) / B;
  localparam int LAST = LENGTH - (BEATS - 1) * B;  // bytes of its last beat

  // ---- who gets one ---------------------------------------------------------------------------
  logic grant, deny, due_q, room, head_valid, load;
  ip_closed_t closed_q, asked_q, head;
  logic [$clog2(QUEUE):0] unused_depth;

  kumi_icmp_limit u_limit (
      .clk,
      .rst,
      .tick,
      .interval,
      .req_valid(closed_valid),
      .req_ip({closed.header[12], closed.header[13], closed.header[14], closed.header[15]}),
      .grant,
      .deny
  );

  always_ff @(posedge clk) begin
    closed_q <= closed;
    asked_q  <= closed_q;
    due_q    <= closed_valid && !rst;
  end

  kumi_fifo #(
      .W($bits(ip_closed_t)),
      .DEPTH(QUEUE),
      .STYLE(0)
  ) u_queue (
      .clk,
      .rst,
      .s_data (asked_q),
      .s_valid(grant),
      .s_ready(room),
      .m_data (head),
      .m_valid(head_valid),
      .m_ready(load),
      .depth  (unused_depth)
  );

  assign ev_made = grant && room;
  assign ev_limited = deny || (grant && !room);

  // ---- checksum, record, message --------------------------------------------------------------
  // The sum of a valid IP header is ffff, that is 0: what remains is type, code and UDP header.
  typedef enum logic [2:0] {
    REST,
    ADD,
    SUM,
    FOLD,
    LOAD,
    SEND
  } state_e;

  state_e state_q;
  ip_closed_t one_q;
  logic [16:0] ports_q, rest_q;
  logic [18:0] sum_q;
  logic [16:0] folded_q;
  logic [LENGTH-1:0][7:0] message;
  logic [BEATS*B-1:0][7:0] left_q;
  logic [$clog2(BEATS+1)-1:0] beats_q;

  function automatic logic [15:0] word_at(input ip_closed_t c, input int at);
    logic unused_word;
    unused_word = ^c;
    return {c.header[at], c.header[at+1]};
  endfunction

  assign load = state_q == REST && head_valid;

  always_comb begin
    message = '0;
    message[0] = 8'd3;
    message[1] = 8'd3;
    {message[2], message[3]} = ~(folded_q[15:0] +{15'b0, folded_q[16]});
    for (int i = 0; i < 28; i++) message[8+i] = one_q.header[i];
  end

  always_ff @(posedge clk) begin
    if (t_ready) t_valid <= 1'b0;
    if (p_valid && p_ready) begin
      left_q  <= left_q >> DATA_W;
      beats_q <= beats_q - 1'b1;
    end
    unique case (state_q)
      REST: begin
        one_q <= head;
        if (head_valid) state_q <= ADD;
      end
      ADD: begin
        ports_q <= {1'b0, word_at(one_q, 20)} + {1'b0, word_at(one_q, 22)};
        rest_q  <= {1'b0, word_at(one_q, 24)} + {1'b0, word_at(one_q, 26)};
        state_q <= SUM;
      end
      SUM: begin
        sum_q   <= {2'b0, ports_q} + {2'b0, rest_q} + 19'h00303;
        state_q <= FOLD;
      end
      FOLD: begin
        folded_q <= {1'b0, sum_q[15:0]} + {14'b0, sum_q[18:16]};
        state_q  <= LOAD;
      end
      LOAD: begin
        left_q  <= (8 * BEATS * B)'(message);
        beats_q <= ($clog2(BEATS + 1))'(BEATS);
        t_valid <= 1'b1;
        state_q <= SEND;
      end
      default: if (p_valid && p_ready && p_last) state_q <= REST;
    endcase
    if (rst) begin
      state_q <= REST;
      t_valid <= 1'b0;
      beats_q <= '0;
    end
  end

  always_comb begin
    t = '0;
    t.kind = KIND_ICMP;
    t.mac = one_q.mac;
    t.mac_valid = 1'b1;
    t.vlan_valid = one_q.vlan_valid;
    t.vlan_tci = one_q.vlan_tci;
    t.ip = {one_q.header[12], one_q.header[13], one_q.header[14], one_q.header[15]};
    t.proto = PROTO_ICMP;
    t.length = 16'(LENGTH);
  end

  assign p_valid = beats_q != '0;
  assign p_last  = 32'(beats_q) == 1;
  assign p_data  = left_q[B-1:0];
  for (genvar j = 0; j < B; j++) begin : gen_keep
    assign p_keep[j] = j < LAST || !p_last;
  end

  assign active = head_valid || state_q != REST || closed_valid || due_q || grant;

  logic unused;
  assign unused = ^unused_depth;
endmodule
