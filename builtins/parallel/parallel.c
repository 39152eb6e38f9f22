/* SPDX-License-Identifier: MIT
 *
 * parallel - run a command for each of many arguments, several at once.
 *
 * Options, and the loop that fills jobs with records. With -X and -m a job takes arguments until
 * its line is full; those that are left at the end are dealt out to all slots.
 */
#include "builtins/parallel/parallel.h"

#include "base/number.h"
#include "builtins/temp.h"

enum { SLOTS_MAX = 250, CORES = 1, NS = 1000000000 };

static struct parallel_opts *opts_of(struct cmd *c)
{
	return c->opts;
}

_Noreturn static void bad(struct cmd *c, const char *text)
{
	cmd_fatal_status(c, ERROR_STATUS, 0, "Error: %s", text);
}

/* --- options --- */

static int add_file(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct parallel_opts *o = opts_of(c);

	(void)opt;
	o->files = arena_room(c->arena, o->files, o->nfiles, sizeof(char *));
	o->files[o->nfiles++] = arg;
	return 0;
}

/* "\t", "\0", "\x41", "\101", or the byte itself. */
static int set_delimiter(struct cmd *c, const struct opt *opt, const char *arg)
{
	static const char letters[] = "abfnrtv\\0";
	static const char values[] = "\a\b\f\n\r\t\v\\";
	const char *hit = arg[0] == '\\' && arg[1] != '\0' ? strchr(letters, arg[1]) : NULL;
	uint64_t number;

	(void)opt;
	opts_of(c)->delimiter = (unsigned char)arg[0];
	if (hit != NULL && arg[2] == '\0')
		opts_of(c)->delimiter = (unsigned char)values[hit - letters];
	else if (arg[0] == '\\' && arg[1] == 'x' &&
		 number_parse_u64(bytes_of(arg + 2), 16, &number, NULL) == strlen(arg + 2))
		opts_of(c)->delimiter = (int)(number & 0xff);
	else if (arg[0] != '\0' && arg[1] != '\0')
		bad(c, "--delimiter takes one byte.");
	return 0;
}

static int set_null(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt, (void)arg;
	opts_of(c)->delimiter = '\0';
	return 0;
}

static int number_of(struct cmd *c, const char *what, const char *arg, uint64_t *out)
{
	if (!num_plain(arg, out))
		return cmd_usage(c, "Value \"%s\" invalid for option %s (number expected)", arg,
				 what);
	return 0;
}

/* -n -N -L -l: value tells them apart. */
static int set_count(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct parallel_opts *o = opts_of(c);

	o->has_n = true;
	o->by_lines = opt->letter == 'L' || opt->letter == 'l';
	o->context |= opt->letter == 'N' || opt->letter == 'L';
	o->n = 1;
	return arg != NULL ? number_of(c, opt->name, arg, &o->n) : 0;
}

/* A size: k is 1000, K 1024. */
static int set_block(struct cmd *c, const struct opt *opt, const char *arg)
{
	static const char units[] = "kmgt";
	struct parallel_opts *o = opts_of(c);
	if (arg[0] == '-' && num_plain(arg + 1, &o->blocks) && o->blocks > 0) {
		o->blocks = o->blocks < 1000000 ? o->blocks : 1000000;
		return 0;
	}
	size_t n = number_parse_u64(bytes_of(arg), 10, &o->block, NULL);
	const char *unit = n > 0 && arg[n] != '\0' ? strchr(units, byte_to_lower(arg[n])) : NULL;

	(void)opt;
	if (n == 0 || arg[0] == '-' || o->block == 0 ||
	    (arg[n] != '\0' && (unit == NULL || arg[n + 1] != '\0')))
		return cmd_usage(c, "Value \"%s\" invalid for option block (size expected)", arg);
	for (const char *u = units; unit != NULL && u <= unit; u++)
		o->block *= byte_is_upper(arg[n]) ? 1024 : 1000;
	if (o->block > (uint64_t)1 << 40)
		o->block = (uint64_t)1 << 40;
	return 0;
}

