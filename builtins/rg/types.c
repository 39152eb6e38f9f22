/* SPDX-License-Identifier: MIT
 *
 * The kinds of files that -t and -T know, by their names.
 */
#include "builtins/rg/rg.h"

static const struct rg_type standard[] = {
	{ "agda", "*.agda *.lagda" },
	{ "aidl", "*.aidl" },
	{ "amake", "*.bp *.mk" },
	{ "asciidoc", "*.adoc *.asc *.asciidoc" },
	{ "asm", "*.S *.asm *.s" },
	{ "asp", "*.ascx *.ascx.cs *.ascx.vb *.aspx *.aspx.cs *.aspx.vb" },
	{ "ats", "*.ats *.dats *.hats *.sats" },
	{ "avro", "*.avdl *.avpr *.avsc" },
	{ "awk", "*.awk" },
	{ "bazel", "*.BUILD *.bazel *.bazelrc *.bzl BUILD WORKSPACE" },
	{ "bitbake", "*.bb *.bbappend *.bbclass *.conf *.inc" },
	{ "brotli", "*.br" },
	{ "buildstream", "*.bst" },
	{ "bzip2", "*.bz2 *.tbz2" },
	{ "c", "*.[chH] *.[chH].in *.cats" },
	{ "cabal", "*.cabal" },
	{ "cbor", "*.cbor" },
	{ "ceylon", "*.ceylon" },
	{ "clojure", "*.clj *.cljc *.cljs *.cljx" },
	{ "cmake", "*.cmake CMakeLists.txt" },
	{ "coffeescript", "*.coffee" },
	{ "config", "*.cfg *.conf *.config *.ini" },
	{ "coq", "*.v" },
	{ "cpp", "*.[ChH] *.[ChH].in *.[ch]pp *.[ch]pp.in *.[ch]xx *.[ch]xx.in *.cc *.cc.in *.hh "
		 "*.hh.in *.inl" },
	{ "creole", "*.creole" },
	{ "crystal", "*.cr Projectfile" },
	{ "cs", "*.cs" },
	{ "csharp", "*.cs" },
	{ "cshtml", "*.cshtml" },
	{ "css", "*.css *.scss" },
	{ "csv", "*.csv" },
	{ "cython", "*.pxd *.pxi *.pyx" },
	{ "d", "*.d" },
	{ "dart", "*.dart" },
	{ "dhall", "*.dhall" },
	{ "diff", "*.diff *.patch" },
	{ "docker", "*Dockerfile*" },
	{ "dvc", "*.dvc Dvcfile" },
	{ "ebuild", "*.ebuild" },
	{ "edn", "*.edn" },
	{ "elisp", "*.el" },
	{ "elixir", "*.eex *.ex *.exs" },
	{ "elm", "*.elm" },
	{ "erb", "*.erb" },
	{ "erlang", "*.erl *.hrl" },
	{ "fidl", "*.fidl" },
	{ "fish", "*.fish" },
	{ "flatbuffers", "*.fbs" },
	{ "fortran", "*.F *.F77 *.F90 *.F95 *.f *.f77 *.f90 *.f95 *.pfo" },
	{ "fsharp", "*.fs *.fsi *.fsx" },
	{ "fut", ".fut" },
	{ "gap", "*.g *.gap *.gd *.gi *.tst" },
	{ "gn", "*.gn *.gni" },
	{ "go", "*.go" },
	{ "gradle", "*.gradle" },
	{ "groovy", "*.gradle *.groovy" },
	{ "gzip", "*.gz *.tgz" },
	{ "h", "*.h *.hpp" },
	{ "haml", "*.haml" },
	{ "haskell", "*.c2hs *.cpphs *.hs *.hsc *.lhs" },
	{ "hbs", "*.hbs" },
	{ "hs", "*.hs *.lhs" },
	{ "html", "*.ejs *.htm *.html" },
	{ "idris", "*.idr *.lidr" },
	{ "java", "*.java *.jsp *.jspx *.properties" },
	{ "jinja", "*.j2 *.jinja *.jinja2" },
	{ "jl", "*.jl" },
	{ "js", "*.js *.jsx *.vue" },
	{ "json", "*.json composer.lock" },
	{ "jsonl", "*.jsonl" },
	{ "julia", "*.jl" },
	{ "jupyter", "*.ipynb *.jpynb" },
	{ "k", "*.k" },
	{ "kotlin", "*.kt *.kts" },
	{ "less", "*.less" },
	{ "license", "*[.-]LICEN[CS]E* AGPL-*[0-9]* APACHE-*[0-9]* BSD-*[0-9]* CC-BY-* COPYING "
		     "COPYING[.-]* COPYRIGHT COPYRIGHT[.-]* EULA EULA[.-]* GFDL-*[0-9]* "
		     "GNU-*[0-9]* GPL-*[0-9]* LGPL-*[0-9]* LICEN[CS]E LICEN[CS]E[.-]* MIT-*[0-9]* "
		     "MPL-*[0-9]* NOTICE NOTICE[.-]* OFL-*[0-9]* PATENTS PATENTS[.-]* UNLICEN[CS]E "
		     "UNLICEN[CS]E[.-]* agpl[.-]* gpl[.-]* lgpl[.-]* licen[cs]e licen[cs]e.*" },
	{ "lisp", "*.el *.jl *.lisp *.lsp *.sc *.scm" },
	{ "lock", "*.lock package-lock.json" },
	{ "log", "*.log" },
	{ "lua", "*.lua" },
	{ "lz4", "*.lz4" },
	{ "lzma", "*.lzma" },
	{ "m4", "*.ac *.m4" },
	{ "make", "*.mak *.mk [Gg][Nn][Uu]makefile [Gg][Nn][Uu]makefile.am [Gg][Nn][Uu]makefile.in "
		  "[Mm]akefile [Mm]akefile.am [Mm]akefile.in" },
	{ "mako", "*.mako *.mao" },
	{ "man", "*.[0-9][cEFMmpSx] *.[0-9lnpx]" },
	{ "markdown", "*.markdown *.md *.mdown *.mkdn" },
	{ "matlab", "*.m" },
	{ "md", "*.markdown *.md *.mdown *.mkdn" },
	{ "meson", "meson.build meson_options.txt" },
	{ "minified", "*.min.css *.min.html *.min.js" },
	{ "mint", "*.mint" },
	{ "mk", "mkfile" },
	{ "ml", "*.ml" },
	{ "msbuild", "*.csproj *.fsproj *.proj *.props *.targets *.vcxproj" },
	{ "nim", "*.nim *.nimble *.nimf *.nims" },
	{ "nix", "*.nix" },
	{ "objc", "*.h *.m" },
	{ "objcpp", "*.h *.mm" },
	{ "ocaml", "*.ml *.mli *.mll *.mly" },
	{ "org", "*.org *.org_archive" },
	{ "pascal", "*.dpr *.inc *.lpr *.pas *.pp" },
	{ "pdf", "*.pdf" },
	{ "perl", "*.PL *.perl *.pl *.plh *.plx *.pm *.t" },
	{ "php", "*.php *.php3 *.php4 *.php5 *.phtml" },
	{ "po", "*.po" },
	{ "pod", "*.pod" },
	{ "postscript", "*.eps *.ps" },
	{ "protobuf", "*.proto" },
	{ "ps", "*.cdxml *.ps1 *.ps1xml *.psd1 *.psm1" },
	{ "puppet", "*.erb *.pp *.rb" },
	{ "purs", "*.purs" },
	{ "py", "*.py" },
	{ "qmake", "*.prf *.pri *.pro" },
	{ "qml", "*.qml" },
	{ "r", "*.R *.Rmd *.Rnw *.r" },
	{ "racket", "*.rkt" },
	{ "rdoc", "*.rdoc" },
	{ "readme", "*README README*" },
	{ "red", "*.r *.red *.reds" },
	{ "robot", "*.robot" },
	{ "rst", "*.rst" },
	{ "ruby", "*.gemspec *.rb *.rbw .irbrc Gemfile Rakefile config.ru" },
	{ "rust", "*.rs" },
	{ "sass", "*.sass *.scss" },
	{ "scala", "*.sbt *.scala" },
	{ "sh", "*.bash *.bashrc *.csh *.cshrc *.ksh *.kshrc *.sh *.tcsh *.zsh .bash_login "
		".bash_logout .bash_profile .bashrc .cshrc .kshrc .login .logout .profile .tcshrc "
		".zlogin .zlogout .zprofile .zshenv .zshrc bash_login bash_logout bash_profile "
		"bashrc profile zlogin zlogout zprofile zshenv zshrc" },
	{ "slim", "*.skim *.slim *.slime" },
	{ "smarty", "*.tpl" },
	{ "sml", "*.sig *.sml" },
	{ "soy", "*.soy" },
	{ "spark", "*.spark" },
	{ "spec", "*.spec" },
	{ "sql", "*.psql *.sql" },
	{ "stylus", "*.styl" },
	{ "sv", "*.h *.sv *.svh *.v *.vg" },
	{ "svg", "*.svg" },
	{ "swift", "*.swift" },
	{ "swig", "*.def *.i" },
	{ "systemd", "*.automount *.conf *.device *.link *.mount *.path *.scope *.service *.slice "
		     "*.socket *.swap *.target *.timer" },
	{ "taskpaper", "*.taskpaper" },
	{ "tcl", "*.tcl" },
	{ "tex", "*.bib *.cls *.dtx *.ins *.ltx *.sty *.tex" },
	{ "textile", "*.textile" },
	{ "tf", "*.tf" },
	{ "thrift", "*.thrift" },
	{ "toml", "*.toml Cargo.lock" },
	{ "ts", "*.ts *.tsx" },
	{ "twig", "*.twig" },
	{ "txt", "*.txt" },
	{ "typoscript", "*.ts *.typoscript" },
	{ "vala", "*.vala" },
	{ "vb", "*.vb" },
	{ "vcl", "*.vcl" },
	{ "verilog", "*.sv *.svh *.v *.vh" },
	{ "vhdl", "*.vhd *.vhdl" },
	{ "vim", "*.vim" },
	{ "vimscript", "*.vim" },
	{ "webidl", "*.idl *.webidl *.widl" },
	{ "wiki", "*.mediawiki *.wiki" },
	{ "xml", "*.dtd *.rng *.sch *.xhtml *.xjb *.xml *.xml.dist *.xsd *.xsl *.xslt" },
	{ "xz", "*.txz *.xz" },
	{ "yacc", "*.y" },
	{ "yaml", "*.yaml *.yml" },
	{ "yang", "*.yang" },
	{ "z", "*.Z" },
	{ "zig", "*.zig" },
	{ "zsh",
	  "*.zsh .zlogin .zlogout .zprofile .zshenv .zshrc zlogin zlogout zprofile zshenv zshrc" },
	{ "zstd", "*.zst *.zstd" },
};

