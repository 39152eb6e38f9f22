/* SPDX-License-Identifier: MIT
 *
 * Images and saved sessions of the host: their files are opened before the lock, read behind it.
 */
#include "cli/cli.h"
#include "cli/debug.h"
#include "cli/keep.h"
#include "cli/lock.h"
#include "cli/report.h"
#include "cowsh_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- images --- */

void image_map(struct image_file *f, const char *path, const char *base, cowsh_store *store)
{
	f->path = path;
	f->bytes = map_file(path, &f->size, false);
	if (base == NULL &&
	    cowsh_image_base_name(store, f->bytes, f->size, f->named, sizeof f->named) <= 0)
		return;
	f->base = base != NULL ? base : f->named;
	f->base_bytes = map_file(f->base, &f->base_size, true);
	if (f->base_bytes == NULL)
		fatal("%s: its base %s is not there (--base says where it is)", path, f->base);
}

static cowsh_image *read_image(const char *path, const void *bytes, size_t size, cowsh_image *under,
			       cowsh_store *store)
{
	cowsh_image *image;
	const char *why;

	if (cowsh_image_open(store, bytes, size, under, &image, &why) < 0)
		fatal("%s: %s", path, why);
	return image;
}

cowsh_image *image_read(const struct image_file *f, cowsh_store *store)
{
	cowsh_image *under = NULL;

	if (f->base_bytes != NULL)
		under = read_image(f->base, f->base_bytes, f->base_size, NULL, store);
	return read_image(f->path, f->bytes, f->size, under, store);
}

static struct image_file mounted[MOUNTS_MAX];

void images_map(const struct options *o, cowsh_store *store)
{
	for (int i = 0; i < o->nimages; i++)
		image_map(&mounted[i], o->image_files[i], NULL, store);
}

static void images_read(struct options *o, cowsh_store *store)
{
	for (int i = 0; i < o->nimages; i++)
		o->images[i].image = image_read(&mounted[i], store);
}

/* --- sessions --- */

static struct {
	const char *file;
	char *base; /* as given: IMAGE or IMAGE:PATH */
	bool compress;
	bool checkpoint;
	bool undo;
	struct kept kept;
	const void *bytes; /* that are to be loaded; NULL: the session is new */
	size_t size;
	struct image_file under;
	char under_name[PATH_MAX];
	const char *under_path; /* where a new session has its base; NULL: at / */
	cowsh_image *image;     /* of the base */
	char *text;             /* what the options ask for */
	size_t text_len;
} saved;

bool saved_option(int argc, char **argv, int *i)
{
	char *v;

	if ((v = option_value("--session", argc, argv, i)) != NULL)
		saved.file = v;
	else if ((v = option_value("--base", argc, argv, i)) != NULL)
		saved.base = v;
	else if (strcmp(argv[*i], "--compress") == 0)
		saved.compress = true;
	else if (strcmp(argv[*i], "--checkpoint") == 0)
		saved.checkpoint = true;
	else if (strcmp(argv[*i], "--undo") == 0)
		saved.undo = true;
	else
		return false;
	return true;
}

bool checkpoints_wanted(void)
{
	return saved.checkpoint;
}

bool saved_wanted(void)
{
	if (saved.file == NULL && (saved.base != NULL || saved.compress || saved.undo))
		fatal("--base, --compress and --undo want --session");
	return saved.file != NULL;
}

/* Splits IMAGE:PATH; NULL: there is no path. */
static char *path_of_base(void)
{
	char *path = NULL;

	for (char *at = saved.base; (at = strstr(at, ":/")) != NULL; at++)
		path = at;
	if (path == NULL || path == saved.base)
		return NULL;
	*path = '\0';
	return path + 1;
}

static void map_base(const char *name, cowsh_store *store)
{
	if (realpath(name, saved.under_name) == NULL)
		fatal("%s: %s", name, strerror(errno));
	image_map(&saved.under, saved.under_name, NULL, store);
}

/* The base that the session names. */
static void map_named_base(cowsh_store *store)
{
	char name[PATH_MAX];

	if (cowsh_image_base_name(store, saved.bytes, saved.size, name, sizeof name) <= 0)
		return;
	if (access(name, F_OK) < 0 && errno == ENOENT)
		fatal("%s: its base %s is not there (--base says where it is)", saved.file, name);
	map_base(name, store);
}

void saved_open(const struct options *o, cowsh_store *store)
{
	int err;

	if (o->shell_argc != 0)
		fatal("options of the shell do not go with --session: use `set`");
	keep_open(&saved.kept, saved.file, 0600);
	if (saved.undo) {
		err = keep_undo(&saved.kept);
		keep_drop(&saved.kept);
		if (err != 0)
			fatal("%s.before: %s", saved.file, strerror(err));
		leave(0);
	}
	/* From here on the new file goes away if the program ends early. */
	keep_start(&saved.kept, !o->no_lockdown, saved.checkpoint);
	saved.bytes = map_file(saved.file, &saved.size, true);
	if (saved.base != NULL) {
		saved.under_path = path_of_base();
		map_base(saved.base, store);
	} else if (saved.bytes != NULL) {
		map_named_base(store);
	}
}

/* The new session's base is the first of its images. */
static void mount_base(struct options *o)
{
	const char *path = saved.under_path != NULL ? saved.under_path : "/";

	if (o->nimages == MOUNTS_MAX)
		fatal("more than %d images", MOUNTS_MAX);
	memmove(o->images + 1, o->images, (size_t)o->nimages * sizeof *o->images);
	o->images[0] = (struct cowsh_image_mount){ path, saved.image, false };
	o->config.nimages = (size_t)++o->nimages;
}