static int set_many(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct parallel_opts *o = opts_of(c);

	(void)arg;
	o->many = true;
	o->context |= opt->letter == 'X';
	o->spread = opt->letter != 0;
	return 0;
}

static int set_chars(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	return number_of(c, "max-chars", arg, &opts_of(c)->max_chars);
}

static int set_retries(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	return number_of(c, "retries", arg, &opts_of(c)->retries);
}

/* --recend, --recstart: with \n, \t and \\. */
static int set_record(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct parallel_opts *o = opts_of(c);
	struct buf text = buf_in(c->arena);

	for (const char *at = arg; *at != '\0'; at++) {
		bool escape = *at == '\\' && at[1] != '\0' && strchr("nrt\\", at[1]) != NULL;

		at += escape;
		buf_putc(&text, !escape || *at == '\\' ? *at
				: *at == 'n'           ? '\n'
				: *at == 'r'           ? '\r'
						       : '\t');
	}
	*(opt->value == 0 ? &o->recend : &o->recstart) = buf_cstr(&text);
	return 0;
}

/* "TAG CODE" */
static int add_rpl(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct parallel_opts *o = opts_of(c);
	size_t n = strcspn(arg, " ");
	const char *message;

	(void)opt;
	o->rpl = arena_room(c->arena, o->rpl, o->nrpl, sizeof *o->rpl);
	o->rpl[o->nrpl] = (struct parallel_rpl){ .tag = { arg, n }, .text = bytes_of(arg + n) };
	if (memchr(arg, '(', n) != NULL)
		o->rpl[o->nrpl].groups = dynamic_compile(c, o->rpl[o->nrpl].tag, &message);
	else
		o->rpl[o->nrpl].code = edit_compile(c, bytes_of(arg + n), false, &message);
	if (o->rpl[o->nrpl].code == NULL && o->rpl[o->nrpl].groups == NULL)
		cmd_fatal_status(c, ERROR_STATUS, 0, "Error: --rpl %.*s: %s", (int)n, arg, message);
	o->nrpl += n > 0;
	return 0;
}

static int set_header(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	if (strcmp(arg, ":") != 0)
		bad(c, "--header is supported as --header : only.");
	opts_of(c)->header = true;
	return 0;
}

static int set_name(struct cmd *c, const struct opt *opt, const char *arg)
{
	opts_of(c)->name[opt->value] = arg;
	return 0;
}

/* -i[R], --replace[=R] */
static int set_replace(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	opts_of(c)->name[REPLACE_ARG] = arg;
	return 0;
}

#define NAME(letter_, long_, kind_, text)                                                          \
	{                                                                                          \
		.letter = (letter_), .name = (long_), .kind = OPT_KIND_CALL, .fn = set_name,       \
		.arg = OPT_ARG_REQUIRED, .metavar = "STR", .value = (kind_), .help = (text)        \
	}

#define RECORD(long_, value_, text)                                                                \
	{                                                                                          \
		.name = (long_), .kind = OPT_KIND_CALL, .fn = set_record, .arg = OPT_ARG_REQUIRED, \
		.metavar = "STR", .value = (value_), .help = (text)                                \
	}

