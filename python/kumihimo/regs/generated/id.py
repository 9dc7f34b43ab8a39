# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
# fmt: off
"""Register map of `id`. Generated from regs/id.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo, FieldInfo, RegInfo

BLOCK = BlockInfo(
    'id',
    'ID  ',
    1,
    'Node identity',
    (
        RegInfo('magic', 0x0000, (
            FieldInfo('value', 0, 32, 'r', 1229804875, 'Constant.'),
        ), 1, 4, '', 'Reads 0x494D554B, the bytes K U M I in memory order.'),
        RegInfo('version', 0x0004, (
            FieldInfo('patch', 0, 8, 'r', 0, 'Patch.'),
            FieldInfo('minor', 8, 8, 'r', 1, 'Minor.'),
            FieldInfo('major', 16, 8, 'r', 0, 'Major.'),
            FieldInfo('map', 24, 8, 'r', 1, 'Layout of this block.'),
        ), 1, 4, '', 'Version of the project that the node was built from.'),
        RegInfo('shape', 0x0008, (
            FieldInfo('data_w', 0, 16, 'r', None, "Bits of the core's data path."),
            FieldInfo('blocks', 16, 8, 'r', None, 'Entries of the block table in use.'),
        ), 1, 4, '', 'Shape of the node.'),
        RegInfo('scratch', 0x000c, (
            FieldInfo('value', 0, 32, 'rw', 0, 'Any value.'),
        ), 1, 4, '', "For software's own use; no effect."),
        RegInfo('build_lo', 0x0010, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'Low word of the build hash (0 when the build gave none).'),
        RegInfo('build_hi', 0x0014, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'High word of the build hash.'),
        RegInfo('cycles_lo', 0x0018, (
            FieldInfo('value', 0, 32, 'r', None, 'Cycles since reset, bits 31..0.'),
        ), 1, 4, '', 'Low word of the cycle counter of clk. Reading it latches cycles_hi: read low, then high.'),
        RegInfo('cycles_hi', 0x001c, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 1, 4, '', 'High word of the cycle counter, as it was when cycles_lo was read last.'),
        RegInfo('name', 0x0020, (
            FieldInfo('value', 0, 32, 'r', None, 'Value driven by hardware.'),
        ), 8, 4, '', 'Design name, 32 ASCII bytes in memory order, padded with zero bytes.'),
        RegInfo('block_kind', 0x0080, (
            FieldInfo('value', 0, 32, 'r', None, 'Kind, 0 when the entry is not used.'),
        ), 16, 8, 'block', 'Four characters in memory order that name the kind of block.'),
        RegInfo('block_place', 0x0084, (
            FieldInfo('version', 0, 12, 'r', None, "Version of the block's layout."),
            FieldInfo('page', 12, 20, 'r', None, 'Offset of its window in units of 4 KiB.'),
        ), 16, 8, 'block', 'Where the block is.'),
    ),
    'What this node is, which register blocks it has and where, and its cycle counter.',
)
