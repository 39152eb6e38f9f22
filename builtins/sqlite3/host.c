/* SPDX-License-Identifier: MIT
 *
 * What SQLite's library stands on here, in place of an operating system.
 *
 * The library is Debian's libsqlite3.a, one object a source file, put together by `library`
 * without the members that enter the operating system (the unix VFS, threads, mutexes, malloc,
 * dlopen) or keep state that is written while statements run (the random generator, counters,
 * named memory databases, unlock notification). This file defines what the others miss.
 *
 * Why sessions on several threads, and processes that are stopped anywhere, can share it. All
 * writable data of the remaining members falls into four kinds:
 *   - tables that look writable and never are;
 *   - the configuration, the list of VFSs, the built-in functions, the page cache's setup:
 *     written by sqlite3_initialize, which runs once under a guard (start_once), with memory
 *     that belongs to no process; from then on they are only read;
 *   - the list of shared caches, and sqlite3_temp_directory: unreachable, because every
 *     database is opened without shared cache (sqlite3BtreeOpen below) and the pragma is
 *     refused (sqlite_host_guard);
 *   - counters of memory and the heap limits: off (SQLITE_CONFIG_MEMSTATUS), and the pragmas
 *     are answered here.
 * All else belongs to a connection: memory of its process's pool, gone with it. The callbacks
 * without argument find the process by cmd_running_own, which asks the kernel who runs.
 *
 * Charging: a progress handler counts the virtual machine's operations; what an operation can
 * do without end is charged where it happens: memory, long copies and comparisons, the values
 * that functions read, and pattern matches (by both lengths).
 */
#include "builtins/sqlite3/sqlite.h"

#include <stdatomic.h>

#include "base/number.h"
#include "builtins/zone.h"

enum {
	STACK_RESERVE = 1 << 20, /* for the recursion over one statement's deepest expression */
	OPS_PER_CHARGE = 64,
	LONG_BYTES = 65536,    /* copies below are part of their operation */
	LARGE_BLOCK = 1 << 20, /* from here on memory is asked for with care */
	WIDTH_MAX = 10000000,  /* of printf() */
	WILDCARDS_MAX = 2000,  /* of a pattern: each is a recursion of LIKE */
	HEAD_BYTES = 16,       /* before each block: its size */
};

struct sqlite_host *sqlite_host_now(void)
{
	return cmd_running_own();
}

static void work(uint64_t bytes)
{
	struct sqlite_host *h = sqlite_host_now();

	if (h != NULL)
		cmd_charge_bytes(h->c, bytes);
}

/* --- memory: blocks of the process's pool, their size in front --- */

/* What sqlite3_initialize takes: a test block, given back. */
static _Alignas(16) char first_memory[1024];
static size_t first_used;

static void *first_alloc(size_t n)
{
	void *block = first_memory + first_used + HEAD_BYTES;

	if (n > sizeof first_memory - first_used - HEAD_BYTES)
		return NULL;
	memcpy(first_memory + first_used, &n, sizeof n);
	first_used += HEAD_BYTES + ((n + 15) & ~(size_t)15);
	return block;
}

static bool is_first(const char *block)
{
	return block >= first_memory && block < first_memory + sizeof first_memory;
}

static int block_size(void *block)
{
	size_t n;

	memcpy(&n, (char *)block - HEAD_BYTES, sizeof n);
	return (int)n;
}

/* A limit ends the process; a statement that asks for too much at once should rather fail. The
 * same for one that nests so deep that the stack would not do. */
static bool may_have(struct sqlite_host *h, size_t n)
{
	struct cmd_usage_totals t;

	if (cmd_stack_left(h->c) < STACK_RESERVE)
		return false;
	if (n < LARGE_BLOCK)
		return true;
	cmd_totals(h->c, &t);
	return t.memory_used < t.memory_total && n < t.memory_total - t.memory_used;
}

static void *block_alloc(int size)
{
	struct sqlite_host *h = sqlite_host_now();
	size_t n = (size_t)size;
	char *at;

	if (h == NULL)
		return first_alloc(n);
	if (!may_have(h, n))
		return NULL;
	at = pool_alloc(h->c->pool, n + HEAD_BYTES);
	memcpy(at, &n, sizeof n);
	return at + HEAD_BYTES;
}

static void block_free(void *block)
{
	struct sqlite_host *h = sqlite_host_now();

	if (h != NULL && !is_first(block))
		pool_free(h->c->pool, (char *)block - HEAD_BYTES,
			  (size_t)block_size(block) + HEAD_BYTES);
}

