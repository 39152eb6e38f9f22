/* SPDX-License-Identifier: MIT
 *
 * What the warm start knows about Python.
 *
 * The zygote is `python3` with a placeholder as its argument and a directory of ours in
 * PYTHONPATH, where `import site` finds a module sitecustomize: the launcher. It takes back
 * everything that brought it (the path, the variable, its place in sys.modules), imports the
 * real sitecustomize and usercustomize, and opens a file, which is where the zygote is frozen. What
 * follows runs in every start: standard streams, arguments and environment are made anew from what
 * this process was given. The command, the module's name or the file's name stands in the memory of
 * the interpreter's configuration as wchar_t and is replaced there, before the interpreter
 * comes to it: so it runs it itself, without a frame of ours below.
 */
#include "microvm/zygote.h"

static const char launcher[] =
	"import sys, os, io, posix, site\n"
	"def start():\n"
	"    here = '/proc/self/zygote'\n"
	"    sys.path.remove(here)\n"
	"    sys.path_importer_cache.pop(here, None)\n"
	"    del os.environ['PYTHONPATH']\n"
	"    posix.environ.pop(b'PYTHONPATH', None)\n"
	"    del sys.modules['sitecustomize']\n"
	"    missing = None\n"
	"    try:\n"
	"        import sitecustomize\n"
	"    except ImportError as error:\n"
	"        if error.name != 'sitecustomize':\n"
	"            raise\n"
	"        missing = error\n"
	"    if site.ENABLE_USER_SITE:\n"
	"        user = site.execusercustomize\n"
	"        user()\n"
	"        def done():\n"
	"            site.execusercustomize = user\n"
	"        site.execusercustomize = done\n"
	"    kinds = [(0, 'stdin', 'r'), (1, 'stdout', 'w'), (2, 'stderr', 'w')]\n"
	"    how = []\n"
	"    for fd, name, mode in kinds:\n"
	"        old = getattr(sys, name)\n"
	"        if fd != 0:\n"
	"            old.flush()\n"
	"        how.append((fd, name, mode, old))\n"
	"        setattr(sys, name, None)\n"
	"        setattr(sys, '__' + name + '__', None)\n"
	"    del old\n"
	"    fd = os.open(here + '/request', os.O_RDONLY | os.O_CLOEXEC)\n"
	"    data = b''\n"
	"    while not data.endswith(b'\\0\\0'):\n"
	"        data += os.read(fd, 16384)\n"
	"    os.close(fd)\n"
	"    data = data[:-2].split(b'\\0')\n"
	"    n, same = map(int, data[0].split())\n"
	"    args = [os.fsdecode(a) for a in data[1:n + 1]]\n"
	"    pairs = [v.partition(b'=') for v in data[n + 1:]]\n"
	"    if [k for k, _, _ in pairs] != list(os.environb):\n"
	"        os.environb.clear()\n"
	"    for k, _, v in pairs:\n"
	"        if os.environb.get(k) != v:\n"
	"            os.environb[k] = v\n"
	"    posix.environ.clear()\n"
	"    posix.environ.update((k, v) for k, _, v in pairs)\n"
	"    sys.orig_argv[:] = args\n"
	"    if args[1:2] in (['-c'], ['-m']):\n"
	"        sys.argv[:] = args[1:2] + args[3:]\n"
	"    else:\n"
	"        sys.argv[:] = args[1:] or ['']\n"
	"    for fd, name, mode, text in how:\n"
	"        if same:\n"
	"            setattr(sys, name, text)\n"
	"            setattr(sys, '__' + name + '__', text)\n"
	"            continue\n"
	"        encoding, errors = text.encoding, text.errors\n"
	"        raw = io.FileIO(fd, mode, False)\n"
	"        size = raw._blksize if raw._blksize > 1 else io.DEFAULT_BUFFER_SIZE\n"
	"        kind = io.BufferedReader if fd == 0 else io.BufferedWriter\n"
	"        raw.name = '<' + name + '>'\n"
	"        line = fd == 2 or raw.isatty()\n"
	"        text = io.TextIOWrapper(kind(raw, size), encoding, errors, '\\n', line, False)\n"
	"        text.mode = mode\n"
	"        setattr(sys, name, text)\n"
	"        setattr(sys, '__' + name + '__', text)\n"
	"    return missing\n"
	"missing = start()\n"
	"if missing is not None:\n"
	"    raise ImportError(str(missing), name='sitecustomize')\n";

