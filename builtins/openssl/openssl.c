/* SPDX-License-Identifier: MIT
 *
 * openssl - dgst (and the digests by name), rand, base64, enc -base64, version. All that has to do
 * with keys, ciphers, certificates and connections is an error that says so.
 */
#include "builtins/openssl/openssl.h"
#include "base/digest.h"

struct openssl {
	struct cmd *c;
	const char *command;
	int argc; /* behind the command */
	char **argv;
	struct output file; /* -out */
	struct output *out;
};

/* "command: text", then where help is. Returns the status. */
static int complain(struct openssl *s, const char *text, const char *what)
{
	struct buf line = buf_in(s->c->arena);

	if (text != NULL) {
		buf_printf(&line, "%s: ", s->command);
		buf_printf(&line, text, what);
		buf_putc(&line, '\n');
	}
	buf_printf(&line, "%s: Use -help for summary.\n", s->command);
	cmd_flush(s->c);
	cmd_err_write(s->c, line.ptr, line.len);
	return 1;
}

/* What openssl says of files that can't be opened. */
static int no_file(struct openssl *s, const char *format, const char *path, int err)
{
	struct buf line = buf_in(s->c->arena);

	buf_printf(&line, format, path, err_text(err));
	cmd_flush(s->c);
	cmd_err_write(s->c, line.ptr, line.len);
	return 1;
}

/* An option's name: behind one or two dashes; NULL if the argument is none. */
static const char *option_name(const char *arg)
{
	if (arg[0] != '-' || arg[1] == '\0')
		return NULL;
	return arg + (arg[1] == '-' && arg[2] != '\0' ? 2 : 1);
}

static int open_out(struct openssl *s, const char *path)
{
	int err = output_open(&s->file, s->c, path, O_TRUNC_, false);

	if (err < 0)
		return no_file(s, "Can't open \"%s\" for writing, %s\n", path, err);
	s->out = &s->file;
	return 0;
}

static void put(struct openssl *s, const char *text)
{
	output_write(s->out, text, strlen(text));
}

/* --- dgst --- */

struct hash {
	const char *option;
	const char *label;
	enum digest_kind kind;
	size_t block;
};

static const struct hash hashes[] = {
	{ "md5", "MD5", DIGEST_MD5, 64 },
	{ "sha1", "SHA1", DIGEST_SHA1, 64 },
	{ "sha224", "SHA2-224", DIGEST_SHA224, 64 },
	{ "sha256", "SHA2-256", DIGEST_SHA256, 64 },
	{ "sha384", "SHA2-384", DIGEST_SHA384, 128 },
	{ "sha512", "SHA2-512", DIGEST_SHA512, 128 },
	{ "blake2b512", "BLAKE2B-512", DIGEST_BLAKE2B, 128 },
	{ "sm3", "SM3", DIGEST_SM3, 64 },
};
enum { HASHES = sizeof hashes / sizeof hashes[0], BLOCK_MAX = 128 };

static const struct hash unnamed = { "sha256", "SHA256", DIGEST_SHA256, 64 };

struct dgst {
	struct openssl *s;
	const struct hash *hash;
	bool colons;
	bool reversed; /* -r: as coreutils writes it */
	bool binary;
	bool keyed;
	struct bytes key;
};

static const struct hash *find_hash(const char *name)
{
	for (size_t i = 0; i < HASHES; i++)
		if (strcmp(hashes[i].option, name) == 0)
			return &hashes[i];
	return NULL;
}

static void start(const struct dgst *d, struct digest *digest)
{
	digest_init(digest, d->hash->kind, d->hash->kind == DIGEST_BLAKE2B ? DIGEST_MAX : 0);
}

/* The key as a block, each byte xor the pad, at the beginning of what is digested. */
static void put_key(const struct dgst *d, struct digest *digest, uint8_t pad)
{
	uint8_t block[BLOCK_MAX] = { 0 };

	if (d->key.len > d->hash->block) {
		struct digest of_key;

		start(d, &of_key);
		digest_update(&of_key, d->key);
		digest_final(&of_key, block);
	} else if (d->key.len > 0) {
		memcpy(block, d->key.ptr, d->key.len);
	}
	for (size_t i = 0; i < d->hash->block; i++)
		block[i] ^= pad;
	digest_update(digest, (struct bytes){ (const char *)block, d->hash->block });
}

