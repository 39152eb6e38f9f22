/* SPDX-License-Identifier: MIT
 *
 * fc: lists earlier commands, edits them, runs them again.
 */
#include "base/err.h"
#include "interp/builtin.h"
#include "interp/exec.h"
#include "interp/history.h"

enum { LISTED = 16 };

/* How many entries fc looks at: the typed fc itself is none of them. */
static int known(const struct history *h)
{
	return h->count - h->typed;
}

static int not_found(struct shell *sh)
{
	builtin_error(sh, "fc", "no command found");
	return 1;
}

enum { NONE = -1, OUT_OF_RANGE = -2 };

/* Whether the last entry is taken for the fc itself, though `history -s` put it there: bash does
 * that where nothing is recorded. */
static bool takes_last(const struct shell *sh, const struct history *h)
{
	return !h->typed && !opt_set(sh, SET_HISTORY);
}

/* The entry that a number or the beginning of a line names, from 0, or NONE. A number beyond the
 * end is `beyond`; -0, which is the fc itself, is `itself`. */
static int event_of(struct shell *sh, const char *text, int beyond, int itself)
{
	const struct history *h = history_of(sh);
	int count = known(h);
	struct bytes begin = bytes_of(text);
	int64_t n;

	if (number_argument(text, &n) && n > 0) {
		n -= 1 + h->base;
		/* What `history -s` put last is beyond for bash, too. */
		return n < 0 ? 0 : n >= count - takes_last(sh, h) ? beyond : (int)n;
	}
	if (number_argument(text, &n) && n == 0 && *text == '-')
		return itself;
	if (number_argument(text, &n)) {
		n += n == 0 ? count - 1 : count;
		return n < 0 ? 0 : (int)n;
	}
	for (int i = count - 1; i >= 0; i--) {
		proc_charge(sh->p, 1 + begin.len / 64);
		if (bytes_starts(entry_text(&h->entry[i]), begin))
			return i;
	}
	return -1;
}

struct range {
	int from;
	int to; /* before from: backwards */
};

/* What `fc [first] [last]` means; false after a message. */
static bool range_of(struct shell *sh, char *const *words, bool list, bool reverse,
		     struct range *out)
{
	const struct history *h = history_of(sh);
	int last = known(h) - 1;
	int itself = list ? h->count - 1 : OUT_OF_RANGE;

	if (!list && takes_last(sh, h) && last > 0)
		last--;
	out->from = list && last >= LISTED ? last - LISTED + 1 : list ? 0 : last;
	out->to = last;
	if (words[0] != NULL) {
		out->from = event_of(sh, words[0], 0, itself);
		if (words[1] != NULL)
			out->to = event_of(sh, words[1], last, itself);
		else if (!list || out->from > last)
			out->to = out->from;
	}
	if (out->from == OUT_OF_RANGE || out->to == OUT_OF_RANGE) {
		builtin_error(sh, "fc", "history specification out of range");
		return false;
	}
	if (out->from < 0 || out->to < 0) {
		(void)not_found(sh);
		return false;
	}
	if (reverse && out->from < out->to)
		*out = (struct range){ out->to, out->from };
	return true;
}

static void put_range(struct shell *sh, struct buf *out, struct range r, bool list, bool numbers)
{
	const struct history *h = history_of(sh);
	int step = r.from <= r.to ? 1 : -1;

	for (int i = r.from; i != r.to + step; i += step) {
		struct bytes text = entry_text(&h->entry[i]);

		proc_charge(sh->p, 1 + text.len / 64);
		if (numbers)
			buf_printf(out, "%d", h->base + i + 1);
		if (list)
			buf_puts(out, "\t ");
		buf_add(out, text);
		buf_putc(out, '\n');
	}
}

/* --- running again --- */

/* old=new in front of the command: each old becomes new, one pair after the other. */
static struct bytes replaced(struct shell *sh, struct bytes text, const char *pair)
{
	const char *equals = strchr(pair, '=');
	struct bytes old = { pair, (size_t)(equals - pair) };
	struct bytes new = bytes_of(equals + 1);
	struct buf out = buf_in(sh->arena);

	for (;;) {
		const char *at = old.len != 0 ? bytes_find(text, old) : NULL;

		proc_charge(sh->p, 1);
		shell_cost(sh, at != NULL ? (size_t)(at - text.ptr) : text.len);
		if (at == NULL)
			break;
		buf_add(&out, bytes_slice(text, 0, (size_t)(at - text.ptr)));
		buf_add(&out, new);
		text = bytes_slice(text, (size_t)(at - text.ptr) + old.len, text.len);
	}
	buf_add(&out, text);
	return buf_bytes(&out);
}

