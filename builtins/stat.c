/* SPDX-License-Identifier: MIT
 *
 * stat - what is known about files.
 *
 * Every form, the default one too, is a format string that is walked for each file.
 */
#include "base/format.h"
#include "builtins/zone.h"

#define SECOND_NS ((int64_t)1000000000)

struct stat_opts {
	bool follow;
	bool terse;
	bool file_system;
	const char *format; /* NULL: the usual one */
	bool escapes;       /* it is --printf's */
	const char *cached;
	struct zone *zone;
};

/* Of several the last counts. */
static int set_format(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct stat_opts *o = c->opts;

	o->format = arg;
	o->escapes = opt->letter != 'c';
	return 0;
}

static const struct opt stat_options[] = {
	OPT_FLAG('L', "dereference", struct stat_opts, follow, "follow links"),
	OPT_FLAG('f', "file-system", struct stat_opts, file_system, "the file system instead"),
	OPT_STR(0, "cached", struct stat_opts, cached, NULL, "MODE", "no effect"),
	OPT_CALL_ARG('c', "format", set_format, "FORMAT", "use FORMAT, and a newline"),
	OPT_CALL_ARG(0, "printf", set_format, "FORMAT",
		     "use FORMAT, with backslash escapes and no newline"),
	OPT_FLAG('t', "terse", struct stat_opts, terse, "in one line"),
	OPT_END(),
};

/* One file under work. */
struct subject {
	const char *path;
	struct vfs_stat st;
	bool *failed; /* something that the format asks for is not there */
};

/* Flags, width and precision of a conversion. */
struct spec {
	bool left;
	bool zero;
	bool plus;
	bool space;
	bool alt;
	size_t width;
	int precision; /* -1: none; -2: a '.' alone */
};

static const char *take_spec(const char *at, struct spec *s)
{
	*s = (struct spec){ .precision = -1 };
	for (;; at++) {
		if (*at == '-')
			s->left = true;
		else if (*at == '0')
			s->zero = true;
		else if (*at == '+')
			s->plus = true;
		else if (*at == ' ')
			s->space = true;
		else if (*at == '#')
			s->alt = true;
		else if (*at != '\'' && *at != 'I')
			break;
	}
	for (; byte_is_digit(*at) && s->width < 100000; at++)
		s->width = s->width * 10 + (size_t)(*at - '0');
	if (*at != '.')
		return at;
	at++;
	s->precision = byte_is_digit(*at) ? 0 : -2;
	for (; byte_is_digit(*at) && s->precision < 100000; at++)
		s->precision = s->precision * 10 + (*at - '0');
	return at;
}

static void put_padded(struct cmd *c, const struct spec *s, struct bytes text, bool number)
{
	size_t pad = s->width > text.len ? s->width - text.len : 0;
	char fill = s->zero && number && !s->left ? '0' : ' ';

	for (size_t i = 0; i < pad && !s->left; i++)
		cmd_putc(c, fill);
	cmd_bytes(c, text);
	for (size_t i = 0; i < pad && s->left; i++)
		cmd_putc(c, ' ');
}

static void put_text(struct cmd *c, const struct spec *s, const char *text)
{
	struct bytes t = bytes_of(text);

	if (s->precision >= 0 && t.len > (size_t)s->precision)
		t.len = (size_t)s->precision;
	put_padded(c, s, t, false);
}

/* As printf does it. conv: u, o or x. */
static void put_number(struct cmd *c, const struct spec *s, char conv, uint64_t v)
{
	struct buf text = buf_in(c->arena);
	struct format_spec spec = {
		.flags = (s->left ? FORMAT_LEFT : 0u) | (s->zero ? FORMAT_ZERO : 0u) |
			 (s->alt ? FORMAT_ALT : 0u),
		.width = (int64_t)s->width,
		.precision = s->precision == -2 ? 0 : s->precision,
		.conv = conv,
	};

	format_put_u64(&text, &spec, v);
	cmd_bytes(c, buf_bytes(&text));
}

