/* SPDX-License-Identifier: MIT
 *
 * sort: how keys compare, and the 8-byte prefixes that mostly decide it.
 */
#include "base/digest.h"
#include "base/number.h"
#include "builtins/sort/sort.h"
#include "builtins/version.h"

/* --- decimal numbers, as long as they like --- */

struct decimal {
	bool negative;
	struct bytes whole;    /* without leading zeros */
	struct bytes fraction; /* without trailing zeros */
	char unit;             /* the byte behind, for -h */
};

static struct decimal parse_decimal(struct bytes s)
{
	struct decimal d = { .negative = false };
	size_t at = 0;

	while (at < s.len && (byte_is_blank(s.ptr[at]) || s.ptr[at] == '\n'))
		at++;
	if (at < s.len && s.ptr[at] == '-') {
		d.negative = true;
		at++;
	}
	while (at < s.len && s.ptr[at] == '0')
		at++;
	size_t from = at;

	while (at < s.len && byte_is_digit(s.ptr[at]))
		at++;
	d.whole = bytes_slice(s, from, at);
	d.fraction = bytes_slice(s, at, at);
	if (at < s.len && s.ptr[at] == '.') {
		from = ++at;
		while (at < s.len && byte_is_digit(s.ptr[at]))
			at++;
		d.fraction = bytes_slice(s, from, at);
		while (d.fraction.len > 0 && d.fraction.ptr[d.fraction.len - 1] == '0')
			d.fraction.len--;
	}
	d.unit = at < s.len ? s.ptr[at] : '\0';
	if (d.whole.len == 0 && d.fraction.len == 0)
		d.negative = false;
	return d;
}

static int compare_magnitude(const struct decimal *a, const struct decimal *b)
{
	if (a->whole.len != b->whole.len)
		return a->whole.len < b->whole.len ? -1 : 1;
	int order = bytes_cmp(a->whole, b->whole);

	return order != 0 ? order : bytes_cmp(a->fraction, b->fraction);
}

static int compare_decimal(const struct decimal *a, const struct decimal *b)
{
	if (a->negative != b->negative)
		return a->negative ? -1 : 1;
	int order = compare_magnitude(a, b);

	return a->negative ? -order : order;
}

static int unit_rank(const struct decimal *d)
{
	static const char units[] = "KMGTPEZY";
	const char *hit = d->unit == 'k' ? units : d->unit != '\0' ? strchr(units, d->unit) : NULL;
	int rank = hit != NULL ? (int)(hit - units) + 1 : 0;

	if (d->whole.len == 0 && d->fraction.len == 0)
		return 0;
	return d->negative ? -rank : rank;
}

static int compare_human(struct bytes a, struct bytes b)
{
	struct decimal da = parse_decimal(a);
	struct decimal db = parse_decimal(b);
	int ra = unit_rank(&da);
	int rb = unit_rank(&db);

	/* The sign decides first, then the unit, then the number. */
	if (ra != rb && (da.negative == db.negative))
		return ra < rb ? -1 : 1;
	if (ra != rb)
		return da.negative ? -1 : 1;
	return compare_decimal(&da, &db);
}

/* The whole part in an order-preserving form; *exact: nothing was left out. */
static uint64_t decimal_prefix(struct bytes s, bool *exact)
{
	struct decimal d = parse_decimal(s);
	uint64_t value = 0;
	const uint64_t middle = (uint64_t)1 << 63;

	*exact = d.fraction.len == 0 && d.whole.len <= 18;
	if (d.whole.len > 18)
		value = middle - 1;
	else
		for (size_t i = 0; i < d.whole.len; i++)
			value = value * 10 + (uint64_t)(d.whole.ptr[i] - '0');
	return d.negative ? middle - value : middle + value;
}

/* --- general numbers --- */

static int real_rank(const struct real *r, size_t used)
{
	if (used == 0)
		return 0;
	if (r->kind == REAL_NAN)
		return 1;
	return 2;
}

static int compare_real(const struct real *a, const struct real *b)
{
	int sa = a->kind == REAL_ZERO ? 0 : a->negative ? -1 : 1;
	int sb = b->kind == REAL_ZERO ? 0 : b->negative ? -1 : 1;
	int order = 0;

	if (sa != sb)
		return sa < sb ? -1 : 1;
	if (sa == 0)
		return 0;
	if (a->kind != b->kind)
		order = a->kind == REAL_INF ? 1 : -1;
	else if (a->kind == REAL_FINITE && a->exp != b->exp)
		order = a->exp < b->exp ? -1 : 1;
	else if (a->kind == REAL_FINITE && a->mant != b->mant)
		order = a->mant < b->mant ? -1 : 1;
	return sa < 0 ? -order : order;
}

