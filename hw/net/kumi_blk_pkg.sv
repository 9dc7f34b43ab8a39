// SPDX-License-Identifier: Apache-2.0
//
// Records of a block device: commands, responses, and the descriptors of the data that belongs to
// them. A disk port (kumi_sata_port) serves them; a storage controller (kumi_array_port_dma) or
// software issues them.
//
// A command is answered by exactly one response, in any order. The device asks for the data of a
// write by fetch records and announces the data of a read by segment records, at most 8 KiB each;
// each is accompanied by one frame on a data stream.
package kumi_blk_pkg;

  typedef enum logic [3:0] {
    BLK_READ,
    BLK_WRITE,
    BLK_FLUSH,
    BLK_TRIM,
    BLK_IDENTIFY,  // 512 bytes of identification data
    BLK_FEATURES,  // SET FEATURES
    BLK_READ_LOG,  // log pages of the device
    BLK_RESET      // reset, then identification
  } blk_op_e;

  typedef struct packed {
    logic [15:0] tag;      // chosen by the initiator, returned with every record
    blk_op_e     op;
    logic        fua;      // WRITE: on the medium before the response
    logic [15:0] feature;  // FEATURES: the Feature field
    logic [16:0] sectors;  // of 512 bytes, 1..65,536; READ_LOG: pages; FEATURES: the Count field
    logic [47:0] lba;      // READ_LOG: log address in [7:0]; FEATURES: the LBA field
  } blk_cmd_t;

  // The device requests write data: one frame of exactly this many bytes.
  typedef struct packed {
    logic [15:0] tag;
    logic [24:0] offset;  // within the data of the command
    logic [13:0] bytes;
  } blk_fetch_t;

  // Place of a frame of read data.
  typedef struct packed {
    logic [15:0] tag;
    logic [24:0] offset;  // within the data of the command
  } blk_segment_t;

  typedef enum logic [3:0] {
    BLK_OK,
    BLK_ERR,        // ERR without a known error bit
    BLK_ABRT,       // command refused by the device
    BLK_IDNF,       // address not found
    BLK_UNC,        // uncorrectable medium error
    BLK_ICRC,       // interface errors, retries exhausted
    BLK_DF,         // device fault
    BLK_TIMEOUT,    // no completion in time, retries exhausted
    BLK_NO_DEVICE,  // absent, not ready, or not an ATA disk
    BLK_RANGE,      // zero sectors, past the end, or an unknown op
    BLK_BAD_DATA,   // write data marked bad or of the wrong length
    BLK_SHORT       // completed with data missing, retries exhausted
  } blk_status_e;

  typedef struct packed {
    logic [15:0] tag;
    blk_status_e status;
    logic [7:0]  ata_status;  // registers of the device; zero if it did not answer
    logic [7:0]  ata_error;
    logic [47:0] lba;         // UNC, IDNF: where
  } blk_rsp_t;
endpackage