static int digest_input(const struct dgst *d, struct input *in, uint8_t sum[DIGEST_MAX])
{
	struct digest digest;
	struct bytes block;
	int more;

	start(d, &digest);
	if (d->keyed)
		put_key(d, &digest, 0x36);
	while ((more = input_chunk(in, &block)) > 0) {
		digest_update(&digest, block);
		cmd_charge_bytes(d->s->c, block.len);
	}
	digest_final(&digest, sum);
	if (d->keyed) {
		size_t size = digest.size;

		start(d, &digest);
		put_key(d, &digest, 0x5c);
		digest_update(&digest, (struct bytes){ (const char *)sum, size });
		digest_final(&digest, sum);
	}
	return more;
}

static void put_digest(const struct dgst *d, const char *name, const uint8_t *sum)
{
	struct buf line = buf_in(d->s->c->arena);
	struct digest digest;

	start(d, &digest);
	if (d->binary) {
		output_write(d->s->out, sum, digest.size);
		return;
	}
	if (!d->reversed)
		buf_printf(&line, "%s%s(%s)= ", d->keyed ? "HMAC-" : "", d->hash->label,
			   name != NULL ? name : "stdin");
	for (size_t i = 0; i < digest.size; i++)
		buf_printf(&line, d->colons && !d->reversed && i > 0 ? ":%02x" : "%02x", sum[i]);
	if (d->reversed)
		buf_printf(&line, " *%s", name != NULL ? name : "stdin");
	buf_putc(&line, '\n');
	output_write(d->s->out, line.ptr, line.len);
}

static int digest_file(const struct dgst *d, const char *path)
{
	struct input in;
	uint8_t sum[DIGEST_MAX];
	int err = input_open(&in, d->s->c, path != NULL ? path : "-");

	if (err < 0)
		return no_file(d->s, "%s: %s\n", path, err);
	err = digest_input(d, &in, sum);
	input_close(&in);
	if (err < 0)
		return no_file(d->s, "Read Error in %s: %s\n", path != NULL ? path : "stdin", err);
	put_digest(d, path, sum);
	return 0;
}

/* "key:TEXT" or "hexkey:DIGITS" of -macopt. */
static bool set_key(struct dgst *d, const char *text)
{
	struct buf key = buf_in(d->s->c->arena);

	d->keyed = true;
	if (strncmp(text, "key:", 4) == 0) {
		d->key = bytes_of(text + 4);
		return true;
	}
	if (strncmp(text, "hexkey:", 7) != 0 || strlen(text + 7) % 2 != 0)
		return false;
	for (const char *at = text + 7; *at != '\0'; at += 2) {
		if (!byte_is_xdigit((unsigned char)at[0]) || !byte_is_xdigit((unsigned char)at[1]))
			return false;
		buf_putc(&key, (char)(byte_digit((unsigned char)at[0]) << 4 |
				      byte_digit((unsigned char)at[1])));
	}
	d->key = buf_bytes(&key);
	return true;
}

/* One option of dgst that takes an argument. Returns 0, or a status. */
static int dgst_argument(struct dgst *d, const char *name, const char *value)
{
	if (strcmp(name, "out") == 0)
		return open_out(d->s, value);
	if (strcmp(name, "hmac") == 0) {
		d->keyed = true;
		d->key = bytes_of(value);
		return 0;
	}
	if (strcmp(name, "mac") == 0)
		return strcmp(value, "HMAC") == 0
			       ? 0
			       : complain(d->s, "-mac %s is not supported: only HMAC is", value);
	return set_key(d, value) ? 0 : complain(d->s, "MAC parameter error \"%s\"", value);
}

