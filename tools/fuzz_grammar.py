"""Grammars of random scripts and command lines: text with places <name>, see tools/fuzz-diff.*

A file has sections [name]; each line below is an alternative, or in the line "[name]: a 'b c'" each
word, and in the line "[name] | a b | c" what stands between bars. Above a line "..." stand those that hold no further place of their own kind: deep down only they
are taken.
"""
import re

DEPTH_MAX = 6
WORD = re.compile(r"(?:'[^']*'|[^\s'])+")


def alternatives(line, head):
    if not head:
        return [line] * bool(line)
    rest = line[head.end():]
    return rest.split(' | ') if head[2] == ' | ' else WORD.findall(rest)


class Grammar:
    def __init__(self, *paths):
        self.sections = {}  # name -> (leaves, all alternatives)
        for path in paths:
            with open(path, encoding='utf-8') as f:
                self.read(f.read().split('\n'))

    def read(self, lines):
        for line in lines:
            head = re.match(r'\[(.+?)\](: | \| |$)', line)
            if line == '...':
                leaves = False
            elif head:
                current = [self.sections.setdefault(n, ([], [])) for n in self.names(head[1])]
                leaves = True
            if line.startswith('#') or line == '...':
                continue
            for alternative in alternatives(line, head):
                for section in current:
                    section[1].append(alternative)
                    if leaves:
                        section[0].append(alternative)

    def names(self, head):
        return [head]

    def find(self, name):
        """The alternatives of a place, or None: what looks like a place is text."""
        return self.sections.get(name)

    def expand(self, rng, name, depth=0):
        leaves, every = self.find(name)
        return self.fill(rng, rng.choice(leaves if depth >= DEPTH_MAX else every), depth)

    def fill(self, rng, template, depth=0):
        # Counters of loops have names of their own: nested loops must end.
        template = template.replace('<id>', f'v{rng.randrange(10**6)}')
        return re.sub(r'<(\w+)>', lambda m: self.expand(rng, m[1], depth + 1)
                      if self.find(m[1]) else m[0], template)
