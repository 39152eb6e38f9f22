/* SPDX-License-Identifier: MIT
 *
 * curl's options: a table, and the rules by which it reads words. Long names may be cut as far as
 * they are clear; "--no-NAME" turns one off; letters stand together.
 */
#include "builtins/http/curl.h"

enum kind { ON, TEXT, NUMBER, SECONDS, CALL, CALL0, NOTHING, NOTHING1, MISSING, MISSING1 };

struct option {
	char letter;
	const char *name;
	enum kind kind;
	size_t offset;
	int (*call)(struct curl *k, const char *arg);
};

#define FIELD(field) offsetof(struct curl_set, field)

/* --- what options do --- */

static bool has_no_url(const struct curl_url *u)
{
	return u->url == NULL;
}

static bool has_no_output(const struct curl_url *u)
{
	return !u->has_output;
}

static bool has_no_upload(const struct curl_url *u)
{
	return u->upload == NULL;
}

struct curl_url *curl_place(struct curl *k, bool (*is_free)(const struct curl_url *u))
{
	struct curl_url **link = &k->set->urls;
	uint64_t looked = 0;

	for (; *link != NULL && !is_free(*link); looked++)
		link = &(*link)->next;
	cmd_charge(k->c, looked / 16);
	if (*link == NULL)
		*link = arena_zalloc(k->c->arena, sizeof **link);
	return *link;
}

static int set_url(struct curl *k, const char *arg)
{
	curl_place(k, has_no_url)->url = arg;
	return 0;
}

static int set_output(struct curl *k, const char *arg)
{
	struct curl_url *u = curl_place(k, has_no_output);

	u->has_output = true;
	u->output = arg;
	return 0;
}

static int set_remote(struct curl *k, const char *arg)
{
	struct curl_url *u = curl_place(k, has_no_output);

	(void)arg;
	u->has_output = true;
	u->remote_name = true;
	return 0;
}

static int set_upload(struct curl *k, const char *arg)
{
	curl_place(k, has_no_upload)->upload = arg;
	return 0;
}

static int read_argument(struct curl *k, const char *path, struct bytes *out)
{
	return cmd_read_all(k->c, path, out);
}

/* Lines of a file, or one line: "Name:" takes it away, "Name;" is one without a value. */
static void add_header(struct curl *k, struct bytes line)
{
	while (line.len != 0 && (line.ptr[line.len - 1] == '\r' || line.ptr[line.len - 1] == '\n'))
		line.len--;
	if (line.len != 0)
		http_add(&k->set->lines, "%.*s", (int)line.len, line.ptr);
}

static int set_header(struct curl *k, const char *arg)
{
	struct bytes text;

	if (arg[0] != '@') {
		add_header(k, bytes_of(arg));
		return 0;
	}
	if (read_argument(k, arg + 1, &text) < 0) {
		curl_warn(k, "Failed to open %s!", arg + 1);
		return 0;
	}
	while (text.len != 0) {
		const char *end = memchr(text.ptr, '\n', text.len);
		size_t n = end != NULL ? (size_t)(end - text.ptr) + 1 : text.len;

		if (n < 65536)
			add_header(k, bytes_slice(text, 0, n));
		text = bytes_slice(text, n, text.len);
	}
	return 0;
}

static int set_data(struct curl *k, const char *arg)
{
	return curl_add_data(k, arg, DATA_ASCII);
}

static int set_binary(struct curl *k, const char *arg)
{
	return curl_add_data(k, arg, DATA_BINARY);
}

static int set_raw(struct curl *k, const char *arg)
{
	return curl_add_data(k, arg, DATA_RAW);
}

static int set_urlencode(struct curl *k, const char *arg)
{
	return curl_add_data(k, arg, DATA_URLENCODE);
}

static int set_json(struct curl *k, const char *arg)
{
	return curl_add_data(k, arg, DATA_JSON);
}

static int set_form(struct curl *k, const char *arg)
{
	return curl_add_part(k, arg, false);
}

static int set_form_text(struct curl *k, const char *arg)
{
	return curl_add_part(k, arg, true);
}

