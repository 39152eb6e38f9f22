/* SPDX-License-Identifier: MIT
 *
 * split - cut a file into pieces: by lines, by bytes, by whole lines within bytes, or into a
 * number of equal parts.
 */
#include "builtins/builtin.h"

enum split_by { BY_NONE, BY_LINES, BY_BYTES, BY_LINE_BYTES, BY_CHUNKS };
enum chunk_kind { CHUNK_BYTES, CHUNK_LINES, CHUNK_ROUND };

struct split_opts {
	enum split_by by;
	uint64_t size;
	enum chunk_kind kind;
	uint64_t chunks;
	uint64_t chosen; /* -n K/N: only this one, to standard output; 0: all */
	uint64_t suffix_length;
	bool has_length;
	const char *digits; /* of suffixes */
	uint64_t first;     /* number of the first suffix */
	bool has_first;
	const char *more_suffix;
	const char *filter;
	bool elide;
	bool verbose;
	bool unbuffered;
	int separator; /* -1: not given */
	bool was_digits;
	const char *prefix;
	/* state */
	uint64_t next;
	struct output out;
	struct vfs_stat input; /* of a regular file; else nothing */
	bool open;
	int pid;
};

static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
static const char decimal[] = "0123456789";
static const char hexadecimal[] = "0123456789abcdef";

static int choose(struct cmd *c, enum split_by by)
{
	struct split_opts *o = c->opts;

	if (o->by != BY_NONE) {
		cmd_error(c, 0, "cannot split in more than one way");
		return cmd_usage(c, NULL);
	}
	o->by = by;
	return 0;
}

static int bad_number(struct cmd *c, const char *what, const char *text, int err)
{
	return cmd_error(c, err == -E_INVAL ? 0 : err, "invalid number of %s: %s", what,
			 cmd_quote(c, text));
}

static int set_size(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct split_opts *o = c->opts;
	bool lines = opt->letter == 'l';
	int status = choose(c, lines ? BY_LINES : opt->letter == 'b' ? BY_BYTES : BY_LINE_BYTES);
	int err = num_parse_u64(arg, lines ? "" : "bkKmMGTPEZY0", &o->size);

	if (status != 0)
		return status;
	if (err == 0 && o->size == 0)
		err = -E_RANGE;
	return err == 0 ? 0 : bad_number(c, lines ? "lines" : "bytes", arg, err);
}

static int set_digits_lines(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct split_opts *o = c->opts;

	(void)opt;
	if (!o->was_digits && choose(c, BY_LINES) != 0)
		return 1;
	o->was_digits = true;
	if (num_parse_u64(arg, "", &o->size) == 0)
		return 0;
	/* The real one shows what it had read when it became too large. */
	size_t shown = arg[0] == '1' && strncmp(arg, "18446744073709551615", 20) <= 0 ? 21 : 20;

	return cmd_error(c, 0, "line count option -%.*s... is too large", (int)shown, arg);
}

/* N, K/N, l/N, l/K/N, r/N, r/K/N. */
static int set_chunks(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct split_opts *o = c->opts;
	int status = choose(c, BY_CHUNKS);
	const char *text = arg;
	const char *slash;
	int err;

	(void)opt;
	if (status != 0)
		return status;
	if ((text[0] == 'l' || text[0] == 'r') && text[1] == '/') {
		o->kind = text[0] == 'l' ? CHUNK_LINES : CHUNK_ROUND;
		text += 2;
	}
	slash = strchr(text, '/');
	err = num_parse_u64(slash != NULL ? slash + 1 : text, "", &o->chunks);
	if (err != 0 || o->chunks == 0)
		return bad_number(c, "chunks", slash != NULL ? slash + 1 : text,
				  err != 0 ? err : -E_RANGE);
	if (slash == NULL)
		return 0;
	char *chosen = arena_dup(c->arena, (struct bytes){ text, (size_t)(slash - text) });

	err = num_parse_u64(chosen, "", &o->chosen);
	if (err == 0 && (o->chosen == 0 || o->chosen > o->chunks))
		err = -E_RANGE;
	if (err != 0)
		return cmd_error(c, err == -E_INVAL ? 0 : err, "invalid chunk number: %s",
				 cmd_quote(c, chosen));
	return 0;
}

