// SPDX-License-Identifier: Apache-2.0
//
// Records and constants that the Internet-protocol cores and their kernels share.
package kumi_ip_pkg;

  // How the checksum of an outgoing UDP datagram is made (RFC 768).
  typedef enum logic [1:0] {
    CKS_NONE     = 2'd0,  // sent as zero: not checked by the receiver
    CKS_GENERATE = 2'd1,  // computed over the payload, which is held until it is known
    CKS_GIVEN    = 2'd2   // `checksum` of the record goes out as it is; the payload is not held
  } udp_cks_e;

  // One UDP datagram, received or to be sent. Fields are in native order.
  typedef struct packed {
    logic [47:0] peer_mac;    // received: source MAC; to send: used when peer_mac_valid
    logic        peer_mac_valid;
    logic        vlan_valid;  // the frame carries an 802.1Q tag
    logic [15:0] vlan_tci;    // PCP, DEI, VID
    logic [31:0] peer_ip;
    logic [15:0] peer_port;
    logic [15:0] local_port;
    logic [15:0] length;      // payload bytes, 0..65507
    logic [15:0] checksum;    // received: the field as it came; to send: with CKS_GIVEN
    udp_cks_e    cks;         // received: CKS_NONE when the field was zero, else CKS_GIVEN
  } udp_hdr_t;

  localparam int UDP_HDR_W = $bits(udp_hdr_t);

endpackage