static void load(struct runner *r)
{
	const struct cowsh_config *config = &r->options->config;
	cowsh_image *image = read_image(saved.file, saved.bytes, saved.size, saved.image, r->store);
	int err = cowsh_load(r->store, config, &r->host, image, &r->session);

	if (err == -COWSH_EINVAL)
		fatal("%s: an image, not a session", saved.file);
	if (err < 0)
		fatal("%s: %s", saved.file, err == -COWSH_EIO ? "damaged" : cowsh_error_text(err));
}

void saved_begin(struct runner *r)
{
	int err;

	images_read(r->options, r->store);
	if (saved.under.bytes != NULL)
		saved.image = image_read(&saved.under, r->store);
	if (saved.bytes != NULL) {
		load(r);
		return;
	}
	if (saved.base != NULL)
		mount_base(r->options);
	err = journal_session(r);
	if (err < 0)
		fatal("can't make a session: %s", cowsh_error_text(err));
}

/* --- what is run --- */

struct text {
	char *at;
	size_t len;
	size_t cap;
};

static void add(struct text *t, const char *s, size_t len)
{
	if (t->len + len > t->cap) {
		t->cap = 2 * (t->len + len);
		t->at = realloc(t->at, t->cap);
		if (t->at == NULL)
			fatal("out of memory");
	}
	memcpy(t->at + t->len, s, len);
	t->len += len;
}

static void add_quoted(struct text *t, const char *s)
{
	add(t, "'", 1);
	for (; *s != '\0'; s++)
		add(t, *s == '\'' ? "'\\''" : s, *s == '\'' ? 4 : 1);
	add(t, "'", 1);
}

void saved_prepare(const struct options *o)
{
	struct text t = { NULL, 0, 0 };
	int first = o->script != NULL ? 1 : 0; /* behind -c SCRIPT comes a name */

	if (saved.file == NULL)
		return;
	if (o->script != NULL && o->nargs > 1)
		add(&t, "set --", 6);
	if (o->script == NULL && o->file != NULL) {
		/* A name without a slash would be looked for in PATH. */
		add(&t, strchr(o->file, '/') == NULL ? ". ./" : ". ",
		    strchr(o->file, '/') == NULL ? 4 : 2);
		add_quoted(&t, o->file);
	} else if (o->script == NULL) {
		add(&t, ". /dev/stdin", 12);
	}
	for (int i = first; i < o->nargs; i++) {
		add(&t, " ", 1);
		add_quoted(&t, o->args[i]);
	}
	if (o->script != NULL) {
		if (t.len != 0)
			add(&t, "; ", 2);
		add(&t, o->script, strlen(o->script));
	}
	saved.text = t.at;
	saved.text_len = t.len;
}

int saved_start(struct runner *r)
{
	return cowsh_start(r->session, saved.text != NULL ? saved.text : "", saved.text_len);
}

/* --- the end --- */

struct others {
	int shell;     /* the first process */
	bool commands; /* that can't be saved */
};

static int look_at(void *user, const struct cowsh_process *p)
{
	struct others *o = user;

	if (o->shell == 0)
		o->shell = p->pid;
	else if (p->state != 'Z' && strcmp(p->program, "microvm") != 0)
		o->commands = true;
	return o->commands;
}

int saved_drain(cowsh *session, uint64_t steps)
{
	enum { PART_STEPS = 1000000 };
	int state;

	(void)steps;
	do {
		struct others others = { 0, false };

		cowsh_list_processes(session, look_at, &others);
		if (!others.commands)
			return COWSH_DONE;
		state = cowsh_drain(session, PART_STEPS);
	} while (state == COWSH_SLICE);
	return state;
}

static int write_session(void *user, const void *data, size_t len)
{
	return write_all(*(const int *)user, data, len);
}

struct naming {
	const struct cowsh_saved *lost;
	int named;
};

/* Names some of the processes that are not in the file. */
static int name_lost(void *user, const struct cowsh_process *p)
{
	enum { NAMED_MAX = sizeof((struct cowsh_saved *)0)->lost / sizeof(int) };
	struct naming *n = user;
	bool lost = false;

	for (int i = 0; i < NAMED_MAX; i++)
		lost = lost || n->lost->lost[i] == p->pid;
	if (!lost)
		return 0;
	out_text(n->named == 0 ? " (" : ", ");
	out_format("%d ", p->pid);
	out_name(p->name);
	if (++n->named == NAMED_MAX && n->lost->processes > NAMED_MAX)
		out_text(", ...");
	return n->named == NAMED_MAX;
}

static void tell_lost(cowsh *session, const struct cowsh_saved *lost)
{
	struct naming n = { lost, 0 };

	if (lost->processes == 0 && lost->descriptors == 0)
		return;
	out_to(2);
	out_format("cowsh: not saved: %u running processes", lost->processes);
	cowsh_list_processes(session, name_lost, &n);
	out_format("%s, %u open pipes of the shell\n", n.named != 0 ? ")" : "", lost->descriptors);
	out_flush();
}

int saved_keep(struct runner *r, int status)
{
	struct cowsh_sink sink = COWSH_SINK_INIT;
	struct cowsh_saved lost = COWSH_SAVED_INIT;
	int err;

	if (saved.file == NULL || rehearse_wanted() || debug_ended() != 0)
		return status;
	sink.write = write_session;
	sink.user = &saved.kept.fd;
	sink.compress = saved.compress;
	err = cowsh_save(r->session, &sink, saved.image,
			 saved.image != NULL ? saved.under_name : NULL, &lost);
	if (err < 0)
		fatal("%s: the session can't be saved: %s", saved.file, cowsh_error_text(err));
	err = keep_ask();
	if (err != 0)
		fatal("%s: the session can't be saved: %s", saved.file, strerror(err));
	tell_lost(r->session, &lost);
	return status;
}
