/* SPDX-License-Identifier: MIT
 *
 * SHA-3 of values, of queries and of a database's content: sha3(), sha3_query(), .sha3sum
 */
#include "builtins/sqlite3/shell.h"

/* --- the sponge --- */

enum { LANES = 25, STATE_BYTES = 200, ROUNDS = 24, DEFAULT_BITS = 256, SUM_BITS = 224 };

struct sha3 {
	uint64_t lane[LANES];
	unsigned rate; /* bytes taken between permutations */
	unsigned at;
	unsigned size; /* of the digest, in bytes */
};

static uint64_t rotate(uint64_t v, unsigned n)
{
	return n == 0 ? v : v << n | v >> (64 - n);
}

/* The constants of the last step: bits of a shift register. */
static uint64_t round_constant(unsigned *shift)
{
	uint64_t constant = 0;

	for (unsigned j = 0; j < 7; j++) {
		if ((*shift & 1) != 0)
			constant |= (uint64_t)1 << ((1u << j) - 1);
		*shift = (*shift & 0x80) != 0 ? (*shift << 1 ^ 0x171) : *shift << 1;
	}
	return constant;
}

static void permute(uint64_t a[LANES])
{
	unsigned shift = 1;

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t c[5];
		uint64_t b[LANES];
		uint64_t moving = a[1];
		unsigned x = 1;
		unsigned y = 0;

		for (int i = 0; i < 5; i++)
			c[i] = a[i] ^ a[i + 5] ^ a[i + 10] ^ a[i + 15] ^ a[i + 20];
		for (int i = 0; i < LANES; i++)
			a[i] ^= c[(i + 4) % 5] ^ rotate(c[(i + 1) % 5], 1);
		moving = a[1];
		for (unsigned t = 0; t < 24; t++) {
			unsigned next = (2 * x + 3 * y) % 5;
			uint64_t held;

			x = y;
			y = next;
			held = a[x + 5 * y];
			a[x + 5 * y] = rotate(moving, (t + 1) * (t + 2) / 2 % 64);
			moving = held;
		}
		memcpy(b, a, sizeof b);
		for (int i = 0; i < LANES; i++) {
			int row = i / 5 * 5;

			a[i] = b[i] ^ (~b[row + (i + 1) % 5] & b[row + (i + 2) % 5]);
		}
		a[0] ^= round_constant(&shift);
	}
}

static void absorb_byte(struct sha3 *h, unsigned char byte)
{
	h->lane[h->at / 8] ^= (uint64_t)byte << (8 * (h->at % 8));
	if (++h->at == h->rate) {
		permute(h->lane);
		h->at = 0;
	}
}

static void absorb(struct sha3 *h, const void *data, size_t n)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < n; i++)
		absorb_byte(h, p[i]);
}

/* False: no digest has that size; the error is set. */
static bool start(struct sha3 *h, sqlite3_context *ctx, int n, sqlite3_value **args)
{
	int bits = n > 1 ? sqlite3_value_int(args[1]) : DEFAULT_BITS;

	if (bits != 224 && bits != 256 && bits != 384 && bits != 512) {
		sqlite3_result_error(ctx, "SHA3 size should be one of: 224 256 384 512", -1);
		return false;
	}
	*h = (struct sha3){ .size = (unsigned)bits / 8, .rate = STATE_BYTES - (unsigned)bits / 4 };
	return true;
}

static void finish(struct sha3 *h, sqlite3_context *ctx)
{
	unsigned char out[64];

	h->lane[h->at / 8] ^= (uint64_t)6 << (8 * (h->at % 8));
	h->lane[(h->rate - 1) / 8] ^= (uint64_t)0x80 << (8 * ((h->rate - 1) % 8));
	permute(h->lane);
	for (unsigned i = 0; i < h->size; i++)
		out[i] = (unsigned char)(h->lane[i / 8] >> (8 * (i % 8)));
	sqlite3_result_blob(ctx, out, (int)h->size, SQLITE_TRANSIENT);
}

/* --- functions --- */