/* Seconds, with as many digits of the fraction as the precision says; without, rounded down. */
static void put_seconds(struct cmd *c, const struct spec *s, int64_t ns)
{
	struct buf text = buf_in(c->arena);
	int digits = s->precision == -2 ? 9 : s->precision;

	if (digits <= 0)
		ns = (ns / SECOND_NS - (ns % SECOND_NS < 0)) * SECOND_NS;
	bool minus = ns < 0;
	uint64_t size = minus ? 0 - (uint64_t)ns : (uint64_t)ns;

	if (minus || s->plus || s->space)
		buf_putc(&text, minus ? '-' : s->plus ? '+' : ' ');
	buf_put_u64(&text, size / SECOND_NS);
	if (digits > 0) {
		struct buf fraction = buf_in(c->arena);

		buf_printf(&fraction, "%09llu", (unsigned long long)(size % SECOND_NS));
		buf_putc(&text, '.');
		buf_put(&text, fraction.ptr, digits < 9 ? (size_t)digits : 9);
		buf_fill(&text, '0', digits > 9 ? (size_t)digits - 9 : 0);
	}
	put_padded(c, s, buf_bytes(&text), true);
}

/* Times are texts: a precision cuts them. */
static void put_time(struct cmd *c, const struct stat_opts *o, const struct spec *s, int64_t ns)
{
	struct buf text = buf_in(c->arena);
	struct civil civil;
	int64_t seconds = ns / SECOND_NS - (ns % SECOND_NS < 0);

	time_civil(o->zone, seconds, &civil);
	time_format(&text, BYTES("%Y-%m-%d %H:%M:%S.%N %z"), &civil, seconds,
		    (uint32_t)(ns - seconds * SECOND_NS));
	put_text(c, s, buf_cstr(&text));
}

/* As QUOTING_STYLE says. */
static const char *quoted_name(struct cmd *c, const char *name)
{
	const char *style = cmd_getenv(c, "QUOTING_STYLE");
	struct buf out = buf_in(c->arena);

	if (style == NULL)
		return cmd_quoteaf(c, name);
	for (const struct opt_word *w = quote_words; w->word != NULL; w++) {
		if (strcmp(w->word, style) != 0)
			continue;
		quote_put(&out, bytes_of(name), (enum quote_style)w->value, "", c->utf8);
		return buf_cstr(&out);
	}
	cmd_warn(c, 0, "ignoring invalid value of environment variable QUOTING_STYLE: %s",
		 cmd_quote(c, style));
	return cmd_quoteaf(c, name);
}

static void put_name(struct cmd *c, const struct stat_opts *o, const struct spec *s,
		     const struct subject *f)
{
	/* One %N without flags or width in the format has names quoted in all of them. */
	bool quoted = o->format == NULL || strstr(o->format, "%N") != NULL;
	struct bytes target;

	put_text(c, s, quoted ? quoted_name(c, f->path) : f->path);
	if ((f->st.mode & S_FMT) == S_LNK && cmd_readlink(c, CMD_CWD, f->path, &target) == 0) {
		cmd_puts(c, " -> ");
		put_text(c, s, quoted ? quoted_name(c, target.ptr) : target.ptr);
	}
}

static void put_owner(struct cmd *c, const struct spec *s, uint32_t id, bool group)
{
	const char *name = group ? cmd_group_name(c, id) : cmd_user_name(c, id);

	put_text(c, s, name != NULL ? name : "UNKNOWN");
}

/* There are no security contexts here. */
static void put_context(struct cmd *c, const struct spec *s, const struct subject *f)
{
	cmd_warn(c, -E_NODATA, "failed to get security context of %s", cmd_quoteaf(c, f->path));
	*f->failed = true;
	put_text(c, s, "?");
}