/* The usual names and their other spellings; those without help are the latter. */
static const struct opt parallel_options[] = {
	OPT_CALL('0', "null", set_null, "arguments end with NUL"),
	OPT_CALL_ARG('a', "arg-file", add_file, "FILE", "read arguments from FILE"),
	OPT_CALL_ARG(0, "block", set_block, "SIZE", "--pipe: bytes of a block (1M)"),
	OPT_CALL_ARG(0, "block-size", set_block, "SIZE", NULL),
	OPT_STR('C', "colsep", struct parallel_opts, colsep, NULL, "REGEX",
		"arguments are columns between what matches REGEX"),
	OPT_CALL_ARG('d', "delimiter", set_delimiter, "CHAR", "arguments end with CHAR"),
	OPT_STR(0, "delay", struct parallel_opts, delay, NULL, "SECONDS", "between two starts"),
	OPT_FLAG(0, "dry-run", struct parallel_opts, dry_run, "only write the commands"),
	OPT_FLAG(0, "dryrun", struct parallel_opts, dry_run, NULL),
	OPT_STR('E', NULL, struct parallel_opts, eof, NULL, "END", "an argument END ends them"),
	OPT_CALL_ARG(0, "env", opt_ignored, "NAME", "no effect: jobs have the environment"),
	OPT_SET(0, "group", struct parallel_opts, grouping, GROUP_JOB,
		"outputs do not mix (the default)"),
	OPT_STR(0, "halt", struct parallel_opts, halt, NULL, "WHEN,WHY=N",
		"end early: never; soon or now, and fail, success or done with N or N%"),
	OPT_STR(0, "halt-on-error", struct parallel_opts, halt, NULL, "WHEN", NULL),
	OPT_CALL_ARG(0, "header", set_header, ":", "first values are names: {NAME}"),
	NAME('I', NULL, REPLACE_ARG, "STR instead of {}"),
	OPT_CALL_OPTIONAL('i', "replace", set_replace, "STR", "the same"),
	NAME(0, "er", REPLACE_NO_EXT, "STR instead of {.}"),
	NAME(0, "extensionreplace", REPLACE_NO_EXT, NULL),
	NAME(0, "bnr", REPLACE_BASE, "STR instead of {/}"),
	NAME(0, "basenamereplace", REPLACE_BASE, NULL),
	NAME(0, "dnr", REPLACE_DIR, "STR instead of {//}"),
	NAME(0, "dirnamereplace", REPLACE_DIR, NULL),
	NAME(0, "bner", REPLACE_BASE_NO_EXT, "STR instead of {/.}"),
	NAME(0, "basenameextensionreplace", REPLACE_BASE_NO_EXT, NULL),
	NAME(0, "seqreplace", REPLACE_SEQ, "STR instead of {#}"),
	NAME(0, "slotreplace", REPLACE_SLOT, "STR instead of {%}"),
	OPT_STR(0, "joblog", struct parallel_opts, joblog, NULL, "FILE", "write a line a job"),
	OPT_STR('j', "jobs", struct parallel_opts, jobs, NULL, "N",
		"jobs at once: N, +N, -N, N%; 0: all"),
	OPT_STR('P', "max-procs", struct parallel_opts, jobs, NULL, "N", NULL),
	OPT_FLAG('k', "keep-order", struct parallel_opts, keep_order,
		 "outputs in the order of the arguments"),
	OPT_FLAG(0, "keeporder", struct parallel_opts, keep_order, NULL),
	OPT_CALL_ARG('L', NULL, set_count, "N", "N lines a job"),
	OPT_CALL_OPTIONAL('l', "max-lines", set_count, "N", "the same; 1 if not given"),
	OPT_SET(0, "lb", struct parallel_opts, grouping, GROUP_LINE, NULL),
	OPT_SET(0, "line-buffer", struct parallel_opts, grouping, GROUP_LINE,
		"outputs mix by whole lines"),
	OPT_SET(0, "linebuffer", struct parallel_opts, grouping, GROUP_LINE, NULL),
	OPT_FLAG(0, "link", struct parallel_opts, link, "take one of each source at a time"),
	OPT_FLAG(0, "xapply", struct parallel_opts, link, NULL),
	OPT_CALL('m', NULL, set_many, "many arguments a job, joined where {} stands"),
	OPT_CALL_ARG('n', "max-args", set_count, "N", "N arguments a job"),
	OPT_CALL_ARG('N', "max-replace-args", set_count, "N", "the same, as {1}, {2}, ..."),
	OPT_FLAG(0, "pipe", struct parallel_opts, pipe,
		 "cut standard input into blocks, for the jobs to read"),
	OPT_FLAG(0, "spreadstdin", struct parallel_opts, pipe, NULL),
	OPT_FLAG(0, "pipe-part", struct parallel_opts, part, "cut the file of -a into blocks"),
	OPT_FLAG(0, "pipepart", struct parallel_opts, part, NULL),
	OPT_FLAG(0, "csv", struct parallel_opts, csv,
		 "lines are records of CSV; --colsep is what stands between values"),
	OPT_FLAG(0, "round-robin", struct parallel_opts, round_robin,
		 "--pipe: blocks are dealt out to as many jobs as may run at once"),
	OPT_FLAG(0, "roundrobin", struct parallel_opts, round_robin, NULL),
	OPT_FLAG(0, "fifo", struct parallel_opts, cat, "the same as --cat"),
	OPT_FLAG(0, "cat", struct parallel_opts, cat, "--pipe: {} is a file that holds the block"),
	OPT_FLAG(0, "files", struct parallel_opts, keep_files,
		 "outputs stay in files, whose names are written"),
	OPT_FLAG(0, "tee", struct parallel_opts, tee, "--pipe: all of it for each job"),
	OPT_CALL_ARG(0, "rpl", add_rpl, "TAG CODE", "TAG stands for the value edited by CODE"),
	OPT_FLAG(0, "plus", struct parallel_opts, plus,
		 "also {+/} {+.} {+..} {+...} {..} {...} {##} {0#} {0%}, {%RE}, {#RE}, {/RE/STR}, "
		 "{:N:N}, {:-STR}, {^STR}, {,STR}"),
	OPT_FLAG('q', "quote", struct parallel_opts, quote, "the command's words are quoted"),
	OPT_FLAG('r', "no-run-if-empty", struct parallel_opts, no_empty,
		 "pass over empty arguments"),
	RECORD("recend", 0, "--pipe: how records end (a newline)"),
	RECORD("recstart", 1, "--pipe: how records begin"),
	OPT_STR(0, "results", struct parallel_opts, results, NULL, "DIR",
		"keep outputs in files below DIR"),
	OPT_STR(0, "res", struct parallel_opts, results, NULL, "DIR", NULL),
	OPT_SET(0, "resume", struct parallel_opts, resume, RESUME_ALL,
		"leave out jobs that the --joblog has"),
	OPT_SET(0, "resume-failed", struct parallel_opts, resume, RESUME_FAILED,
		"the same, but run those that failed"),
	OPT_CALL_ARG(0, "retries", set_retries, "N", "start a job up to N times until it succeeds"),
	OPT_CALL_ARG('s', "max-chars", set_chars, "N", "a command is shorter than N bytes"),
	OPT_FLAG(0, "shellquote", struct parallel_opts, shellquote,
		 "only write the arguments, quoted"),
	OPT_FLAG(0, "shell-quote", struct parallel_opts, shellquote, NULL),
	OPT_FLAG(0, "shuf", struct parallel_opts, shuffle, "jobs in random order"),
	OPT_FLAG(0, "skip-first-line", struct parallel_opts, skip_first,
		 "pass over the first argument"),
	OPT_FLAG('t', NULL, struct parallel_opts, trace, "write commands to standard error"),
	OPT_FLAG(0, "tag", struct parallel_opts, tag, "the argument and a tab before each line"),
	OPT_STR(0, "tagstring", struct parallel_opts, tagstring, NULL, "STR",
		"STR and a tab before each line"),
	OPT_STR(0, "timeout", struct parallel_opts, timeout, NULL, "TIME",
		"end jobs that run longer: seconds, or 2m, 1h, 1d"),
	OPT_STR(0, "tmpdir", struct parallel_opts, tmpdir, NULL, "DIR", "for outputs (/tmp)"),
	OPT_STR(0, "trim", struct parallel_opts, trim, NULL, "n|l|r|lr|rl",
		"white space to take off arguments"),
	OPT_SET('u', "ungroup", struct parallel_opts, grouping, GROUP_NONE,
		"outputs come as they are written"),
	OPT_FLAG('v', "verbose", struct parallel_opts, verbose, "write commands before outputs"),
	OPT_STR(0, "wd", struct parallel_opts, wd, NULL, "DIR", "where jobs run"),
	OPT_STR(0, "workdir", struct parallel_opts, wd, NULL, "DIR", NULL),
	OPT_CALL('X', NULL, set_many, "many arguments a job; words with {} are repeated"),
	OPT_CALL(0, "xargs", set_many, "the same, as many as fit"),
	OPT_IGNORED(0, "will-cite", "no effect"),
	OPT_IGNORED(0, "no-notice", NULL),
	OPT_IGNORED(0, "gnu", NULL),
	OPT_IGNORED(0, "bar", "no effect, as --eta, --progress, --color: nobody watches"),
	OPT_IGNORED(0, "eta", NULL),
	OPT_IGNORED(0, "progress", NULL),
	OPT_IGNORED(0, "color", NULL),
	OPT_IGNORED(0, "color-failed", NULL),
	OPT_IGNORED(0, "compress", NULL),
	OPT_IGNORED(0, "noswap", "no effect, as --load, --memfree, --nice: there is no load"),
	OPT_IGNORED_ARG(0, "load", "LOAD", NULL),
	OPT_IGNORED_ARG(0, "memfree", "SIZE", NULL),
	OPT_IGNORED_ARG(0, "nice", "N", NULL),
	OPT_MISSING('S', "sshlogin"),
	OPT_MISSING_ARG(0, "sshloginfile"),
	OPT_MISSING(0, "rrs"),
	OPT_MISSING(0, "remove-rec-sep"),
	OPT_MISSING_ARG(0, "filter"),
	OPT_MISSING_ARG(0, "termseq"),
	OPT_MISSING(0, "tmux"),
	OPT_MISSING(0, "tty"),
	OPT_MISSING(0, "semaphore"),
	OPT_MISSING(0, "retry-failed"),
	OPT_MISSING(0, "number-of-cores"),
	OPT_MISSING(0, "max-line-length-allowed"),
	OPT_END(),
};