static int set_length(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct split_opts *o = c->opts;
	int err = num_parse_u64(arg, "", &o->suffix_length);

	(void)opt;
	if (err != 0 || o->suffix_length > 200)
		return cmd_error(c, err == -E_INVAL ? 0 : E_OVERFLOW, "invalid suffix length: %s",
				 cmd_quote(c, arg));
	o->has_length = o->suffix_length != 0;
	return 0;
}

static int set_suffix(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct split_opts *o = c->opts;
	bool hex = opt->letter == 'x' || (opt->name != NULL && opt->name[0] == 'h');
	uint64_t value = 0;

	o->digits = hex ? hexadecimal : decimal;
	if (arg == NULL)
		return 0;
	o->has_first = true;
	for (const char *at = arg; *at != '\0'; at++) {
		const char *hit = strchr(o->digits, *at);

		if (hit == NULL || value > UINT64_MAX / 32) {
			cmd_error(c, 0, "%s: invalid start value for %s suffix", cmd_quote(c, arg),
				  hex ? "hexadecimal" : "numerical");
			return cmd_usage(c, NULL);
		}
		value = value * strlen(o->digits) + (uint64_t)(hit - o->digits);
	}
	o->first = value;
	return 0;
}

static int set_more_suffix(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	if (strchr(arg, '/') != NULL) {
		cmd_error(c, 0, "invalid suffix %s, contains directory separator",
			  cmd_quote(c, arg));
		return cmd_usage(c, NULL);
	}
	((struct split_opts *)c->opts)->more_suffix = arg;
	return 0;
}

static int set_separator(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct split_opts *o = c->opts;
	int value = strcmp(arg, "\\0") == 0 ? 0 : (unsigned char)arg[0];

	(void)opt;
	if (arg[0] == '\0')
		return cmd_error(c, 0, "empty record separator");
	if (arg[1] != '\0' && value != 0)
		return cmd_error(c, 0, "multi-character separator %s", cmd_quote(c, arg));
	if (o->separator >= 0 && o->separator != value)
		return cmd_error(c, 0, "multiple separator characters specified");
	o->separator = value;
	return 0;
}

static const struct opt split_options[] = {
	OPT_CALL_ARG('a', "suffix-length", set_length, "N", "letters of suffixes (2)"),
	OPT_CALL_ARG(0, "additional-suffix", set_more_suffix, "SUFFIX", "behind names"),
	OPT_CALL_ARG('b', "bytes", set_size, "SIZE", "SIZE bytes a file"),
	OPT_CALL_ARG('C', "line-bytes", set_size, "SIZE",
		     "whole lines of at most SIZE bytes a file"),
	OPT_CALL('d', NULL, set_suffix, "numbers as suffixes"),
	OPT_CALL_OPTIONAL(0, "numeric-suffixes", set_suffix, "FROM", "the same, from FROM"),
	OPT_CALL('x', NULL, set_suffix, "hexadecimal numbers as suffixes"),
	OPT_CALL_OPTIONAL(0, "hex-suffixes", set_suffix, "FROM", "the same, from FROM"),
	OPT_FLAG('e', "elide-empty-files", struct split_opts, elide, "no empty files with -n"),
	OPT_STR(0, "filter", struct split_opts, filter, NULL, "COMMAND",
		"write to COMMAND; its $FILE is the name"),
	OPT_CALL_ARG('l', "lines", set_size, "N", "N lines a file (1000)"),
	OPT_CALL_ARG('n', "number", set_chunks, "CHUNKS", "N, K/N, l/N, l/K/N, r/N or r/K/N"),
	OPT_CALL_ARG('t', "separator", set_separator, "SEP", "ends lines, instead of newline"),
	OPT_FLAG('u', "unbuffered", struct split_opts, unbuffered, "write at once with -n r/..."),
	OPT_FLAG(0, "verbose", struct split_opts, verbose, "say which files are made"),
	OPT_DIGIT(set_digits_lines),
	OPT_END(),
};

