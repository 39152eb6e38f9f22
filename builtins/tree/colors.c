/* SPDX-License-Identifier: MIT
 *
 * The colours of tree: TREE_COLORS or LS_COLORS, or its own ones, which are fewer than those of
 * dircolors.
 */
#include "builtins/tree/tree.h"

static const char defaults[] =
	"no=00:fi=00:di=01;34:ln=01;36:pi=40;33:so=01;35:bd=40;33;01:cd=40;33;01:or=40;31;01:"
	"ex=01;32:*.bat=01;32:*.BAT=01;32:*.btm=01;32:*.BTM=01;32:*.cmd=01;32:*.CMD=01;32:"
	"*.com=01;32:*.COM=01;32:*.dll=01;32:*.DLL=01;32:*.exe=01;32:*.EXE=01;32:*.arj=01;31:"
	"*.bz2=01;31:*.deb=01;31:*.gz=01;31:*.lzh=01;31:*.rpm=01;31:*.tar=01;31:*.taz=01;31:"
	"*.tb2=01;31:*.tbz2=01;31:*.tbz=01;31:*.tgz=01;31:*.tz2=01;31:*.z=01;31:*.Z=01;31:"
	"*.zip=01;31:*.ZIP=01;31:*.zoo=01;31:*.asf=01;35:*.ASF=01;35:*.avi=01;35:*.AVI=01;35:"
	"*.bmp=01;35:*.BMP=01;35:*.flac=01;35:*.FLAC=01;35:*.gif=01;35:*.GIF=01;35:*.jpg=01;35:"
	"*.JPG=01;35:*.jpeg=01;35:*.JPEG=01;35:*.m2a=01;35:*.M2a=01;35:*.m2v=01;35:*.M2V=01;35:"
	"*.mov=01;35:*.MOV=01;35:*.mp3=01;35:*.MP3=01;35:*.mpeg=01;35:*.MPEG=01;35:*.mpg=01;35:"
	"*.MPG=01;35:*.ogg=01;35:*.OGG=01;35:*.ppm=01;35:*.rm=01;35:*.RM=01;35:*.tga=01;35:"
	"*.TGA=01;35:*.tif=01;35:*.TIF=01;35:*.wav=01;35:*.WAV=01;35:*.wmv=01;35:*.WMV=01;35:"
	"*.xbm=01;35:*.xpm=01;35";

struct color {
	struct bytes key; /* two letters, or what a name ends with */
	const char *code;
	bool ending;
};

struct tree_colors {
	struct color *list;
	size_t n;
};

const struct tree_colors *tree_colors_new(struct cmd *c)
{
	struct tree_colors *k = arena_zalloc(c->arena, sizeof *k);
	const char *at = cmd_getenv(c, "TREE_COLORS");

	if (at == NULL)
		at = cmd_getenv(c, "LS_COLORS");
	if (at == NULL || at[0] == '\0')
		at = defaults;
	while (*at != '\0') {
		size_t len = strcspn(at, ":");
		const char *equals = memchr(at, '=', len);

		if (equals != NULL) {
			bool ending = *at == '*';

			k->list = arena_room(c->arena, k->list, k->n, sizeof *k->list);
			k->list[k->n++] = (struct color){
				.key = { at + ending, (size_t)(equals - at) - ending },
				.code = arena_dup(
					c->arena,
					(struct bytes){ equals + 1,
							len - (size_t)(equals + 1 - at) }),
				.ending = ending,
			};
		}
		cmd_charge(c, 1);
		at += len + (at[len] != '\0');
	}
	return k;
}

static const char *code_of(const struct tree_colors *k, const char *key)
{
	for (size_t i = 0; i < k->n; i++)
		if (!k->list[i].ending && bytes_is(k->list[i].key, key))
			return k->list[i].code;
	return NULL;
}

static const char *first_of(const struct tree_colors *k, const char *key, const char *other)
{
	const char *code = code_of(k, key);

	return code != NULL ? code : code_of(k, other);
}

static const char *file_color(const struct tree_colors *k, const char *name, uint32_t mode)
{
	const char *code = NULL;

	if ((mode & S_SUID) != 0)
		code = code_of(k, "su");
	if (code == NULL && (mode & S_SGID) != 0)
		code = code_of(k, "sg");
	if (code == NULL && (mode & 0111) != 0)
		code = code_of(k, "ex");
	for (size_t i = 0; i < k->n && code == NULL; i++)
		if (k->list[i].ending && bytes_ends(bytes_of(name), k->list[i].key))
			code = k->list[i].code;
	return code != NULL ? code : first_of(k, "fi", "no");
}

const char *tree_color(const struct tree_colors *k, const char *name, uint32_t mode)
{
	bool sticky = (mode & S_SVTX) != 0;
	bool open = (mode & 2) != 0;
	const char *code = NULL;

	switch (mode & S_FMT) {
	case S_DIR:
		if (sticky && open)
			code = code_of(k, "tw");
		if (code == NULL && open && !sticky)
			code = code_of(k, "ow");
		if (code == NULL && sticky && !open)
			code = code_of(k, "st");
		return code != NULL ? code : first_of(k, "di", "no");
	case S_FIFO: return first_of(k, "pi", "no");
	case S_SOCK: return first_of(k, "so", "no");
	case S_CHR: return first_of(k, "cd", "no");
	case S_BLK: return first_of(k, "bd", "no");
	case S_LNK: return first_of(k, "ln", "no");
	case S_REG: return file_color(k, name, mode);
	default: return first_of(k, "mi", "no");
	}
}

const char *tree_color_link(const struct tree_colors *k, const char *target, uint32_t target_mode)
{
	const char *link = code_of(k, "ln");

	if (target_mode == 0 && code_of(k, "or") != NULL)
		return code_of(k, "or");
	if (link != NULL && strcmp(link, "target") == 0)
		return tree_color(k, target, target_mode);
	return link != NULL ? link : code_of(k, "no");
}