static int run_again(struct shell *sh, char *const *words)
{
	char *const *pairs = words;
	struct buf shown = buf_in(sh->arena);
	struct bytes text;
	int i;

	while (*words != NULL && strchr(*words, '=') != NULL)
		words++;
	i = *words != NULL ? event_of(sh, *words, known(history_of(sh)) - 1, NONE)
			   : known(history_of(sh)) - 1;
	if (i < 0)
		return not_found(sh);
	text = arena_bytes(sh->arena, entry_text(&history_of(sh)->entry[i]));
	for (; pairs != words; pairs++)
		text = replaced(sh, text, *pairs);
	buf_add(&shown, text);
	buf_putc(&shown, '\n');
	err_write(sh, buf_bytes(&shown));
	history_replace_last(sh, text);
	return exec_text(sh, text, "fc", sh->line);
}

/* A new file with these bytes; its path, or NULL after a message. */
static char *temporary(struct shell *sh, struct bytes content)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const char *dir = var_get_text(sh, "TMPDIR");
	struct buf path = buf_in(sh->arena);
	int64_t fd;

	buf_printf(&path, "%s/bash-fc.", dir != NULL && *dir != '\0' ? dir : "/tmp");
	for (int i = 0; i < 6; i++)
		buf_putc(&path, letters[sys_random(sh->p) % (sizeof letters - 1)]);
	fd = exec_open(sh, buf_cstr(&path), O_WRONLY_ | O_CREAT_ | O_EXCL_);
	if (fd < 0) {
		builtin_error(sh, "fc", "%s: cannot open temp file: %s", buf_cstr(&path),
			      err_text((int)-fd));
		return NULL;
	}
	(void)sys_write(sh->p, (int)fd, content.ptr, content.len);
	(void)sys_close(sh->p, (int)fd);
	return buf_cstr(&path);
}

/* The lines that run instead of the fc take its place. */
static void record_edited(struct shell *sh, struct bytes text)
{
	struct history *h = history_of(sh);

	if (h->typed)
		history_drop_last(sh);
	while (text.len != 0) {
		const char *nl = memchr(text.ptr, '\n', text.len);
		size_t n = nl != NULL ? (size_t)(nl - text.ptr) : text.len;

		proc_charge(sh->p, 1);
		if (n != 0)
			h->typed = history_add(sh, bytes_slice(text, 0, n));
		text = bytes_slice(text, n + (nl != NULL), text.len);
	}
}

/* The commands in an editor, then what is left of them. */
static int edit(struct shell *sh, struct range r, const char *editor)
{
	bool verbose = opt_set(sh, SET_VERBOSE);
	struct buf text = buf_in(sh->arena);
	struct buf command = buf_in(sh->arena);
	struct bytes edited;
	char *path;
	int status;

	put_range(sh, &text, r, false, false);
	path = temporary(sh, buf_bytes(&text));
	if (path == NULL)
		return 1;
	buf_printf(&command, "%s %s", editor != NULL ? editor : "${FCEDIT:-${EDITOR:-vi}}", path);
	status = exec_text(sh, buf_bytes(&command), "fc", sh->line);
	if (status != 0 || sys_read_file(sh->p, path, sh->arena, &edited) < 0) {
		(void)sys_unlink(sh->p, AT_FDCWD_, path, 0);
		return 1;
	}
	(void)sys_unlink(sh->p, AT_FDCWD_, path, 0);
	if (opt_set(sh, SET_HISTORY))
		record_edited(sh, edited);
	shell_set_option(sh, SET_VERBOSE, true);
	status = source_text(sh, path, edited, 0, NULL);
	shell_set_option(sh, SET_VERBOSE, verbose);
	return status;
}

static bool is_event_number(const char *text)
{
	return text != NULL && text[0] == '-' && byte_is_digit(text[1]);
}

int do_fc(struct shell *sh, int argc, char **argv)
{
	struct optscan o = { .index = 1 };
	const char *editor = NULL;
	bool list = false;
	bool numbers = true;
	bool reverse = false;
	bool again = false;
	struct buf out = buf_in(sh->arena);
	struct range r;
	int c;

	while (o.pos != 0 || !is_event_number(argv[o.index])) {
		c = optscan_next(sh, NULL, &o, argc, argv, "e:lnrs");
		if (c == -1)
			break;
		if (c == '?')
			return STATUS_MISUSE;
		list |= c == 'l';
		numbers &= c != 'n';
		reverse |= c == 'r';
		again |= c == 's';
		if (c == 'e')
			editor = o.value;
	}
	shell_own_lists(sh);
	if (again || (editor != NULL && strcmp(editor, "-") == 0))
		return run_again(sh, argv + o.index);
	if (known(history_of(sh)) == 0)
		return 0;
	if (!range_of(sh, argv + o.index, list, reverse, &r))
		return 1;
	if (!list)
		return edit(sh, r, editor);
	put_range(sh, &out, r, true, numbers);
	return out_flush(sh, "fc", &out);
}
