kumi_dma_ctl.sv