static int set_cookie(struct curl *k, const char *arg)
{
	k->set->cookies = true;
	if (strchr(arg, '=') == NULL)
		return arg[0] != '\0' ? curl_cookies_read(k, arg) : 0;
	if (k->set->cookie.len != 0)
		buf_puts(&k->set->cookie, ";");
	buf_puts(&k->set->cookie, arg);
	return 0;
}

static int set_jar(struct curl *k, const char *arg)
{
	k->set->jar = arg;
	k->set->cookies = true;
	return 0;
}

static int set_write_out(struct curl *k, const char *arg)
{
	struct bytes text;

	k->set->write_out = arg;
	if (arg[0] != '@')
		return 0;
	if (read_argument(k, arg + 1, &text) < 0) {
		cmd_warn(k->c, 0, "option -w: error encountered when reading a file");
		return CURL_READ;
	}
	k->set->write_out = arena_dup(k->c->arena, text);
	return 0;
}

static int set_protocols(struct curl *k, const char *arg)
{
	k->set->protocols = curl_protocols(k, k->set->protocols, arg);
	return 0;
}

static int set_redirect_protocols(struct curl *k, const char *arg)
{
	k->set->redirect_protocols = curl_protocols(k, k->set->redirect_protocols, arg);
	return 0;
}

static int set_default_protocol(struct curl *k, const char *arg)
{
	if (!curl_protocol_allowed(CURL_ALL_BITS, bytes_of(arg))) {
		cmd_warn(k->c, 0,
			 "option --proto-default: a specified protocol is unsupported by "
			 "libcurl");
		cmd_warn(k->c, 0, "try 'curl --help' or 'curl --manual' for more information");
		return CURL_PROTOCOL;
	}
	k->set->default_protocol = arg;
	return 0;
}

/* Where messages go from here on. */
static int set_stderr(struct curl *k, const char *arg)
{
	int fd = strcmp(arg, "-") == 0
			 ? 1
			 : cmd_open(k->c, CMD_CWD, arg, O_WRONLY_ | O_CREAT_ | O_TRUNC_, 0666);

	if (fd < 0) {
		curl_warn(k, "Failed to open %s!", arg);
		return 0;
	}
	(void)cmd_dup2(k->c, fd, 2);
	if (fd > 2)
		cmd_close(k->c, fd);
	return 0;
}

static int set_trace(struct curl *k, const char *arg)
{
	k->first->trace = arg;
	k->first->trace_ascii = false;
	return 0;
}

static int set_trace_ascii(struct curl *k, const char *arg)
{
	k->first->trace = arg;
	k->first->trace_ascii = true;
	return 0;
}

static int set_next(struct curl *k, const char *arg)
{
	(void)arg;
	if (k->set->urls != NULL && k->set->urls->url != NULL)
		(void)curl_new_set(k);
	return 0;
}

static int show_version(struct curl *k, const char *arg)
{
	(void)arg;
	cmd_puts(k->c, "curl 7.88.1 (cowsh) libcurl/7.88.1\nRelease-Date: 2023-02-20\n"
		       "Protocols: file http https \nFeatures: libz zstd\n");
	return -1;
}

static int show_help(struct curl *k, const char *arg)
{
	(void)arg;
	cmd_puts(k->c,
		 "Usage: curl [options...] <url>\n"
		 " -d, --data <data>          HTTP POST data\n"
		 " -f, --fail                 Fail fast with no output on HTTP errors\n"
		 " -h, --help <category>      Get help for commands\n"
		 " -i, --include              Include protocol response headers in the output\n"
		 " -o, --output <file>        Write to file instead of stdout\n"
		 " -O, --remote-name          Write output to a file named as the remote file\n"
		 " -s, --silent               Silent mode\n"
		 " -T, --upload-file <file>   Transfer local FILE to destination\n"
		 " -u, --user <user:password> Server user and password\n"
		 " -A, --user-agent <name>    Send User-Agent <name> to server\n"
		 " -v, --verbose              Make the operation more talkative\n"
		 " -V, --version              Show version number and quit\n");
	return -1;
}

static int set_config(struct curl *k, const char *arg)
{
	return curl_parse_file(k, arg);
}

/* --- the table --- */

