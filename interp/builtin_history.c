/* SPDX-License-Identifier: MIT
 *
 * history: the list of earlier commands, which `history -s`, `history -r` and typed lines fill, and
 * its files. Lines of scripts come from history_record.c, if set -o history is on.
 */
#include "base/err.h"
#include "base/glob.h"
#include "base/pack.h"
#include "base/time.h"
#include "interp/builtin.h"
#include "interp/exec.h"
#include "interp/history.h"
#include "interp/state.h"

struct history *history_of(struct shell *sh)
{
	if (sh->history == NULL)
		sh->history = pool_zalloc(sh->pool, sizeof(struct history));
	return sh->history;
}

static void remove_entry(struct shell *sh, int i)
{
	struct history *h = sh->history;

	pool_free(sh->pool, h->entry[i].text, h->entry[i].len + 1);
	h->count--;
	memmove(h->entry + i, h->entry + i + 1, (size_t)(h->count - i) * sizeof(*h->entry));
	shell_cost(sh, (size_t)(h->count - i) * sizeof(*h->entry));
}

static void append(struct shell *sh, struct bytes text, int64_t time)
{
	struct history *h = history_of(sh);
	char *own = pool_dup(sh->pool, text);

	if (h->count == h->cap) {
		int cap = h->cap == 0 ? 16 : h->cap * 2;

		h->entry = pool_resize(sh->pool, h->entry, (size_t)h->cap * sizeof(*h->entry),
				       (size_t)cap * sizeof(*h->entry));
		h->cap = cap;
	}
	h->entry[h->count++] = (struct entry){ own, text.len, time };
}

/* HISTSIZE: how many entries there may be; INT_MAX if it says nothing. */
static int size_limit(struct shell *sh)
{
	const char *text = var_get_text(sh, "HISTSIZE");
	int64_t n;

	return text != NULL && number_argument(text, &n) && n >= 0 && n < INT32_MAX ? (int)n
										    : INT32_MAX;
}

static void trim(struct shell *sh)
{
	struct history *h = history_of(sh);
	int most = size_limit(sh);

	int dropped = h->count - most;

	while (h->count > most)
		remove_entry(sh, 0);
	if (dropped > 0)
		h->base = dropped - 1; /* as bash counts, one less than were dropped */
	if (h->count == 0)
		h->base = 0;
}

/* A line as the list takes it, whatever HISTCONTROL and HISTIGNORE say. */
static void add_at(struct shell *sh, struct bytes text, int64_t time)
{
	struct history *h = history_of(sh);
	int most = size_limit(sh);

	trim(sh);
	if (most == 0)
		return;
	if (h->count == most) {
		remove_entry(sh, 0);
		h->base++;
	}
	append(sh, text, time);
}

static int64_t now(struct shell *sh)
{
	return sys_now(sh->p) / 1000000000;
}

/* When a new entry was made; -1: as nobody will ask, it has no time. */
static int64_t stamp_now(struct shell *sh)
{
	return var_get_text(sh, "HISTTIMEFORMAT") != NULL ? now(sh) : -1;
}

/* Whether word is one of those in a list with colons. */
static bool names(const char *list, const char *word)
{
	size_t n = strlen(word);

	while (list != NULL) {
		const char *end = strchr(list, ':');
		size_t len = end != NULL ? (size_t)(end - list) : strlen(list);

		if (len == n && memcmp(list, word, n) == 0)
			return true;
		list = end != NULL ? end + 1 : NULL;
	}
	return false;
}

static void put_quoted(struct buf *out, struct bytes text)
{
	for (size_t i = 0; i < text.len; i++) {
		buf_putc(out, '\\');
		buf_putc(out, text.ptr[i]);
	}
}

/* HISTIGNORE's patterns; & is the line before. */
static bool is_ignored(struct shell *sh, struct bytes text)
{
	const char *at = var_get_text(sh, "HISTIGNORE");
	const struct history *h = history_of(sh);

	while (at != NULL && *at != '\0') {
		struct buf pattern = buf_in(sh->arena);
		struct glob *g;

		for (; *at != '\0' && *at != ':'; at++) {
			proc_charge(sh->p, 1);
			if (*at == '&' && h->count > 0)
				put_quoted(&pattern, entry_text(&h->entry[h->count - 1]));
			else if (*at == '\\' && at[1] == '&')
				buf_putc(&pattern, *++at);
			else
				buf_putc(&pattern, *at);
		}
		at += *at == ':';
		g = shell_glob(sh, buf_bytes(&pattern), false);
		if (g != NULL && glob_match(g, sh->arena, text))
			return true;
	}
	return false;
}

