/* SPDX-License-Identifier: MIT
 *
 * git patch-id - names of patches that do not depend on where they apply.
 *
 * What counts are the lines behind "diff --git" up to the end of the hunks, without blanks, line
 * numbers and object names (but those of binary files).
 */
#include "base/digest.h"
#include "builtins/git/format_extra.h"

struct patch_id {
	struct oid *wanted; /* where the id goes; NULL: it is printed */
	struct git *g;
	bool stable, unstable, verbatim;
	struct oid commit; /* whose patch it is */
	struct buf file;   /* what counts of the file that is read */
	uint8_t sum[OID_BYTES];
	bool any;              /* something counts */
	bool inside;           /* of a patch */
	bool binary;           /* of a file that is not shown line by line */
	size_t before, after;  /* lines that the hunk still has */
	bool hunks;            /* the header of the file is over */
	struct bytes from, to; /* names of its index line */
};

static const struct git_option patch_id_options[] = {
	GIT_FLAG(0, "stable", struct patch_id, stable),
	GIT_FLAG(0, "unstable", struct patch_id, unstable),
	GIT_FLAG(0, "verbatim", struct patch_id, verbatim),
	GIT_END(),
};
static const char *const patch_id_usage[] = { "git patch-id [--stable | --unstable | --verbatim]",
					      NULL };

/* The sum of the files' hashes, so that their order does not count. */
static void end_file(struct patch_id *p)
{
	uint8_t hash[DIGEST_MAX];
	struct digest d;
	unsigned carry = 0;

	digest_init(&d, DIGEST_SHA1, 0);
	digest_update(&d, buf_bytes(&p->file));
	digest_final(&d, hash);
	for (int i = 0; i < OID_BYTES; i++) {
		carry += (unsigned)p->sum[i] + hash[i];
		p->sum[i] = (uint8_t)carry;
		carry >>= 8;
	}
	p->file.len = 0;
}

static void end_patch(struct patch_id *p)
{
	struct oid id;

	if (p->any) {
		end_file(p);
		memcpy(id.hash, p->sum, OID_BYTES);
		if (p->wanted != NULL)
			*p->wanted = id;
		else
			git_printf(p->g, "%s %s\n", oid_hex(p->g, &id), oid_hex(p->g, &p->commit));
	}
	memset(p->sum, 0, sizeof(p->sum));
	p->file.len = 0;
	p->any = p->inside = p->hunks = p->binary = false;
	p->before = p->after = 0;
	p->from = p->to = BYTES("");
}

/* What follows is no part of the patch. */
static void leave(struct patch_id *p)
{
	end_patch(p);
	p->commit = oid_null;
}

static void count_line(struct patch_id *p, struct bytes line)
{
	for (size_t i = 0; i < line.len; i++)
		if (p->verbatim || !byte_is_space((unsigned char)line.ptr[i]))
			buf_putc(&p->file, line.ptr[i]);
	if (p->verbatim)
		buf_putc(&p->file, '\n');
	p->any = true;
}

/* "commit NAME", "From NAME" or a name alone: what follows is of this one. */
static bool names_commit(struct bytes line, struct oid *out)
{
	if (bytes_starts(line, BYTES("commit ")))
		line = bytes_slice(line, 7, line.len);
	else if (bytes_starts(line, BYTES("From ")))
		line = bytes_slice(line, 5, line.len);
	return line.len >= OID_HEX && oid_parse_bytes(bytes_slice(line, 0, OID_HEX), out) &&
	       (line.len == OID_HEX || byte_is_space((unsigned char)line.ptr[OID_HEX]));
}

static bool read_count(const char **at, size_t *out)
{
	size_t n = 0;

	while (byte_is_digit((unsigned char)**at))
		(*at)++;
	*out = 1;
	if (**at != ',')
		return true;
	for ((*at)++; byte_is_digit((unsigned char)**at); (*at)++)
		n = n < 100000000 ? n * 10 + (size_t)(**at - '0') : n;
	*out = n;
	return true;
}

/* "@@ -1,2 +3,4 @@" */
static bool read_hunk(struct patch_id *p, struct bytes line)
{
	const char *at = arena_dup(p->g->a, line) + 4;

	if (!bytes_starts(line, BYTES("@@ -")) || !read_count(&at, &p->before) || *at != ' ' ||
	    at[1] != '+')
		return false;
	at += 2;
	return read_count(&at, &p->after);
}