static const struct option options[] = {
	{ 'a', "append", MISSING, 0, NULL },
	{ 'A', "user-agent", TEXT, FIELD(agent), NULL },
	{ 'b', "cookie", CALL, 0, set_cookie },
	{ 'c', "cookie-jar", CALL, 0, set_jar },
	{ 'C', "continue-at", TEXT, FIELD(resume), NULL },
	{ 'd', "data", CALL, 0, set_data },
	{ 'D', "dump-header", TEXT, FIELD(dump), NULL },
	{ 'e', "referer", TEXT, FIELD(referer), NULL },
	{ 'E', "cert", MISSING1, 0, NULL },
	{ 'f', "fail", ON, FIELD(fail), NULL },
	{ 'F', "form", CALL, 0, set_form },
	{ 'g', "globoff", ON, FIELD(no_glob), NULL },
	{ 'G', "get", ON, FIELD(get), NULL },
	{ 'h', "help", CALL0, 0, show_help },
	{ 'H', "header", CALL, 0, set_header },
	{ 'i', "include", ON, FIELD(include), NULL },
	{ 'I', "head", ON, FIELD(head), NULL },
	{ 'j', "junk-session-cookies", ON, FIELD(junk_session), NULL },
	{ 'J', "remote-header-name", ON, FIELD(disposition), NULL },
	{ 'k', "insecure", ON, FIELD(insecure), NULL },
	{ 'K', "config", CALL, 0, set_config },
	{ 'L', "location", ON, FIELD(follow), NULL },
	{ 'm', "max-time", SECONDS, FIELD(max_time_ms), NULL },
	{ 'n', "netrc", ON, FIELD(netrc), NULL },
	{ 'N', "no-buffer", ON, FIELD(no_buffer), NULL },
	{ 'o', "output", CALL, 0, set_output },
	{ 'O', "remote-name", CALL0, 0, set_remote },
	{ 'p', "proxytunnel", MISSING, 0, NULL },
	{ 'q', "disable", NOTHING, 0, NULL },
	{ 'Q', "quote", MISSING1, 0, NULL },
	{ 'r', "range", TEXT, FIELD(range), NULL },
	{ 'R', "remote-time", ON, FIELD(remote_time), NULL },
	{ 's', "silent", ON, FIELD(silent), NULL },
	{ 'S', "show-error", ON, FIELD(show_error), NULL },
	{ 'T', "upload-file", CALL, 0, set_upload },
	{ 'u', "user", TEXT, FIELD(user), NULL },
	{ 'U', "proxy-user", MISSING1, 0, NULL },
	{ 'v', "verbose", ON, FIELD(verbose), NULL },
	{ 'V', "version", CALL0, 0, show_version },
	{ 'w', "write-out", CALL, 0, set_write_out },
	{ 'x', "proxy", MISSING1, 0, NULL },
	{ 'X', "request", TEXT, FIELD(method), NULL },
	{ 'y', "speed-time", NUMBER, FIELD(unused_number), NULL },
	{ 'Y', "speed-limit", NUMBER, FIELD(unused_number), NULL },
	{ 'z', "time-cond", CALL, 0, curl_time_condition },
	{ 'Z', "parallel", NOTHING, 0, NULL },
	{ '0', "http1.0", ON, FIELD(http10), NULL },
	{ '1', "tlsv1", NOTHING, 0, NULL },
	{ '4', "ipv4", NOTHING, 0, NULL },
	{ '6', "ipv6", NOTHING, 0, NULL },
	{ '#', "progress-bar", ON, FIELD(bar), NULL },
	{ ':', "next", CALL0, 0, set_next },
	{ 0, "anyauth", MISSING, 0, NULL },
	{ 0, "basic", NOTHING, 0, NULL },
	{ 0, "cacert", MISSING1, 0, NULL },
	{ 0, "capath", MISSING1, 0, NULL },
	{ 0, "ciphers", MISSING1, 0, NULL },
	{ 0, "compressed", ON, FIELD(compressed), NULL },
	{ 0, "connect-timeout", SECONDS, FIELD(connect_time_ms), NULL },
	{ 0, "connect-to", CALL, 0, curl_connect_to },
	{ 0, "create-dirs", ON, FIELD(create_dirs), NULL },
	{ 0, "data-ascii", CALL, 0, set_data },
	{ 0, "data-binary", CALL, 0, set_binary },
	{ 0, "data-raw", CALL, 0, set_raw },
	{ 0, "data-urlencode", CALL, 0, set_urlencode },
	{ 0, "digest", MISSING, 0, NULL },
	{ 0, "etag-compare", TEXT, FIELD(etag_compare), NULL },
	{ 0, "etag-save", TEXT, FIELD(etag_save), NULL },
	{ 0, "fail-early", ON, FIELD(fail_early), NULL },
	{ 0, "fail-with-body", ON, FIELD(fail_body), NULL },
	{ 0, "form-string", CALL, 0, set_form_text },
	{ 0, "http1.1", NOTHING, 0, NULL },
	{ 0, "http2", NOTHING, 0, NULL },
	{ 0, "http2-prior-knowledge", MISSING, 0, NULL },
	{ 0, "interface", MISSING1, 0, NULL },
	{ 0, "json", CALL, 0, set_json },
	{ 0, "keepalive", NOTHING, 0, NULL },
	{ 0, "key", MISSING1, 0, NULL },
	{ 0, "limit-rate", CALL, 0, curl_limit_rate },
	{ 0, "location-trusted", ON, FIELD(trusted), NULL },
	{ 0, "max-filesize", NUMBER, FIELD(max_size), NULL },
	{ 0, "max-redirs", NUMBER, FIELD(max_redirects), NULL },
	{ 0, "negotiate", MISSING, 0, NULL },
	{ 0, "netrc-file", TEXT, FIELD(netrc_file), NULL },
	{ 0, "netrc-optional", ON, FIELD(netrc_optional), NULL },
	{ 0, "no-clobber", ON, FIELD(no_clobber), NULL },
	{ 0, "no-keepalive", NOTHING, 0, NULL },
	{ 0, "no-progress-meter", ON, FIELD(silent), NULL },
	{ 0, "noproxy", NOTHING1, 0, NULL },
	{ 0, "ntlm", MISSING, 0, NULL },
	{ 0, "oauth2-bearer", TEXT, FIELD(bearer), NULL },
	{ 0, "output-dir", TEXT, FIELD(output_dir), NULL },
	{ 0, "parallel-immediate", NOTHING, 0, NULL },
	{ 0, "parallel-max", NUMBER, FIELD(unused_number), NULL },
	{ 0, "path-as-is", ON, FIELD(as_is), NULL },
	{ 0, "post301", ON, FIELD(keep301), NULL },
	{ 0, "post302", ON, FIELD(keep302), NULL },
	{ 0, "post303", ON, FIELD(keep303), NULL },
	{ 0, "proto", CALL, 0, set_protocols },
	{ 0, "proto-default", CALL, 0, set_default_protocol },
	{ 0, "proto-redir", CALL, 0, set_redirect_protocols },
	{ 0, "remote-name-all", ON, FIELD(remote_all), NULL },
	{ 0, "remove-on-error", ON, FIELD(remove_on_error), NULL },
	{ 0, "resolve", CALL, 0, curl_resolve },
	{ 0, "retry", NUMBER, FIELD(retries), NULL },
	{ 0, "retry-all-errors", ON, FIELD(retry_all), NULL },
	{ 0, "retry-connrefused", ON, FIELD(retry_refused), NULL },
	{ 0, "retry-delay", SECONDS, FIELD(retry_delay_ms), NULL },
	{ 0, "retry-max-time", SECONDS, FIELD(retry_time_ms), NULL },
	{ 0, "socks5", MISSING1, 0, NULL },
	{ 0, "stderr", CALL, 0, set_stderr },
	{ 0, "tcp-nodelay", NOTHING, 0, NULL },
	{ 0, "tlsv1.2", NOTHING, 0, NULL },
	{ 0, "tlsv1.3", NOTHING, 0, NULL },
	{ 0, "trace", CALL, 0, set_trace },
	{ 0, "trace-ascii", CALL, 0, set_trace_ascii },
	{ 0, "unix-socket", MISSING1, 0, NULL },
	{ 0, "url", CALL, 0, set_url },
	{ 0, "url-query", CALL, 0, curl_url_query },
};

