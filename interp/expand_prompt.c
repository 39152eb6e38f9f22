/* SPDX-License-Identifier: MIT
 *
 * Text that is given at run time: PS4 and ${x@P} with their backslash escapes, and anything
 * that is to be expanded as inside double quotes.
 */
#include "base/time.h"
#include "interp/exec.h"
#include "interp/expand.h"
#include "interp/state.h"

int expand_text(struct shell *sh, struct bytes text, struct bytes *out)
{
	struct parse_config config;
	struct parse_error error;
	struct word *w;

	*out = text;
	if (memchr(text.ptr, '$', text.len) == NULL && memchr(text.ptr, '`', text.len) == NULL &&
	    memchr(text.ptr, '\\', text.len) == NULL)
		return 0;
	config = shell_parse_config(sh, text, sh->line);
	w = parse_text_word(&config, sh->arena, TEXT_WORD_QUOTED, &error);
	if (w == NULL) {
		shell_error(sh, "%.*s", (int)error.message[0].len, error.message[0].ptr);
		return expand_fail(sh);
	}
	return expand_string(sh, w, out);
}

struct prompt {
	struct shell *sh;
	struct bytes s;
	size_t at; /* behind the escape's letter */
	struct buf out;
};

/* What a variable says must not be expanded again. */
static void put_plain(struct prompt *p, struct bytes s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '$' || s.ptr[i] == '`' || s.ptr[i] == '\\' || s.ptr[i] == '"')
			buf_putc(&p->out, '\\');
		buf_putc(&p->out, s.ptr[i]);
	}
}

static void put_time(struct prompt *p, struct bytes format)
{
	int64_t ns = sys_now(p->sh->p);
	struct zone *zone = zone_of_text(p->sh->arena, var_get_text(p->sh, "TZ"));
	struct civil civil;

	time_civil(zone, ns / 1000000000, &civil);
	time_format(&p->out, format, &civil, ns / 1000000000, (uint32_t)(ns % 1000000000));
}

/* \D{format} */
static void put_date(struct prompt *p)
{
	size_t from = p->at + 1;
	size_t to = from;

	if (p->at >= p->s.len || p->s.ptr[p->at] != '{')
		return;
	while (to < p->s.len && p->s.ptr[to] != '}')
		to++;
	p->at = to < p->s.len ? to + 1 : to;
	put_time(p, to > from ? bytes_slice(p->s, from, to) : BYTES("%H:%M:%S"));
}

/* As PROMPT_DIRTRIM asks for: its last components behind "...", if that is shorter. */
static struct bytes trimmed(struct shell *sh, struct bytes dir)
{
	const char *value = var_get_text(sh, "PROMPT_DIRTRIM");
	struct buf b = buf_in(sh->arena);
	size_t at = dir.len;
	size_t begin = 0;
	int64_t keep;

	if (value == NULL || !arith_plain_number(bytes_of(value), &keep) || keep <= 0)
		return dir;
	while (dir.ptr[0] == '~' && begin < dir.len && dir.ptr[begin] != '/')
		begin++;
	for (; keep > 0 && at > begin; keep -= dir.ptr[at] == '/')
		at--;
	if (keep > 0 || at - begin <= strlen("..."))
		return dir;
	if (begin > 0) {
		buf_add(&b, bytes_slice(dir, 0, begin));
		buf_putc(&b, '/');
	}
	buf_puts(&b, "...");
	buf_add(&b, bytes_slice(dir, at, dir.len));
	return buf_bytes(&b);
}

static void put_directory(struct prompt *p, bool base_only)
{
	struct shell *sh = p->sh;
	const char *pwd = var_get_text(sh, "PWD");
	const char *home = var_get_text(sh, "HOME");
	struct bytes dir = pwd != NULL ? bytes_of(pwd) : BYTES("");
	size_t n = home != NULL ? strlen(home) : 0;
	const char *slash;

	if (n > 1 && bytes_starts(dir, bytes_of(home)) && (dir.len == n || dir.ptr[n] == '/')) {
		struct buf b = buf_in(sh->arena);

		buf_putc(&b, '~');
		buf_add(&b, bytes_slice(dir, n, dir.len));
		dir = buf_bytes(&b);
	}
	slash = base_only && dir.len > 1 ? strrchr(dir.ptr, '/') : NULL;
	if (slash != NULL)
		dir = bytes_slice(dir, (size_t)(slash + 1 - dir.ptr), dir.len);
	put_plain(p, base_only || dir.len == 0 ? dir : trimmed(sh, dir));
}

