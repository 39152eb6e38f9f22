/* SPDX-License-Identifier: MIT
 *
 * zcmp, zdiff, bzcmp, bzdiff, xzcmp, xzdiff - cmp and diff over what compressed files hold.
 *
 * As the scripts of these names they start the program that decompresses and the one that
 * compares, with a pipe between. Reference: GNU gzip 1.12, bzip2 1.0.8, XZ Utils 5.4.1.
 */
#include "builtins/gzip/zfilter.h"

enum { SECOND_FD = 5 };

struct compare {
	struct cmd *c;
	const struct zfamily *z;
	const char *name;
	char **args;
	int n;
	const char *files[2];
	int nfiles;
};

static bool is_compressed(const struct compare *p, const char *name)
{
	return zfilter_suffix(p->z, name) != NULL || strcmp(name, "-") == 0;
}

static int run_compare(struct compare *p)
{
	struct cmd *c = p->c;
	int fds[SECOND_FD + 1] = { 0, 1, 2, -1, -1, -1 };
	int pids[2] = { 0, 0 };
	int opened[2] = { -1, -1 };
	bool both = is_compressed(p, p->files[0]) && is_compressed(p, p->files[1]);

	for (int i = 0; i < 2; i++) {
		const char *operand = p->files[i];

		if (is_compressed(p, operand) && !(strcmp(operand, "-") == 0 && !both)) {
			bool second = both && i == 0;

			pids[i] = zfilter_start(c, p->z, operand, &opened[i]);
			fds[second ? SECOND_FD : 0] = opened[i];
			operand = second ? "/dev/fd/5" : "-";
		}
		p->args[p->n++] = arena_dup(c->arena, bytes_of(operand));
	}
	p->args[p->n] = NULL;
	struct cmd_program prog = { .argv = p->args, .fds = fds, .nfds = both ? SECOND_FD + 1 : 3 };
	int pid = cmd_spawn(c, &prog);

	for (int i = 0; i < 2; i++)
		if (opened[i] >= 0)
			cmd_close(c, opened[i]);
	int status = zfilter_wait(c, pid, false);

	for (int i = 0; i < 2; i++)
		if (zfilter_wait(c, pids[i], true) != 0 && !p->z->strict)
			status = ZFILTER_TROUBLE;
	return pid < 0 ? cmd_error(c, pid, "%s", p->args[0]) : status;
}

/* bzip2's scripts look first. */
static int check_files(const struct compare *p)
{
	struct vfs_stat st;

	for (int i = 0; i < p->nfiles && p->z == &zfamily_bzip2; i++) {
		if (strcmp(p->files[i], "-") == 0 ||
		    (cmd_stat(p->c, p->files[i], &st) == 0 && (st.mode & S_FMT) == S_REG))
			continue;
		cmd_printf(p->c, "%s: %s not found or not a regular file\n", p->name, p->files[i]);
		return 1;
	}
	return 0;
}

/* Of one operand: the other is what it was made of, or, for bzip2, what was made of it. */
static int complete(struct compare *p)
{
	const char *file = p->files[0];
	const struct zsuffix *suffix = zfilter_suffix(p->z, file);
	struct buf other = buf_in(p->c->arena);

	if (suffix != NULL) {
		buf_printf(&other, "%.*s%s", (int)(strlen(file) - strlen(suffix->suffix)), file,
			   suffix->instead);
		p->files[1] = buf_cstr(&other);
		return 0;
	}
	if (p->z == &zfamily_bzip2) {
		buf_printf(&other, "%s.bz2", file);
		p->files[0] = buf_cstr(&other);
		p->files[1] = file;
		return 0;
	}
	return zfilter_complain(p->c,
				p->z == &zfamily_xz ? "%s: Unknown compressed file name suffix"
						    : "%s: unknown compressed file extension",
				file);
}

static int wrong_number(const struct compare *p, const char *extra)
{
	struct cmd *c = p->c;

	if (p->z == &zfamily_xz)
		return zfilter_complain(c, "Invalid number of operands; try `%s --help' for help",
					p->name);
	if (p->z == &zfamily_bzip2) {
		cmd_printf(c, "Usage: %s [%s_options] file [file]\n", p->name, p->args[0]);
		return 1;
	}
	return extra != NULL ? zfilter_complain(c, "extra operand '%s'", extra)
			     : zfilter_complain(c, "missing operand");
}

static int compare_with(struct cmd *c, const struct zfamily *z, const char *program)
{
	struct compare p = { .c = c, .z = z, .name = c->name };
	bool ended = false;

	p.args = arena_array(c->arena, (size_t)c->argc + 8, sizeof *p.args);
	p.args[p.n++] = arena_dup(c->arena, bytes_of(program));
	/* Messages are those of the one script behind both names. */
	if (z == &zfamily_gzip)
		c->name = "/usr/bin/zdiff";
	for (int i = 1; i < c->argc; i++) {
		char *arg = c->argv[i];

		if (!ended && strcmp(arg, "--") == 0)
			ended = true;
		else if (!ended && arg[0] == '-' && arg[1] != '\0')
			p.args[p.n++] = arg;
		else if (p.nfiles == 2)
			return wrong_number(&p, arg);
		else
			p.files[p.nfiles++] = arg;
	}
	if (p.nfiles == 0)
		return wrong_number(&p, NULL);
	int status = check_files(&p);

	if (status == 0 && p.nfiles == 1)
		status = complete(&p);

	return status != 0 ? status : run_compare(&p);
}

#define COMPARE_COMMAND(id, which, program, version)                                               \
	static int id##_run(struct cmd *c)                                                         \
	{                                                                                          \
		return compare_with(c, &zfamily_##which, program);                                 \
	}                                                                                          \
	Z_COMMAND(id, "[OPTION]... FILE1 [FILE2]",                                                 \
		  "Compares what compressed files hold. Options: " program "'s.", version)

COMPARE_COMMAND(zcmp, gzip, "cmp", ZGZIP);
COMPARE_COMMAND(zdiff, gzip, "diff", ZGZIP);
COMPARE_COMMAND(bzcmp, bzip2, "cmp", ZBZIP2);
COMPARE_COMMAND(bzdiff, bzip2, "diff", ZBZIP2);
COMPARE_COMMAND(xzcmp, xz, "cmp", ZXZ);
COMPARE_COMMAND(xzdiff, xz, "diff", ZXZ);
