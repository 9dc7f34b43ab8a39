// SPDX-License-Identifier: Apache-2.0
//
// The node's own IPv6 addresses: made (RFC 4862; interface identifiers of RFC 4291, appendix A),
// probed for another owner, used.
//
// cfg: settings. own: the addresses; valid when they may be used, address also while it is probed.
// ask_*: a neighbour solicitation for our own address `ask_own` is to be sent from no address, or
//   (ask_router) a router solicitation (RFC 4861, section 6.3.7); ask_taken.
// taken: another station has the address: it is not used if it was being probed, until cfg changes.
// prefix_*: a router announces a prefix of 64 bits for autoconfiguration, for so many seconds.
// advertised: a router has answered. second: one pulse a second.
module kumi_ip6_own
  import kumi_ip6_pkg::*;
(
    input  logic                clk,
    input  logic                rst,
    input  ip6_cfg_t            cfg,
    output logic                second,
    output ip6_own_t [OWNS-1:0] own,
    output logic     [OWNS-1:0] duplicate,
    output logic                ask_valid,
    output logic                ask_router,
    output logic     [     1:0] ask_own,
    input  logic                ask_taken,
    input  logic     [OWNS-1:0] taken,
    input  logic                advertised,
    input  logic                prefix_valid,
    input  logic     [    63:0] prefix,
    input  logic     [    31:0] prefix_seconds
);
  localparam logic [1:0] SOLICITATIONS = 2'd3;  // RFC 4861, section 10
  localparam logic [1:0] INTERVAL = 2'd3;  // seconds between two, less one
  localparam logic [31:0] TWO_HOURS = 32'd7200;

  // ---- time -----------------------------------------------------------------------------------
  logic [23:0] tick_q;
  logic [15:0] second_q;
  logic tick;
  always_ff @(posedge clk) begin
    tick   <= tick_q == '0;
    tick_q <= tick_q == '0 ? cfg.tick_cycles - 1'b1 : tick_q - 1'b1;
    second <= tick && second_q == '0;
    if (tick) second_q <= second_q == '0 ? cfg.second_ticks - 1'b1 : second_q - 1'b1;
    if (rst) begin
      tick_q <= '0;
      second_q <= '0;
      tick <= 1'b0;
      second <= 1'b0;
    end
  end

  // ---- what the addresses would be ------------------------------------------------------------
  logic [63:0] prefix_q;
  logic [31:0] left_q;  // seconds in which it is valid; all ones: for ever
  logic has_prefix_q;
  logic [63:0] identifier;
  logic [OWNS-1:0][127:0] wanted;

  assign identifier = {cfg.mac[47:42], ~cfg.mac[41], cfg.mac[40:24], 16'hfffe, cfg.mac[23:0]};
  assign wanted[OWN_LINK] = {LINK_LOCAL_NET, identifier};
  assign wanted[OWN_AUTO] = has_prefix_q ? {prefix_q, identifier} : '0;
  assign wanted[OWN_GIVEN] = cfg.address;

  // A router cannot end a prefix at once, only within two hours (RFC 4862, section 5.5.3). Another
  // prefix is taken when that of before has ended.
  always_ff @(posedge clk) begin
    if (second && left_q != '0 && left_q != '1) left_q <= left_q - 1'b1;
    if (prefix_valid && (left_q == '0 || prefix == prefix_q)) begin
      prefix_q <= prefix;
      if (prefix_seconds > left_q || prefix_seconds > TWO_HOURS) left_q <= prefix_seconds;
      else if (left_q > TWO_HOURS) left_q <= TWO_HOURS;
    end
    if (rst || !cfg.enable || !cfg.autoconf) left_q <= '0;
    has_prefix_q <= left_q != '0;
  end

  // ---- a state for each -----------------------------------------------------------------------
  typedef enum logic [1:0] {
    NONE,
    PROBING,
    USED,
    DUPLICATE
  } state_e;

  logic [OWNS-1:0] probe_due;
  logic [OWNS-1:0] probe_taken;

  for (genvar i = 0; i < OWNS; i++) begin : gen_own
    state_e state_q;
    logic [127:0] address_q;
    logic [2:0] sent_q;
    logic due_q;

    assign own[i] = '{valid: state_q == USED, address: address_q};
    assign duplicate[i] = state_q == DUPLICATE;
    assign probe_due[i] = due_q;

    always_ff @(posedge clk) begin
      address_q <= wanted[i];
      if (rst || !cfg.enable || wanted[i] == '0 || wanted[i] != address_q) begin
        state_q <= NONE;
        sent_q  <= '0;
        due_q   <= 1'b0;
      end else begin
        unique case (state_q)
          NONE: state_q <= cfg.probes == '0 ? USED : PROBING;
          // With every second; after the last one a whole second more.
          PROBING: begin
            if (probe_taken[i]) begin
              due_q  <= 1'b0;
              sent_q <= sent_q + 1'b1;
            end else if (cfg.probes == '0) begin
              state_q <= USED;
              due_q   <= 1'b0;
            end else if (second && !due_q) begin
              if (sent_q >= cfg.probes) state_q <= USED;
              else due_q <= 1'b1;
            end
          end
          default: ;
        endcase
        if (taken[i] && state_q == PROBING) begin
          state_q <= DUPLICATE;
          due_q   <= 1'b0;
        end
      end
    end
  end

  // ---- a router is looked for -----------------------------------------------------------------
  logic [1:0] solicited_q, wait_q;
  logic router_due_q, router_taken;
  always_ff @(posedge clk) begin
    if (router_taken) begin
      router_due_q <= 1'b0;
      solicited_q  <= solicited_q + 1'b1;
      wait_q       <= INTERVAL;
    end else if (second) begin
      if (wait_q != '0) wait_q <= wait_q - 1'b1;
      else router_due_q <= own[OWN_LINK].valid && cfg.autoconf && solicited_q != SOLICITATIONS;
    end
    if (advertised) begin
      solicited_q  <= SOLICITATIONS;
      router_due_q <= 1'b0;
    end
    if (rst || !cfg.enable || !own[OWN_LINK].valid) begin
      solicited_q  <= '0;
      wait_q       <= '0;
      router_due_q <= 1'b0;
    end
  end

  always_comb begin
    ask_own = probe_due[OWN_LINK] ? 2'(OWN_LINK) : probe_due[OWN_AUTO] ? 2'(OWN_AUTO)
        : 2'(OWN_GIVEN);
    ask_router = probe_due == '0;
    ask_valid = probe_due != '0 || router_due_q;
    router_taken = ask_taken && ask_router;
    probe_taken = '0;
    if (ask_taken && !ask_router) probe_taken[ask_own] = 1'b1;
  end

  logic unused;
  assign unused = &{cfg};
endmodule