static void erase_same(struct shell *sh, struct bytes text)
{
	struct history *h = history_of(sh);

	for (int i = h->count - 1; i >= 0; i--) {
		proc_charge(sh->p, 1);
		shell_cost(sh, h->entry[i].len == text.len ? text.len : 0);
		if (bytes_eq(entry_text(&h->entry[i]), text))
			remove_entry(sh, i);
	}
}

bool history_add(struct shell *sh, struct bytes text)
{
	const char *control = var_get_text(sh, "HISTCONTROL");
	struct history *h = history_of(sh);
	bool both = names(control, "ignoreboth");

	if ((both || names(control, "ignorespace")) && text.len != 0 &&
	    (text.ptr[0] == ' ' || text.ptr[0] == '\t'))
		return false;
	if ((both || names(control, "ignoredups")) && h->count > 0 &&
	    bytes_eq(entry_text(&h->entry[h->count - 1]), text))
		return false;
	if (is_ignored(sh, text))
		return false;
	if (names(control, "erasedups"))
		erase_same(sh, text);
	add_at(sh, text, stamp_now(sh));
	h->fresh++;
	return true;
}

void history_grow_last(struct shell *sh, size_t cut, const char *between, struct bytes text)
{
	struct history *h = history_of(sh);
	struct entry *e = &h->entry[h->count - 1];
	size_t n = strlen(between);
	size_t len = e->len - cut + n + text.len;

	e->text = pool_resize(sh->pool, e->text, e->len + 1, len + 1);
	memcpy(e->text + e->len - cut, between, n);
	if (text.len != 0)
		memcpy(e->text + len - text.len, text.ptr, text.len);
	e->text[len] = '\0';
	e->len = len;
}

int history_number(const struct shell *sh)
{
	const struct history *h = sh->history;
	int last = h != NULL ? h->base + h->count : 0;

	if (!opt_set(sh, SET_HISTORY))
		return 0;
	return last != 0 ? last : 1;
}

void history_drop_last(struct shell *sh)
{
	struct history *h = history_of(sh);

	if (h->count > 0) {
		remove_entry(sh, h->count - 1);
		h->fresh -= h->fresh > 0;
	}
	h->typed = false;
}

void history_replace_last(struct shell *sh, struct bytes text)
{
	history_drop_last(sh);
	(void)history_add(sh, text);
}

void history_pack(const struct shell *sh, struct buf *out)
{
	static const struct history none;
	const struct history *h = sh->history != NULL ? sh->history : &none;

	pack_u64(out, (uint64_t)h->base);
	pack_u64(out, (uint64_t)h->fresh);
	pack_u64(out, (uint64_t)h->in_file);
	pack_u64(out, (uint64_t)h->count);
	for (int i = 0; i < h->count; i++) {
		pack_text(out, h->entry[i].text);
		pack_u64(out, (uint64_t)h->entry[i].time);
	}
}

static int unpack_int(struct unpack *in)
{
	uint64_t n = unpack_u64(in);

	in->bad |= n > INT32_MAX / 2;
	return in->bad ? 0 : (int)n;
}

void history_unpack(struct shell *sh, struct unpack *in)
{
	struct history *h = history_of(sh);

	h->base = unpack_int(in);
	h->fresh = unpack_int(in);
	h->in_file = unpack_int(in);
	size_t n = unpack_count(in);

	for (size_t i = 0; i < n && !in->bad && i < INT32_MAX / 2; i++) {
		struct bytes line = unpack_text(in);
		int64_t time = (int64_t)unpack_u64(in);

		in->bad |= line.ptr == NULL;
		if (!in->bad)
			append(sh, line, time);
	}
}

void history_copy_state(struct shell *sh, const struct shell *from)
{
	if (from->history != NULL)
		history_of(sh)->typed = ((const struct history *)from->history)->typed;
}

/* --- what is shown --- */

static struct bytes join_words(struct shell *sh, int n, char **words)
{
	struct buf text = buf_in(sh->arena);

	for (int i = 0; i < n; i++) {
		if (i > 0)
			buf_putc(&text, ' ');
		buf_puts(&text, words[i]);
	}
	return buf_bytes(&text);
}