static void *block_resize(void *block, int size)
{
	struct sqlite_host *h = sqlite_host_now();
	size_t n = (size_t)size;
	char *at;

	if (h == NULL || is_first(block) || !may_have(h, n))
		return NULL;
	at = pool_resize(h->c->pool, (char *)block - HEAD_BYTES,
			 (size_t)block_size(block) + HEAD_BYTES, n + HEAD_BYTES);
	memcpy(at, &n, sizeof n);
	return at + HEAD_BYTES;
}

static int block_round(int size)
{
	return (size + 15) & ~15;
}

static int memory_start(void *arg)
{
	(void)arg;
	return SQLITE_OK;
}

static void memory_end(void *arg)
{
	(void)arg;
}

void sqlite3MemSetDefault(void);
void sqlite3MemSetDefault(void)
{
	static const sqlite3_mem_methods methods = {
		block_alloc, block_free,   block_resize, block_size,
		block_round, memory_start, memory_end,   NULL,
	};

	sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
}

/* --- starting --- */

int sqlite3_os_init(void)
{
	return sqlite3_vfs_register(&sqlite_files, 1);
}

int sqlite3_os_end(void)
{
	return SQLITE_OK;
}

static void start_once(void)
{
	static atomic_int state; /* 0: nobody has begun; 1: somebody has; 2: ready */
	int none = 0;

	if (atomic_load(&state) == 2)
		return;
	if (!atomic_compare_exchange_strong(&state, &none, 1)) {
		/* Another thread's microseconds. */
		while (atomic_load(&state) != 2)
			;
		return;
	}
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	sqlite3_initialize();
	atomic_store(&state, 2);
}

void sqlite_host_start(struct sqlite_host *h, struct cmd *c)
{
	*h = (struct sqlite_host){ .c = c };
	cmd_set_own(c, NULL);
	start_once();
	cmd_set_own(c, h);
}

static int on_progress(void *arg)
{
	(void)arg;
	work(OPS_PER_CHARGE * 64);
	return 0;
}

int sqlite_host_authorize(void *arg, int action, const char *one, const char *two,
			  const char *three, const char *four)
{
	(void)arg;
	(void)three;
	(void)four;
	if (action == SQLITE_PRAGMA && two != NULL &&
	    (sqlite3_stricmp(one, "temp_store_directory") == 0 ||
	     sqlite3_stricmp(one, "data_store_directory") == 0))
		return SQLITE_DENY;
	return SQLITE_OK;
}

static void no_tokenizer(sqlite3_context *ctx, int n, sqlite3_value **args)
{
	(void)n;
	(void)args;
	sqlite3_result_error(ctx, "fts3tokenize disabled", -1);
}

void sqlite_host_guard(sqlite3 *db)
{
	sqlite3_progress_handler(db, OPS_PER_CHARGE, on_progress, NULL);
	sqlite3_set_authorizer(db, sqlite_host_authorize, NULL);
	sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
	/* They hand out and take addresses. */
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, NULL);
	for (int n = 1; n <= 2; n++)
		sqlite3_create_function(db, "fts3_tokenizer", n, SQLITE_UTF8, NULL, no_tokenizer,
					NULL, NULL);
}

/* --- LIKE and GLOB: time by the product of both lengths, a recursion for each wildcard --- */

typedef void sql_function(sqlite3_context *ctx, int n, sqlite3_value **args);

/* SQLite 3's record of a built-in function (FuncDef): only name and function are used. */
struct function_record {
	signed char nargs;
	unsigned flags;
	void *data;
	void *next;
	sql_function *fn;
	void *finish;
	void *value;
	void *inverse;
	const char *name;
	void *user;
};

/* Written by start_once. LIKE and GLOB are one function. */
static sql_function *match_inner;
static sql_function *printf_inner;

static void match(sqlite3_context *ctx, int n, sqlite3_value **args)
{
	const char *pattern = (const char *)sqlite3_value_text(args[0]);
	size_t length = pattern != NULL ? (size_t)sqlite3_value_bytes(args[0]) : 0;
	size_t text = (size_t)sqlite3_value_bytes(args[1]);
	size_t wildcards = 0;

	for (size_t i = 0; i < length; i++)
		wildcards += pattern[i] == '%' || pattern[i] == '*';
	if (wildcards > WILDCARDS_MAX) {
		sqlite3_result_error(ctx, "LIKE or GLOB pattern too complex", -1);
		return;
	}
	work((uint64_t)length + text);
	if (wildcards > 0)
		work((uint64_t)length * text);
	match_inner(ctx, n, args);
}