enum { STANDARD = sizeof(standard) / sizeof(standard[0]) };

void rg_types_init(struct rg *g)
{
	g->types = arena_array(g->c->arena, STANDARD + 64, sizeof *g->types);
	memcpy(g->types, standard, sizeof standard);
	g->ntypes = STANDARD;
	g->types_cap = STANDARD + 64;
}

static struct rg_type *find(struct rg *g, const char *name)
{
	for (size_t i = 0; i < g->ntypes; i++)
		if (strcmp(g->types[i].name, name) == 0)
			return &g->types[i];
	return NULL;
}

/* Kept in the order of names. */
static struct rg_type *insert(struct rg *g, const char *name)
{
	size_t at = 0;

	if (g->ntypes == g->types_cap) {
		size_t size = g->ntypes * sizeof *g->types;

		g->types = arena_grow(g->c->arena, g->types, size, 2 * size);
		g->types_cap *= 2;
	}
	while (at < g->ntypes && strcmp(g->types[at].name, name) < 0)
		at++;
	memmove(g->types + at + 1, g->types + at, (g->ntypes - at) * sizeof *g->types);
	g->types[at] = (struct rg_type){ name, "" };
	g->ntypes++;
	return &g->types[at];
}

static void add_globs(struct rg *g, const char *name, const char *globs)
{
	struct rg_type *t = find(g, name);
	struct buf text = buf_in(g->c->arena);

	if (t == NULL)
		t = insert(g, name);
	buf_printf(&text, "%s%s%s", t->globs, t->globs[0] != '\0' ? " " : "", globs);
	t->globs = buf_cstr(&text);
}

