/* SPDX-License-Identifier: MIT
 *
 * -printf and -ls: what is known of an entry, as text.
 */
#include "base/format.h"
#include "builtins/find/find.h"

enum { SIX_MONTHS_S = 31556952 / 2 };

/* A piece of a format: literal bytes, or one directive with its flags. */
struct format_part {
	struct format_part *next;
	struct bytes literal;
	char letter;             /* 0: literal only */
	char time;               /* the second letter of %A %B %C %T */
	struct format_spec spec; /* flags, width and precision */
	bool stop;               /* \c: nothing more is written */
};

/* --- parsing --- */

struct parts {
	struct find *f;
	struct format_part *first;
	struct format_part **end;
	struct buf literal;
};

static struct format_part *new_part(struct parts *p)
{
	struct format_part *part = arena_zalloc(p->f->c->arena, sizeof *part);

	part->literal = buf_bytes(&p->literal);
	p->literal = buf_in(p->f->c->arena);
	*p->end = part;
	p->end = &part->next;
	return part;
}

/* Behind a backslash; returns how many bytes it takes, 0 for \c. */
static size_t put_escape(struct parts *p, const char *at)
{
	static const char letters[] = "abfnrtv\\";
	static const char values[] = "\a\b\f\n\r\t\v\\";
	const char *hit = *at != '\0' ? strchr(letters, *at) : NULL;
	size_t digits = 0;
	unsigned v = 0;

	if (hit != NULL) {
		buf_putc(&p->literal, values[hit - letters]);
		return 1;
	}
	for (; digits < 3 && at[digits] >= '0' && at[digits] <= '7'; digits++)
		v = v * 8 + (unsigned)(at[digits] - '0');
	if (digits != 0) {
		buf_putc(&p->literal, (char)v);
		return digits;
	}
	if (*at == 'c')
		return 0;
	cmd_warn(p->f->c, 0,
		 *at == '\0' ? "warning: escape `\\' followed by nothing at all"
			     : "warning: unrecognized escape `\\%c'",
		 *at);
	buf_putc(&p->literal, '\\');
	if (*at != '\0')
		buf_putc(&p->literal, *at);
	return *at != '\0';
}

/* Flags, width and precision as printf has them; but letters such as h and l are directives. */
static size_t parse_directive(const char *text, size_t at, struct format_spec *spec)
{
	*spec = (struct format_spec){ .width = -1, .precision = -1 };
	for (at++; text[at] != '\0' && strchr("-+ #0", text[at]) != NULL; at++)
		spec->flags |= text[at] == '-'   ? FORMAT_LEFT
			       : text[at] == '#' ? FORMAT_ALT
			       : text[at] == '0' ? FORMAT_ZERO
			       : text[at] == '+' ? FORMAT_PLUS
			       : text[at] == ' ' ? FORMAT_SPACE
						 : 0u;
	for (; byte_is_digit(text[at]); at++)
		spec->width = (spec->width < 0 ? 0 : spec->width % 100000) * 10 + text[at] - '0';
	if (text[at] == '.')
		for (spec->precision = 0, at++; byte_is_digit(text[at]); at++)
			spec->precision = spec->precision % 100000 * 10 + text[at] - '0';
	spec->conv = text[at];
	return text[at] != '\0' ? at + 1 : at;
}

static size_t put_directive(struct parts *p, const char *text, size_t at)
{
	struct format_spec spec;
	size_t end = parse_directive(text, at, &spec);
	struct format_part *part;

	if (spec.conv == '\0')
		cmd_fatal(p->f->c, 0, "error: %s at end of format string", "%");
	if (spec.conv == '%') {
		buf_putc(&p->literal, '%');
		return end;
	}
	if (spec.conv == '(' || spec.conv == '[' || spec.conv == '{')
		cmd_fatal(p->f->c, 0,
			  "error: the format directive `%%%c' is reserved for future use",
			  spec.conv);
	if (strchr("abcdDfFgGhHiklmMnpPsStuUyYZABCT", spec.conv) == NULL) {
		cmd_warn(p->f->c, 0, "warning: unrecognized format directive `%%%c'", spec.conv);
		buf_put(&p->literal, text + at, end - at);
		return end;
	}
	part = new_part(p);
	part->letter = spec.conv;
	part->spec = spec;
	if (strchr("ABCT", spec.conv) != NULL && text[end] != '\0')
		part->time = text[end++];
	return end;
}

struct format_part *find_format(struct find *f, const char *text)
{
	struct parts p = { .f = f, .literal = buf_in(f->c->arena) };
	size_t at = 0;

	p.end = &p.first;
	while (text[at] != '\0') {
		if (text[at] == '\\') {
			size_t taken = put_escape(&p, text + at + 1);

			if (taken == 0 && text[at + 1] == 'c') {
				new_part(&p)->stop = true;
				return p.first;
			}
			at += 1 + taken;
		} else if (text[at] == '%') {
			at = put_directive(&p, text, at);
		} else {
			buf_putc(&p.literal, text[at++]);
		}
	}
	new_part(&p);
	return p.first;
}

