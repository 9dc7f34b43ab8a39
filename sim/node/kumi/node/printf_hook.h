/* SPDX-License-Identifier: Apache-2.0
 *
 * Included before the Verilated runtime's own sources: what they would print goes to the adapter.
 */
#ifndef KUMI_NODE_PRINTF_HOOK_H
#define KUMI_NODE_PRINTF_HOOK_H
#ifdef __cplusplus
extern "C"
#endif
    int kumi_vl_printf(const char* format, ...) __attribute__((format(printf, 1, 2)));
#endif