static void parse_jobs(struct cmd *c, struct parallel_opts *o)
{
	static const char failed[] = "Parsing of --jobs/-j/--max-procs/-P failed.";
	struct bytes s = bytes_of(o->jobs != NULL ? o->jobs : "100%");
	bool relative = s.len > 0 && (s.ptr[0] == '+' || s.ptr[0] == '-');
	bool less = relative && s.ptr[0] == '-';
	bool part = bytes_ends(s, BYTES("%"));
	uint64_t n;
	struct bytes digits = bytes_slice(s, relative, s.len - (part && s.len > 1));
	const char *text = arena_dup(c->arena, digits);

	if (!num_plain(text, &n) || n > 1000000)
		bad(c, failed);
	if (part)
		n = n * CORES / 100 > 0 ? n * CORES / 100 : 1;
	if (relative && less && n >= CORES)
		bad(c, "Cannot run any jobs.");
	if (relative)
		n = less ? CORES - n : CORES + n;
	o->slots = n == 0 || n > SLOTS_MAX ? SLOTS_MAX : n;
}

static bool take_word(struct bytes *s, const char *word)
{
	struct bytes w = bytes_of(word);

	if (!bytes_starts(*s, w))
		return false;
	*s = bytes_slice(*s, w.len, s->len);
	return true;
}