static int dgst_option(struct dgst *d, const char *name, int *i)
{
	static const char *const keys[] = { "sign",   "verify",  "prverify", "signature",
					    "list",   "keyform", "passin",   "engine",
					    "xoflen", "sigopt",  "provider", "rand" };
	static const char *const valued[] = { "out", "hmac", "mac", "macopt" };
	const struct hash *hash = find_hash(name);

	if (hash != NULL)
		d->hash = hash;
	else if (strcmp(name, "c") == 0)
		d->colons = true;
	else if (strcmp(name, "r") == 0)
		d->reversed = true;
	else if (strcmp(name, "binary") == 0)
		d->binary = true;
	else if (strcmp(name, "hex") != 0) {
		for (size_t k = 0; k < sizeof valued / sizeof valued[0]; k++)
			if (strcmp(name, valued[k]) == 0) {
				if (*i + 1 == d->s->argc)
					return complain(d->s, "Option -%s needs a value", name);
				return dgst_argument(d, name, d->s->argv[++*i]);
			}
		for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
			if (strcmp(name, keys[k]) == 0)
				return complain(d->s, "Option -%s is not supported", name);
		return complain(d->s, "Unknown option or message digest: %s", name);
	}
	return 0;
}

static int dgst_run(struct openssl *s, const struct hash *hash)
{
	struct dgst d = { .s = s, .hash = hash != NULL ? hash : &unnamed };
	int i = 0;
	int status = 0;

	for (const char *name; i < s->argc && (name = option_name(s->argv[i])) != NULL; i++) {
		status = dgst_option(&d, name, &i);
		if (status != 0)
			return status;
	}
	if (i == s->argc)
		return digest_file(&d, NULL);
	for (; i < s->argc; i++)
		status |= digest_file(&d, s->argv[i]);
	return status;
}

/* --- rand --- */

static void put_random(struct openssl *s, uint64_t n, bool hex, struct buf *kept)
{
	uint8_t block[256];

	while (n > 0) {
		size_t part = n < sizeof block ? (size_t)n : sizeof block;

		cmd_random_bytes(s->c, block, part);
		if (kept != NULL) {
			buf_put(kept, block, part);
		} else if (hex) {
			struct arena_mark mark = arena_mark(s->c->arena);
			struct buf text = buf_in(s->c->arena);

			for (size_t i = 0; i < part; i++)
				buf_printf(&text, "%02x", block[i]);
			output_write(s->out, text.ptr, text.len);
			arena_release(s->c->arena, mark);
		} else {
			output_write(s->out, block, part);
		}
		n -= part;
		cmd_charge_bytes(s->c, 2 * part);
	}
}

static int put_random_base64(struct openssl *s, uint64_t n)
{
	struct buf kept = buf_in(s->c->arena);
	struct input in = { .c = s->c, .fd = -1, .at_end = true };

	put_random(s, n, false, &kept);
	in.ptr = kept.ptr;
	in.to = kept.len;
	return openssl_encode(&in, s->out, false);
}

static int rand_run(struct openssl *s)
{
	bool hex = false;
	bool base64 = false;
	uint64_t n = 0;
	int i = 0;

	for (const char *name; i < s->argc && (name = option_name(s->argv[i])) != NULL; i++) {
		if (strcmp(s->argv[i], "--") == 0) {
			i++;
			break;
		}
		if (strcmp(name, "hex") == 0) {
			hex = true;
		} else if (strcmp(name, "base64") == 0) {
			base64 = true;
		} else if (strcmp(name, "out") == 0 && i + 1 < s->argc) {
			if (open_out(s, s->argv[++i]) != 0)
				return 1;
		} else {
			return complain(s, "Unknown option: -%s", name);
		}
	}
	if (i + 1 < s->argc)
		return complain(s, NULL, NULL);
	if (i < s->argc && !num_plain(s->argv[i], &n))
		return complain(s, "Can't parse \"%s\" as a number", s->argv[i]);
	if ((i < s->argc && n == 0) || n > INT32_MAX)
		return complain(s, NULL, NULL);
	if (base64 && !hex)
		return put_random_base64(s, n);
	put_random(s, n, hex, NULL);
	if (hex)
		put(s, "\n");
	return 0;
}