/* --- writing --- */

static char type_letter(uint32_t mode)
{
	switch (mode & S_FMT) {
	case S_REG: return 'f';
	case S_DIR: return 'd';
	case S_LNK: return 'l';
	case S_FIFO: return 'p';
	case S_SOCK: return 's';
	case S_CHR: return 'c';
	case S_BLK: return 'b';
	default: return 'U';
	}
}

/* %Y: what a link leads to; N nothing, L a loop, ? another error. */
static char target_letter(struct find *f, const struct walk_entry *e)
{
	struct vfs_stat st;
	int err;

	if ((e->st.mode & S_FMT) != S_LNK)
		return type_letter(e->st.mode);
	err = cmd_stat_at(f->c, e->dir, e->at, 0, &st);
	if (err == -E_NOENT || err == -E_NOTDIR)
		return 'N';
	return err == -E_LOOP ? 'L' : err < 0 ? '?' : type_letter(st.mode);
}

/* Seconds with ten digits of fraction, as find shows them. */
static void put_fraction(struct buf *out, int64_t ns)
{
	int64_t part = ns % 1000000000;

	buf_printf(out, ".%09lld0", (long long)(part < 0 ? part + 1000000000 : part));
}

static int64_t floor_seconds(int64_t ns)
{
	return ns >= 0 ? ns / 1000000000 : -((-ns + 999999999) / 1000000000);
}

static void put_time(struct find *f, struct buf *out, int64_t ns, char letter)
{
	int64_t s = floor_seconds(ns);
	uint32_t part = (uint32_t)(ns - s * 1000000000);
	char format[3] = { '%', letter, '\0' };
	struct civil day;

	if (letter == '@') {
		buf_printf(out, "%lld", (long long)s);
		put_fraction(out, ns);
		return;
	}
	time_civil(f->zone, s, &day);
	if (letter == '+') {
		time_format(out, BYTES("%Y-%m-%d+%H:%M:%S"), &day, s, part);
		put_fraction(out, ns);
		return;
	}
	time_format(out, bytes_of(format), &day, s, part);
	if (letter == 'S' || letter == 'T')
		put_fraction(out, ns);
	else if (letter == 'X')
		put_fraction(out, ns);
}

static void put_ctime(struct find *f, struct buf *out, int64_t ns)
{
	int64_t s = floor_seconds(ns);
	struct civil day;

	time_civil(f->zone, s, &day);
	time_format(out, BYTES("%a %b %e %H:%M:%S"), &day, s, 0);
	put_fraction(out, ns);
	time_format(out, BYTES(" %Y"), &day, s, 0);
}

static void put_names(struct find *f, struct buf *out, char letter, const struct walk_entry *e)
{
	size_t len = strlen(e->path);
	size_t start = strlen(f->start);
	const char *slash;

	if (letter == 'P') {
		const char *rest = e->path + (len < start ? len : start);

		buf_puts(out, *rest == '/' ? rest + 1 : rest);
		return;
	}
	while (len > 1 && e->path[len - 1] == '/')
		len--;
	/* The directory of a name of one byte, such as `./', is all before its last slash. */
	slash = bytes_rfind(
		(struct bytes){ e->path, letter == 'h' && len == 1 ? strlen(e->path) : len },
		BYTES("/"));
	if (letter == 'f') {
		const char *base = slash != NULL && len > 1 ? slash + 1 : e->path;

		buf_put(out, base, len - (size_t)(base - e->path));
		if (e->path[len] == '/' && *base != '/')
			buf_putc(out, '/');
	} else if (slash == NULL)
		buf_putc(out, '.');
	else
		buf_put(out, e->path, (size_t)(slash - e->path));
}

static void put_owner(struct find *f, struct buf *out, char letter, const struct vfs_stat *st)
{
	const char *name = letter == 'u' ? cmd_user_name(f->c, st->uid)
					 : cmd_group_name(f->c, st->gid);

	if (name != NULL)
		buf_puts(out, name);
	else
		buf_put_u64(out, letter == 'u' ? st->uid : st->gid);
}

/* %S: how much of the file is really there. */
static void put_sparseness(struct buf *out, const struct vfs_stat *st)
{
	struct format_spec spec = { .width = -1, .precision = -1, .conv = 'g' };
	struct real v = real_of_double(st->size == 0
					       ? (st->blocks == 0 ? 1.0 : 1.0)
					       : 512.0 * (double)st->blocks / (double)st->size);

	format_put_real(out, &spec, v, true);
}

