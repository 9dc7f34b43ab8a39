// SPDX-License-Identifier: Apache-2.0
//
// DHCP client (RFC 2131, options of RFC 2132): messages, answers, states, events.
package kumi_dhcp_pkg;

  localparam logic [15:0] DHCP_SERVER_PORT = 16'd67;
  localparam logic [15:0] DHCP_CLIENT_PORT = 16'd68;
  localparam int DHCP_BYTES = 300;  // of a message sent, the shortest that BOOTP relays take

  // Option 53.
  typedef enum logic [3:0] {
    DHCP_NONE     = 4'd0,
    DHCP_DISCOVER = 4'd1,
    DHCP_OFFER    = 4'd2,
    DHCP_REQUEST  = 4'd3,
    DHCP_DECLINE  = 4'd4,
    DHCP_ACK      = 4'd5,
    DHCP_NAK      = 4'd6,
    DHCP_RELEASE  = 4'd7
  } dhcp_kind_e;

  // What a client says (RFC 2131, table 4); the address is that of its lease.
  typedef enum logic [2:0] {
    SAY_DISCOVER = 3'd0,
    SAY_REQUEST  = 3'd1,  // of what was offered
    SAY_RENEW    = 3'd2,  // to the server
    SAY_REBIND   = 3'd3,  // to every server
    SAY_DECLINE  = 3'd4,
    SAY_RELEASE  = 3'd5
  } dhcp_say_e;

  // A message to send. Addresses that are 0 are left out.
  typedef struct packed {
    dhcp_kind_e  kind;
    logic [31:0] xid;
    logic [15:0] secs;    // since the client began
    logic [31:0] own;     // ciaddr: the address in use
    logic [31:0] wanted;  // option 50
    logic [31:0] server;  // option 54
  } dhcp_message_t;

  // What an OFFER or ACK gives; 0: not given. Of a NAK only the kind counts.
  typedef struct packed {
    dhcp_kind_e  kind;
    logic [31:0] ip;
    logic [31:0] netmask;
    logic [31:0] gateway;
    logic [31:0] server;
    logic [31:0] lease;    // seconds; all ones: for ever
    logic [31:0] t1;       // seconds until renewing
    logic [31:0] t2;       // seconds until rebinding
  } dhcp_answer_t;

  // RFC 2131, figure 5; values are shown to software.
  typedef enum logic [2:0] {
    DHCP_OFF        = 3'd0,
    DHCP_INIT       = 3'd1,  // waits before it begins again, after a DECLINE
    DHCP_SELECTING  = 3'd2,
    DHCP_REQUESTING = 3'd3,
    DHCP_BOUND      = 3'd4,
    DHCP_RENEWING   = 3'd5,
    DHCP_REBINDING  = 3'd6,
    DHCP_RELEASING  = 3'd7   // the address stays until its RELEASE is on the line
  } dhcp_state_e;

  // One-cycle pulses, in the order of the counters.
  typedef struct packed {
    logic drop_no_address;  // a datagram or packet of a kernel, dropped without an address
    logic drop_full;        // answer dropped: the one before is still being read
    logic rx_other;         // answer to another client, or not one that is waited for
    logic rx_bad;           // malformed answer
    logic expired;          // a lease ended without a renewal
    logic declined;         // another station uses the address that was given
    logic nak;
    logic ack;
    logic offer;
    logic request;          // sent, renewals included
    logic discover;         // sent
  } dhcp_events_t;

endpackage