static int compare_general(struct bytes a, struct bytes b)
{
	struct real ra;
	struct real rb;
	size_t ua = real_parse(a, REAL_LONG, &ra, NULL);
	size_t ub = real_parse(b, REAL_LONG, &rb, NULL);
	int ka = real_rank(&ra, ua);
	int kb = real_rank(&rb, ub);

	if (ka != kb || ka < 2)
		return ka - kb;
	return compare_real(&ra, &rb);
}

static uint64_t general_prefix(struct bytes s)
{
	struct real r;
	size_t used = real_parse(s, REAL_LONG, &r, NULL);
	uint64_t bits;

	if (used == 0)
		return 0;
	if (r.kind == REAL_NAN)
		return 1;
	double d = real_to_double(r);

	memcpy(&bits, &d, sizeof(bits));
	if (r.kind == REAL_ZERO)
		bits = 0;
	/* Negative numbers count downwards; 0 and 1 are taken. */
	return bits >> 63 ? ~bits + 2 : bits | (uint64_t)1 << 63;
}

/* --- months --- */

int sort_month(struct bytes s)
{
	static const char names[] = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC";
	size_t at = 0;

	while (at < s.len && (byte_is_blank(s.ptr[at]) || s.ptr[at] == '\n'))
		at++;
	if (s.len - at < 3)
		return 0;
	for (int m = 0; m < 12; m++) {
		const char *name = names + m * 3;

		if (byte_to_upper(s.ptr[at]) == name[0] &&
		    byte_to_upper(s.ptr[at + 1]) == name[1] &&
		    byte_to_upper(s.ptr[at + 2]) == name[2])
			return m + 1;
	}
	return 0;
}

/* --- text with ignored or folded bytes --- */

static bool is_ignored(const struct sort_order *o, unsigned char ch)
{
	if (o->dictionary)
		return !byte_is_alnum(ch) && !byte_is_blank(ch) && ch != '\n';
	return o->printable && !byte_is_print(ch);
}

/* The next byte that counts, or -1. */
static int next_byte(const struct sort_order *o, struct bytes s, size_t *at)
{
	while (*at < s.len) {
		unsigned char ch = (unsigned char)s.ptr[(*at)++];

		if (!is_ignored(o, ch))
			return o->fold ? byte_to_upper(ch) : ch;
	}
	return -1;
}

static int compare_filtered(const struct sort_order *o, struct bytes a, struct bytes b)
{
	size_t i = 0;
	size_t j = 0;

	for (;;) {
		int x = next_byte(o, a, &i);
		int y = next_byte(o, b, &j);

		if (x != y)
			return x < y ? -1 : 1;
		if (x < 0)
			return 0;
	}
}

/* As GNU does it, so that a random source gives the same order there and here: the MD5 of the
 * seed and the key, whose strings each have a NUL behind. Of its 16 bytes the first 8 are enough.
 */
static uint64_t seeded_hash(const struct sort_opts *o, const struct sort_key *k, struct bytes s)
{
	struct digest d;
	uint8_t sum[DIGEST_MAX];
	uint64_t h = 0;
	size_t at = 0;
	char last = '\0';
	int ch;

	digest_init(&d, DIGEST_MD5, 0);
	digest_update(&d, (struct bytes){ (const char *)o->seed, SORT_SEED });
	while ((ch = next_byte(&k->order, s, &at)) >= 0) {
		last = (char)ch;
		digest_update(&d, (struct bytes){ &last, 1 });
	}
	if (last != '\0')
		digest_update(&d, (struct bytes){ "", 1 });
	digest_final(&d, sum);
	for (int i = 0; i < 8; i++)
		h = h << 8 | sum[i];
	return h;
}

static uint64_t random_hash(const struct sort_opts *o, const struct sort_key *k, struct bytes s)
{
	uint64_t h = o->salt[0];
	size_t at = 0;
	int ch;

	if (o->seed != NULL)
		return seeded_hash(o, k, s);
	while ((ch = next_byte(&k->order, s, &at)) >= 0)
		h = (h ^ (uint64_t)ch) * 0x100000001b3u + o->salt[1];
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93u;
	return h ^ h >> 32;
}

/* The bytes of s that count, in o->scratch. */
static struct bytes filtered(const struct sort_opts *o, const struct sort_order *order,
			     struct bytes s)
{
	char *copy = arena_alloc(o->scratch, s.len);
	size_t len = 0;
	size_t at = 0;
	int ch;

	while ((ch = next_byte(order, s, &at)) >= 0)
		copy[len++] = (char)ch;
	return (struct bytes){ copy, len };
}

/* Keys that are not compared as text are filtered and folded first: "1e3" is 1E with -fh. */
static bool needs_copy(const struct sort_key *k)
{
	return k->kind != SORT_TEXT && k->kind != SORT_RANDOM &&
	       (k->order.dictionary || k->order.printable || k->order.fold);
}

