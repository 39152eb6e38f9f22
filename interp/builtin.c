/* SPDX-License-Identifier: MIT
 *
 * The table of the shell's own commands, and what they share: options, usage, output.
 */
#include "interp/builtin.h"
#include "interp/exec.h"
#include "base/err.h"
#include "interp/builtin_hash.h"

static const struct shell_builtin table[] = {
#define BUILTIN(ident, name, flags, usage, summary) { name, do_##ident, flags, usage, summary },
#include "interp/builtin_list.h"
#undef BUILTIN
};

enum { TABLE_COUNT = sizeof(table) / sizeof(table[0]) };
_Static_assert(TABLE_COUNT <= 64, "builtins_disabled has a bit for each");

const struct shell_builtin *shell_builtin_find(const struct shell *sh, struct bytes name)
{
	(void)sh;
	if (name.len == 0)
		return NULL;
	const unsigned char *s = (const unsigned char *)name.ptr;
	uint32_t key = s[0] | (uint32_t)s[name.len - 1] << 8 | (uint32_t)s[name.len >> 1] << 16 |
		       (uint32_t)name.len << 24;
	unsigned row = builtin_slot[key * BUILTIN_HASH_MULTIPLIER >> 24];

	if (row == 0 || !bytes_is(name, table[row - 1].name))
		return NULL;
	return &table[row - 1];
}

const struct shell_builtin *builtin_at(int i)
{
	return i >= 0 && i < TABLE_COUNT ? &table[i] : NULL;
}

bool builtin_enabled(const struct shell *sh, const struct shell_builtin *b)
{
	return (sh->builtins_disabled >> (b - table) & 1) == 0;
}

void builtin_enable_set(struct shell *sh, const struct shell_builtin *b, bool on)
{
	uint64_t bit = (uint64_t)1 << (b - table);

	if (on)
		sh->builtins_disabled &= ~bit;
	else
		sh->builtins_disabled |= bit;
}

/* --- output --- */

void signals_note(struct shell *sh)
{
	int sig;

	while ((sig = proc_next_signal(sh->p)) > 0)
		sh->traps_pending |= trap_bit(sig);
}

static int64_t write_all(struct shell *sh, int fd, struct bytes text)
{
	size_t done = 0;
	int64_t n = 0;

	while (done < text.len) {
		n = sys_write(sh->p, fd, text.ptr + done, text.len - done);

		if (n == -E_INTR)
			signals_note(sh);
		else if (n < 0)
			break;
		else
			done += (size_t)n;
	}
	if (n == -E_PIPE) /* without a trap that ends the shell, before it says a word */
		trap_note(sh);
	return n < 0 ? n : 0;
}

bool out_write(struct shell *sh, const char *builtin, struct bytes text)
{
	if (sh->captured != NULL) {
		buf_add(sh->captured, text);
		return true;
	}
	int64_t err = write_all(sh, 1, text);

	if (err == 0)
		return true;
	builtin_error(sh, builtin, "write error: %s", err_text((int)err));
	return false;
}

int out_flush(struct shell *sh, const char *name, struct buf *out)
{
	return out->len == 0 || out_write(sh, name, buf_bytes(out)) ? 0 : 1;
}

void out_flush_unchecked(struct shell *sh, struct buf *out)
{
	if (sh->captured != NULL)
		buf_add(sh->captured, buf_bytes(out));
	else
		write_all(sh, 1, buf_bytes(out));
}

void out_lines(struct shell *sh, const char *name, struct buf *out)
{
	const char *last = bytes_rfind(buf_bytes(out), BYTES("\n"));
	size_t len = last != NULL ? (size_t)(last - out->ptr) + 1 : 0;

	if (len == 0 || sh->captured != NULL)
		return;
	out_write(sh, name, (struct bytes){ out->ptr, len });
	memmove(out->ptr, out->ptr + len, out->len - len);
	out->len -= len;
	out->ptr[out->len] = '\0';
}

void err_write(struct shell *sh, struct bytes text)
{
	write_all(sh, 2, text);
}

/* --- arguments --- */

int usage_error(struct shell *sh, const char *name)
{
	const struct shell_builtin *b = shell_builtin_find(sh, bytes_of(name));
	struct buf out = buf_in(sh->arena);

	buf_printf(&out, "%s: usage: %s\n", name, b != NULL ? b->usage : name);
	err_write(sh, buf_bytes(&out));
	return STATUS_MISUSE;
}

static int optscan_help(struct shell *sh, const char *name)
{
	struct buf out = buf_in(sh->arena);

	help_text(&out, shell_builtin_find(sh, bytes_of(name)));
	out_flush(sh, name, &out);
	return '?';
}

/* Says that the option letter is unknown. */
static int optscan_invalid(struct shell *sh, const char *name, const struct optscan *o, char c)
{
	builtin_error(sh, name, "%c%c: invalid option", o->plus ? '+' : '-', c);
	usage_error(sh, name);
	return '?';
}

/* Finds the value of an option: the rest of the word, or the next word. */
static int optscan_value(struct shell *sh, const char *name, struct optscan *o, int argc,
			 char **argv, char c)
{
	char *word = argv[o->index];

	o->value = word[o->pos] != '\0' ? word + o->pos : NULL;
	o->pos = 0;
	o->index++;
	if (o->value != NULL)
		return c;
	if (o->index >= argc) {
		builtin_error(sh, name, "%c%c: option requires an argument", o->plus ? '+' : '-',
			      c);
		usage_error(sh, name);
		return '?';
	}
	o->value = argv[o->index++];
	return c;
}

int optscan_next(struct shell *sh, const struct shell_builtin *b, struct optscan *o, int argc,
		 char **argv, const char *letters)
{
	const char *name = b != NULL ? b->name : argv[0];
	bool plus_allowed = *letters == '+';

	if (o->index == 0)
		o->index = 1;
	if (o->pos == 0) {
		if (o->index >= argc)
			return -1;
		const char *word = argv[o->index];

		if ((word[0] != '-' && !(plus_allowed && word[0] == '+')) || word[1] == '\0')
			return -1;
		if (word[0] == '-' && word[1] == '-' && word[2] == '\0') {
			o->index++;
			return -1;
		}
		if (strcmp(word, "--help") == 0)
			return optscan_help(sh, name);
		o->plus = word[0] == '+';
		o->pos = 1;
	}
	char c = argv[o->index][o->pos++];
	const char *known = c != ':' && c != '+' && c != ';' ? strchr(letters + plus_allowed, c)
							     : NULL;

	if (known == NULL)
		return optscan_invalid(sh, name, o, c);
	if (known[1] == ':')
		return optscan_value(sh, name, o, argc, argv, c);
	if (argv[o->index][o->pos] == '\0') {
		o->index++;
		o->pos = 0;
	}
	return c;
}

int no_options(struct shell *sh, int argc, char **argv)
{
	struct optscan o = { 0 };

	return optscan_next(sh, NULL, &o, argc, argv, "") == -1 ? o.index : -1;
}

bool number_argument(const char *text, int64_t *out)
{
	return number_is_i64(bytes_of(text), out);
}
