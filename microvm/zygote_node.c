/* SPDX-License-Identifier: MIT
 *
 * What the warm start knows about Node.
 *
 * The zygote is `node` with a placeholder as its argument, and a preloaded module of ours, the
 * launcher, that NODE_OPTIONS names. When that runs, Node is complete but for the main script, and
 * its threads wait for work. The launcher takes back what brought it and opens a file, which is
 * where the zygote is frozen. What follows runs in every start: arguments, environment, number of
 * the process and random numbers are made anew. The text of -e stands in V8's heap as a string
 * large enough to have pages of its own, whose length may be changed; so Node evaluates it itself,
 * without a frame of ours below. A script's name is bound to the function that runs it.
 */
#include "microvm/zygote.h"

#include "base/utf8.h"

/* As long as the name of a module that changes nothing: it takes the launcher's place in the
 * options that workers inherit. */
#define LAUNCHER ZYGOTE_DIR "/run.js"
#define INSTEAD  "node:diagnostics_channel"
_Static_assert(sizeof LAUNCHER == sizeof INSTEAD, "one replaces the other in memory");

enum {
	HOLDER = 0x100, /* the placeholder's character: V8 needs two bytes for it */
	STRING_HASH = 8,
	STRING_LENGTH = 12,
	STRING_TEXT = 16,
	NO_HASH = 3,
	/* Node's record of each standard stream: flags, then struct stat, then its terminal. */
	STREAM_STAT = 8,
	STREAM_BYTES = 216,
	STAT_KEY_BYTES = 28, /* device, inode, links, mode */
};

static const char launcher[] =
	"'use strict';\n"
	"const fs = require('fs'), path = require('path'), v8 = require('v8');\n"
	"const Module = require('module');\n"
	"delete require.cache[__filename];\n"
	"for (const k of Object.keys(Module._pathCache))\n"
	"  if (k.includes('/zygote/')) delete Module._pathCache[k];\n"
	"const dir = '/proc/self/zygote';\n"
	"const fd = fs.openSync(dir + '/request', 'r');\n"
	"let data = Buffer.alloc(16384), n = 0;\n"
	"for (;;) {\n"
	"  const got = fs.readSync(fd, data, n, data.length - n, null);\n"
	"  n += got;\n"
	"  if (n < data.length) break;\n"
	"  data = Buffer.concat([data, Buffer.alloc(data.length)]);\n"
	"}\n"
	"fs.closeSync(fd);\n"
	"const parts = data.toString('utf8', 0, n - 2).split('\\0');\n"
	"const argc = parseInt(parts[0]), args = parts.slice(1, argc + 1);\n"
	"const env = parts.slice(argc + 1).map(v => [v.slice(0, v.indexOf('=')),\n"
	"                                            v.slice(v.indexOf('=') + 1)]);\n"
	"delete process.env.NODE_OPTIONS;\n"
	"if (Object.keys(process.env).join('\\0') !== env.map(v => v[0]).join('\\0'))\n"
	"  for (const k of Object.keys(process.env)) delete process.env[k];\n"
	"for (const [k, v] of env)\n"
	"  if (process.env[k] !== v) process.env[k] = v;\n"
	"try { process.chdir('.'); } catch {}\n"
	"Object.defineProperty(process, 'pid', { value: Number(fs.readlinkSync('/proc/self')) });\n"
	"const random = fs.openSync('/dev/urandom', 'r');\n"
	"fs.readSync(random, data, 0, 4, null);\n"
	"fs.closeSync(random);\n"
	"v8.setFlagsFromString('--random-seed=' + (data.readUInt32LE(0) % 0x7fffffff + 1));\n"
	"Math.random();\n"
	"v8.setFlagsFromString('--random-seed=0');\n"
	"if (args[1].startsWith('-')) {\n"
	"  process.execArgv = args.slice(1, 3);\n"
	"  process.argv.splice(1, Infinity, ...args.slice(3));\n"
	"} else {\n"
	"  const script = path.resolve(args[1]), run = Module.runMain;\n"
	"  process.argv.splice(1, Infinity, script, ...args.slice(2));\n"
	"  const how = { configurable: true, enumerable: true };\n"
	"  Object.defineProperty(Module, 'runMain', { ...how, get() {\n"
	"    Object.defineProperty(Module, 'runMain', { ...how, writable: true, value: run });\n"
	"    return run.bind(Module, script);\n"
	"  } });\n"
	"}\n";

const struct bytes zygote_node_launcher = { launcher, sizeof launcher - 1 };

/* --- which starts --- */

bool zygote_is_node(enum zygote_form form)
{
	return form == FORM_NODE_EVAL || form == FORM_NODE_PRINT || form == FORM_NODE_SCRIPT;
}

