/* SPDX-License-Identifier: MIT
 *
 * ls: colors, from LS_COLORS or GNU's defaults.
 */
#include "builtins/ls/ls.h"

static const struct {
	char key[3];
	const char *code;
} defaults[] = {
	{ "di", "01;34" }, { "ln", "01;36" }, { "pi", "33" },    { "so", "01;35" },
	{ "bd", "01;33" }, { "cd", "01;33" }, { "ex", "01;32" }, { "su", "37;41" },
	{ "sg", "30;43" }, { "tw", "30;42" }, { "ow", "34;42" }, { "st", "37;44" },
};

/* The code behind "key=" in LS_COLORS, copied; NULL if it is not there. */
static const char *listed(struct cmd *c, struct bytes key)
{
	const char *at = cmd_getenv(c, "LS_COLORS");

	while (at != NULL && *at != '\0') {
		size_t len = strcspn(at, ":");

		if (len > key.len && memcmp(at, key.ptr, key.len) == 0 && at[key.len] == '=')
			return arena_dup(c->arena,
					 (struct bytes){ at + key.len + 1, len - key.len - 1 });
		at += len + (at[len] == ':');
	}
	return NULL;
}

bool ls_colors_check(struct cmd *c)
{
	static const char keys[] =
		"lc rc ec rs no fi di ln pi so bd cd mi or ex do su sg ca mh st ow tw cl ";
	const char *at = cmd_getenv(c, "LS_COLORS");
	bool good = true;

	while (good && at != NULL && *at != '\0') {
		size_t len = strcspn(at, ":");
		char key[4] = { len > 0 ? at[0] : ' ', len > 1 ? at[1] : ' ', ' ', '\0' };

		if (len > 0 && *at == '*')
			good = memchr(at, '=', len) != NULL;
		else if (len > 0)
			good = len > 2 && at[2] == '=';
		if (good && len > 0 && *at != '*' && strstr(keys, key) == NULL) {
			key[2] = '\0';
			cmd_warn(c, 0, "unrecognized prefix: %s", cmd_quote(c, key));
			good = false;
		}
		at += len + (at[len] == ':');
	}
	if (!good)
		cmd_warn(c, 0, "unparsable value for LS_COLORS environment variable");
	return good;
}

/* In either case. */
static bool ends_with(struct bytes name, struct bytes suffix)
{
	size_t i = 0;

	if (suffix.len > name.len)
		return false;
	const char *tail = name.ptr + name.len - suffix.len;

	while (i < suffix.len &&
	       byte_to_lower((unsigned char)tail[i]) == byte_to_lower((unsigned char)suffix.ptr[i]))
		i++;
	return i == suffix.len;
}

/* The code of the last "*suffix=" that fits the name. */
static const char *by_suffix(struct cmd *c, struct bytes name)
{
	const char *at = cmd_getenv(c, "LS_COLORS");
	const char *found = listed(c, BYTES("fi"));

	found = found != NULL ? found : "";

	while (at != NULL && *at != '\0') {
		size_t len = strcspn(at, ":");
		const char *equals = memchr(at, '=', len);

		cmd_charge(c, 1);
		if (*at == '*' && equals != NULL &&
		    ends_with(name, (struct bytes){ at + 1, (size_t)(equals - at) - 1 }))
			found = arena_dup(
				c->arena,
				(struct bytes){ equals + 1, len - (size_t)(equals - at) - 1 });
		at += len + (at[len] == ':');
	}
	return found;
}

static const char *any_code(struct cmd *c, const char *key)
{
	const char *code = listed(c, bytes_of(key));

	for (size_t i = 0; code == NULL && i < sizeof(defaults) / sizeof(defaults[0]); i++)
		if (strcmp(defaults[i].key, key) == 0)
			code = defaults[i].code;
	return code != NULL ? code : "";
}

/* The same; "" if it is none: another may count then. */
static const char *code_of(struct cmd *c, const char *key)
{
	const char *code = any_code(c, key);

	return strcmp(code, "0") == 0 || strcmp(code, "00") == 0 ? "" : code;
}

static const char *directory_code(struct cmd *c, uint32_t mode)
{
	const char *code = "";

	if ((mode & S_SVTX) && (mode & 0002))
		code = code_of(c, "tw");
	else if (mode & 0002)
		code = code_of(c, "ow");
	else if (mode & S_SVTX)
		code = code_of(c, "st");
	return code[0] != '\0' ? code : any_code(c, "di");
}

static const char *mode_code(struct cmd *c, uint32_t mode, struct bytes name)
{
	switch (mode & S_FMT) {
	case S_DIR: return directory_code(c, mode);
	case S_LNK: return any_code(c, "ln");
	case S_FIFO: return any_code(c, "pi");
	case S_SOCK: return any_code(c, "so");
	case S_BLK: return any_code(c, "bd");
	case S_CHR: return any_code(c, "cd");
	default: break;
	}
	if ((mode & S_SUID) && code_of(c, "su")[0] != '\0')
		return code_of(c, "su");
	if ((mode & S_SGID) && code_of(c, "sg")[0] != '\0')
		return code_of(c, "sg");
	return (mode & 0111) && code_of(c, "ex")[0] != '\0' ? code_of(c, "ex") : by_suffix(c, name);
}

const char *ls_color(struct cmd *c, const struct ls_entry *e, bool target)
{
	if (target)
		return e->target_mode != 0            ? mode_code(c, e->target_mode, e->target)
		       : any_code(c, "mi")[0] != '\0' ? any_code(c, "mi")
						      : any_code(c, "or");
	if ((e->st.mode & S_FMT) == S_LNK && e->broken && code_of(c, "or")[0] != '\0')
		return code_of(c, "or");
	if ((e->st.mode & S_FMT) == S_LNK && strcmp(code_of(c, "ln"), "target") == 0)
		return mode_code(c, e->target_mode, e->name);
	return mode_code(c, e->st.mode, e->name);
}
