/* SPDX-License-Identifier: Apache-2.0
 *
 * The two functions of LZ4 that Verilator's FST writer calls, as liblz4.so.1 exports them. That
 * library is part of every Debian and Ubuntu system (apt and systemd use it); its development
 * package is not, so nothing has to be installed for a traced build. See
 * docs/decisions/0003-waveform-compression.md.
 */
#ifndef KUMI_FST_LZ4_H
#define KUMI_FST_LZ4_H
extern "C" {
int LZ4_compressBound(int inputSize);
int LZ4_compress_default(const char* src, char* dst, int srcSize, int dstCapacity);
}
#endif