static void parse_halt_count(struct cmd *c, struct parallel_opts *o, struct bytes s)
{
	o->halt_percent = bytes_ends(s, BYTES("%"));
	s.len -= o->halt_percent;
	if (!num_plain(arena_dup(c->arena, s), &o->halt_count))
		cmd_fatal_status(c, ERROR_STATUS, 0,
				 "Error: --halt %s must be followed by ,number or ,percent%%.",
				 o->halt);
}

/* "now,fail=1", and the old "0", "1", "2", "N%". */
static void parse_halt(struct cmd *c, struct parallel_opts *o)
{
	struct bytes s = bytes_of(o->halt != NULL ? o->halt : "never");

	o->halt_count = 1;
	if (bytes_is(s, "never") || bytes_is(s, "0"))
		return;
	o->halt_when = bytes_is(s, "2") || bytes_starts(s, BYTES("now")) ? HALT_NOW : HALT_SOON;
	if (bytes_is(s, "1") || bytes_is(s, "2"))
		return;
	if (s.len > 0 && byte_is_digit(s.ptr[0]) && bytes_ends(s, BYTES("%"))) {
		parse_halt_count(c, o, s);
		return;
	}
	if (!take_word(&s, "now") && !take_word(&s, "soon"))
		bad(c, "--halt must have 'never', 'soon', or 'now'.");
	if (take_word(&s, ",fail"))
		o->halt_why = HALT_FAIL;
	else if (take_word(&s, ",success"))
		o->halt_why = HALT_SUCCESS;
	else if (take_word(&s, ",done"))
		o->halt_why = HALT_DONE;
	else
		cmd_fatal_status(c, ERROR_STATUS, 0,
				 "Error: --halt %s must be followed by ,success or ,fail.",
				 o->halt_when == HALT_NOW ? "now" : "soon");
	take_word(&s, "=");
	parse_halt_count(c, o, s);
}