int rg_type_add(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rg *g = c->opts;
	const char *colon = strchr(arg, ':');
	char *name;

	(void)opt;
	if (colon == NULL || colon == arg || colon[1] == '\0')
		return rg_fail(g, "invalid definition (format is type:glob, e.g., html:*.html)");
	name = arena_dup(c->arena, (struct bytes){ arg, (size_t)(colon - arg) });
	if (strncmp(colon, ":include:", 9) != 0) {
		add_globs(g, name, colon + 1);
		return 0;
	}
	for (const char *at = colon + 9; *at != '\0';) {
		size_t len = strcspn(at, ",");
		const struct rg_type *other = find(g,
						   arena_dup(c->arena, (struct bytes){ at, len }));

		if (other == NULL)
			return rg_fail(g, "invalid definition (format is type:glob, e.g., "
					  "html:*.html)");
		add_globs(g, name, other->globs);
		at += len + (at[len] != '\0');
	}
	return 0;
}

int rg_type_clear(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rg *g = c->opts;
	struct rg_type *t = find(g, arg);

	(void)opt;
	if (t != NULL) {
		size_t at = (size_t)(t - g->types);

		memmove(t, t + 1, (g->ntypes - at - 1) * sizeof *t);
		g->ntypes--;
	}
	return 0;
}

