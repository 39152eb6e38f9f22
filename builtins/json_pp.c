/* SPDX-License-Identifier: MIT
 *
 * json_pp - read JSON, write it prettily. Objects come sorted by key, numbers as Perl has them.
 * Reference: JSON::PP 4.07. Not here: formats of Perl (eval, dumper), texts of its parser.
 */
#include "base/json.h"
#include "base/number.h"
#include "builtins/builtin.h"

enum {
	DEPTH_MAX = 512,
	STACK_NEED = DEPTH_MAX * 512, /* native stack for all levels: one takes 230 bytes */
	INDENT = 3,
	STRING_DIGITS = 20,
};

struct json_pp {
	struct cmd *c;
	struct json_mem mem;
	const char *from;
	const char *to;
	const char *options;
	bool indent, space_before, space_after, ascii, latin1, escape_slash;
};

_Noreturn static void usage(struct json_pp *j, const char *what)
{
	if (what != NULL) {
		cmd_err_write(j->c, "Unknown option: ", 16);
		cmd_err_write(j->c, what, strcspn(what, "="));
		cmd_err_write(j->c, "\n", 1);
	}
	static const char text[] =
		"Usage: /usr/bin/json_pp [-V] [-f from_format] [-t to_format] [-json_opt "
		"options_to_json1[,options_to_json2[,...]]]\n";

	cmd_err_write(j->c, text, sizeof text - 1);
	cmd_exit(j->c, 2);
}

_Noreturn static void wrong_format(struct json_pp *j, const char *which)
{
	cmd_err_write(j->c, j->from, strlen(j->from));
	cmd_err_write(j->c, which, strlen(which));
	cmd_exit(j->c, 2);
}

/* Options of Perl's modules: one dash or two, words, abbreviations, "=value". */
static void parse_options(struct json_pp *j)
{
	struct cmd *c = j->c;
	const struct {
		const char *word;
		const char **value;
	} words[] = { { "f", &j->from }, { "t", &j->to }, { "json_opt", &j->options } };

	for (int i = 1; i < c->argc; i++) {
		const char *arg = c->argv[i];

		if (arg[0] != '-' || arg[1] == '\0')
			continue;
		arg += arg[1] == '-' ? 2 : 1;
		size_t len = strcspn(arg, "=");
		size_t k = 0;

		if (len == 1 && (arg[0] == 'V' || arg[0] == 'v')) {
			if (arg[0] == 'v')
				continue;
			cmd_puts(c, "4.07\n");
			cmd_exit(c, 0);
		}
		while (k < 3 && (len == 0 || strlen(words[k].word) < len ||
				 strncmp(words[k].word, arg, len) != 0))
			k++;
		if (k == 3)
			usage(j, arg);
		if (arg[len] == '=')
			*words[k].value = arg + len + 1;
		else if (i + 1 < c->argc)
			*words[k].value = c->argv[++i];
		else
			usage(j, NULL);
	}
}

static void set_json_options(struct json_pp *j)
{
	struct {
		const char *name;
		bool *field;
	} known[] = {
		{ "indent", &j->indent },           { "space_before", &j->space_before },
		{ "space_after", &j->space_after }, { "ascii", &j->ascii },
		{ "latin1", &j->latin1 },           { "escape_slash", &j->escape_slash },
	};
	/* Without effect here: what is written is UTF-8, sorted, and any value. */
	static const char others[] = " canonical utf8 allow_nonref allow_blessed allow_unknown ";

	for (const char *at = j->options; *at != '\0';) {
		size_t len = strcspn(at, ",");
		struct bytes word = { at, len };
		char *padded = arena_alloc(j->c->arena, len + 3);
		bool found = bytes_is(word, "pretty");

		if (found)
			j->indent = j->space_before = j->space_after = true;
		for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
			if (bytes_is(word, known[i].name))
				found = *known[i].field = true;
		padded[0] = padded[len + 1] = ' ';
		padded[len + 2] = '\0';
		memcpy(padded + 1, at, len);
		if (!found && strstr(others, padded) == NULL)
			cmd_fatal(j->c, 0, "json option '%.*s' is not supported", (int)len, at);
		at += len + (at[len] != '\0');
	}
}