enum { OPTIONS = sizeof options / sizeof *options };

static int hint(struct curl *k, const char *word, const char *what)
{
	cmd_warn(k->c, 0, "option %s: %s", word, what);
	cmd_warn(k->c, 0, "try 'curl --help' or 'curl --manual' for more information");
	return CURL_USAGE;
}

/* --- values --- */

static int set_number(struct curl *k, const struct option *o, const char *word, const char *arg)
{
	uint64_t value;
	bool negative = arg[0] == '-';

	if (!num_plain(arg + negative, &value) || value > INT32_MAX)
		return hint(k, word, "expected a proper numerical parameter");
	if (o->offset == FIELD(max_redirects))
		k->set->max_redirects = negative ? -1 : (int64_t)value;
	else if (negative && value != 0)
		return hint(k, word, "expected a positive numerical parameter");
	else
		*(uint64_t *)(void *)((char *)k->set + o->offset) = value;
	return 0;
}

/* Seconds with a fraction, as milliseconds. */
static int set_seconds(struct curl *k, const struct option *o, const char *word, const char *arg)
{
	int64_t ns;

	if (arg[0] == '-')
		return hint(k, word, "expected a positive numerical parameter");
	if (arg[0] == '\0' || strspn(arg, "0123456789.") != strlen(arg) ||
	    !num_parse_span(arg, &ns))
		return hint(k, word, "expected a proper numerical parameter");
	*(uint64_t *)(void *)((char *)k->set + o->offset) = (uint64_t)ns / 1000000;
	return 0;
}