static void check_options(struct cmd *c, struct parallel_opts *o)
{
	parse_jobs(c, o);
	parse_halt(c, o);
	if (o->timeout != NULL && !num_parse_span(o->timeout, &o->timeout_ns))
		bad(c, bytes_ends(bytes_of(o->timeout), BYTES("%"))
			       ? "--timeout as a percentage is not supported."
			       : "--timeout must be seconds or percentage.");
	if (o->delay != NULL && !num_parse_span(o->delay, &o->delay_ns))
		bad(c, "--delay must be seconds.");
	if (o->resume != RESUME_NONE && o->joblog == NULL)
		bad(c, "--resume and --resume-failed require --joblog.");
	if (o->wd != NULL && strcmp(o->wd, "...") == 0)
		bad(c, "--wd ... is not supported.");
	if (o->results != NULL && strchr(o->results, '{') != NULL)
		bad(c, "--results takes a directory without replacement strings.");
	if (o->part && (o->has_n || o->by_lines))
		bad(c, "--pipepart is incompatible with --max-replace-args, --max-lines, and -L.");
	if (o->part && o->nfiles != 1)
		bad(c, "--pipepart needs one file of -a.");
	if (o->blocks > 0 && !o->part)
		bad(c, "A negative --block needs --pipepart.");
	o->pipe |= o->part || o->cat;
	o->tee &= o->pipe && !o->part;
	o->cat &= o->pipe && !o->tee;
	if (o->max_chars == 0)
		o->max_chars = LINE_MAX_BYTES;
	if (o->block == 0 && !o->part)
		o->block = 1 << 20;
	if (o->trim != NULL && strspn(o->trim, "nlr") != strlen(o->trim))
		bad(c, "--trim must be one of: r l rl lr.");
}

/* --- filling jobs --- */

struct filler {
	struct cmd *c;
	struct parallel_opts *o;
	struct inputs *in;
	struct runner *runner;
	struct template *command;
	struct template *tag;
	struct arena arena[2]; /* arguments of jobs, in turn */
	int current;
	struct buf args;    /* of struct bytes, in c->arena */
	struct record kept; /* read, but for the next job */
	bool has_kept;
	bool at_end;
	struct job_values v;
	int all; /* --tee: standard input as a file; -1: none */
};

/* --tee: a job's own file of all that was read. */
static int copy_of_all(struct filler *f)
{
	if (f->all < 0)
		return -1;
	int fd = temp_open(f->c, f->o->tmpdir);

	temp_copy(f->c, f->all, fd);
	return fd;
}

static int read_all(struct cmd *c, const struct parallel_opts *o)
{
	int fd = temp_open(c, o->tmpdir);
	struct input in;
	struct bytes block;
	int got;

	input_init(&in, c, 0, "-");
	while ((got = input_block(&in, &block)) > 0) {
		got = cmd_write_fd(c, fd, block.ptr, block.len);
		cmd_charge_bytes(c, block.len);
		if (got < 0)
			break;
	}
	if (got < 0)
		cmd_fatal_status(c, ERROR_STATUS, got, "Error: standard input");
	return fd;
}

static bool next_record(struct filler *f, struct record *out)
{
	if (f->has_kept) {
		*out = f->kept;
		f->has_kept = false;
		return true;
	}
	f->at_end = f->at_end || !inputs_next(f->in, &f->arena[f->current], out);
	return !f->at_end;
}

