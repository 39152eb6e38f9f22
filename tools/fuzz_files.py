"""Files of awkward contents for tools/fuzz-diff, as a script that makes them.

    e empty         n numbers           l very long lines      w words
    u no newline    t tabs and blanks   d DOS lines            x nearly the same as w
    b bytes, NULs   c CSV               z records ended by NUL
    j JSON          s, r sorted, with keys in common           D, L, X, K, h, 'a b': see TREE
"""

WORDS = ['a', 'b', 'ab', 'cat', 'Dog', 'apple', 'banana', 'END', 'one', 'two', 'three', 'foo', 'bar',
         'x1', 'the', 'over', 'Next', 'é', 'naïve', '日本', 'e.g.', "it's", '"q"', 'A-B', 'a_b', '$x',
         '\\n', '*', '[x]', '(a+b)', '#c', '/p/q', 'zz', 'word,', 'end.', '1', '42', '-7', '3.5']
NUMBERS = ['0', '1', '7', '10', '-3', '2.5', '-0.5', '007', '1K', '2M', '1e3', '0x1f', ' 4', '12 b',
           '', '99999999999', '3,4', '+5', '.5', '1.2.3', 'v1.10', '10:20', 'Jan', 'nan', '100', '8']
CELLS = ['1', '2', 'x', 'a b', '', '"q,r"', '5K', '1.5', 'é', '-1', "o'k", 'TRUE', '2024-01-02']
JSON = ['1', '-2.5', '"a"', '"é\\u0000\\n"', 'null', 'true', '[]', '{}', '[1,[2,3]]', '{"a":1,"b":[2]}',
        '{"a":{"b":null}}', '"x y"', '1e3', '100000000000000000000', '[{"a":1},{"a":2}]']
BYTES = [b'a', b'b\n', b' ', b'\0', b'\377', b'\200', b'\1', b'\b', b'\t', b'\f', b'\r\n', b'\303\251', b'\303',
         b'\n', b'xyz', b'\n\n', b'\033[1m', b'\177', b'\0\0\0\0', b'word ', b'12']

# The order is that of names backwards: a tmpfs lists what was made last first, cowsh by name.
TREE = r""": > 'a b'; ln -s nope X; ln -s w L; ln -s D K; mkdir -p D/q; printf 'two\nlines\n' > D/q/g
echo one > D/f; chmod 750 n; touch -hd '2024-02-03 04:05:06.789' * D/* D/q/* .
"""


def line(rng):
    gap = rng.choice([' ', ' ', '  ', '\t'])
    text = gap.join(rng.choice(WORDS) for _ in range(rng.choice([0, 1, 1, 2, 3, 5, 12])))
    return rng.choice(['', '', '', ' ', '\t']) + text + rng.choice(['', '', '', ' '])


def lines(rng, most=9):
    result = []
    for _ in range(rng.randint(1, most)):
        result += [result[-1] if result and rng.random() < 0.2 else line(rng)]
    return result


def text(items, end='\n'):
    return ''.join(item + end for item in items)


def edited(rng, items):
    """The same with some lines away, new or changed."""
    result = []
    for item in items:
        kind = rng.randrange(8)
        result += [[], [item, line(rng)], [item.upper()], [item + ' ']][kind] if kind < 4 else [item]
    return result


def sorted_pairs(rng):
    keys = sorted({rng.choice(['a', 'ab', 'b', 'B', 'c:d', 'e', 'x y', 'z', '1', '10', 'é'])
                   for _ in range(rng.randint(1, 6))})
    return text([f'{key} {rng.randrange(20)}' for key in keys])


def contents(rng):
    """name -> pieces, each bytes and how often"""
    words = lines(rng)
    long = [(rng.choice([b'ab', b'x ', b'word ', b'\303\251', b'1,', b'\t.']), rng.randint(100, 2500)),
            (rng.choice([b'', b'\n', b'\nshort\n', b' end\n\n']), 1)]
    return {
        'e': [], 'w': text(words), 'u': '\n'.join(lines(rng, 4)).rstrip('\n') + 'z',
        't': text(''.join(rng.choice(['\t', ' ', '  ', 'a', 'bc', 'é', '\b', '.'])
                          for _ in range(rng.randint(0, 12))) for _ in range(5)),
        'n': text(rng.choice(NUMBERS) for _ in range(rng.randint(1, 20))),
        'b': b''.join(rng.choice(BYTES) for _ in range(rng.randint(1, 60))),
        'c': text(','.join(rng.choice(CELLS) for _ in range(rng.choice([1, 3, 3, 3])))
                  for _ in range(rng.randint(1, 6))),
        's': sorted_pairs(rng), 'r': sorted_pairs(rng),
        'l': long + [(b'tail', 1)] * rng.randrange(2),
        'd': text(lines(rng, 4), '\r\n') + rng.choice(['', 'unix\n', 'cut\r']),
        'x': text(edited(rng, words)), 'z': text(lines(rng, 5), '\0'),
        'j': text(rng.choice(JSON) for _ in range(rng.randint(1, 5))),
    }


def quoted(data):
    """As a format of printf in single quotes."""
    if isinstance(data, str):
        data = data.encode()
    result = ''
    for byte in data:
        plain = 32 <= byte < 127 and byte not in b"%'\\"
        result += '\\n' if byte == 10 else chr(byte) if plain else f'\\{byte:03o}'
    return f"'{result}'" if not result.startswith('-') else f"'\\055{result[1:]}'"


def script(rng):
    """Makes all of them in the current directory."""
    result = ''
    for name, data in sorted(contents(rng).items(), reverse=True):
        pieces = data if isinstance(data, list) else [(data, 1)]
        parts = [f'printf {quoted(piece)}' if count == 1 else
                 f"printf {quoted(piece)[:-1]}%.0s' {{1..{count}}}"
                 for piece, count in pieces if piece]
        result += '{ ' + '; '.join(parts + [':']) + f'; }} > {name}\n'
        if name == 'j':
            result += 'ln w h\n'
    return result + TREE
