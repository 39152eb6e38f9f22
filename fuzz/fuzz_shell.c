/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a script that runs in the session's shell, behind options that the first byte
 * chooses. A fork of what is left then tells the same state as the session, and so does the
 * session saved and loaded again.
 */
#include "fuzz/session.h"

#include "cowsh_image.h"

#include <stdio.h>

enum { TOLD_MAX = 256 << 10, FILE_BYTES_MAX = 8 << 20, SAVED = 0x80 };

static const char tree[] =
	"mkdir -p /tmp/d/e; cd /tmp; printf 'a b\\nb:c:d\\n12\\n' > f1; echo 'x y' > f2;"
	"ln -s f1 l; touch 'a b' d/e/f; a=(one 'two 2' three); declare -A h=([k]=v);"
	"x='a b' y=abc n=3; alias al='echo alias'; f() { echo \"f:$#:$1\"; }; set -- 1 '2 3'";
static const char tell[] =
	"echo \"$? $- $# $* $_\"; declare -p; declare -f; alias; trap; set +o; shopt;"
	"umask; pwd; dirs; hash; ulimit -a; echo \"$RANDOM $SECONDS $LINENO\"";

/* What a session says of itself, cut off at a size. */
struct told {
	char text[TOLD_MAX];
	size_t len;
	struct cowsh_result result;
};

static struct told told[3];
static char *file;
static size_t file_len;

static void must(bool ok)
{
	if (!ok)
		abort();
}

static int hear(void *user, int fd, const char *data, size_t len)
{
	struct told *t = user;
	size_t room = TOLD_MAX - t->len;

	(void)fd;
	if (len > room)
		len = room;
	memcpy(t->text + t->len, data, len);
	t->len += len;
	return 0;
}

static int keep(void *user, const void *data, size_t len)
{
	(void)user;
	if (file_len + len > FILE_BYTES_MAX)
		return -COWSH_ENOSPC;
	memcpy(file + file_len, data, len);
	file_len += len;
	return 0;
}

static void same(const struct told *a, const struct told *b)
{
	/* What is left of the limits need not be the same. */
	if (a->result.limit >= 0 || b->result.limit >= 0)
		return;
	if (a->result.status != b->result.status || a->len != b->len ||
	    memcmp(a->text, b->text, a->len) != 0) {
		fprintf(stderr, "--- one\n%.*s--- other\n%.*s", (int)a->len, a->text, (int)b->len,
			b->text);
		abort();
	}
}

static void ask(cowsh *s, struct told *t)
{
	must(cowsh_run(s, tell, sizeof tell - 1, &t->result) == 0);
}

/* Asks a copy that was saved. False: something could not be saved. */
static bool ask_saved(cowsh *s, const struct cowsh_host *host, struct told *t)
{
	struct cowsh_sink sink = COWSH_SINK_INIT;
	struct cowsh_saved saved = COWSH_SAVED_INIT;
	struct cowsh_store_config store_config = COWSH_STORE_CONFIG_INIT;
	struct cowsh_config config = COWSH_CONFIG_INIT;
	cowsh_store *store;
	cowsh_image *image;
	cowsh *copy;

	if (file == NULL)
		file = aligned_alloc(4096, FILE_BYTES_MAX);
	file_len = 0;
	sink.write = keep;
	if (cowsh_save(s, &sink, NULL, NULL, &saved) < 0 || saved.processes + saved.descriptors > 0)
		return false;
	store_config.region_size = (size_t)64 << 20;
	store_config.region = malloc(store_config.region_size);
	must(cowsh_store_new(&store_config, &store) == 0);
	must(cowsh_image_open(store, file, file_len, NULL, &image, NULL) == 0);
	must(cowsh_load(store, &config, host, image, &copy) == 0);
	cowsh_set_limit(copy, COWSH_LIMIT_STEPS, 2000000);
	cowsh_set_limit(copy, COWSH_LIMIT_MEMORY, 32 << 20);
	ask(copy, t);
	cowsh_free(copy);
	cowsh_image_close(image);
	cowsh_store_free(store);
	free(store_config.region);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const options[] = {
		"",
		"set -e\n",
		"set -u\n",
		"shopt -s extglob\n",
		"set -x\n",
		"set -o posix\n",
		"set -T\n",
		"set -f\n",
		"shopt -s lastpipe nullglob globstar\n",
		"set -E\n",
		"set -k\n",
		"set -v\n",
		"shopt -s expand_aliases\n",
		"set -m\n",
		"shopt -s inherit_errexit\n",
		"set -n\n",
	};
	struct cowsh_host hosts[3];
	struct cowsh_result result;
	cowsh *s, *copy;

	if (size < 1)
		return 0;
	for (int i = 0; i < 3; i++) {
		hosts[i] = (struct cowsh_host)COWSH_HOST_INIT;
		hosts[i].output = hear;
		hosts[i].user = &told[i];
		told[i].len = 0;
	}
	s = fuzz_fork(tree, &hosts[0]);
	const char *first = options[data[0] % FUZZ_COUNT(options)];
	char *script = malloc(strlen(first) + size);

	memcpy(script, first, strlen(first));
	memcpy(script + strlen(first), data + 1, size - 1);
	must(cowsh_run(s, script, strlen(first) + size - 1, &result) == 0);
	free(script);
	cowsh_set_limit(s, COWSH_LIMIT_STEPS, 2000000);
	/* What has ended is told now: copies know nothing of it. */
	must(cowsh_run(s, "jobs", 4, NULL) == 0);
	if (result.limit < 0 && cowsh_fork(s, &hosts[1], &copy) == 0) {
		bool whole = cowsh_lost_processes(copy) == 0;
		bool saved = data[0] & SAVED && ask_saved(s, &hosts[2], &told[2]);

		told[0].len = 0;
		ask(s, &told[0]);
		ask(copy, &told[1]);
		if (whole)
			same(&told[0], &told[1]);
		if (saved)
			same(&told[0], &told[2]);
		cowsh_free(copy);
	}
	cowsh_free(s);
	return 0;
}