static bool starts_with(const char *text, const char *what)
{
	return strncmp(text, what, strlen(what)) == 0;
}

static bool is_node(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;

	return strcmp(name, "node") == 0 || strcmp(name, "nodejs") == 0;
}

static bool fits_environment(char *const *envp)
{
	for (; *envp != NULL; envp++) {
		const char *value = strchr(*envp, '=');

		if (value == NULL || value == *envp || starts_with(*envp, "NODE_") ||
		    starts_with(*envp, "LD_"))
			return false;
	}
	return true;
}

static bool is_one_of(const char *text, const char *a, const char *b)
{
	return strcmp(text, a) == 0 || strcmp(text, b) == 0;
}

enum zygote_form zygote_node_form(const char *path, int argc, char *const *argv, char *const *envp)
{
	const char *first = argc > 1 ? argv[1] : "";
	enum zygote_form form = FORM_NONE;

	if (!is_node(path) || first[0] == '\0' || !fits_environment(envp))
		return FORM_NONE;
	if (first[0] != '-')
		return is_one_of(first, "inspect", "debug") ? FORM_NONE : FORM_NODE_SCRIPT;
	if (is_one_of(first, "-e", "--eval"))
		form = FORM_NODE_EVAL;
	else if (is_one_of(first, "-p", "--print"))
		form = FORM_NODE_PRINT;
	/* What begins with a dash may be an option. */
	if (argc < 3 || argv[2][0] == '\0' || argv[2][0] == '-' ||
	    (argc > 3 && argv[3][0] == '-') || strlen(argv[2]) >= ZYGOTE_NODE_TEXT_MAX)
		return FORM_NONE;
	return form;
}

/* --- making one --- */

char **zygote_node_arguments(struct arena *a, enum zygote_form form, const char *arg0)
{
	char **argv = arena_array(a, 4, sizeof *argv);
	struct buf b = buf_in(a);
	int n = 0;

	argv[n++] = (char *)(uintptr_t)arg0;
	if (form == FORM_NODE_SCRIPT) {
		argv[n++] = arena_dup(a, BYTES("/cowsh-zygote-placeholder"));
	} else {
		argv[n++] = arena_dup(a, form == FORM_NODE_PRINT ? BYTES("-p") : BYTES("-e"));
		for (int i = 0; i < ZYGOTE_NODE_TEXT_MAX; i++)
			buf_puts(&b, "\xc4\x80"); /* HOLDER */
		argv[n++] = buf_cstr(&b);
	}
	argv[n] = NULL;
	return argv;
}

/* --- what is found in memory --- */

static bool is_placeholder(struct task *t, uint64_t at)
{
	uint16_t text[256];

	for (size_t done = 0; done < ZYGOTE_NODE_TEXT_MAX;) {
		size_t n = ZYGOTE_NODE_TEXT_MAX - done;

		n = n < 256 ? n : 256;
		proc_charge(t->p, 1 + n / 16);
		if (guest_read(t->p, t->space, text, at + STRING_TEXT + done * 2, n * 2) != 0)
			return false;
		for (size_t i = 0; i < n; i++)
			if (text[i] != HOLDER)
				return false;
		done += n;
	}
	return true;
}

/* In V8's heap, where the text of -e is to stand. */
static bool consider_text(struct task *t, struct zygote *z, uint64_t at, const char *bytes)
{
	uint32_t length;
	uint16_t first;

	memcpy(&length, bytes + STRING_LENGTH, sizeof length);
	memcpy(&first, bytes + STRING_TEXT, sizeof first);
	if (length != ZYGOTE_NODE_TEXT_MAX || first != HOLDER || !is_placeholder(t, at))
		return true;
	if (z->nplaces == ZYGOTE_PLACES_MAX)
		return false;
	z->place[z->nplaces++] = (struct zygote_place){ at, false };
	return true;
}

/* The launcher's name, where workers would find it. */
static bool consider_name(struct task *t, uint64_t at)
{
	char name[sizeof LAUNCHER - 1];

	if (get_user(t, name, at, sizeof name) != 0 || memcmp(name, LAUNCHER, sizeof name) != 0)
		return true;
	return put_user(t, at, INSTEAD, sizeof name) == 0;
}

static bool is_stream(struct task *t, uint64_t at, const char *want)
{
	char got[STAT_KEY_BYTES];

	return get_user(t, got, at, sizeof got) == 0 && memcmp(got, want, sizeof got) == 0;
}

/* Node's record of the standard streams. */
static void consider_streams(struct task *t, struct zygote *z, uint64_t at,
			     char (*stat)[USER_STAT_BYTES])
{
	for (int i = 0; i < 3; i++)
		if (!is_stream(t, at + (uint64_t)i * STREAM_BYTES, stat[i]))
			return;
	if (z->streams == 0)
		z->streams = at - STREAM_STAT;
}

