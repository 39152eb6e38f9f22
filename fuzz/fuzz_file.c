/* SPDX-License-Identifier: MIT
 *
 * file, iconv, strings, hexdump, dos2unix over any bytes; hexdump by any format.
 */
#include "fuzz/session.h"

static const struct fuzz_way ways[] = {
	{ "/tmp/p", "file -i /tmp/p" },
	{ "/tmp/p", "file /tmp/p" },
	{ "/tmp/p", "iconv -f utf-16 -t utf-8 /tmp/p" },
	{ "/tmp/p", "iconv -f utf-8 -t latin1//TRANSLIT -c /tmp/p" },
	{ "/tmp/p", "iconv -c -f sjis -t euc-jp /tmp/p; iconv -c -f euc-jp -t cp932 /tmp/p" },
	{ "/tmp/p", "iconv -c -f gb18030 -t big5 /tmp/p; iconv -c -t gb18030 /tmp/p" },
	{ "/tmp/p", "hexdump -f /tmp/p /tmp/p" },
	{ "/tmp/p",
	  "hexdump -C /tmp/p; strings -el /tmp/p; dos2unix -i /tmp/p; unix2dos < /tmp/p" },
	{ "/tmp/p",
	  "strings -d -t x -U hex /tmp/p; dos2unix -q -ul < /tmp/p; unix2dos -863 < /tmp/p" },
	{ "/tmp/p", "a=b envsubst < /tmp/p" },
	{ "/tmp/p", "dd if=/tmp/p conv=unblock,swab,sync cbs=3 ibs=5 obs=7" },
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_ways("true", ways, FUZZ_COUNT(ways), data, size);
}