static bool wants_argument(const struct option *o)
{
	return o->kind == TEXT || o->kind == NUMBER || o->kind == SECONDS || o->kind == CALL ||
	       o->kind == NOTHING1 || o->kind == MISSING1;
}

/* Word is how the option was given, for messages. */
static int apply(struct curl *k, const struct option *o, const char *word, const char *arg, bool on)
{
	switch (o->kind) {
	case ON: *((bool *)(void *)((char *)k->set + o->offset)) = on; return 0;
	case TEXT: *(const char **)(void *)((char *)k->set + o->offset) = arg; return 0;
	case NUMBER: return set_number(k, o, word, arg);
	case SECONDS: return set_seconds(k, o, word, arg);
	case CALL:
	case CALL0: return o->call(k, arg);
	case NOTHING:
	case NOTHING1: return 0;
	case MISSING:
	case MISSING1: break;
	}
	return hint(k, word, "not supported in this sandbox");
}

/* --- words --- */

static const struct option *find_letter(char letter)
{
	for (int i = 0; i < OPTIONS; i++)
		if (options[i].letter == letter)
			return &options[i];
	return NULL;
}

/* By its name, or a clear beginning of it. */
static const struct option *find_name(struct bytes name, bool *clear)
{
	const struct option *found = NULL;

	*clear = true;
	for (int i = 0; i < OPTIONS; i++) {
		if (bytes_is(name, options[i].name))
			return &options[i];
		if (strncmp(options[i].name, name.ptr, name.len) != 0)
			continue;
		*clear = found == NULL;
		found = &options[i];
	}
	return found;
}

static const struct option *find_long(struct bytes name, bool *on, bool *clear)
{
	const struct option *o = find_name(name, clear);

	*on = true;
	if (o != NULL || !bytes_starts(name, BYTES("no-")))
		return o;
	o = find_name(bytes_slice(name, 3, name.len), clear);
	*on = false;
	return o != NULL && (o->kind == ON || o->kind == NOTHING) ? o : NULL;
}

static int long_word(struct curl *k, int argc, char **argv, int *i)
{
	const char *word = argv[*i];
	bool on = true;
	bool clear = true;
	const struct option *o = find_long(bytes_of(word + 2), &on, &clear);
	const char *arg = NULL;

	if (o != NULL && !clear && strcmp(o->name, word + 2) != 0)
		return hint(k, word, "is ambiguous");
	if (o == NULL)
		return hint(k, word, "is unknown");
	if (wants_argument(o)) {
		if (*i + 1 >= argc)
			return hint(k, word, "requires parameter");
		arg = argv[++*i];
	}
	return apply(k, o, word, arg, on);
}

static int letters(struct curl *k, int argc, char **argv, int *i)
{
	const char *word = argv[*i];

	for (const char *at = word + 1; *at != '\0'; at++) {
		const struct option *o = find_letter(*at);
		const char *arg = NULL;
		int status;

		cmd_charge(k->c, 1);
		if (o == NULL)
			return hint(k, word, "is unknown");
		if (wants_argument(o)) {
			if (at[1] == '\0' && *i + 1 >= argc)
				return hint(k, word, "requires parameter");
			arg = at[1] != '\0' ? at + 1 : argv[++*i];
		}
		status = apply(k, o, word, arg, true);
		if (status != 0 || arg != NULL)
			return status;
	}
	return 0;
}