static void put_value(struct find *f, struct buf *out, const struct format_part *part,
		      const struct walk_entry *e)
{
	const struct vfs_stat *st = &e->st;
	struct bytes target;
	char text[12];

	switch (part->letter) {
	case 'a': put_ctime(f, out, st->atime_ns); break;
	case 'c': put_ctime(f, out, st->ctime_ns); break;
	case 't': put_ctime(f, out, st->mtime_ns); break;
	case 'A': put_time(f, out, st->atime_ns, part->time); break;
	case 'B': put_time(f, out, st->btime_ns, part->time); break;
	case 'C': put_time(f, out, st->ctime_ns, part->time); break;
	case 'T': put_time(f, out, st->mtime_ns, part->time); break;
	case 'b': buf_put_u64(out, st->blocks); break;
	case 'k': buf_put_u64(out, (st->blocks + 1) / 2); break;
	case 'D': buf_put_u64(out, st->dev); break;
	case 'F': buf_puts(out, "tmpfs"); break;
	case 'f':
	case 'h':
	case 'P': put_names(f, out, part->letter, e); break;
	case 'u':
	case 'g': put_owner(f, out, part->letter, st); break;
	case 'U': buf_put_u64(out, st->uid); break;
	case 'G': buf_put_u64(out, st->gid); break;
	case 'H': buf_puts(out, f->start); break;
	case 'i': buf_put_u64(out, st->ino); break;
	case 'l':
		if ((st->mode & S_FMT) == S_LNK && cmd_readlink(f->c, e->dir, e->at, &target) >= 0)
			buf_add(out, target);
		break;
	case 'M':
		mode_text(st->mode, text);
		buf_puts(out, text);
		break;
	case 'n': buf_put_u64(out, st->nlink); break;
	case 'p': buf_puts(out, e->path); break;
	case 's': buf_put_u64(out, st->size); break;
	case 'S': put_sparseness(out, st); break;
	case 'y': buf_putc(out, type_letter(st->mode)); break;
	case 'Y': buf_putc(out, target_letter(f, e)); break;
	default: break;
	}
}

/* A number as far as printf's flags go, unlike the others. */
static void put_mode(struct buf *out, struct format_spec spec, uint32_t mode)
{
	spec.conv = 'o';
	format_put_u64(out, &spec, mode & 07777);
}

void find_put_format(struct find *f, struct output *o, const struct format_part *parts,
		     struct walk_entry *e)
{
	struct arena_mark mark = arena_mark(f->c->arena);

	for (; parts != NULL; parts = parts->next) {
		struct buf value = buf_in(f->c->arena);
		struct buf out = buf_in(f->c->arena);

		output_write(o, parts->literal.ptr, parts->literal.len);
		if (parts->stop)
			output_flush(o);
		if (parts->letter == '\0')
			continue;
		if (parts->letter == 'm') {
			put_mode(&out, parts->spec, e->st.mode);
		} else if (parts->letter == 'd') {
			format_put_i64(&out, &parts->spec, e->level);
		} else {
			put_value(f, &value, parts, e);
			format_put_text(&out, &parts->spec, buf_bytes(&value), false);
		}
		output_write(o, out.ptr, out.len);
	}
	arena_release(f->c->arena, mark);
}

void find_put_ls(struct find *f, struct output *o, struct walk_entry *e)
{
	struct arena_mark mark = arena_mark(f->c->arena);
	struct buf out = buf_in(f->c->arena);
	const struct vfs_stat *st = &e->st;
	int64_t s = floor_seconds(st->mtime_ns);
	int64_t now = f->now_ns / 1000000000;
	struct bytes target;
	struct civil day;
	char mode[12];
	struct buf user = buf_in(f->c->arena);
	struct buf group = buf_in(f->c->arena);

	put_owner(f, &user, 'u', st);
	put_owner(f, &group, 'g', st);
	mode_text(st->mode, mode);
	buf_printf(&out, "%9llu %6llu %s %3u %-8s %-8s ", (unsigned long long)st->ino,
		   (unsigned long long)(st->blocks + 1) / 2, mode, st->nlink, buf_cstr(&user),
		   buf_cstr(&group));
	if ((st->mode & S_FMT) == S_CHR || (st->mode & S_FMT) == S_BLK)
		buf_printf(&out, "%3llu, %3llu ", (unsigned long long)(st->rdev >> 8),
			   (unsigned long long)(st->rdev & 255));
	else
		buf_printf(&out, "%8llu ", (unsigned long long)st->size);
	time_civil(f->zone, s, &day);
	time_format(&out,
		    s > now - SIX_MONTHS_S && s <= now + 3600 ? BYTES("%b %e %H:%M ")
							      : BYTES("%b %e  %Y "),
		    &day, s, 0);
	/* For any reader: bytes outside ASCII are shown by number, even where they are text. */
	quote_put(&out, bytes_of(e->path), QUOTE_ESCAPE, " \"", false);
	if ((st->mode & S_FMT) == S_LNK && cmd_readlink(f->c, e->dir, e->at, &target) >= 0) {
		buf_puts(&out, " -> ");
		quote_put(&out, target, QUOTE_ESCAPE, " \"", false);
	}
	buf_putc(&out, '\n');
	output_write(o, out.ptr, out.len);
	arena_release(f->c->arena, mark);
}