static size_t length_of(struct filler *f, const struct bytes *arg, size_t n)
{
	struct job_values v = f->v;
	struct arena scratch;

	arena_init_under(&scratch, f->c->arena);
	struct buf text = buf_in(&scratch);

	v.arg = arg;
	v.n = n;
	template_expand(f->command, &v, &text);
	arena_clear(&scratch);
	return text.len;
}

/* By how much a record makes a command longer that has arguments already. */
static size_t added_length(struct filler *f, const struct record *r)
{
	size_t sum = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct bytes twice[2] = { r->arg[i], r->arg[i] };

		sum += length_of(f, twice, 2) - length_of(f, twice, 1);
	}
	return sum;
}

static void add_args(struct filler *f, const struct record *r)
{
	buf_put(&f->args, r->arg, r->n * sizeof(struct bytes));
	f->v.arg = (const void *)f->args.ptr;
	f->v.n = f->args.len / sizeof(struct bytes);
}

static void start_job(struct filler *f)
{
	struct arena scratch;

	f->v.slot = runner_slot(f->runner);
	if (runner_stopped(f->runner))
		return;
	arena_init_under(&scratch, f->c->arena);
	struct buf text = buf_in(&scratch);
	struct buf tag = buf_in(&scratch);

	if (f->v.total < f->v.seq)
		f->v.total = f->v.seq;
	if (f->o->has_n && f->o->n == 0)
		f->v.n = 0;
	template_expand(f->command, &f->v, &text);
	template_expand(f->tag, &f->v, &tag);
	if (text.len >= f->o->max_chars)
		cmd_fatal_status(f->c, ERROR_STATUS, 0,
				 "Error: Command line too long (%zu >= %llu) at input %llu: %.*s",
				 text.len, (unsigned long long)f->o->max_chars,
				 (unsigned long long)f->v.seq - 1,
				 f->v.n > 0 ? (int)(f->v.arg[0].len & 0xffff) : 0,
				 f->v.n > 0 ? f->v.arg[0].ptr : "");
	if (!runner_done_before(f->runner, f->v.seq))
		runner_start(f->runner, buf_bytes(&text), buf_bytes(&tag), &f->v, copy_of_all(f));
	arena_clear(&scratch);
}

/* Starts jobs with `per` of the collected arguments each. */
static void spread(struct filler *f, size_t per)
{
	const struct bytes *arg = f->v.arg;
	size_t n = f->v.n;

	for (size_t i = 0; i < n && !runner_stopped(f->runner); i += per) {
		f->v.arg = arg + i;
		f->v.n = n - i < per ? n - i : per;
		start_job(f);
		f->v.seq++;
	}
	f->v.seq--;
}

/* Reads the next record ahead: whether there is one. */
static bool keep_next(struct filler *f)
{
	if (!f->has_kept)
		f->has_kept = next_record(f, &f->kept);
	return f->has_kept;
}

static void fill_many(struct filler *f)
{
	size_t length = 0;
	uint64_t records = 0;
	struct record r;
	bool full = false;

	while (!full && next_record(f, &r)) {
		cmd_charge(f->c, 1);
		if (records == 0) {
			length = length_of(f, r.arg, r.n);
		} else {
			length += added_length(f, &r);
			full = length >= f->o->max_chars;
		}
		if (full) {
			f->kept = r;
			f->has_kept = true;
			break;
		}
		add_args(f, &r);
		records++;
		full = f->o->has_n && records >= f->o->n && keep_next(f);
	}
	if (full || !f->o->spread)
		start_job(f);
	else
		spread(f, (size_t)((f->v.n + f->o->slots - 1) / f->o->slots));
}

static void fill_count(struct filler *f, uint64_t n)
{
	struct record r;

	for (uint64_t i = 0; i < n && next_record(f, &r); i++)
		add_args(f, &r);
	start_job(f);
}