/* --- output --- */

static void new_line(struct json_pp *j, int depth)
{
	if (!j->indent)
		return;
	cmd_putc(j->c, '\n');
	for (int i = 0; i < depth * INDENT; i++)
		cmd_putc(j->c, ' ');
}

static void put_unit(struct json_pp *j, unsigned unit)
{
	cmd_printf(j->c, "\\u%04x", unit);
}

static void put_char(struct json_pp *j, uint32_t ch, struct bytes as_is)
{
	static const char special[] = "\n\r\t\f\b\"\\";
	static const char letters[] = "nrtfb\"\\";
	const char *hit = ch != 0 && ch < 128 ? strchr(special, (int)ch) : NULL;

	if (hit != NULL) {
		cmd_putc(j->c, '\\');
		cmd_putc(j->c, letters[hit - special]);
	} else if (ch == '/' && j->escape_slash) {
		cmd_puts(j->c, "\\/");
	} else if (ch < 0x20 || (ch > 126 && j->ascii && ch < 0x10000) ||
		   (ch > 255 && j->latin1 && ch < 0x10000)) {
		put_unit(j, ch);
	} else if (ch >= 0x10000 && (j->ascii || j->latin1)) {
		put_unit(j, 0xd800 + ((ch - 0x10000) >> 10));
		put_unit(j, 0xdc00 + ((ch - 0x10000) & 0x3ff));
	} else {
		cmd_bytes(j->c, as_is);
	}
}

static void put_string(struct json_pp *j, struct bytes s)
{
	cmd_putc(j->c, '"');
	for (size_t at = 0; at < s.len;) {
		uint32_t ch = (unsigned char)s.ptr[at];
		size_t n = utf8_decode(s, at, &ch);

		n = n != 0 ? n : 1;
		put_char(j, ch, bytes_slice(s, at, at + n));
		at += n;
	}
	cmd_putc(j->c, '"');
	cmd_charge_bytes(j->c, s.len);
}

/* Whole numbers of 64 bits as written; larger ones are strings to Perl; others %.15g. */
static void put_number(struct json_pp *j, struct json v)
{
	struct buf out = buf_in(j->c->arena);
	struct buf perl = buf_in(j->c->arena);
	uint64_t natural;
	int64_t whole;

	json_print(&j->mem, &out, v, NULL);
	const char *text = buf_cstr(&out);

	if (strspn(text, "-0123456789") == out.len && strcmp(text, "-0") != 0) {
		if (out.len > STRING_DIGITS)
			put_string(j, buf_bytes(&out));
		else if (num_plain(text, &natural) || num_parse_i64(text, "", &whole) == 0)
			cmd_puts(j->c, text);
		else
			number_put_g(&perl, json_num(v), 15);
		cmd_bytes(j->c, buf_bytes(&perl));
		return;
	}
	number_put_g(&perl, json_num(v) == 0 ? 0 : json_num(v), 15);
	cmd_bytes(j->c, buf_bytes(&perl));
}

static void put_value(struct json_pp *j, struct json v, int depth);

static void put_object(struct json_pp *j, struct json v, int depth)
{
	size_t n = json_count(v);
	uint32_t *order = json_sorted(&j->mem, v);

	cmd_putc(j->c, '{');
	for (size_t i = 0; i < n; i++) {
		const struct json_slot *slot = &v.u.obj->slots[order[i]];

		if (i > 0)
			cmd_putc(j->c, ',');
		new_line(j, depth + 1);
		put_string(j, (struct bytes){ slot->key->ptr, slot->key->len });
		cmd_puts(j->c, j->space_before ? " :" : ":");
		if (j->space_after)
			cmd_putc(j->c, ' ');
		put_value(j, slot->val, depth + 1);
	}
	pool_free(j->c->pool, order, n * sizeof *order);
	if (n != 0)
		new_line(j, depth);
	cmd_putc(j->c, '}');
}