/* --- names --- */

/* The name of file n; NULL: there are no more suffixes. */
static const char *name_of(struct cmd *c, const struct split_opts *o, uint64_t n)
{
	struct buf name = buf_in(c->arena);
	uint64_t base = strlen(o->digits);
	uint64_t length = o->suffix_length;
	char suffix[256];

	n += o->first;
	/* Without -a suffixes grow: behind yz comes zaaa, behind 89 9000. */
	uint64_t reach = base;

	for (uint64_t i = 1; i < length && reach < UINT64_MAX / base; i++)
		reach *= base;
	buf_puts(&name, o->prefix);
	if (!o->has_length && !o->has_first) {
		uint64_t room = reach - reach / base;

		while (n >= room) {
			n -= room;
			buf_putc(&name, o->digits[base - 1]);
			length++;
			reach = reach > UINT64_MAX / base ? reach : reach * base;
			room = reach - reach / base;
		}
	} else if (n >= reach && length < 13) {
		return NULL;
	}
	for (uint64_t i = length; i > 0; i--) {
		suffix[i - 1] = o->digits[n % base];
		n /= base;
	}
	buf_put(&name, suffix, (size_t)length);
	buf_puts(&name, o->more_suffix);
	return buf_cstr(&name);
}

/* --- pieces --- */

static void start_filter(struct cmd *c, struct split_opts *o, const char *name)
{
	const char *shell = cmd_getenv(c, "SHELL");
	char *argv[] = { (char *)(uintptr_t)(shell != NULL ? shell : "/bin/sh"),
			 (char *)(uintptr_t) "-c", (char *)(uintptr_t)o->filter, NULL };
	struct buf assignment = buf_in(c->arena);
	struct env env;
	int fds[2];
	int err = cmd_pipe(c, fds);

	if (err < 0)
		cmd_fatal(c, err, "failed to create pipe");
	buf_printf(&assignment, "FILE=%s", name);
	env_init(&env, c, false);
	env_put(&env, buf_cstr(&assignment));
	o->pid = cmd_spawn(c, &(struct cmd_program){ .argv = argv,
						     .envp = env.list,
						     .fds = (int[]){ fds[0], 1, 2 },
						     .nfds = 3 });
	cmd_close(c, fds[0]);
	if (o->pid < 0)
		cmd_fatal(c, o->pid, "failed to run command: \"%s -c %s\"", argv[0], o->filter);
	output_init(&o->out, c, fds[1], true);
}

static void end_piece(struct cmd *c, struct split_opts *o)
{
	int status = 0;

	if (!o->open)
		return;
	output_close(&o->out);
	o->open = false;
	if (o->filter == NULL)
		return;
	cmd_wait(c, o->pid, &status, false);
	status = cmd_exit_status(status);
	if (status != 0 && status != 128 + 13)
		cmd_fatal_status(c, status, 0, "with FILE=%s, exit %d from command: %s",
				 name_of(c, o, o->next - 1), status, o->filter);
}

/* A piece that is the input itself would destroy it. */
static void guard_input(struct cmd *c, const struct split_opts *o, const char *name)
{
	struct vfs_stat st;

	if (cmd_stat(c, name, &st) == 0 && st.ino == o->input.ino && st.dev == o->input.dev)
		cmd_fatal(c, 0, "%s would overwrite input; aborting", cmd_quoteaf(c, name));
}

static void start_piece(struct cmd *c, struct split_opts *o)
{
	const char *name;
	int err = 0;

	end_piece(c, o);
	name = name_of(c, o, o->next);
	if (name == NULL)
		cmd_fatal(c, 0, "output file suffixes exhausted");
	o->next++;
	o->open = true;
	if (o->verbose && o->filter != NULL)
		cmd_printf(c, "executing with FILE=%s\n", cmd_quotef(c, name));
	else if (o->verbose)
		cmd_printf(c, "creating file %s\n", cmd_quoteaf(c, name));
	if (o->filter != NULL)
		start_filter(c, o, name);
	else {
		guard_input(c, o, name);
		err = output_open(&o->out, c, name, O_TRUNC_, false);
	}
	if (err < 0)
		cmd_fatal(c, err, "%s", name);
}

