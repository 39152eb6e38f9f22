#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes builtins/iconv/wide_FAMILY.c: the character sets of East Asia, as this machine's iconv(3) has them.

    python3 tools/gen_iconv_tables.py

Each set is a record of 16-bit numbers, as wide.c reads it:
    256 cells        what a byte means alone; 0xffff: nothing, or it begins a longer character
    126 x 191 cells  what two bytes mean, the first from 0x81, the second from 0x40; 0: nothing
    126 x 191 cells  the same behind 0x8f, if the set has that
    n, n pairs       points and codes to be written for them where it is not the lowest code that means them
    n, n triples     runs of points in the four-byte codes of GB18030: index, point, length
    n, n triples     two-byte codes of points above 0xffff: code, the point's high and low half
The records of a family are compressed together and printed in base64.
"""
import base64
import ctypes
import lzma
import struct

FAMILIES = {
    'japanese': [('EUC-JP', True), ('SHIFT_JIS', False), ('CP932', False)],
    'korean': [('EUC-KR', False), ('CP949', False)],
    'chinese': [('GB2312', False), ('GBK', False), ('GB18030', False)],
    'taiwan': [('BIG5', False)],
}
LEADS, TRAILS, NONE = range(0x81, 0xff), range(0x40, 0xff), 0xffff

libc = ctypes.CDLL('libc.so.6')
libc.iconv_open.restype = ctypes.c_void_p
libc.iconv.argtypes = [ctypes.c_void_p] + [ctypes.c_void_p] * 4
libc.iconv.restype = ctypes.c_size_t


class Converter:
    def __init__(self, to, source):
        self.cd = libc.iconv_open(to.encode(), source.encode())

    def convert(self, data):
        """One character, or None."""
        source, target = ctypes.create_string_buffer(data, len(data)), ctypes.create_string_buffer(16)
        places = [ctypes.c_void_p(ctypes.addressof(b)) for b in (source, target)]
        left, room = ctypes.c_size_t(len(data)), ctypes.c_size_t(16)
        libc.iconv(self.cd, None, None, None, None)
        got = libc.iconv(self.cd, ctypes.byref(places[0]), ctypes.byref(left),
                         ctypes.byref(places[1]), ctypes.byref(room))
        if got == ctypes.c_size_t(-1).value or left.value:
            return None
        return target.raw[:16 - room.value]


def scan(name, third):
    decoder = Converter('UTF-32LE', name)

    def point(*data):
        found = decoder.convert(bytes(data))
        return struct.unpack('<I', found)[0] if found else None
    alone = [point(b) for b in range(256)]
    two = {(a, b): p for a in LEADS if alone[a] is None for b in TRAILS if (p := point(a, b)) is not None}
    three = {(a, b): p for a in LEADS for b in TRAILS if (p := point(0x8f, a, b)) is not None} if third else {}
    return alone, two, three


def special_codes(name, alone, two, three):
    """What has to be known for writing besides the inverse."""
    encoder = Converter(name, 'UTF-32LE')
    lowest, pairs, four = {}, [], []
    # In the order in which wide.c fills its table: of several codes the first one stays.
    for code, p in [(b, p) for b, p in enumerate(alone) if p is not None] + \
            [(a << 8 | b, p) for (a, b), p in two.items()] + \
            [((a & 0x7f) << 8 | b, p) for (a, b), p in three.items()]:
        lowest.setdefault(p, code)
    for p in [*range(0xd800), *range(0xe000, 0x10000)]:
        data = encoder.convert(struct.pack('<I', p))
        if data is not None and len(data) == 4:
            index = ((data[0] - 0x81) * 10 + data[1] - 0x30) * 1260 + (data[2] - 0x81) * 10 + data[3] - 0x30
            if four and p - four[-1][1] == index - four[-1][0] == four[-1][2]:
                four[-1][2] += 1
            else:
                four.append([index, p, 1])
            continue
        code = 0
        if data is not None:
            code = int.from_bytes(data, 'big') if len(data) < 3 else (data[1] & 0x7f) << 8 | data[2]
        if code != lowest.get(p, 0):
            pairs.append((p, code))
    return pairs, four


def record(name, third):
    alone, two, three = scan(name, third)
    pairs, four = special_codes(name, alone, two, three)
    high = [(a << 8 | b, p >> 16, p & 0xffff) for (a, b), p in two.items() if p > 0xffff]
    cells = [NONE if p is None else p for p in alone]
    for plane in [two, three] if third else [two]:
        cells += [p if (p := plane.get((a, b), 0)) <= 0xffff else 0 for a in LEADS for b in TRAILS]
    for rows in (pairs, four, high):
        cells += [len(rows)] + [n for row in rows for n in row]
    return struct.pack(f'<{len(cells)}H', *cells)


def write(family, sets):
    records = [record(*s) for s in sets]
    packed = lzma.compress(b''.join(records), check=lzma.CHECK_NONE, filters=[
        {'id': lzma.FILTER_LZMA2, 'preset': 9 | lzma.PRESET_EXTREME, 'dict_size': 1 << 18, 'lc': 0, 'lp': 1, 'pb': 1}])
    text = base64.b64encode(packed).decode()
    with open(f'builtins/iconv/wide_{family}.c', 'w') as f:
        f.write('/* SPDX-License-Identifier: MIT\n *\n * Character sets of East Asia, packed. Made by '
                'tools/gen_iconv_tables.py.\n */\n#include "builtins/iconv/iconv.h"\n\n/* clang-format off */\n')
        f.write(f'const char iconv_wide_{family}[] =\n')
        f.write('\n'.join(f'\t"{text[i:i + 88]}"' for i in range(0, len(text), 88)) + ';\n')
    offset = 0
    for (name, third), data in zip(sets, records):
        print(f'\t{{ "{name}", iconv_wide_{family}, {offset}, {len(data) // 2}, {str(third).lower()} }},')
        offset += len(data) // 2


for family, sets in FAMILIES.items():
    write(family, sets)
