/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a script, with and without extended globs, whole and line by line. What parses
 * is printed; what is printed must parse, and print the same again.
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "interp/ast.h"

enum { REGION_BYTES = 64 << 20, TEXT_MAX = 64 << 10 };

struct world {
	struct store store;
	struct heap heap;
	struct arena scratch;
	struct bytes left; /* for `more` */
	unsigned flags;
	bool warned; /* a here-document had no end */
};

static struct world world;
static char *region;
static jmp_buf no_memory;

/* Substitutions that each may be arithmetic, nested in here-documents, are read once more with
 * every level: the limit of memory ends that, as it does in a session. */
static void out_of_memory(void *arg)
{
	(void)arg;
	longjmp(no_memory, 1);
}

static int more(void *user, bool continued, struct bytes *line)
{
	struct world *w = user;
	const char *nl = memchr(w->left.ptr, '\n', w->left.len);
	size_t n = nl != NULL ? (size_t)(nl - w->left.ptr) + 1 : w->left.len;

	(void)continued;
	*line = bytes_slice(w->left, 0, n);
	w->left = bytes_slice(w->left, n, w->left.len);
	return n != 0;
}

static bool alias(void *user, struct bytes name, struct bytes *out)
{
	(void)user;
	*out = BYTES("echo b ");
	return bytes_is(name, "a");
}

static unsigned flags(void *user)
{
	return ((struct world *)user)->flags;
}

static struct parser *parser_for(struct bytes text, bool lines)
{
	struct parse_config config = { .heap = &world.heap,
				       .fail = { out_of_memory, NULL },
				       .scratch = &world.scratch,
				       .text = lines ? BYTES("") : text,
				       .more = lines ? more : NULL,
				       .alias = alias,
				       .flags = flags,
				       .user = &world,
				       .line = 1 };

	world.left = text;
	return parse_new(&config);
}

/* All units of text, printed one after the other. False on a syntax error. */
static bool print_all(struct bytes text, bool lines, struct buf *out)
{
	struct parser *p = parser_for(text, lines);
	struct parse_error error;
	struct ast *unit;
	int rc;

	while (rc = parse_unit(p, &unit, &error), rc == 1) {
		print_command(out, unit->root);
		world.warned |= parse_warnings(p) != NULL;
		buf_putc(out, '\n');
		ast_put(unit);
	}
	return rc == 0;
}

static void fail(const char *what, struct bytes first, struct bytes second)
{
	fprintf(stderr, "%s\n--- printed\n%.*s\n--- again\n%.*s\n", what, (int)first.len, first.ptr,
		(int)second.len, second.ptr);
	abort();
}

/* Whether a line is the pattern of `case esac in (esac)`, which bash prints without its paren. */
static bool esac_is_pattern(struct bytes printed)
{
	while (printed.len > 0) {
		const char *nl = memchr(printed.ptr, '\n', printed.len);
		size_t n = nl != NULL ? (size_t)(nl - printed.ptr) + 1 : printed.len;
		size_t i = 0;

		while (i < n && printed.ptr[i] == ' ')
			i++;
		if (bytes_starts(bytes_slice(printed, i, n), BYTES("esac)")) ||
		    bytes_starts(bytes_slice(printed, i, n), BYTES("esac |")))
			return true;
		printed = bytes_slice(printed, n, printed.len);
	}
	return false;
}

static void check(struct bytes text)
{
	struct buf first = buf_in(&world.scratch);
	struct buf lined = buf_in(&world.scratch);
	struct buf second = buf_in(&world.scratch);
	bool whole = print_all(text, false, &first);

	if (print_all(text, true, &lined) != whole ||
	    !bytes_eq(buf_bytes(&first), buf_bytes(&lined)))
		fail("line by line differs", buf_bytes(&first), buf_bytes(&lined));
	world.flags &= ~(unsigned)PARSE_ALIASES;
	/* bash shows a name that was not written, which then looks like the command. */
	if (bytes_find(buf_bytes(&first), BYTES("coproc")) != NULL)
		return;
	/* It leaves the 1 of `1<> f` out, which then means 0; a line may go on within the operator.
	 */
	if (bytes_find(buf_bytes(&first), BYTES("<>")) != NULL)
		return;
	if (world.warned || esac_is_pattern(buf_bytes(&first)))
		return;
	/* Scripts have no NUL. */
	if (memchr(text.ptr, 0, text.len) != NULL)
		return;
	/* A backslash that quotes nothing but the end. */
	if (bytes_ends(text, BYTES("\\")) || bytes_ends(buf_bytes(&first), BYTES("\\\n")))
		return;
	/* A here-document in the middle of a line ends the unit there, and bash prints what follows
	 * behind it: `a || b | c <<X || d` begins a line with `|| d`. */
	if (bytes_find(buf_bytes(&first), BYTES("<<")) != NULL)
		return;
	/* `"${x+$'a"b'}"` loses its quotes, and can't be read again by bash either. */
	if (bytes_find(text, BYTES("${")) != NULL && bytes_find(text, BYTES("$'")) != NULL)
		return;
	/* A lone `!` or `time` at the end of a subshell loses what ends it. */
	if (bytes_find(buf_bytes(&first), BYTES("  )")) != NULL)
		return;
	if (!print_all(buf_bytes(&first), false, &second))
		fail("does not parse again", buf_bytes(&first), buf_bytes(&second));
	if (!bytes_eq(buf_bytes(&first), buf_bytes(&second)))
		fail("differs", buf_bytes(&first), buf_bytes(&second));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes text = { (const char *)data, size };

	if (size == 0 || size > TEXT_MAX)
		return 0;
	if (region == NULL)
		region = malloc(REGION_BYTES);
	memset(&world, 0, sizeof world);
	store_init(&world.store, region, REGION_BYTES, NULL, NULL);
	world.heap.store = &world.store;
	arena_init(&world.scratch, &world.heap, (struct arena_fail){ out_of_memory, NULL });
	if (setjmp(no_memory) != 0)
		return 0;
	world.flags = data[0] & 1 ? PARSE_EXTGLOB | PARSE_EXTQUOTE : PARSE_ALIASES;
	check(bytes_slice(text, 1, size));
	arena_clear(&world.scratch);
	if (world.heap.used != 0)
		abort();
	return 0;
}