static void put_array(struct json_pp *j, struct json v, int depth)
{
	cmd_putc(j->c, '[');
	for (size_t i = 0; i < json_len(v); i++) {
		if (i > 0)
			cmd_putc(j->c, ',');
		new_line(j, depth + 1);
		put_value(j, json_at(v, i), depth + 1);
	}
	if (json_len(v) != 0)
		new_line(j, depth);
	cmd_putc(j->c, ']');
}

/* Ends the command if more than DEPTH_MAX containers are open at once. */
static void check_depth(struct json_pp *j, struct json v, int depth)
{
	cmd_charge(j->c, 1);
	if (v.kind != JSON_ARRAY && v.kind != JSON_OBJECT)
		return;
	if (depth == DEPTH_MAX)
		cmd_fatal_status(j->c, 255, 0,
				 "json text or perl structure exceeds maximum nesting level "
				 "(max_depth set too low?)");
	for (size_t i = 0; v.kind == JSON_ARRAY && i < json_len(v); i++)
		check_depth(j, json_at(v, i), depth + 1);
	for (size_t i = 0; v.kind == JSON_OBJECT && (i = json_next_slot(v, i)) < v.u.obj->used; i++)
		check_depth(j, v.u.obj->slots[i].val, depth + 1);
}

/* depth: containers that are open, as check_depth has found them at most DEPTH_MAX. */
static void put_value(struct json_pp *j, struct json v, int depth)
{
	struct arena_mark mark = arena_mark(j->c->arena);

	cmd_charge(j->c, 1);
	switch (v.kind) {
	case JSON_OBJECT: put_object(j, v, depth); break;
	case JSON_ARRAY: put_array(j, v, depth); break;
	case JSON_STRING: put_string(j, json_text(v)); break;
	case JSON_NUMBER:
	case JSON_LITERAL: put_number(j, v); break;
	default:
		cmd_puts(j->c, v.kind == JSON_TRUE    ? "true"
			       : v.kind == JSON_FALSE ? "false"
						      : "null");
	}
	arena_release(j->c->arena, mark);
}

struct printing {
	struct json_pp *j;
	struct json v;
};

static int put_all(void *arg)
{
	struct printing *p = arg;

	check_depth(p->j, p->v, 0);
	put_value(p->j, p->v, 0);
	return 0;
}

static int json_pp_run(struct cmd *c)
{
	struct json_pp j = { .c = c, .from = "json", .to = "json", .options = "pretty" };
	struct buf message = buf_in(c->arena);
	struct bytes text;
	struct json v;
	struct input in;

	parse_options(&j);
	if (strcmp(j.from, "json") != 0)
		wrong_format(&j, ": not a valid fromformat\n");
	if (strcmp(j.to, "json") != 0 && strcmp(j.to, "null") != 0)
		wrong_format(&j, ": not a valid toformat\n");
	set_json_options(&j);
	input_open(&in, c, "-");
	int err = input_all(&in, &text);

	if (err < 0)
		return cmd_error(c, err, "standard input");
	json_mem_init(&j.mem, c->pool);
	j.mem.poll = cmd_work;
	j.mem.arg = c;
	if (json_parse(&j.mem, text, &v, &message) != JSON_VALUE)
		cmd_fatal_status(c, 255, 0, "%s",
				 message.len != 0 ? buf_cstr(&message) : "no JSON text");
	if (strcmp(j.to, "null") == 0)
		return 0;
	cmd_deepen(c, STACK_NEED, put_all, &(struct printing){ &j, v });
	if (j.indent)
		cmd_putc(c, '\n');
	return 0;
}

const struct builtin builtin_json_pp = {
	.name = "json_pp",
	.usage = "[-V] [-f FORMAT] [-t FORMAT] [-json_opt OPTION[,OPTION]...]",
	.summary =
		"Reads JSON and writes it prettily, keys in order. Options of -json_opt: pretty "
		"(the\ndefault), indent, space_before, space_after, ascii, latin1, escape_slash.",
	.run = json_pp_run,
	.flags = BUILTIN_RAW_HELP,
	.family = "JSON::PP 4.07",
};
