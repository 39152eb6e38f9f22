#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes interp/builtin_hash.h from interp/builtin_list.h: a perfect hash of the names."""
import re
import sys

SIZE = 256


def main():
    rows = re.findall(r'^BUILTIN\(\w+, "([^"]+)"', open("interp/builtin_list.h").read(), re.M)
    assert rows == sorted(rows), "the list is not sorted"
    for mul in range(1, 1 << 20):
        slots = {}
        for i, name in enumerate(rows):
            b = name.encode()
            key = b[0] | b[-1] << 8 | b[len(b) >> 1] << 16 | len(b) << 24
            h = ((key * (mul * 2654435761 + 1)) & 0xffffffff) >> 24
            if h in slots:
                break
            slots[h] = i
        else:
            break
    else:
        sys.exit("no multiplier found")
    out = ["/* SPDX-License-Identifier: MIT", " *",
           " * Made by tools/gen_builtin_hash.py from builtin_list.h: do not edit.", " */",
           "#define BUILTIN_HASH_MULTIPLIER %uu" % ((mul * 2654435761 + 1) & 0xffffffff), "",
           "/* The number of the row plus one; 0 for none. */",
           "static const uint8_t builtin_slot[%d] = {" % SIZE]
    for at in range(0, SIZE, 16):
        out.append("\t" + " ".join("%d," % (slots.get(i, -1) + 1) for i in range(at, at + 16)))
    out.append("};")
    open("interp/builtin_hash.h", "w").write("\n".join(out) + "\n")


main()