static int show(struct shell *sh, int64_t last)
{
	struct history *h = history_of(sh);
	struct buf out = buf_in(sh->arena);
	const char *format = var_get_text(sh, "HISTTIMEFORMAT");
	struct zone *zone = format != NULL && *format != '\0' ? shell_zone(sh) : NULL;

	trim(sh);
	for (int i = last < h->count ? h->count - (int)last : 0; i < h->count; i++) {
		const struct entry *e = &h->entry[i];
		struct civil civil;

		proc_charge(sh->p, 1 + e->len / 64);
		buf_printf(&out, "%5d  ", h->base + i + 1);
		if (zone != NULL) {
			int64_t time = e->time >= 0 ? e->time : now(sh);

			time_civil(zone, time, &civil);
			time_format(&out, bytes_of(format), &civil, time, TIME_LIBC);
		}
		buf_add(&out, entry_text(e));
		buf_putc(&out, '\n');
	}
	return out_flush(sh, "history", &out);
}

/* --- what is deleted --- */

static int out_of_range(struct shell *sh, const char *text)
{
	builtin_error(sh, "history", "%s: history position out of range", text);
	return 1;
}

/* The entry that a position names, from 0; -1: none. */
static int position(struct shell *sh, const char *text)
{
	const struct history *h = history_of(sh);
	int64_t n;

	if (!number_argument(text, &n))
		return -1;
	n = n < 0 ? n + h->count : n - 1 - h->base;
	return n < 0 || n >= h->count ? -1 : (int)n;
}

static int delete_position(struct shell *sh, char *text)
{
	char *dash = text[0] != '\0' ? strchr(text + 1, '-') : NULL;
	int from;
	int to;

	if (dash == NULL) {
		from = to = position(sh, text);
		if (from < 0)
			return out_of_range(sh, text);
	} else {
		char *first = arena_dup(sh->arena, (struct bytes){ text, (size_t)(dash - text) });

		if (!number_argument(first, &(int64_t){ 0 }) ||
		    !number_argument(dash + 1, &(int64_t){ 0 }))
			return out_of_range(sh, text);
		from = position(sh, first);
		to = position(sh, dash + 1);
		if (from < 0 || to < 0)
			return out_of_range(sh, from < 0 ? first : dash + 1);
	}
	for (int i = to; i >= from; i--)
		remove_entry(sh, i);
	return from > to;
}

/* --- its files --- */

static bool is_stamp(struct bytes line)
{
	return line.len > 1 && line.ptr[0] == '#' && byte_is_digit(line.ptr[1]);
}

static int64_t stamp_of(struct bytes line)
{
	int64_t seconds = 0;

	for (size_t i = 1; i < line.len && byte_is_digit(line.ptr[i]); i++) {
		if (seconds > INT64_MAX / 100)
			return 0;
		seconds = seconds * 10 + (line.ptr[i] - '0');
	}
	return seconds;
}

static void grow_last(struct shell *sh, struct bytes line)
{
	history_grow_last(sh, 0, "\n", line);
}

/* Takes the complete lines of a file but the first `skip`. Returns how many entries it has. */
static int take_lines(struct shell *sh, struct bytes file, int skip)
{
	bool times = var_get_text(sh, "HISTTIMEFORMAT") != NULL;
	bool stamped = is_stamp(file);
	int64_t stamp = -1;
	int seen = 0;
	struct bytes line;
	const char *nl;
	const char *nul;

	while (file.len != 0 && (nl = memchr(file.ptr, '\n', file.len)) != NULL) {
		line = bytes_slice(file, 0, (size_t)(nl - file.ptr));
		file = bytes_slice(file, line.len + 1, file.len);
		nul = memchr(line.ptr, '\0', line.len);
		line.len = nul != NULL ? (size_t)(nul - line.ptr) : line.len;
		proc_charge(sh->p, 1 + line.len / 64);
		if (line.len == 0)
			continue;
		if ((stamped || times) && is_stamp(line)) {
			stamp = stamp_of(line);
		} else if (stamped && times && stamp < 0 && seen > skip) {
			grow_last(sh, line);
		} else {
			if (seen++ >= skip)
				add_at(sh, line, stamp >= 0 ? stamp : stamp_now(sh));
			stamp = -1;
		}
	}
	return seen;
}