/* --- all kinds --- */

static int compare_values(const struct sort_opts *o, const struct sort_key *k, struct bytes a,
			  struct bytes b)
{
	struct decimal da;
	struct decimal db;
	uint64_t ha;
	uint64_t hb;

	switch (k->kind) {
	case SORT_NUMERIC:
		da = parse_decimal(a);
		db = parse_decimal(b);
		return compare_decimal(&da, &db);
	case SORT_GENERAL: return compare_general(a, b);
	case SORT_HUMAN: return compare_human(a, b);
	case SORT_MONTH: return sort_month(a) - sort_month(b);
	case SORT_RANDOM:
		ha = random_hash(o, k, a);
		hb = random_hash(o, k, b);
		if (ha != hb)
			return ha < hb ? -1 : 1;
		return compare_filtered(&k->order, a, b);
	case SORT_VERSION: return version_cmp(a, b);
	case SORT_TEXT: break;
	}
	return k->plain ? bytes_cmp(a, b) : compare_filtered(&k->order, a, b);
}

static int compare_key(const struct sort_opts *o, const struct sort_key *k, struct bytes a,
		       struct bytes b)
{
	struct arena_mark mark;
	int result;

	if (!needs_copy(k))
		return compare_values(o, k, a, b);
	mark = arena_mark(o->scratch);
	result = compare_values(o, k, filtered(o, &k->order, a), filtered(o, &k->order, b));
	arena_release(o->scratch, mark);
	return result;
}

static uint64_t text_prefix(struct bytes s)
{
	uint64_t value = 0;

	if (s.len >= 8) {
		memcpy(&value, s.ptr, 8);
		return __builtin_bswap64(value);
	}
	for (size_t i = 0; i < s.len; i++)
		value |= (uint64_t)(unsigned char)s.ptr[i] << (56 - 8 * i);
	return value;
}

static uint64_t filtered_prefix(const struct sort_order *o, struct bytes s)
{
	uint64_t value = 0;
	size_t at = 0;

	for (int i = 0; i < 8; i++) {
		int ch = next_byte(o, s, &at);

		if (ch < 0)
			break;
		value |= (uint64_t)ch << (56 - 8 * i);
	}
	return value;
}

void sort_prepare_line(const struct sort_opts *o, struct sort_line *l)
{
	const struct sort_key *k = o->keys;
	struct bytes key = sort_key_of(o, k, (struct bytes){ l->ptr, l->len });
	struct arena_mark mark = arena_mark(o->scratch);

	l->key_from = (uint32_t)(key.ptr - l->ptr);
	l->key_len = (uint32_t)key.len;
	l->exact = false;
	if (needs_copy(k))
		key = filtered(o, &k->order, key);
	switch (k->kind) {
	case SORT_NUMERIC: l->prefix = decimal_prefix(key, &l->exact); break;
	case SORT_GENERAL: l->prefix = general_prefix(key); break;
	case SORT_MONTH:
		l->prefix = (uint64_t)sort_month(key);
		l->exact = true;
		break;
	case SORT_RANDOM: l->prefix = random_hash(o, k, key); break;
	case SORT_TEXT:
		l->prefix = k->plain ? text_prefix(key) : filtered_prefix(&k->order, key);
		break;
	default: l->prefix = 0;
	}
	arena_release(o->scratch, mark);
}

int sort_compare_keys(const struct sort_opts *o, const struct sort_line *a,
		      const struct sort_line *b)
{
	const struct sort_key *k = o->keys;
	int order = 0;

	if (a->prefix != b->prefix)
		order = a->prefix < b->prefix ? -1 : 1;
	else if (!a->exact || !b->exact)
		order = compare_key(o, k, (struct bytes){ a->ptr + a->key_from, a->key_len },
				    (struct bytes){ b->ptr + b->key_from, b->key_len });
	if (order != 0)
		return k->order.reverse ? -order : order;
	for (k = k->next; k != NULL; k = k->next) {
		order = compare_key(o, k, sort_key_of(o, k, (struct bytes){ a->ptr, a->len }),
				    sort_key_of(o, k, (struct bytes){ b->ptr, b->len }));
		if (order != 0)
			return k->order.reverse ? -order : order;
	}
	return 0;
}

int sort_compare(const struct sort_opts *o, const struct sort_line *a, const struct sort_line *b)
{
	int order = sort_compare_keys(o, a, b);

	if (order != 0 || !o->last_resort)
		return order;
	order = bytes_cmp((struct bytes){ a->ptr, a->len }, (struct bytes){ b->ptr, b->len });
	return o->global.reverse ? -order : order;
}