static int split_bytes(struct input *in, struct split_opts *o)
{
	struct bytes part;
	uint64_t left = 0;
	int more;

	while ((more = input_block(in, &part)) > 0) {
		while (part.len > 0) {
			if (left == 0) {
				start_piece(in->c, o);
				left = o->size;
			}
			size_t take = part.len < left ? part.len : (size_t)left;

			output_write(&o->out, part.ptr, take);
			part = bytes_slice(part, take, part.len);
			left -= take;
		}
	}
	return more;
}

static int split_lines(struct input *in, struct split_opts *o)
{
	char end = (char)o->separator;
	struct bytes line;
	uint64_t left = 0;
	int more;

	while ((more = input_line(in, end, &line)) > 0) {
		if (left == 0) {
			start_piece(in->c, o);
			left = o->size;
		}
		output_write(&o->out, line.ptr, line.len);
		if (in->ended)
			output_putc(&o->out, end);
		left--;
		cmd_charge(in->c, 1);
	}
	return more;
}

/* -C: whole lines while they fit; a line that is too long is cut. */
static int split_line_bytes(struct input *in, struct split_opts *o)
{
	char end = (char)o->separator;
	struct bytes line;
	uint64_t room = 0;
	int more;

	while ((more = input_line(in, end, &line)) > 0) {
		struct buf whole = buf_in(in->c->arena);
		struct arena_mark mark = arena_mark(in->c->arena);

		buf_add(&whole, line);
		if (in->ended)
			buf_putc(&whole, end);
		struct bytes rest = buf_bytes(&whole);

		if (rest.len > room)
			room = 0;
		while (rest.len > 0) {
			if (room == 0) {
				start_piece(in->c, o);
				room = o->size;
			}
			size_t take = rest.len < room ? rest.len : (size_t)room;

			output_write(&o->out, rest.ptr, take);
			rest = bytes_slice(rest, take, rest.len);
			room -= take;
		}
		if (o->filter == NULL && whole.len > 4096)
			arena_release(in->c->arena, mark);
		cmd_charge(in->c, 1);
	}
	return more;
}

/* --- a number of parts --- */

static void put_chunk(struct cmd *c, struct split_opts *o, uint64_t number, struct bytes part)
{
	if (o->chosen != 0) {
		if (o->chosen == number)
			cmd_bytes(c, part);
		return;
	}
	if (o->elide && part.len == 0)
		return;
	start_piece(c, o);
	output_write(&o->out, part.ptr, part.len);
	cmd_charge_bytes(c, part.len);
}

/* Where a part ends: byte number of the whole, moved behind the line that begins before. */
static size_t chunk_end(const struct split_opts *o, struct bytes all, uint64_t number, size_t from)
{
	size_t share = all.len >= o->chunks ? (size_t)(all.len / o->chunks) : 1;
	size_t end = share * (size_t)number;
	const char *hit;

	/* The last part takes what is left. */
	if (number == o->chunks || end > all.len)
		end = all.len;

	if (o->kind == CHUNK_BYTES || end == all.len)
		return end;
	if (end <= from)
		return from;
	hit = memchr(all.ptr + end - 1, o->separator, all.len - end + 1);
	return hit != NULL ? (size_t)(hit - all.ptr) + 1 : all.len;
}

static void split_round(struct cmd *c, struct split_opts *o, struct bytes all)
{
	for (uint64_t number = 1; number <= o->chunks; number++) {
		uint64_t line = 0;
		struct buf part = buf_in(c->arena);

		for (size_t at = 0; at < all.len; line++) {
			const char *hit = memchr(all.ptr + at, o->separator, all.len - at);
			size_t to = hit != NULL ? (size_t)(hit - all.ptr) + 1 : all.len;

			if (line % o->chunks + 1 == number)
				buf_add(&part, bytes_slice(all, at, to));
			at = to;
			cmd_charge(c, 1);
		}
		put_chunk(c, o, number, buf_bytes(&part));
	}
}

