/* SPDX-License-Identifier: MIT
 *
 * hostname - the name of the session's host. It can't be set.
 */
#include "builtins/builtin.h"

struct hostname_opts {
	int form;
};

static const struct opt hostname_options[] = {
	OPT_SET('s', "short", struct hostname_opts, form, 's', "up to the first dot"),
	OPT_SET('f', "fqdn", struct hostname_opts, form, 'f', "with the domain"),
	OPT_SET('f', "long", struct hostname_opts, form, 'f', NULL),
	OPT_SET('d', "domain", struct hostname_opts, form, 'd', "the domain"),
	OPT_SET('i', "ip-address", struct hostname_opts, form, 'i', "addresses"),
	OPT_SET('I', "all-ip-addresses", struct hostname_opts, form, 'i', "the same"),
	OPT_END(),
};

static int hostname_run(struct cmd *c)
{
	const struct hostname_opts *o = c->opts;
	const char *name = cmd_hostname(c);
	size_t host = strcspn(name, ".");

	if (c->nargs > 0)
		return cmd_error(c, 0, "you must be root to change the host name");
	if (o->form == 's')
		cmd_printf(c, "%.*s\n", (int)host, name);
	else if (o->form == 'd')
		cmd_printf(c, "%s\n", name[host] == '.' ? name + host + 1 : "");
	else
		cmd_printf(c, "%s\n", o->form == 'i' ? "127.0.0.1" : name);
	return 0;
}

const struct builtin builtin_hostname = {
	.name = "hostname",
	.usage = "[OPTION]",
	.summary = "Writes the host's name.",
	.run = hostname_run,
	.opts = hostname_options,
	.opts_size = sizeof(struct hostname_opts),
	.family = "hostname 3.23",
};