/* --- base64, enc --- */

static int copy_input(struct openssl *s, struct input *in)
{
	struct bytes block;
	int more;

	while ((more = input_block(in, &block)) > 0) {
		output_write(s->out, block.ptr, block.len);
		cmd_charge_bytes(s->c, block.len);
	}
	return more;
}

static int enc_run(struct openssl *s, bool base64)
{
	const char *from = "-";
	bool decode = false;
	bool one_line = false;
	struct input in;
	struct bytes text;

	for (int i = 0; i < s->argc; i++) {
		const char *name = option_name(s->argv[i]);
		bool valued = name != NULL && (strcmp(name, "in") == 0 || strcmp(name, "out") == 0);

		if (name == NULL)
			return complain(s, NULL, NULL);
		if (valued && i + 1 == s->argc)
			return complain(s, "Option -%s needs a value", name);
		if (strcmp(name, "in") == 0)
			from = s->argv[++i];
		else if (strcmp(name, "out") == 0 && open_out(s, s->argv[++i]) != 0)
			return 1;
		else if (strcmp(name, "d") == 0)
			decode = true;
		else if (strcmp(name, "e") == 0)
			decode = false;
		else if (strcmp(name, "A") == 0)
			one_line = true;
		else if (strcmp(name, "a") == 0 || strcmp(name, "base64") == 0)
			base64 = true;
		else if (!valued)
			return complain(s,
					"-%s is not supported: there are no ciphers, only -base64",
					name);
	}
	int err = input_open(&in, s->c, from);

	if (err < 0)
		return no_file(s, "Can't open \"%s\" for reading, %s\n", from, err);
	if (!base64)
		err = copy_input(s, &in);
	else if (!decode)
		err = openssl_encode(&in, s->out, one_line);
	else if ((err = input_all(&in, &text)) >= 0)
		openssl_decode(s->c, text, s->out, one_line);
	input_close(&in);
	return err < 0 ? no_file(s, "error reading input file %s: %s\n", from, err) : 0;
}

static int openssl_run(struct cmd *c)
{
	struct openssl s = { .c = c, .out = &c->out };
	int status;

	if (c->argc < 2)
		return cmd_usage(c, "missing command: dgst, rand, base64, enc or version");
	s.command = c->argv[1];
	s.argc = c->argc - 2;
	s.argv = c->argv + 2;
	if (strcmp(s.command, "dgst") == 0)
		status = dgst_run(&s, NULL);
	else if (find_hash(s.command) != NULL)
		status = dgst_run(&s, find_hash(s.command));
	else if (strcmp(s.command, "rand") == 0)
		status = rand_run(&s);
	else if (strcmp(s.command, "base64") == 0 || strcmp(s.command, "enc") == 0)
		status = enc_run(&s, s.command[0] == 'b');
	else if (strcmp(s.command, "version") == 0) {
		cmd_puts(c, "OpenSSL 3.0.19 27 Jan 2026 (dgst, rand, base64 of cowsh)\n");
		status = 0;
	} else
		return cmd_error(c, 0,
				 "'%s' is not supported: there are dgst, rand, base64, enc "
				 "-base64 and version; no keys, ciphers and certificates",
				 s.command);
	if (s.out == &s.file)
		output_close(&s.file);
	return status;
}

const struct builtin builtin_openssl = {
	.name = "openssl",
	.usage = "dgst|rand|base64|enc|version [OPTION]... [FILE]...",
	.summary = "dgst [-md5|-sha1|-sha256|...] [-r|-c|-binary] [-hmac KEY] [FILE]...: digests\n"
		   "rand [-hex|-base64] [-out FILE] N: random bytes\n"
		   "base64, enc -base64 [-d] [-A] [-in FILE] [-out FILE]: encodes or decodes",
	.run = openssl_run,
	.flags = BUILTIN_RAW_HELP,
	.family = "OpenSSL 3.0",
	.version = "OpenSSL 3.0",
};