/* A width or precision at *p, of digits or of the next argument. */
static uint64_t read_width(const char **p, int n, sqlite3_value **args, int *next)
{
	uint64_t width = 0;

	if (**p == '*') {
		sqlite3_int64 value = *next < n ? sqlite3_value_int64(args[(*next)++]) : 0;

		(*p)++;
		return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	}
	for (; byte_is_digit((unsigned char)**p); (*p)++)
		if (width <= WIDTH_MAX)
			width = width * 10 + (uint64_t)(**p - '0');
	return width;
}

/* The largest width or precision that the format asks for: work without input. */
static uint64_t widest(const char *format, int n, sqlite3_value **args)
{
	uint64_t most = 0;
	int next = 1;

	for (const char *p = format; (p = strchr(p, '%')) != NULL;) {
		uint64_t width;

		for (p++; *p != '\0' && strchr("-+ #!0,", *p) != NULL;)
			p++;
		width = read_width(&p, n, args, &next);
		if (width > most)
			most = width;
		if (*p == '.') {
			p++;
			width = read_width(&p, n, args, &next);
			if (width > most)
				most = width;
		}
		while (*p == 'l')
			p++;
		if (*p == '\0')
			break;
		if (*p != '%')
			next++;
		p++;
	}
	return most;
}

static void formatted(sqlite3_context *ctx, int n, sqlite3_value **args)
{
	const char *format = n > 0 ? (const char *)sqlite3_value_text(args[0]) : NULL;
	uint64_t width = format != NULL ? widest(format, n, args) : 0;

	if (width > WIDTH_MAX) {
		sqlite3_result_error_toobig(ctx);
		return;
	}
	work((size_t)width * 4);
	printf_inner(ctx, n, args);
}

void sqlite3InsertBuiltinFuncs(void *functions, int n);
void cowsh_to_sqlite3InsertBuiltinFuncs(struct function_record *functions, int n);
void cowsh_to_sqlite3InsertBuiltinFuncs(struct function_record *functions, int n)
{
	for (int i = 0; i < n; i++) {
		struct function_record *f = &functions[i];

		if (strcmp(f->name, "like") == 0 || strcmp(f->name, "glob") == 0) {
			match_inner = f->fn;
			f->fn = match;
		} else if (strcmp(f->name, "printf") == 0 || strcmp(f->name, "format") == 0) {
			printf_inner = f->fn;
			f->fn = formatted;
		}
	}
	sqlite3InsertBuiltinFuncs(functions, n);
}

/* --- charged forms of what the library calls --- */

/* In whole units, so that sizes which depend on that of pointers count the same everywhere. */
static void work_of_copy(size_t n)
{
	if (n >= LONG_BYTES)
		work(n - n % LONG_BYTES);
}

void *cowsh_to_memcpy(void *to, const void *from, size_t n);
void *cowsh_to_memcpy(void *to, const void *from, size_t n)
{
	work_of_copy(n);
	return memcpy(to, from, n);
}

void *cowsh_to___memcpy_chk(void *to, const void *from, size_t n, size_t room);
void *cowsh_to___memcpy_chk(void *to, const void *from, size_t n, size_t room)
{
	if (n > room)
		__builtin_trap();
	return cowsh_to_memcpy(to, from, n);
}

void *cowsh_to_memmove(void *to, const void *from, size_t n);
void *cowsh_to_memmove(void *to, const void *from, size_t n)
{
	work_of_copy(n);
	return memmove(to, from, n);
}

void *cowsh_to_memset(void *to, int byte, size_t n);
void *cowsh_to_memset(void *to, int byte, size_t n)
{
	work_of_copy(n);
	return memset(to, byte, n);
}

void *cowsh_to___memset_chk(void *to, int byte, size_t n, size_t room);
void *cowsh_to___memset_chk(void *to, int byte, size_t n, size_t room)
{
	if (n > room)
		__builtin_trap();
	return cowsh_to_memset(to, byte, n);
}

int cowsh_to_memcmp(const void *a, const void *b, size_t n);
int cowsh_to_memcmp(const void *a, const void *b, size_t n)
{
	work_of_copy(n);
	return memcmp(a, b, n);
}

/* Of func.c: instr, replace and trim compare at every place. */
int cowsh_to_cowsh_to_memcmp(const void *a, const void *b, size_t n);
int cowsh_to_cowsh_to_memcmp(const void *a, const void *b, size_t n)
{
	work(n);
	return memcmp(a, b, n);
}