static bool search_page(struct task *t, struct zygote *z, uint64_t address, const char *bytes,
			char (*stat)[USER_STAT_BYTES])
{
	bool good = true;

	for (size_t at = 0; at < PAGE_BYTES && good; at += 8) {
		if (memcmp(bytes + at, LAUNCHER, 8) == 0)
			good = consider_name(t, address + at);
		if (memcmp(bytes + at, stat[0], 8) == 0)
			consider_streams(t, z, address + at, stat);
		if (good && at + STRING_TEXT + 8 <= PAGE_BYTES && z->form != FORM_NODE_SCRIPT)
			good = consider_text(t, z, address + at, bytes + at);
	}
	return good;
}

static bool streams_of(struct task *t, char (*stat)[USER_STAT_BYTES])
{
	for (int fd = 0; fd < 3; fd++) {
		struct vfs_stat st;

		if (sys_fstat(t->p, fd, &st) != 0)
			return false;
		user_stat_bytes(&st, stat[fd]);
	}
	return true;
}

bool zygote_node_find(struct task *t, struct zygote *z)
{
	char(*stat)[USER_STAT_BYTES] = call_memory(t, 3 * sizeof *stat);
	char *page = call_memory(t, PAGE_BYTES);
	const struct space *s = t->space;

	if (!streams_of(t, stat))
		return false;
	for (int i = 0; i < LEAF_BUCKETS; i++) {
		for (const struct leaf *l = s->bucket[i]; l != NULL; l = l->next) {
			for (size_t k = 0; k < LEAF_PAGES; k++) {
				if ((l->page[k] & PAGE_KIND) != PAGE_OWN)
					continue;
				/* A look elsewhere may wait, and another thread unmap this. */
				memcpy(page, page_bytes(l->page[k]), PAGE_BYTES);
				if (!search_page(t, z, (l->number << 21) + k * PAGE_BYTES, page,
						 stat))
					return false;
			}
			proc_charge(t->p, LEAF_PAGES);
		}
	}
	return z->streams != 0 && (z->form == FORM_NODE_SCRIPT || z->nplaces != 0);
}

/* --- starting --- */

static size_t to_utf16(struct bytes text, uint16_t *out)
{
	size_t n = 0;

	for (size_t at = 0; at < text.len;) {
		uint32_t c;

		at += utf8_decode(text, at, &c);
		if (c >= 0x10000)
			out[n++] = (uint16_t)(0xd800 + ((c - 0x10000) >> 10));
		out[n++] = (uint16_t)(c < 0x10000 ? c : 0xdc00 + ((c - 0x10000) & 0x3ff));
	}
	return n;
}

static int put_text(struct task *t, const struct zygote *z, struct bytes text)
{
	uint16_t *wide = arena_array(&t->p->arena, text.len + 1, sizeof *wide);
	uint32_t length = (uint32_t)to_utf16(text, wide);
	uint32_t hash = NO_HASH;
	int r = 0;

	for (int i = 0; i < z->nplaces && r == 0; i++) {
		uint64_t at = z->place[i].address;

		r = put_user(t, at + STRING_HASH, &hash, sizeof hash);
		if (r == 0)
			r = put_user(t, at + STRING_LENGTH, &length, sizeof length);
		if (r == 0)
			r = put_user(t, at + STRING_TEXT, wide, (size_t)length * sizeof *wide);
	}
	return r;
}

/* At its end Node puts the modes of these streams back. */
static int put_streams(struct task *t, const struct zygote *z)
{
	char(*stat)[USER_STAT_BYTES] = call_memory(t, 3 * sizeof *stat);
	int r = streams_of(t, stat) ? 0 : -E_BADF;

	for (int fd = 0; fd < 3 && r == 0; fd++) {
		uint64_t at = z->streams + (uint64_t)fd * STREAM_BYTES;
		int32_t flags = (int32_t)sys_getfl(t->p, fd);

		r = put_user(t, at, &flags, sizeof flags);
		if (r == 0)
			r = put_user(t, at + STREAM_STAT, stat[fd], USER_STAT_BYTES);
	}
	return r;
}

int zygote_node_dress(struct task *t, const struct zygote *z, struct bytes text)
{
	int r = put_streams(t, z);

	/* Node does so first of all. */
	for (int fd = 0; fd < t->p->nfds; fd++)
		if (t->p->fd[fd].file != NULL)
			sys_set_cloexec(t->p, fd, true);
	return r == 0 && z->form != FORM_NODE_SCRIPT ? put_text(t, z, text) : r;
}