/* long: one case for each conversion of files. False: unknown. */
static bool put_file_field(struct cmd *c, const struct stat_opts *o, const struct spec *s,
			   char conv, const struct subject *f)
{
	const struct vfs_stat *st = &f->st;
	char mode[11];
	bool device = (st->mode & S_FMT) == S_CHR || (st->mode & S_FMT) == S_BLK;

	switch (conv) {
	case 'a': put_number(c, s, 'o', st->mode & 07777); return true;
	case 'A':
		mode_text(st->mode, mode);
		put_text(c, s, mode);
		return true;
	case 'b': put_number(c, s, 'u', st->blocks); return true;
	case 'B': put_number(c, s, 'u', 512); return true;
	case 'C': put_context(c, s, f); return true;
	case 'd': put_number(c, s, 'u', st->dev); return true;
	case 'D': put_number(c, s, 'x', st->dev); return true;
	case 'f': put_number(c, s, 'x', st->mode); return true;
	case 'F': put_text(c, s, mode_type_text(st)); return true;
	case 'g': put_number(c, s, 'u', st->gid); return true;
	case 'G': put_owner(c, s, st->gid, true); return true;
	case 'h': put_number(c, s, 'u', st->nlink); return true;
	case 'i': put_number(c, s, 'u', st->ino); return true;
	case 'm': put_text(c, s, "/"); return true;
	case 'n': put_text(c, s, f->path); return true;
	case 'N': put_name(c, o, s, f); return true;
	case 'o': put_number(c, s, 'u', 4096); return true;
	case 'r': put_number(c, s, 'u', device ? st->rdev : 0); return true;
	case 'R': put_number(c, s, 'x', device ? st->rdev : 0); return true;
	case 's': put_number(c, s, 'u', st->size); return true;
	case 't': put_number(c, s, 'x', device ? st->rdev >> 8 : 0); return true;
	case 'T': put_number(c, s, 'x', device ? st->rdev & 0xff : 0); return true;
	case 'u': put_number(c, s, 'u', st->uid); return true;
	case 'U': put_owner(c, s, st->uid, false); return true;
	case 'w': put_time(c, o, s, st->btime_ns); return true;
	case 'W': put_seconds(c, s, st->btime_ns); return true;
	case 'x': put_time(c, o, s, st->atime_ns); return true;
	case 'X': put_seconds(c, s, st->atime_ns); return true;
	case 'y': put_time(c, o, s, st->mtime_ns); return true;
	case 'Y': put_seconds(c, s, st->mtime_ns); return true;
	case 'z': put_time(c, o, s, st->ctime_ns); return true;
	case 'Z': put_seconds(c, s, st->ctime_ns); return true;
	default: return false;
	}
}

/* %Hd %Ld %Hr %Lr: major and minor numbers. */
static bool put_half(struct cmd *c, const struct spec *s, const char *at, const struct subject *f)
{
	uint64_t number = at[1] == 'd' ? f->st.dev : f->st.rdev;

	if ((at[0] != 'H' && at[0] != 'L') || (at[1] != 'd' && at[1] != 'r'))
		return false;
	put_number(c, s, 'u', at[0] == 'H' ? number >> 8 : number & 0xff);
	return true;
}

/* The conversions of -f: a file system without limits that are known here. */
static bool put_system_field(struct cmd *c, const struct spec *s, char conv,
			     const struct subject *f)
{
	switch (conv) {
	case 'n': put_text(c, s, f->path); return true;
	case 'i': put_number(c, s, 'x', f->st.dev); return true;
	case 'l': put_number(c, s, 'u', 255); return true;
	case 't': put_number(c, s, 'x', 0x01021994); return true;
	case 'T': put_text(c, s, "tmpfs"); return true;
	case 's':
	case 'S': put_number(c, s, 'u', 4096); return true;
	case 'a':
	case 'b':
	case 'c':
	case 'd':
	case 'f': put_number(c, s, 'u', 524288); return true;
	default: return false;
	}
}

static const char *put_escape(struct cmd *c, const char *at)
{
	static const char letters[] = "abefnrtv\\\"";
	static const char values[] = "\a\b\x1b\f\n\r\t\v\\\"";
	const char *hit = *at != '\0' ? strchr(letters, *at) : NULL;
	int value = 0;
	int n = 0;

	if (*at == '\0') {
		cmd_warn(c, 0, "warning: backslash at end of format");
		cmd_putc(c, '\\');
		return at;
	}
	if (hit != NULL) {
		cmd_putc(c, values[hit - letters]);
		return at + 1;
	}
	if (*at == 'x' && byte_is_xdigit(at[1])) {
		for (at++; n < 2 && byte_is_xdigit(*at); n++)
			value = value * 16 + byte_digit(*at++);
	} else if (*at >= '0' && *at <= '7') {
		for (; n < 3 && *at >= '0' && *at <= '7'; n++)
			value = value * 8 + *at++ - '0';
	} else {
		cmd_warn(c, 0, "warning: unrecognized escape '\\%c'", *at);
		value = *at++;
	}
	cmd_putc(c, (char)value);
	return at;
}

