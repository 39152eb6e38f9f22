/* SPDX-License-Identifier: MIT
 *
 * --analyze: a line for each thing found, or with --json one object. The script is read before
 * the lock and analysed behind it.
 */
#include "cli/lock.h"
#include "cli/report.h"
#include "cowsh_analyze.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { SCRIPT_MAX = 1 << 30, SYNTAX_STATUS = 2 };

static bool wanted;
static bool first = true;
static bool syntax_error;

static const struct {
	unsigned bit;
	const char *name;
} accesses[] = {
	{ COWSH_ACCESS_READ, "read" },     { COWSH_ACCESS_WRITE, "write" },
	{ COWSH_ACCESS_APPEND, "append" }, { COWSH_ACCESS_REMOVE, "remove" },
	{ COWSH_ACCESS_MODE, "mode" },     { COWSH_ACCESS_EXECUTE, "execute" },
}, unknowns[] = {
	{ COWSH_UNKNOWN_PARAMETER, "parameter" }, { COWSH_UNKNOWN_COMMAND, "command" },
	{ COWSH_UNKNOWN_ARITHMETIC, "arithmetic" }, { COWSH_UNKNOWN_PROCESS, "process" },
	{ COWSH_UNKNOWN_GLOB, "glob" }, { COWSH_UNKNOWN_TILDE, "tilde" },
	{ COWSH_UNKNOWN_BRACE, "brace" }, { COWSH_UNKNOWN_INPUT, "input" },
	{ COWSH_UNKNOWN_COUNT, "count" },
};
enum {
	ACCESSES = sizeof accesses / sizeof *accesses,
	UNKNOWNS = sizeof unknowns / sizeof *unknowns
};

static const char *const kinds[] = { "command", "path", "assign", "function", "text", "syntax" };
static const char *const programs[] = {
	"unknown", "function", "shell", "command", "real", "missing"
};

bool report_option(const char *arg)
{
	if (strcmp(arg, "--analyze") == 0)
		wanted = true;
	else if (strcmp(arg, "--dry-run") == 0)
		rehearse_want();
	else
		return false;
	return true;
}

bool analyze_wanted(void)
{
	return wanted;
}

/* --- JSON --- */

static void json_names(const char *member, unsigned bits, bool access)
{
	bool begun = false;
	size_t count = access ? ACCESSES : UNKNOWNS;

	out_format(",\"%s\":[", member);
	for (size_t i = 0; i < count; i++) {
		if ((bits & (access ? accesses[i].bit : unknowns[i].bit)) == 0)
			continue;
		out_format("%s\"%s\"", begun ? "," : "",
			   access ? accesses[i].name : unknowns[i].name);
		begun = true;
	}
	out_char(']');
}

static void json_word(const struct cowsh_word *w)
{
	out_text("{\"text\":");
	json_string(w->text, w->len);
	if (w->unknown != 0)
		json_names("unknown", w->unknown, false);
	out_char('}');
}

static void json_words(const struct cowsh_finding *f)
{
	out_format(",\"program\":\"%s\",\"words\":[", programs[f->program]);
	for (int i = 0; i < f->nwords; i++) {
		if (i != 0)
			out_char(',');
		json_word(&f->words[i]);
	}
	out_char(']');
}

static void json_name(const struct cowsh_finding *f, const char *member)
{
	out_format(",\"%s\":", member);
	json_string(f->name, f->name_len);
}

static void json_finding(const struct cowsh_finding *f)
{
	out_format("%s\n{\"kind\":\"%s\",\"line\":%d,\"depth\":%d,\"conditional\":%s,\"within\":",
		   first ? "" : ",", kinds[f->kind], f->line, f->depth,
		   f->conditional ? "true" : "false");
	json_string(f->within, strlen(f->within));
	if (f->kind == COWSH_FOUND_COMMAND)
		json_words(f);
	if (f->kind == COWSH_FOUND_SYNTAX)
		json_name(f, "message");
	else if (f->name != NULL)
		json_name(f, "name");
	if (f->kind == COWSH_FOUND_PATH)
		json_names("access", f->access, true);
	if (f->by != NULL) {
		out_text(",\"by\":");
		json_string(f->by, strlen(f->by));
	}
	if (f->word.text != NULL) {
		out_text(f->kind == COWSH_FOUND_PATH ? ",\"path\":" : ",\"word\":");
		json_word(&f->word);
	}
	out_char('}');
	first = false;
}

/* --- text --- */

/* Known words as a shell would read them back, others as they are written. */
static void text_word(const struct cowsh_word *w)
{
	if (w->unknown == 0)
		out_word(w->text, w->len);
	else
		out_source(w->text, w->len);
}

static void text_note(bool *begun, const char *before, const char *note)
{
	out_text(*begun ? "; " : "  (");
	out_text(before);
	out_source(note, strlen(note));
	*begun = true;
}