int curl_parse(struct curl *k, int argc, char **argv)
{
	bool only_urls = false;

	for (int i = 0; i < argc; i++) {
		int status = 0;

		cmd_charge(k->c, 1);
		if (only_urls || argv[i][0] != '-' || argv[i][1] == '\0')
			(void)set_url(k, argv[i]);
		else if (strcmp(argv[i], "--") == 0)
			only_urls = true;
		else if (argv[i][1] == '-')
			status = long_word(k, argc, argv, &i);
		else
			status = letters(k, argc, argv, &i);
		if (status != 0)
			return status;
	}
	return 0;
}

/* --- -K --- */

/* A quoted argument without its escapes; what follows the quote does not count. */
static char *unquote(struct arena *a, struct bytes s)
{
	static const char from[] = "tnrv";
	static const char to[] = "\t\n\r\v";
	struct buf b = buf_in(a);

	for (size_t i = 1; i < s.len && s.ptr[i] != '"'; i++) {
		char ch = s.ptr[i];

		if (ch == '\\' && i + 1 < s.len) {
			const char *known;

			ch = s.ptr[++i];
			known = ch != '\0' ? strchr(from, ch) : NULL;
			ch = known != NULL ? to[known - from] : ch;
		}
		buf_putc(&b, ch);
	}
	return buf_cstr(&b);
}

static int parse_line(struct curl *k, struct bytes line)
{
	struct arena *a = k->c->arena;
	char *argv[2];
	int argc = 1;
	size_t n = 0;

	while (n < line.len && !byte_is_space(line.ptr[n]) && line.ptr[n] != '=' &&
	       line.ptr[n] != ':')
		n++;
	argv[0] = arena_dup(a, bytes_slice(line, 0, n));
	if (argv[0][0] != '-') {
		struct buf b = buf_in(a);

		buf_printf(&b, "--%s", argv[0]);
		argv[0] = buf_cstr(&b);
	}
	while (n < line.len &&
	       (byte_is_space(line.ptr[n]) || line.ptr[n] == '=' || line.ptr[n] == ':'))
		n++;
	line = bytes_slice(line, n, line.len);
	if (line.len != 0) {
		argc = 2;
		argv[1] = line.ptr[0] == '"' ? unquote(a, line) : arena_dup(a, line);
		if (line.ptr[0] != '"')
			argv[1][strcspn(argv[1], " \t\r")] = '\0';
	}
	return curl_parse(k, argc, argv);
}

int curl_parse_file(struct curl *k, const char *path)
{
	struct bytes text;
	int status = 0;

	if (k->parsing_file || cmd_read_all(k->c, path, &text) < 0) {
		(void)hint(k, "-K", "error encountered when reading a file");
		return CURL_READ;
	}
	k->parsing_file = true;
	while (text.len != 0 && status == 0) {
		const char *end = memchr(text.ptr, '\n', text.len);
		size_t n = end != NULL ? (size_t)(end - text.ptr) : text.len;
		struct bytes line = bytes_trim(bytes_slice(text, 0, n));

		text = bytes_slice(text, end != NULL ? n + 1 : n, text.len);
		if (line.len != 0 && line.ptr[0] != '#')
			status = parse_line(k, line);
	}
	k->parsing_file = false;
	return status;
}

struct curl_set *curl_new_set(struct curl *k)
{
	struct arena *a = k->c->arena;
	struct curl_set *s = arena_zalloc(a, sizeof *s);

	if (k->set != NULL) {
		memcpy(s, k->set, offsetof(struct curl_set, next));
		k->set->next = s;
	} else {
		k->first = s;
	}
	s->max_redirects = 50;
	s->protocols = CURL_ALL_BITS;
	s->redirect_protocols = CURL_HTTP_BIT | CURL_HTTPS_BIT;
	s->lines.a = a;
	s->data = buf_in(a);
	s->query = buf_in(a);
	s->cookie = buf_in(a);
	k->set = s;
	return s;
}