static void read_index(struct patch_id *p, struct bytes line)
{
	const char *dots = bytes_find(line, BYTES(".."));
	size_t at = dots != NULL ? (size_t)(dots - line.ptr) : line.len;
	size_t end;

	if (dots == NULL)
		return;
	for (end = at + 2; end < line.len && line.ptr[end] != ' '; end++)
		continue;
	p->from = bytes_slice(line, 6, at);
	p->to = bytes_slice(line, at + 2, end);
}

static void header_line(struct patch_id *p, struct bytes line)
{
	if (bytes_starts(line, BYTES("index "))) {
		read_index(p, line);
	} else if (bytes_starts(line, BYTES("Binary files")) ||
		   bytes_starts(line, BYTES("GIT binary patch"))) {
		buf_add(&p->file, p->from);
		buf_add(&p->file, p->to);
		if (p->stable)
			end_file(p);
		p->binary = true;
	} else if (bytes_starts(line, BYTES("--- ")) ||
		   byte_is_alpha(line.len != 0 ? line.ptr[0] : 0)) {
		p->hunks = bytes_starts(line, BYTES("--- "));
		count_line(p, line);
	} else {
		leave(p);
	}
}

static void hunk_line(struct patch_id *p, struct bytes line)
{
	char sign = line.len != 0 ? line.ptr[0] : ' ';

	if (p->before == 0 && p->after == 0) {
		if (bytes_starts(line, BYTES("+++ ")))
			count_line(p, line);
		else if (sign == '\\' && p->verbatim)
			count_line(p, line);
		else if (!read_hunk(p, line) && sign != '\\')
			leave(p);
		return;
	}
	if (sign == '\\' && !p->verbatim)
		return;
	if (sign == '-' || sign == ' ')
		p->before -= p->before > 0;
	if (sign == '+' || sign == ' ')
		p->after -= p->after > 0;
	count_line(p, line);
}

static void patch_line(struct patch_id *p, struct bytes line)
{
	struct oid o;
	bool in_hunk = p->before != 0 || p->after != 0;

	if (!in_hunk && names_commit(line, &o)) {
		end_patch(p);
		p->commit = o;
		return;
	}
	if (!in_hunk && bytes_starts(line, BYTES("diff "))) {
		if (p->hunks && p->stable)
			end_file(p);
		p->inside = true;
		p->hunks = false;
		/* Behind a binary file it does not count. */
		if (!p->binary)
			count_line(p, line);
		p->binary = false;
		return;
	}
	if (!p->inside || p->binary)
		return;
	if (p->hunks)
		hunk_line(p, line);
	else
		header_line(p, line);
}

bool patch_id_of(struct git *g, struct bytes patch, struct oid *out)
{
	struct patch_id p = { .g = g, .stable = true, .wanted = out };
	struct bytes line;

	*out = oid_null;
	p.file = buf_in(g->a);
	end_patch(&p);
	while (git_line(&patch, &line)) {
		cmd_charge(g->c, 1 + line.len / 16);
		patch_line(&p, line);
	}
	end_patch(&p);
	return !oid_is_null(out);
}

int git_cmd_patch_id(struct git *g, struct args *args)
{
	struct patch_id p = { .g = g };
	const struct git_parser parser = { patch_id_options, &p, patch_id_usage, 0, NULL };
	struct bytes text, line;

	git_parse(g, args, &parser);
	p.file = buf_in(g->keep);
	const char *const given[] = { p.stable ? "stable" : NULL, p.unstable ? "unstable" : NULL,
				      p.verbatim ? "verbatim" : NULL };

	for (int i = 1; i < 3; i++)
		for (int k = 0; k < i; k++)
			if (given[i] != NULL && given[k] != NULL) {
				git_error(g, "option `%s' is incompatible with --%s", given[i],
					  given[k]);
				return GIT_STATUS_USAGE;
			}
	if (!p.stable && !p.unstable && !p.verbatim) {
		p.verbatim = config_bool(g, "patchid.verbatim", false);
		p.stable = config_bool(g, "patchid.stable", false);
	}
	p.stable = p.stable || p.verbatim;
	end_patch(&p);
	text = file_stdin(g);
	while (git_line(&text, &line)) {
		cmd_charge(g->c, 1 + line.len / 16);
		patch_line(&p, line);
	}
	end_patch(&p);
	return 0;
}