/* Functions read their arguments by these: a function's work is charged by its input. */
const unsigned char *cowsh_to_sqlite3_value_text(sqlite3_value *v);
const unsigned char *cowsh_to_sqlite3_value_text(sqlite3_value *v)
{
	const unsigned char *text = sqlite3_value_text(v);

	if (text != NULL)
		work((size_t)sqlite3_value_bytes(v));
	return text;
}

const void *cowsh_to_sqlite3_value_blob(sqlite3_value *v);
const void *cowsh_to_sqlite3_value_blob(sqlite3_value *v)
{
	const void *blob = sqlite3_value_blob(v);

	if (blob != NULL)
		work((size_t)sqlite3_value_bytes(v));
	return blob;
}

int cowsh_to_sqlite3_value_bytes(sqlite3_value *v);
int cowsh_to_sqlite3_value_bytes(sqlite3_value *v)
{
	int n = sqlite3_value_bytes(v);

	work((size_t)n);
	return n;
}

static void sift_down(char *base, size_t at, size_t n, size_t size,
		      int (*compare)(const void *, const void *))
{
	for (size_t child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && compare(base + child * size, base + (child + 1) * size) < 0)
			child++;
		if (compare(base + at * size, base + child * size) >= 0)
			return;
		for (size_t i = 0; i < size; i++) {
			char held = base[at * size + i];

			base[at * size + i] = base[child * size + i];
			base[child * size + i] = held;
		}
	}
}

void cowsh_to_qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *));
void cowsh_to_qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	char *first = base;

	for (size_t i = n / 2; i-- > 0;)
		sift_down(first, i, n, size, compare);
	for (size_t end = n; end-- > 1;) {
		work(size * 64);
		for (size_t i = 0; i < size; i++) {
			char held = first[i];

			first[i] = first[end * size + i];
			first[end * size + i] = held;
		}
		sift_down(first, 0, end, size, compare);
	}
}

double cowsh_to_strtod(const char *text, char **end);
double cowsh_to_strtod(const char *text, char **end)
{
	size_t span = strspn(text, "+-.0123456789eE");
	enum real_status status;
	double value;
	size_t used = number_parse_double((struct bytes){ text, span }, &value, &status);

	if (end != NULL)
		*end = (char *)(uintptr_t)(text + used);
	return used != 0 ? value : 0;
}

char *cowsh_to_strchrnul(const char *text, int byte);
char *cowsh_to_strchrnul(const char *text, int byte)
{
	char *found = strchr(text, byte);

	return found != NULL ? found : (char *)(uintptr_t)(text + strlen(text));
}

/* The C library's struct tm, in its order; its time_t is a long. */
struct broken_time {
	int second, minute, hour, day, month, year, weekday, yearday, is_dst;
};

struct broken_time *cowsh_to_localtime_r(const long *seconds, struct broken_time *out);
struct broken_time *cowsh_to_localtime_r(const long *seconds, struct broken_time *out)
{
	struct sqlite_host *h = sqlite_host_now();
	struct civil t;

	if (h->zone == NULL)
		h->zone = zone_of_command(h->c);
	time_civil(h->zone, *seconds, &t);
	*out = (struct broken_time){
		.second = t.second,
		.minute = t.minute,
		.hour = t.hour,
		.day = t.day,
		.month = t.month - 1,
		.year = (int)(t.year - 1900),
		.weekday = t.weekday,
		.yearday = t.yearday,
		.is_dst = t.is_dst,
	};
	return out;
}

void sqlite3_randomness(int n, void *out)
{
	struct sqlite_host *h = sqlite_host_now();

	if (h != NULL && n > 0)
		cmd_random_bytes(h->c, out, (size_t)n);
}

/* --- heap limits: the session's hold --- */

static sqlite3_int64 remember(sqlite3_int64 *limit, sqlite3_int64 n)
{
	sqlite3_int64 before = *limit;

	if (n >= 0)
		*limit = n;
	return before;
}

sqlite3_int64 cowsh_to_sqlite3_soft_heap_limit64(sqlite3_int64 n);
sqlite3_int64 cowsh_to_sqlite3_soft_heap_limit64(sqlite3_int64 n)
{
	return remember(&sqlite_host_now()->soft_limit, n);
}

sqlite3_int64 cowsh_to_sqlite3_hard_heap_limit64(sqlite3_int64 n);
sqlite3_int64 cowsh_to_sqlite3_hard_heap_limit64(sqlite3_int64 n)
{
	return remember(&sqlite_host_now()->hard_limit, n);
}