static void text_notes(const struct cowsh_finding *f)
{
	bool begun = false;
	bool missing = f->program == COWSH_PROGRAM_MISSING || f->program == COWSH_PROGRAM_UNKNOWN;

	if (f->kind == COWSH_FOUND_COMMAND && f->program != COWSH_PROGRAM_COMMAND)
		text_note(&begun, missing ? "" : "a ",
			  f->program == COWSH_PROGRAM_MISSING ? "no such command"
			  : missing                           ? "not known which"
			  : f->program == COWSH_PROGRAM_REAL  ? "real program"
			  : f->program == COWSH_PROGRAM_SHELL ? "shell builtin"
							      : "function");
	/* Of what is unknown, the number of words is the least. */
	for (size_t i = 0; i < UNKNOWNS; i++)
		if ((f->word.unknown & unknowns[i].bit) != 0 &&
		    (unknowns[i].bit != COWSH_UNKNOWN_COUNT ||
		     f->word.unknown == COWSH_UNKNOWN_COUNT))
			text_note(&begun, "unknown: ", unknowns[i].name);
	if (f->conditional)
		text_note(&begun, "", "conditional");
	if (f->within[0] != '\0')
		text_note(&begun, "in ", f->within);
	if (begun)
		out_char(')');
}

static void text_path(const struct cowsh_finding *f)
{
	bool begun = false;

	for (size_t i = 0; i < ACCESSES; i++) {
		if ((f->access & accesses[i].bit) == 0)
			continue;
		out_format("%s%s", begun ? "," : "", accesses[i].name);
		begun = true;
	}
	out_char(' ');
	text_word(&f->word);
}

static void text_finding(const struct cowsh_finding *f)
{
	out_format("%d: ", f->line);
	switch (f->kind) {
	case COWSH_FOUND_COMMAND:
		out_text("command");
		for (int i = 0; i < f->nwords; i++) {
			out_char(' ');
			text_word(&f->words[i]);
		}
		break;
	case COWSH_FOUND_PATH: text_path(f); break;
	case COWSH_FOUND_ASSIGN:
		out_text("assign ");
		out_source(f->name, f->name_len);
		out_char('=');
		if (f->word.text != NULL)
			text_word(&f->word);
		break;
	case COWSH_FOUND_TEXT:
		out_text("execute text ");
		text_word(&f->word);
		break;
	default:
		out_text(f->kind == COWSH_FOUND_FUNCTION ? "function " : "");
		out_source(f->name, f->name_len);
	}
	text_notes(f);
	out_char('\n');
}

static int tell(void *user, const struct cowsh_finding *f)
{
	const struct runner *r = user;

	syntax_error = syntax_error || f->kind == COWSH_FOUND_SYNTAX;
	if (r->options->json)
		json_finding(f);
	else
		text_finding(f);
	return 0;
}

/* --- the script --- */

/* All that a descriptor gives. Before the lock. */
static const char *read_all(int fd, size_t *len)
{
	char *text = map_region(SCRIPT_MAX);
	ssize_t n;

	if (text == NULL)
		fatal("can't reserve memory for the script");
	for (*len = 0; *len < SCRIPT_MAX; *len += (size_t)n) {
		do {
			n = read(fd, text + *len, SCRIPT_MAX - *len);
		} while (n < 0 && errno == EINTR);
		if (n < 0)
			fatal("can't read the script: %s", strerror(errno));
		if (n == 0)
			return text;
	}
	fatal("the script is too long");
}

/* FILE of the host; NULL: there is none, *err says why. Before the lock. */
static const char *read_script(const struct options *o, size_t *len, int *err)
{
	const char *text;
	int fd;

	if (o->script != NULL) {
		*len = strlen(o->script);
		return o->script;
	}
	if (o->file == NULL)
		return read_all(0, len);
	fd = open(o->file, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		text = read_all(fd, len);
		close(fd);
		return text;
	}
	*err = errno;
	return NULL;
}

/* One that the session has, as in a mounted directory. */
static const char *script_inside(struct runner *r, size_t *len, int err)
{
	char *copy;

	if (cowsh_get_file(r->session, r->options->file, &copy, len) < 0)
		fatal("%s: %s", r->options->file, strerror(err));
	return copy;
}

int analyze_run(struct runner *r)
{
	const struct options *o = r->options;
	size_t len;
	int err = 0;
	const char *script = read_script(o, &len, &err);

	deadline_arm(o->time_limit_ms, false);
	runner_lock(r);
	if (script == NULL)
		script = script_inside(r, &len, err);
	if (o->json)
		out_text("{\"findings\":[");
	err = cowsh_analyze(r->session, script, len, tell, r);
	if (o->json)
		out_format("\n],\"complete\":%s}\n", err == 0 && !syntax_error ? "true" : "false");
	out_flush();
	if (err < 0)
		fatal("--analyze: %s",
		      err == -COWSH_EFBIG ? "a limit was reached" : cowsh_error_text(err));
	return syntax_error ? SYNTAX_STATUS : 0;
}