/* Makes the other arena the current one, empty but for the record that was kept. */
static void turn_arenas(struct filler *f)
{
	struct arena *a = &f->arena[1 - f->current];
	struct bytes *arg = f->has_kept ? arena_array(a, f->kept.n + 1, sizeof *arg) : NULL;

	for (size_t i = 0; f->has_kept && i < f->kept.n; i++)
		arg[i] = arena_bytes(a, f->kept.arg[i]);
	f->kept.arg = arg;
	arena_clear(&f->arena[f->current]);
	f->current = 1 - f->current;
}

/* Whether there is another record; it is kept for the next job. */
static bool more(struct filler *f)
{
	turn_arenas(f);
	return keep_next(f);
}

static void run_jobs(struct filler *f)
{
	uint64_t n = f->o->has_n && f->o->n > 0 ? f->o->n : 1;

	arena_init_under(&f->arena[0], f->c->arena);
	arena_init_under(&f->arena[1], f->c->arena);
	f->args = buf_in(f->c->arena);
	if (template_wants_total(f->command) || f->o->halt_percent)
		f->v.total = (inputs_count(f->in) + n - 1) / n;
	while (!runner_stopped(f->runner) && more(f)) {
		f->args.len = 0;
		f->v.n = 0;
		f->v.seq++;
		if (f->o->many)
			fill_many(f);
		else
			fill_count(f, n);
	}
	arena_clear(&f->arena[0]);
	arena_clear(&f->arena[1]);
}

/* --shellquote: no jobs, only words. */
static int write_quoted(struct cmd *c, struct inputs *in)
{
	struct record r;
	struct arena scratch;

	arena_init_under(&scratch, c->arena);
	while (inputs_next(in, &scratch, &r)) {
		struct buf line = buf_in(&scratch);

		for (size_t i = 0; i < r.n; i++) {
			if (i > 0)
				buf_putc(&line, ' ');
			shell_quote(&line, r.arg[i]);
		}
		buf_putc(&line, '\n');
		cmd_bytes(c, buf_bytes(&line));
		arena_clear(&scratch);
	}
	arena_clear(&scratch);
	return 0;
}

static int parallel_run(struct cmd *c)
{
	struct parallel_opts *o = opts_of(c);
	struct filler f = { .c = c, .o = o, .all = -1 };
	const struct bytes *names;
	int ncommand;

	check_options(c, o);
	f.in = inputs_new(c, o, &ncommand);
	if (o->shellquote)
		return write_quoted(c, f.in);
	size_t nnames = inputs_names(f.in, &names);

	o->names = names;
	o->nnames = nnames;

	f.command = template_new(c, o, c->args, (size_t)ncommand, names, nnames);
	f.tag = template_plain(c, o, bytes_of(o->tagstring != NULL ? o->tagstring : "{}"), names,
			       nnames);
	f.runner = runner_new(c, o);
	if (o->tee)
		f.all = read_all(c, o);
	if (o->pipe && !o->tee)
		pipe_run(c, o, f.runner, f.command, f.tag);
	else
		run_jobs(&f);
	return runner_finish(f.runner, f.v.total);
}

static void parallel_defaults(struct cmd *c)
{
	opts_of(c)->delimiter = '\n';
}

const struct builtin builtin_parallel = {
	.name = "parallel",
	.usage = "[OPTION]... [COMMAND [ARG]...] [::: VALUE...] [:::: FILE...]",
	.summary =
		"Runs COMMAND for each line of standard input or VALUE, several at once.\n"
		"In COMMAND stand {}: the value, {.}: without extension, {/}: its last part,\n"
		"{//}: its directory, {/.}: last part without extension, {#}: number of the job,\n"
		"{%}: of its slot, {2}, {-1.}: second value, last one without extension,\n"
		"{= s/a/b/ =}: the value edited. :::+ and ::::+ go in step with the list before.",
	.run = parallel_run,
	.opts = parallel_options,
	.opts_size = sizeof(struct parallel_opts),
	.flags = BUILTIN_STOP,
	.usage_status = ERROR_STATUS,
	.error_status = ERROR_STATUS,
	.family = "GNU parallel 20221122",
	.version = "GNU parallel 20221122",
	.defaults = parallel_defaults,
};