const struct bytes zygote_launcher = { launcher, sizeof launcher - 1 };

/* --- which starts --- */

static bool starts_with(const char *text, const char *what)
{
	return strncmp(text, what, strlen(what)) == 0;
}

/* python3 or python3.N */
static bool is_python(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;

	if (!starts_with(name, "python3"))
		return false;
	for (name += 7; *name != '\0'; name++)
		if (*name != '.' && (*name < '0' || *name > '9'))
			return false;
	return true;
}

bool zygote_free_variable(const char *v)
{
	return starts_with(v, "_=") || starts_with(v, "PWD=") || starts_with(v, "OLDPWD=") ||
	       starts_with(v, "SHLVL=");
}

/* Whether Python decodes its arguments as UTF-8; it does so in the C locale too. */
static bool is_utf8_locale(const char *name)
{
	return *name == '\0' || strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0 ||
	       strstr(name, "UTF-8") != NULL || strstr(name, "utf8") != NULL;
}

static bool fits_environment(char *const *envp)
{
	for (; *envp != NULL; envp++) {
		const char *value = strchr(*envp, '=');

		if (value == NULL || value == *envp || starts_with(*envp, "PYTHON") ||
		    starts_with(*envp, "LD_"))
			return false;
		if ((starts_with(*envp, "LC_") || starts_with(*envp, "LANG=")) &&
		    !is_utf8_locale(value + 1))
			return false;
	}
	return true;
}

enum zygote_form zygote_form(const char *path, int argc, char *const *argv, char *const *envp)
{
	const char *first = argc > 1 ? argv[1] : NULL;

	if (argc < 1 || !is_python(path) || !fits_environment(envp))
		return FORM_NONE;
	if (first == NULL)
		return FORM_STDIN;
	if (strcmp(first, "-") == 0)
		return FORM_DASH;
	if (strcmp(first, "-c") == 0)
		return argc > 2 ? FORM_COMMAND : FORM_NONE;
	if (strcmp(first, "-m") == 0)
		return argc > 2 ? FORM_MODULE : FORM_NONE;
	return first[0] == '-' || first[0] == '\0' ? FORM_NONE : FORM_SCRIPT;
}

/* --- making one --- */

const char *zygote_placeholder(struct arena *a)
{
	static const char begin[] = "/cowsh-zygote-placeholder-";
	char *text = arena_alloc(a, ZYGOTE_TEXT_MAX + 1);

	for (size_t i = 0; i < ZYGOTE_TEXT_MAX; i++)
		text[i] = i < sizeof begin - 1 ? begin[i] : (char)('a' + i % 26);
	text[ZYGOTE_TEXT_MAX] = '\0';
	return text;
}

char **zygote_arguments(struct arena *a, enum zygote_form form, const char *arg0)
{
	char **argv = arena_array(a, 4, sizeof *argv);
	char *text = (char *)(uintptr_t)zygote_placeholder(a);
	int n = 0;

	argv[n++] = (char *)(uintptr_t)arg0;
	if (form == FORM_COMMAND)
		argv[n++] = arena_dup(a, BYTES("-c"));
	else if (form == FORM_MODULE)
		argv[n++] = arena_dup(a, BYTES("-m"));
	else if (form == FORM_DASH)
		argv[n++] = arena_dup(a, BYTES("-"));
	if (form == FORM_COMMAND || form == FORM_MODULE || form == FORM_SCRIPT)
		argv[n++] = text;
	return argv;
}

const char *zygote_text(struct task *t, enum zygote_form form, char *const *argv)
{
	struct arena *a = &t->p->arena;
	const char *text = "";
	char *cwd;
	struct buf b = buf_in(a);

	if (zygote_is_node(form))
		return form == FORM_NODE_SCRIPT ? argv[1] : argv[2];
	if (form == FORM_COMMAND || form == FORM_MODULE)
		text = argv[2];
	if (form == FORM_SCRIPT) {
		/* As the interpreter itself does it: nothing is normalized. */
		if (argv[1][0] != '/' && sys_getcwd(t->p, a, &cwd) < 0)
			return NULL;
		if (argv[1][0] != '/')
			buf_printf(&b, "%s/", strcmp(cwd, "/") == 0 ? "" : cwd);
		buf_puts(&b, argv[1]);
		text = buf_cstr(&b);
	}
	return strlen(text) < ZYGOTE_TEXT_MAX ? text : NULL;
}