static void put_host(struct prompt *p, bool whole)
{
	struct bytes host = bytes_of(sys_hostname(p->sh->p));

	if (!whole && memchr(host.ptr, '.', host.len) != NULL)
		host.len = strcspn(host.ptr, ".");
	put_plain(p, host);
}

static void put_user(struct prompt *p)
{
	const char *user = var_get_text(p->sh, "USER");

	if (p->sh->p->cred.uid == 0)
		user = "root";
	put_plain(p, bytes_of(user != NULL ? user : "user"));
}

static void put_octal(struct prompt *p)
{
	int v = 0;

	for (int n = 0; n < 3 && p->at < p->s.len; n++, p->at++) {
		char c = p->s.ptr[p->at];

		if (c < '0' || c > '7')
			break;
		v = v * 8 + c - '0';
	}
	buf_putc(&p->out, (char)v);
}

static int count_jobs(const struct shell *sh)
{
	int n = 0;

	for (const struct job *j = sh->jobs; j != NULL; j = j->next)
		n++;
	return n;
}

/* 1 without a history. */
static void put_history_number(struct prompt *p)
{
	int number = history_number(p->sh);

	buf_put_i64(&p->out, number != 0 ? number : 1);
}

static bool put_fixed(struct prompt *p, char c)
{
	switch (c) {
	case 'a': buf_putc(&p->out, '\a'); return true;
	case 'e': buf_putc(&p->out, '\033'); return true;
	case 'n': buf_putc(&p->out, '\n'); return true;
	case 'r': buf_putc(&p->out, '\r'); return true;
	case 'd': put_time(p, BYTES("%a %b %d")); return true;
	case 't': put_time(p, BYTES("%H:%M:%S")); return true;
	case 'T': put_time(p, BYTES("%I:%M:%S")); return true;
	case '@': put_time(p, BYTES("%I:%M %p")); return true;
	case 'A': put_time(p, BYTES("%H:%M")); return true;
	case 'v': buf_puts(&p->out, "5.2"); return true;
	case 'V': buf_puts(&p->out, "5.2.15"); return true;
	case 'l': buf_puts(&p->out, "tty"); return true;
	case '!': put_history_number(p); return true;
	case '#': buf_put_u64(&p->out, p->sh->command_number); return true;
	case '[':
	case ']':
		/* For the line editor: what is between takes no room. */
		if (opt_set(p->sh, SET_INTERACTIVE))
			buf_putc(&p->out, c == '[' ? '\001' : '\002');
		return true;
	default: return false;
	}
}

static void put_escape(struct prompt *p, char c)
{
	if (put_fixed(p, c))
		return;
	switch (c) {
	case 'D': put_date(p); break;
	case 'h':
	case 'H': put_host(p, c == 'H'); break;
	case 'j': buf_put_i64(&p->out, count_jobs(p->sh)); break;
	case 's': put_plain(p, bytes_of(p->sh->script_name)); break;
	case 'u': put_user(p); break;
	case 'w':
	case 'W': put_directory(p, c == 'W'); break;
	case '$': buf_puts(&p->out, p->sh->p->cred.uid == 0 ? "#" : "\\$"); break;
	case '\\': buf_puts(&p->out, "\\\\"); break;
	default:
		if (c >= '0' && c <= '7') {
			p->at--;
			put_octal(p);
			break;
		}
		buf_puts(&p->out, "\\\\");
		buf_putc(&p->out, c);
		break;
	}
}

int expand_prompt(struct shell *sh, struct bytes text, struct bytes *out)
{
	struct prompt p = { .sh = sh, .s = text, .out = buf_in(sh->arena) };

	while (p.at < text.len) {
		char c = text.ptr[p.at++];

		if (c == '!' && opt_set(sh, SET_POSIX)) { /* a number of history; !! is ! */
			bool twice = p.at < text.len && text.ptr[p.at] == '!';

			if (twice)
				buf_putc(&p.out, '!');
			else
				put_history_number(&p);
			p.at += twice;
			continue;
		}
		if (c != '\\' || p.at == text.len) {
			buf_putc(&p.out, c);
			continue;
		}
		c = text.ptr[p.at++];
		put_escape(&p, c);
	}
	buf_cstr(&p.out);
	*out = buf_bytes(&p.out);
	if (!opt_shopt(sh, SHOPT_promptvars))
		return 0;
	return expand_text(sh, *out, out);
}