static int read_from(struct shell *sh, const char *path, bool news)
{
	struct history *h = history_of(sh);
	struct bytes file;
	int before = news ? h->in_file : 0;

	if (sys_read_file(sh->p, path, sh->arena, &file) < 0)
		return 1;
	h->in_file = take_lines(sh, file, before);
	if (news)
		h->fresh += h->in_file - before;
	if (h->fresh < 0)
		h->fresh = 0;
	return 0;
}

/* The entries from i on into a file that is new or grows: 0, or an error, negative. */
static int64_t write_to(struct shell *sh, const char *path, int i, unsigned flags)
{
	struct history *h = history_of(sh);
	bool times = var_get_text(sh, "HISTTIMEFORMAT") != NULL;
	int64_t fd = exec_open(sh, path, O_WRONLY_ | O_CREAT_ | flags);
	struct buf out = buf_in(sh->arena);
	int64_t err;

	if (fd < 0)
		return fd;
	for (; i < h->count; i++) {
		proc_charge(sh->p, 1 + h->entry[i].len / 64);
		if (times && h->entry[i].time >= 0)
			buf_printf(&out, "#%lld\n", (long long)h->entry[i].time);
		buf_add(&out, entry_text(&h->entry[i]));
		buf_putc(&out, '\n');
	}
	err = sys_write(sh->p, (int)fd, out.ptr, out.len);
	sys_close(sh->p, (int)fd);
	return err;
}

static int append_to(struct shell *sh, const char *path)
{
	struct history *h = history_of(sh);
	int n = h->fresh < h->count ? h->fresh : h->count;
	int64_t err;

	if (n == 0)
		return 0;
	err = write_to(sh, path, h->count - n, O_APPEND_);
	if (err < 0) {
		builtin_error(sh, "history", "%s: cannot create: %s", path, err_text((int)-err));
		return 1;
	}
	h->in_file += h->fresh;
	h->fresh = 0;
	return 0;
}

/* mode: one of anrw. */
static int with_file(struct shell *sh, char mode, const char *path)
{
	struct buf standard = buf_in(sh->arena);
	const char *home = var_get_text(sh, "HOME");

	if (path == NULL)
		path = var_get_text(sh, "HISTFILE");
	if (path == NULL) {
		buf_printf(&standard, "%s/.history", home != NULL ? home : ".");
		path = buf_cstr(&standard);
	}
	if (*path == '\0')
		return 1;
	if (mode == 'a')
		return append_to(sh, path);
	if (mode == 'w')
		return write_to(sh, path, 0, O_TRUNC_) < 0;
	return read_from(sh, path, mode == 'n');
}

static void shorten(struct shell *sh, const char *path, int64_t most)
{
	struct bytes file;
	size_t cut;
	int64_t fd;

	if (sys_read_file(sh->p, path, sh->arena, &file) < 0)
		return;
	cut = file.len;
	for (int64_t lines = 0; cut > 0; cut--) {
		/* A newline before the last lines that may stay. */
		lines += file.ptr[cut - 1] == '\n';
		if (lines > most)
			break;
	}
	shell_cost(sh, file.len);
	if (cut == 0)
		return;
	fd = exec_open(sh, path, O_WRONLY_ | O_TRUNC_);
	if (fd < 0)
		return;
	(void)sys_write(sh->p, (int)fd, file.ptr + cut, file.len - cut);
	(void)sys_close(sh->p, (int)fd);
}

static void shorten_file(struct shell *sh)
{
	const char *path = var_get_text(sh, "HISTFILE");
	const char *text = var_get_text(sh, "HISTFILESIZE");
	struct arena_mark mark = arena_mark(sh->arena);
	int64_t most;

	if (path != NULL && *path != '\0' && text != NULL && number_argument(text, &most) &&
	    most >= 0)
		shorten(sh, path, most);
	arena_release(sh->arena, mark);
}

void history_size_changed(struct shell *sh, struct var *v)
{
	if (v != NULL && (v->flags & VAR_SET) != 0)
		shorten_file(sh);
}

static void give_size(struct shell *sh, const char *name)
{
	if (var_get_text(sh, name) == NULL)
		var_set_text(sh, name, "500");
}

