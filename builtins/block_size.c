/* SPDX-License-Identifier: MIT
 *
 * Units of sizes: numbers with a suffix, or a suffix alone, which then stands behind what is
 * written. A quote in front asks for thousands in groups, of which the locale has none.
 */
#include "builtins/block_size.h"

static const char letters[] = "kKmMgGtTPEZY";

/* What stands behind numbers when the unit is given by letters alone. */
static void set_suffix(struct block_size *out, const char *text)
{
	size_t len = strlen(text);
	bool bytes = text[len - 1] == 'B';
	bool binary = !bytes || text[len - 2] == 'i';
	size_t n = 0;

	out->suffix[n] = (char)byte_to_upper((unsigned char)text[0]);
	if (out->suffix[n] == 'K' && !binary)
		out->suffix[n] = 'k';
	n++;
	if (bytes && binary)
		out->suffix[n++] = 'i';
	if (bytes)
		out->suffix[n++] = 'B';
}

/* A unit for people, if the text is the beginning of its name. */
static bool is_name(const char *text, struct block_size *out)
{
	static const char *const names[] = { "human-readable", "si" };

	for (int i = 0; i < 2 && text[0] != '\0'; i++)
		if (strncmp(text, names[i], strlen(text)) == 0) {
			*out = (struct block_size){ .base = i == 0 ? 1024 : 1000 };
			return true;
		}
	return false;
}

/* 0, -E_INVAL, -E_OVERFLOW. */
static int parse(const char *text, struct block_size *out)
{
	char number[40] = "1";
	int err;

	text += *text == '\'';
	if (is_name(text, out))
		return 0;
	*out = (struct block_size){ 0 };
	if (byte_is_digit(num_start(text)[0])) {
		err = num_parse_u64(text, "kKmMgGtTPEZY0", &out->unit);
	} else {
		if (strlen(text) > 3 || *text == '\0' || strchr(letters, *text) == NULL)
			return -E_INVAL;
		memcpy(number + 1, text, strlen(text) + 1);
		err = num_parse_u64(number, "kKmMgGtTPEZY0", &out->unit);
		if (err == 0)
			set_suffix(out, text);
	}
	return err == 0 && out->unit == 0 ? -E_INVAL : err;
}

int block_size_parse(struct cmd *c, const char *given, const char *text, struct block_size *out)
{
	const char *number = num_start(text + (*text == '\''));
	size_t digits = strspn(number, "0123456789");
	int err = parse(text, out);

	if (err == 0)
		return 0;
	if (err == -E_OVERFLOW)
		return cmd_error(c, 0, "%s argument '%s' too large", given, text);
	/* "1b" begins with a number, "Ki" with a suffix; "b" and "0" are nothing at all. */
	bool begins = digits > 0 ? number[digits] != '\0'
				 : *number != '\0' && strchr(letters, *number) != NULL;

	return cmd_error(c, 0, "invalid %s%s argument '%s'", begins ? "suffix in " : "", given,
			 text);
}

bool block_size_of_env(struct cmd *c, const char *own, struct block_size *out)
{
	const char *text = cmd_getenv(c, own);
	bool set;

	if (text == NULL)
		text = cmd_getenv(c, "BLOCK_SIZE");
	set = text != NULL;
	if (text == NULL)
		text = cmd_getenv(c, "BLOCKSIZE");
	if (text == NULL || parse(text, out) != 0)
		*out = (struct block_size){
			.unit = cmd_getenv(c, "POSIXLY_CORRECT") != NULL ? 512 : 1024,
		};
	return set;
}
