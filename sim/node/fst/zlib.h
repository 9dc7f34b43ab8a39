/* SPDX-License-Identifier: Apache-2.0
 *
 * The two functions of zlib that Verilator's FST writer calls, as libz.so.1 exports them; see
 * lz4.h.
 */
#ifndef KUMI_FST_ZLIB_H
#define KUMI_FST_ZLIB_H
extern "C" {
typedef unsigned char Bytef;
typedef unsigned long uLong;
typedef unsigned long uLongf;
uLong compressBound(uLong sourceLen);
int compress2(Bytef* dest, uLongf* destLen, const Bytef* source, uLong sourceLen, int level);
}
#define Z_OK 0
#endif
