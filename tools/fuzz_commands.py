"""Random command lines for tools/fuzz-diff, out of the commands' own option tables.

Which options there are comes from the program (tests/options.c prints its tables); what can't be
read there comes from the files that tools/fuzz-diff names: how a command line looks, what its
operands and the arguments of options may be, and what must be left out.
"""
import re
import subprocess

from fuzz_grammar import Grammar

# How many options stand in one place <o>.
OPTION_COUNTS = [0, 1, 1, 1, 2, 2, 3, 4]
ABBREVIATED, BUNDLED, C_LOCALE = 0.05, 0.4, 0.08
TRIES = 1000


class Option:
    """A row of a table. The argument: 'none', 'required', 'optional'; 'missing': an error."""

    def __init__(self, line):
        _, letter, self.name, self.argument, self.metavar, words = line.split('\t')
        self.letter = '' if letter == '-' else letter
        self.name = '' if self.name == '-' else self.name
        self.words = [] if words == '-' else words.split(',')

    def spellings(self):
        if self.letter == 'digits':
            return ['digits']
        return [f'-{self.letter}'] * bool(self.letter) + [f'--{self.name}'] * bool(self.name)


def read_tables(program):
    """command -> its options"""
    tables = {}
    lines = subprocess.run([program], capture_output=True, check=True, text=True).stdout
    for line in lines.splitlines():
        if line.startswith('command\t'):
            current = tables.setdefault(line.split('\t')[1], [])
        else:
            current.append(Option(line))
    return tables


class Commands(Grammar):
    """Sections are [COMMAND,... PLACE] or [PLACE], for all commands. See fuzz-diff.commands."""

    def __init__(self, paths, tables):
        super().__init__(*paths)
        self.tables = tables
        self.command = None
        self.names_of = {command: [f'--{o.name}' for o in options if o.name]
                         for command, options in tables.items()}
        self.exact = set(self.sections['exact'][1])
        self.avoid = {}
        for command in self.covered():
            left_out = {line.split()[0] for line in self.section(command, 'without')}
            tables[command] = [o for o in tables.get(command, [])
                               if o.argument != 'missing' and not left_out & set(o.spellings())]
            self.avoid[command] = [re.compile(line.split('  #')[0])
                                   for line in self.section(command, 'avoid')]

    def names(self, head):
        commands, _, place = head.partition(' ')
        if not place:
            return commands.split(',')
        return [f'{command} {place}' for command in commands.split(',')]

    def section(self, command, place):
        return self.sections.get(f'{command} {place}', ([], []))[1]

    def script(self, command, place):
        """What stands before or behind a command's lines."""
        return '\n'.join([''] + self.section(command, place))

    def covered(self):
        """Commands that have command lines: their section is named like them."""
        return sorted({n.split()[0] for n in self.sections if n.endswith(' lines')})

    def uncovered(self):
        """Those that have none, nor a reason."""
        left_out = {name for line in self.sections['never'][1] for name in line.split()[0].split(',')}
        return sorted(set(self.tables) - set(self.covered()) - left_out)

    def drop_without_values(self):
        """Options whose arguments nothing is known about are not used: which."""
        dropped = []
        for command in self.covered():
            self.command = command
            unknown = [o for o in self.tables[command]
                       if o.argument != 'none' and not o.words and not self.values(o)]
            self.tables[command] = [o for o in self.tables[command] if o not in unknown]
            if any('<o>' in line for line in self.section(command, 'lines')):
                dropped += [f'{command} {" ".join(o.spellings())}={o.metavar}' for o in unknown]
        return dropped

    def values(self, option):
        """The place that says what an option's argument may be."""
        names = option.spellings() + [option.metavar]
        for name in names:
            if f'{self.command} {name}' in self.sections:
                return f'{self.command} {name}'
        return option.metavar if option.metavar in self.sections else None

    def find(self, name):
        return self.sections.get(f'{self.command} {name}') or self.sections.get(name)

    def expand(self, rng, name, depth=0):
        if name == 'o':
            return self.options(rng)
        if name == 'int':
            return str(rng.choice([rng.randrange(4), rng.randrange(13), rng.randrange(100)]))
        if name == 'cmd':
            return self.command
        return super().expand(rng, name, depth)

    def fill(self, rng, template, depth=0):
        return re.sub(r'<(o|int|cmd)>', lambda m: self.expand(rng, m[1]),
                      super().fill(rng, template, depth))

    def options(self, rng):
        table = self.tables[self.command]
        words = []
        for _ in range(rng.choice(OPTION_COUNTS) if table else 0):
            word = self.option(rng, rng.choice(table), table)
            last = words[-1] if words else ''
            if re.fullmatch(r'-\w', last) and re.match(r'-\w', word) and rng.random() < BUNDLED \
                    and self.takes_nothing(last[1]) and self.command not in self.exact:
                words[-1] = last + word[1:]
            else:
                words.append(word)
        return ' '.join(words)

    def takes_nothing(self, letter):
        return all(o.argument == 'none' for o in self.tables[self.command] if o.letter == letter)

    def option(self, rng, option, table):
        if option.letter == 'digits':
            return f'-{rng.randrange(13)}'
        spelling = rng.choice(option.spellings())
        is_long = spelling.startswith('--')
        if is_long and rng.random() < ABBREVIATED and self.command not in self.exact:
            spelling = self.abbreviated(rng, spelling)
        if option.argument == 'none' or option.argument == 'optional' and rng.random() < 0.4:
            return spelling
        value = rng.choice(option.words) if option.words and rng.random() < 0.9 else None
        if value is None:
            place = self.values(option)
            value = self.expand(rng, place) if place else 'x'
        if option.argument == 'optional':
            return f'{spelling}={value}' if is_long else spelling + value
        return spelling + (rng.choice('= ') if is_long else rng.choice([' ', ''])) + value

    def abbreviated(self, rng, spelling):
        """A beginning that no other option has."""
        names = {*self.names_of[self.command], '--help', '--version'}
        length = next(n for n in range(3, len(spelling) + 1)
                      if sum(name.startswith(spelling[:n]) for name in names) == 1
                      or n == len(spelling))
        return spelling[:rng.randint(length, len(spelling))]

    def line(self, rng, command):
        """One command line that nothing speaks against."""
        self.command = command
        for _ in range(TRIES):
            line = self.expand(rng, f'{command} lines')
            if rng.random() < C_LOCALE:
                line = f'LC_ALL=C {line}'
            if not any(pattern.search(line) for pattern in self.avoid[command]):
                return line
        raise SystemExit(f'{command}: all command lines are to be avoided')
