kumi_link_nfc.sv