static void sha3_function(sqlite3_context *ctx, int n, sqlite3_value **args)
{
	struct shell *s = sqlite3_user_data(ctx);
	struct sha3 h;
	int type = sqlite3_value_type(args[0]);

	if (!start(&h, ctx, n, args) || type == SQLITE_NULL)
		return;
	cmd_charge(s->c, (uint64_t)sqlite3_value_bytes(args[0]) / 8 + 1);
	if (type == SQLITE_BLOB)
		absorb(&h, sqlite3_value_blob(args[0]), (size_t)sqlite3_value_bytes(args[0]));
	else
		absorb(&h, sqlite3_value_text(args[0]), (size_t)sqlite3_value_bytes(args[0]));
	finish(&h, ctx);
}

static void absorb_text(struct sha3 *h, const char *kind, const void *data, int n)
{
	char head[32];

	sqlite3_snprintf(sizeof head, head, "%s%d:", kind, n);
	absorb(h, head, strlen(head));
	absorb(h, data, (size_t)n);
}

static void absorb_number(struct sha3 *h, char kind, uint64_t bits)
{
	absorb_byte(h, (unsigned char)kind);
	for (int shift = 56; shift >= 0; shift -= 8)
		absorb_byte(h, (unsigned char)(bits >> shift));
}

static void absorb_value(struct sha3 *h, sqlite3_stmt *st, int column)
{
	int n = sqlite3_column_bytes(st, column);
	double d;
	uint64_t bits;

	switch (sqlite3_column_type(st, column)) {
	case SQLITE_NULL: absorb_byte(h, 'N'); break;
	case SQLITE_INTEGER:
		absorb_number(h, 'I', (uint64_t)sqlite3_column_int64(st, column));
		break;
	case SQLITE_FLOAT:
		d = sqlite3_column_double(st, column);
		memcpy(&bits, &d, sizeof bits);
		absorb_number(h, 'F', bits);
		break;
	case SQLITE_BLOB: absorb_text(h, "B", sqlite3_column_blob(st, column), n); break;
	default: absorb_text(h, "T", sqlite3_column_text(st, column), n); break;
	}
}

/* The rows of one statement, and the statement's own text before them. */
static void absorb_statement(struct shell *s, struct sha3 *h, sqlite3_stmt *st)
{
	const char *sql = sqlite3_sql(st);

	absorb_text(h, "S", sql, (int)strlen(sql));
	while (sqlite3_step(st) == SQLITE_ROW) {
		absorb_byte(h, 'R');
		for (int i = 0; i < sqlite3_column_count(st); i++) {
			cmd_charge(s->c, (uint64_t)sqlite3_column_bytes(st, i) / 8 + 1);
			absorb_value(h, st, i);
		}
	}
}

static void sha3_query(sqlite3_context *ctx, int n, sqlite3_value **args)
{
	struct shell *s = sqlite3_user_data(ctx);
	sqlite3 *db = sqlite3_context_db_handle(ctx);
	const char *sql = (const char *)sqlite3_value_text(args[0]);
	struct sha3 h;

	if (!start(&h, ctx, n, args) || sql == NULL)
		return;
	while (*sql != '\0') {
		sqlite3_stmt *st = NULL;
		char *error = NULL;

		if (sqlite3_prepare_v2(db, sql, -1, &st, &sql) != SQLITE_OK)
			error = sqlite3_mprintf("error SQL statement [%s]: %s", sql,
						sqlite3_errmsg(db));
		else if (st != NULL && sqlite3_stmt_readonly(st) == 0)
			error = sqlite3_mprintf("non-query: [%s]", sqlite3_sql(st));
		if (error != NULL) {
			sqlite3_finalize(st);
			sqlite3_result_error(ctx, error, -1);
			sqlite3_free(error);
			return;
		}
		if (st != NULL)
			absorb_statement(s, &h, st);
		sqlite3_finalize(st);
	}
	finish(&h, ctx);
}

void add_sha3(struct shell *s)
{
	static const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;

	for (int n = 1; n <= 2; n++) {
		sqlite3_create_function(s->db, "sha3", n, flags, s, sha3_function, NULL, NULL);
		sqlite3_create_function(s->db, "sha3_query", n, SQLITE_UTF8 | SQLITE_DIRECTONLY, s,
					sha3_query, NULL, NULL);
	}
}