static int split_chunks(struct input *in, struct split_opts *o)
{
	struct vfs_stat st;
	struct bytes all;
	size_t from = 0;
	int err;

	if (o->kind != CHUNK_ROUND && cmd_fstat(in->c, in->fd, &st) == 0 &&
	    (st.mode & S_FMT) != S_REG &&
	    ((st.mode & S_FMT) != S_CHR || input_block(in, &all) != 0))
		cmd_fatal(in->c, 0, "%s: cannot determine file size", cmd_quotef(in->c, in->name));
	err = input_all(in, &all);
	if (err < 0)
		return err;
	if (o->kind == CHUNK_ROUND) {
		split_round(in->c, o, all);
		return 0;
	}
	for (uint64_t number = 1; number <= o->chunks; number++) {
		size_t end = chunk_end(o, all, number, from);

		put_chunk(in->c, o, number, bytes_slice(all, from, end));
		from = end;
	}
	return 0;
}

static uint64_t digits_of(uint64_t n, uint64_t base)
{
	uint64_t digits = 1;

	while ((n /= base) > 0)
		digits++;
	return digits;
}

/* Letters that suffixes need for all parts. */
static int settle_length(struct cmd *c, struct split_opts *o)
{
	uint64_t base = strlen(o->digits);
	uint64_t last = o->by == BY_CHUNKS ? o->chunks - 1 : 0;
	uint64_t need;

	if (o->by == BY_CHUNKS && o->first < o->chunks)
		last += o->first;
	need = digits_of(last, base);
	if (o->has_length) {
		if (o->by == BY_CHUNKS && o->suffix_length < need)
			return cmd_error(c, 0, "the suffix length needs to be at least %llu",
					 (unsigned long long)need);
	} else {
		o->suffix_length = need > 2 ? need : 2;
		o->has_length = o->by == BY_CHUNKS;
	}
	if (o->has_first && digits_of(o->first, base) > o->suffix_length)
		return cmd_usage(c,
				 "numerical suffix start value is too large for the suffix length");
	return 0;
}

static int split_run(struct cmd *c)
{
	struct split_opts *o = c->opts;
	struct input in;
	const char *path = c->nargs > 0 ? c->args[0] : "-";

	if (c->nargs > 2)
		return cmd_usage(c, "extra operand %s", cmd_quote(c, c->args[2]));
	if (o->was_digits && o->size == 0)
		return cmd_usage(c, "invalid number of lines: %s", cmd_quote(c, "0"));
	if (o->by == BY_NONE) {
		o->by = BY_LINES;
		o->size = 1000;
	}
	o->prefix = c->nargs > 1 ? c->args[1] : "x";
	o->separator = o->separator < 0 ? '\n' : o->separator;
	if (o->filter != NULL && o->chosen != 0) {
		cmd_error(c, 0, "--filter does not process a chunk extracted to stdout");
		return cmd_usage(c, NULL);
	}
	int err = settle_length(c, o);

	if (err != 0)
		return err;
	err = input_open(&in, c, path);
	if (err < 0)
		return cmd_error(c, err, "cannot open %s for reading", cmd_quoteaf(c, path));
	if (cmd_fstat(c, in.fd, &o->input) != 0 || (o->input.mode & S_FMT) != S_REG)
		o->input.ino = 0;
	err = o->by == BY_LINES    ? split_lines(&in, o)
	      : o->by == BY_BYTES  ? split_bytes(&in, o)
	      : o->by == BY_CHUNKS ? split_chunks(&in, o)
				   : split_line_bytes(&in, o);
	end_piece(c, o);
	return err < 0 ? cmd_error(c, err, "%s", cmd_quotef(c, path)) : 0;
}

static void split_defaults(struct cmd *c)
{
	struct split_opts *o = c->opts;

	o->digits = letters;
	o->separator = -1;
	o->more_suffix = "";
}

const struct builtin builtin_split = {
	.name = "split",
	.usage = "[OPTION]... [FILE [PREFIX]]",
	.summary = "Cuts FILE into files PREFIXaa, PREFIXab, ... of 1000 lines; PREFIX is x.",
	.run = split_run,
	.opts = split_options,
	.opts_size = sizeof(struct split_opts),
	.defaults = split_defaults,
};