void history_enable(struct shell *sh)
{
	struct history *h;
	const char *path;

	shell_own_lists(sh);
	h = history_of(sh);
	if (h->fresh != 0)
		return;
	give_size(sh, "HISTSIZE");
	path = var_get_text(sh, "HISTFILE");
	if (path != NULL && *path != '\0')
		(void)read_from(sh, path, false);
	give_size(sh, "HISTFILESIZE");
}

void history_disable(struct shell *sh)
{
	if (sh->history == NULL || !history_of(sh)->typed)
		return;
	shell_own_lists(sh);
	history_of(sh)->typed = false;
}

void history_save(struct shell *sh)
{
	const char *path = var_get_text(sh, "HISTFILE");
	struct history *h = sh->history;

	if (!opt_set(sh, SET_HISTORY) || h == NULL || h->fresh == 0 || path == NULL ||
	    *path == '\0')
		return;
	if (h->fresh <= h->count)
		(void)append_to(sh, path);
	else
		(void)write_to(sh, path, 0, O_TRUNC_);
	shorten_file(sh);
}

/* --- the command --- */

struct choices {
	bool clear;
	bool store;
	bool print;
	char *delete;
	char file; /* one of anrw */
};

/* -1: goes on; else the status. */
static int read_options(struct shell *sh, struct choices *o, struct optscan *scan, int argc,
			char **argv)
{
	int c;

	while ((c = optscan_next(sh, NULL, scan, argc, argv, "acd:npsrw")) != -1) {
		if (c == '?')
			return STATUS_MISUSE;
		o->clear |= c == 'c';
		o->store |= c == 's';
		o->print |= c == 'p';
		if (c == 'd')
			o->delete = scan->value;
		if (memchr("anrw", c, 4) == NULL)
			continue;
		if (o->file != '\0' && o->file != c) {
			builtin_error(sh, "history", "cannot use more than one of -anrw");
			return 1;
		}
		o->file = (char)c;
	}
	return -1;
}

static int show_last(struct shell *sh, char **words)
{
	int64_t n = INT32_MAX;

	if (words[0] != NULL && !number_argument(words[0], &n)) {
		builtin_error(sh, "history", "%s: numeric argument required", words[0]);
		return 1;
	}
	if (words[0] != NULL && words[1] != NULL) {
		builtin_error(sh, "history", "too many arguments");
		sh->status = 1;
		give_up_line(sh);
		return 1;
	}
	return show(sh, n < 0 ? -n : n);
}

static void store(struct shell *sh, int n, char **words)
{
	struct history *h = history_of(sh);

	/* The line that was typed is not kept beside what it stores. */
	if (h->typed)
		history_replace_last(sh, join_words(sh, n, words));
	else
		(void)history_add(sh, join_words(sh, n, words));
}

/* history -p: the line itself, if it is recorded, is no event. */
static int print_expanded(struct shell *sh, char **words)
{
	struct history *h = history_of(sh);
	struct buf out = buf_in(sh->arena);
	int status = 0;

	if (h->typed)
		history_drop_last(sh);
	for (; *words != NULL; words++) {
		struct bytes text;

		if (history_expand(sh, bytes_of(*words), '\0', false, &text) == HISTORY_FAILED) {
			out_lines(sh, "history", &out);
			builtin_error(sh, "history", "%s: history expansion failed", *words);
			status = 1;
			continue;
		}
		buf_add(&out, text);
		buf_putc(&out, '\n');
	}
	return out_flush(sh, "history", &out) != 0 ? 1 : status;
}

int do_history(struct shell *sh, int argc, char **argv)
{
	struct optscan scan = { 0 };
	struct choices o = { 0 };
	struct history *h;
	int status = read_options(sh, &o, &scan, argc, argv);
	char **words = argv + scan.index;

	if (status >= 0)
		return status;
	shell_own_lists(sh);
	h = history_of(sh);
	if (o.file != '\0' && *words != NULL && restricted_path(sh, "history", *words))
		return 1;
	while (o.clear && h->count > 0)
		remove_entry(sh, h->count - 1);
	if (o.clear)
		h->base = 0;
	if (o.clear && *words == NULL)
		return 0;
	if (o.store) {
		if (*words != NULL)
			store(sh, argc - scan.index, words);
		return 0;
	}
	if (o.print)
		return print_expanded(sh, words);
	if (o.delete != NULL)
		return delete_position(sh, o.delete);
	if (o.file != '\0')
		return with_file(sh, o.file, *words);
	return o.clear ? 0 : show_last(sh, words);
}