/* --- .sha3sum --- */

/* What is hashed of a table, in an order of its own. */
static char *content_query(struct shell *s, const char *table)
{
	if (strcmp(table, "sqlite_schema") == 0)
		return compose(s,
			       "SELECT type,name,tbl_name,sql FROM sqlite_schema ORDER BY name;");
	if (strcmp(table, "sqlite_sequence") == 0)
		return compose(s, "SELECT name,seq FROM sqlite_sequence ORDER BY name;");
	if (strcmp(table, "sqlite_stat1") == 0)
		return compose(s, "SELECT tbl,idx,stat FROM sqlite_stat1 ORDER BY tbl,idx;");
	if (strncmp(table, "sqlite_", 7) == 0)
		return compose(s, "");
	return compose(s, "SELECT * FROM \"%w\" NOT INDEXED;", table);
}

struct sum_options {
	const char *like;
	bool schema;
	int bits;
};

static int read_sum_words(struct dot *d, struct sum_options *o)
{
	for (int i = 1; i < d->argc; i++) {
		const char *word = d->argv[i];
		const char *name = word[0] == '-' && word[1] == '-' ? word + 2 : word + 1;

		if (word[0] != '-') {
			if (o->like != NULL) {
				complain(d->s, "Usage: .sha3sum ?OPTIONS? ?LIKE-PATTERN?\n");
				return DOT_ERROR;
			}
			o->like = word;
		} else if (strcmp(name, "schema") == 0) {
			o->schema = true;
		} else if (strcmp(name, "sha3-224") == 0 || strcmp(name, "sha3-256") == 0 ||
			   strcmp(name, "sha3-384") == 0 || strcmp(name, "sha3-512") == 0) {
			o->bits = (int)read_integer(name + 5);
		} else {
			complain(d->s, "Unknown option \"%s\" on \"%s\"\n", word, d->argv[0]);
			dot_help(d->s, d->argv[0], false);
			return DOT_ERROR;
		}
	}
	return DOT_OK;
}

int dot_sha3sum(struct dot *d)
{
	struct sum_options o = { .bits = SUM_BITS };
	struct shell *s = d->s;
	struct buf sql = buf_in(&s->scratch);
	sqlite3_stmt *st;
	int code;
	char *error;

	if (!shell_open(s) || read_sum_words(d, &o) != DOT_OK)
		return DOT_ERROR;
	st = prepare(s,
		     compose(s,
			     "SELECT lower(name) FROM sqlite_schema WHERE type='table' AND "
			     "coalesce(rootpage,0)>1 %s ORDER BY 1 COLLATE nocase",
			     o.schema ? "UNION ALL SELECT 'sqlite_schema'"
				      : "AND name NOT LIKE 'sqlite_%'"),
		     &code);
	while (sqlite3_step(st) == SQLITE_ROW) {
		char *table = compose(s, "%s", sqlite3_column_text(st, 0));

		if (o.like != NULL && sqlite3_strlike(o.like, table, 0) != 0)
			continue;
		buf_puts(&sql, sql.len == 0 ? "WITH q(a,b) AS(VALUES(" : "),(");
		buf_puts(&sql, compose(s, "%Q,%Q", content_query(s, table), table));
	}
	sqlite3_finalize(st);
	if (sql.len == 0)
		buf_puts(&sql, "WITH q(a,b) AS(VALUES('','') LIMIT 0");
	else
		buf_puts(&sql, ")");
	buf_puts(&sql, o.like != NULL
			       ? compose(s,
					 ") SELECT lower(hex(sha3_query(a,%d))) AS hash, b AS "
					 "label FROM q",
					 o.bits)
			       : compose(s,
					 ") SELECT lower(hex(sha3_query(group_concat(a,''),%d))) "
					 "AS hash FROM q",
					 o.bits));
	code = run_sql(s, buf_cstr(&sql), &error);
	if (error != NULL)
		complain(s, "Error: %s\n", error);
	sqlite3_free(error);
	return code == SQLITE_OK ? DOT_OK : DOT_ERROR;
}