static const char *put_conversion(struct cmd *c, const struct stat_opts *o, const char *at,
				  const struct subject *f)
{
	struct spec s;
	const char *start = at;

	at = take_spec(at + 1, &s);
	if (*at == '%' || *at == '\0') {
		if (at - start > 1)
			cmd_fatal(c, 0, "%s: invalid directive",
				  cmd_quote_n(c, (struct bytes){ start, (size_t)(at - start) +
										(*at == '%') }));
		cmd_putc(c, '%');
		return at + (*at == '%');
	}
	if (!o->file_system && put_half(c, &s, at, f))
		return at + 2;
	bool known = o->file_system ? put_system_field(c, &s, *at, f)
				    : put_file_field(c, o, &s, *at, f);

	if (!known)
		cmd_putc(c, '?');
	return at + 1;
}

static void put_format(struct cmd *c, const struct stat_opts *o, const char *at, bool escapes,
		       const struct subject *f)
{
	struct arena_mark mark = arena_mark(c->arena);

	while (*at != '\0') {
		if (*at == '%')
			at = put_conversion(c, o, at, f);
		else if (*at == '\\' && escapes)
			at = put_escape(c, at + 1);
		else
			cmd_putc(c, *at++);
	}
	arena_release(c->arena, mark);
}

static const char *default_format(const struct stat_opts *o, const struct subject *f)
{
	uint32_t type = f->st.mode & S_FMT;

	if (o->file_system)
		return o->terse ? "%n %i %l %t %s %S %b %f %a %c %d\n"
				: "  File: \"%n\"\n    ID: %-8i Namelen: %-7l Type: %T\n"
				  "Block size: %-10s Fundamental block size: %S\n"
				  "Blocks: Total: %-10b Free: %-10f Available: %a\n"
				  "Inodes: Total: %-10c Free: %d\n";
	if (o->terse)
		return "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n";
	if (type == S_CHR || type == S_BLK)
		return "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\n"
		       "Device: %Hd,%Ld\tInode: %-10i  Links: %-5h Device type: %Hr,%Lr\n"
		       "Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\n"
		       "Access: %x\nModify: %y\nChange: %z\n Birth: %w\n";
	return "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\n"
	       "Device: %Hd,%Ld\tInode: %-10i  Links: %h\n"
	       "Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\n"
	       "Access: %x\nModify: %y\nChange: %z\n Birth: %w\n";
}

/* "File:" shows the name without quotes unless it needs them. */
static void put_default(struct cmd *c, const struct stat_opts *o, const struct subject *f)
{
	const char *format = default_format(o, f);
	struct bytes target;

	if (strncmp(format, "  File: %N", 10) == 0) {
		cmd_printf(c, "  File: %s", cmd_quotef(c, f->path));
		if ((f->st.mode & S_FMT) == S_LNK &&
		    cmd_readlink(c, CMD_CWD, f->path, &target) == 0)
			cmd_printf(c, " -> %s", cmd_quotef(c, target.ptr));
		format += 10;
	}
	put_format(c, o, format, false, f);
}

static int stat_file(struct cmd *c, const struct stat_opts *o, const char *path)
{
	bool failed = false;
	struct subject f = { .path = path, .failed = &failed };
	int err;

	if (strcmp(path, "-") == 0 && o->file_system)
		return cmd_error(c, 0,
				 "using '-' to denote standard input does not work in file system "
				 "mode");
	if (strcmp(path, "-") == 0)
		err = cmd_fstat(c, 0, &f.st);
	else
		err = o->follow || o->file_system ? cmd_stat(c, path, &f.st)
						  : cmd_lstat(c, path, &f.st);
	if (err < 0 && o->file_system)
		return cmd_error(c, err, "cannot read file system information for %s",
				 cmd_quoteaf(c, path));
	if (err < 0)
		return cmd_error(c, err, "cannot statx %s", cmd_quoteaf(c, path));
	if (o->format == NULL) {
		put_default(c, o, &f);
		return 0;
	}
	put_format(c, o, o->format, o->escapes, &f);
	if (!o->escapes)
		cmd_putc(c, '\n');
	return failed;
}

static int stat_run(struct cmd *c)
{
	struct stat_opts *o = c->opts;
	int status = cmd_operands(c, 1, -1);

	if (status != 0)
		return status;
	o->zone = zone_of_command(c);
	for (int i = 0; i < c->nargs; i++)
		status |= stat_file(c, o, c->args[i]);
	return status;
}

const struct builtin builtin_stat = {
	.name = "stat",
	.usage = "[OPTION]... FILE...",
	.summary = "Writes what is known about files or file systems.",
	.run = stat_run,
	.opts = stat_options,
	.opts_size = sizeof(struct stat_opts),
};
