#!/usr/bin/env python3
"""Prints docs/syscalls.md from microvm/syscalls.h."""
import re

ROW = re.compile(r'^(FULL|PARTIAL|REFUSED)\((\d+), (\w+), (\w+)(?:,\s+"([^"]*)")?\)$', re.M)
rows = {'FULL': [], 'PARTIAL': [], 'REFUSED': []}
with open('microvm/syscalls.h') as f:
    for match in ROW.finditer(f.read()):
        rows[match[1]].append(match)
print('# System calls of real programs\n')
print('Printed by `make syscalls` from `microvm/syscalls.h`. Every call is answered by the sandbox; '
      'none reaches the host.\nWhat is in no list fails with ENOSYS.\n')
print(f'## Complete ({len(rows["FULL"])})\n')
names = [f'`{m[3]}`' for m in rows['FULL']]
for i in range(0, len(names), 8):
    print(', '.join(names[i:i + 8]) + (',' if i + 8 < len(names) else ''))
print(f'\n## In part ({len(rows["PARTIAL"])})\n')
print('| call | what |\n|---|---|')
for m in rows['PARTIAL']:
    print(f'| `{m[3]}` | {m[5]} |')
print(f'\n## Refused ({len(rows["REFUSED"])})\n')
print('| call | error |\n|---|---|')
for m in rows['REFUSED']:
    print(f'| `{m[3]}` | E{m[4]} |')