int rg_type_choose(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rg *g = c->opts;
	g->chosen = arena_room(c->arena, g->chosen, g->nchosen, sizeof *g->chosen);
	g->chosen[g->nchosen++] = (struct rg_choice){ arg, opt->value != 0 };
	return 0;
}

int rg_types_check(struct rg *g)
{
	for (size_t i = 0; i < g->nchosen; i++) {
		if (strcmp(g->chosen[i].name, "all") != 0 && find(g, g->chosen[i].name) == NULL)
			return rg_fail(g, "unrecognized file type: %s", g->chosen[i].name);
		g->type_selects |= !g->chosen[i].negate;
	}
	return 0;
}

static bool type_matches(struct rg *g, const struct rg_type *t, struct bytes name)
{
	const char *at = t->globs;

	while (*at != '\0') {
		size_t len = strcspn(at, " ");

		if (ignore_glob((struct bytes){ at, len }, name, false, &g->work))
			return true;
		at += len + (at[len] != '\0');
	}
	return false;
}

static bool choice_matches(struct rg *g, const char *type, struct bytes name)
{
	if (strcmp(type, "all") != 0)
		return type_matches(g, find(g, type), name);
	for (size_t i = 0; i < g->ntypes; i++)
		if (type_matches(g, &g->types[i], name))
			return true;
	return false;
}

enum ignore_verdict rg_types_verdict(struct rg *g, struct bytes name)
{
	for (size_t i = g->nchosen; i-- > 0;)
		if (choice_matches(g, g->chosen[i].name, name))
			return g->chosen[i].negate ? IGNORE_YES : IGNORE_NO;
	return g->type_selects ? IGNORE_YES : IGNORE_NONE;
}

int rg_type_list(struct rg *g)
{
	for (size_t i = 0; i < g->ntypes; i++) {
		cmd_printf(g->c, "%s: ", g->types[i].name);
		for (const char *at = g->types[i].globs; *at != '\0'; at++)
			cmd_puts(g->c, *at == ' ' ? ", " : (char[]){ *at, '\0' });
		cmd_putc(g->c, '\n');
	}
	return 0;
}
