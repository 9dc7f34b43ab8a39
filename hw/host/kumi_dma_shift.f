kumi_dma_shift.sv
