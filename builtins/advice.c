/* SPDX-License-Identifier: MIT
 *
 * What is said about commands that a session cannot have: real programs, networks, services,
 * terminals. One row a name.
 *
 * These are no files: `command -v python3` fails, as it must, and a file of that name, wherever
 * PATH finds it, is run as ever. Only a name that was looked up in vain is asked for here.
 */
#include "builtins/builtin.h"

enum advice_host { HOST_NONE, HOST_LAST, HOST_LOGIN, HOST_COLON };

struct advice {
	const char *names; /* with a blank around each */
	int status;
	enum advice_host host; /* where the arguments name one */
	const char *text;      /* behind "NAME: "; %s: the host */
};

#define NOT_FOUND  127, HOST_NONE, "command not found: "
#define NO_NETWORK " (this session has no network)"

static const struct advice table[] = {
	{ " python python2 python3 perl ruby php node nodejs npm npx yarn pnpm deno bun ", NOT_FOUND
	  "a real program, and this session has none; mount a root image that contains it" },
	{ " gcc g++ cc c++ clang clang++ make cmake ninja ld cargo rustc go java javac mvn gradle "
	  "dotnet swift kotlinc ghc lua tclsh R julia Rscript m4 autoconf automake pkg-config ",
	  NOT_FOUND
	  "a real program, and this session has none; mount a root image that contains it" },
	{ " pip pip3 pipx uv conda mamba poetry gem bundle composer ", NOT_FOUND
	  "nothing can be installed here; mount a root image that contains what is needed" },
	{ " apt apt-get aptitude dpkg yum dnf rpm apk pacman zypper brew snap flatpak ",
	  NOT_FOUND "nothing can be installed here; ls /usr/bin shows what there is" },
	{ " docker podman docker-compose kubectl helm minikube vagrant terraform ",
	  NOT_FOUND "no containers run in this session; run the commands themselves" },
	{ " systemctl journalctl timedatectl hostnamectl loginctl ", 1, HOST_NONE,
	  "no init system: this session has no services; start programs with & or nohup" },
	{ " service init shutdown reboot halt poweroff ", 1, HOST_NONE,
	  "no init system: this session has no services; start programs with & or nohup" },
	{ " crontab at atq atrm batch ", 1, HOST_NONE,
	  "no scheduler runs in this session; use sleep in a background job" },
	{ " su runuser doas pkexec ", 1, HOST_NONE,
	  "Authentication failure: a session has one user; start it with another one" },
	{ " passwd useradd userdel usermod groupadd groupdel adduser chsh chfn ", 1, HOST_NONE,
	  "Permission denied: a session has one user; write /etc/passwd as root to name others" },
	{ " vi vim nvim view nano pico emacs ex joe micro code ",
	  NOT_FOUND "no terminal for editors; use sed -i, patch, or cat > FILE <<'EOF'" },
	{ " tmux screen byobu dialog whiptail htop mc fzf gdb lldb strace ltrace perf ",
	  NOT_FOUND "no terminal and no real processes in this session" },
	{ " xh httpie ", NOT_FOUND "use http, or curl" },
	{ " ssh sftp telnet ssh-copy-id ", 255, HOST_LOGIN,
	  "Could not resolve hostname %s: Temporary failure in name resolution" NO_NETWORK },
	{ " scp rsync ", 255, HOST_COLON,
	  "Could not resolve hostname %s: Temporary failure in name resolution" NO_NETWORK },
	{ " ping ping6 traceroute tracepath ", 2, HOST_LAST,
	  "%s: Temporary failure in name resolution" NO_NETWORK },
	{ " dig nslookup host whois ftp ", 1, HOST_LAST,
	  "%s: Temporary failure in name resolution" NO_NETWORK },
	{ " nc ncat netcat socat ", 1, HOST_LOGIN,
	  "getaddrinfo for host \"%s\": Temporary failure in name resolution" NO_NETWORK },
	{ " ip ifconfig ss netstat route iptables nmap tcpdump ",
	  NOT_FOUND "this session has no network" },
	{ " scriptreplay expect unbuffer ",
	  NOT_FOUND "no terminal to record or to play; redirect output: COMMAND > FILE 2>&1" },
	{ " ldd nm objdump readelf size strip ldconfig ",
	  NOT_FOUND "no object files: the commands here are parts of the sandbox itself" },
	{ " insmod modprobe lsmod mkfs fdisk parted swapon losetup fsck sysctl lsblk blkid wipefs "
	  "blockdev mkswap swapoff hwclock rtcwake lspci lsusb hdparm smartctl ",
	  NOT_FOUND "no devices and no modules in this session" },
	{ " findmnt ", NOT_FOUND "mount without arguments lists what is mounted" },
	{ " chroot unshare nsenter setpriv chrt choom uclampset prlimit cgexec ", NOT_FOUND
	  "processes of a session have its user, root and limits; ulimit shows and lowers these" },
	{ " fuser lsfd lslocks peekfd ", NOT_FOUND "lsof lists the files that are open" },
	{ " vmstat slabtop tload iostat mpstat sar pidstat pmap ",
	  NOT_FOUND "free, ps and top show what there is to see" },
	{ " last lastb lastlog lslogins pinky finger write wall mesg ",
	  NOT_FOUND "nobody logs in to this session" },
	{ " chcon runcon restorecon getfacl setfacl chattr lsattr ",
	  NOT_FOUND "files have modes, owners and times, nothing else; see chmod" },
	{ " busybox toybox ",
	  NOT_FOUND "its commands are here by themselves: run them without it" },
	{ " zsh dash ksh mksh fish tcsh csh ash pwsh ",
	  NOT_FOUND "the shell of this session is bash, also as sh" },
	{ " ag ack ", NOT_FOUND "use rg or grep -rn" },
	{ " fd fdfind ", NOT_FOUND "use find, or rg --files" },
	{ " bat batcat ", NOT_FOUND "use cat -n" },
	{ " exa eza lsd ", NOT_FOUND "use ls or tree" },
	{ " 7z 7za 7zr rar unrar lz4 lzop brotli compress uncompress ",
	  NOT_FOUND "there are tar, zip, gzip, bzip2, xz and zstd" },
	{ " pigz unpigz pbzip2 lbzip2 pixz pzstd ", NOT_FOUND "use gzip, bzip2, xz or zstd" },
	{ " gsed ggrep gfind gtar gdate gstat greadlink gxargs gsort ghead gtail ",
	  NOT_FOUND "the command without g is GNU's" },
	{ " md5 sha1 sha256 sha512 ", NOT_FOUND "use md5sum, sha256sum, or openssl dgst" },
	{ " locate plocate mlocate updatedb ", NOT_FOUND "use find" },
	{ " mlr miller ", NOT_FOUND "use xan, awk or jq" },
	{ " jo gron ", NOT_FOUND "use jq: jq -n --arg k v '{$k}', jq -c paths" },
	{ " pv ", NOT_FOUND "nobody watches; use cat" },
	{ " pandoc lynx w3m elinks links ", NOT_FOUND "html-to-markdown makes pages readable" },
	{ " xsltproc ", NOT_FOUND "use xq, or yq -p xml" },
	{ " tempfile ", NOT_FOUND "use mktemp" },
	{ " rename.ul ", NOT_FOUND "use rename 's/FROM/TO/' FILE..." },
	{ " infocmp tic toe tset tabs setterm ", NOT_FOUND "tput tells what terminals can do" },
	{ " inotifywait inotifywatch entr fswatch ", NOT_FOUND
	  "files change only by commands of this session; compare them before and after" },
	{ " gpg gpg2 age sops pass ",
	  NOT_FOUND "no keys in this session; openssl dgst makes digests" },
	{ " psql mysql mariadb mongo mongosh redis-cli ",
	  NOT_FOUND "no servers to reach from here; sqlite3 keeps databases in files" },
	{ " gh glab hub aws gcloud az ", NOT_FOUND "this session has no network" },
	{ " xmllint xmlstarlet ", NOT_FOUND "use xq, or yq -p xml" },
	{ " pytest tox mypy ruff black flake8 pylint ipython jupyter jest eslint prettier tsc ",
	  NOT_FOUND
	  "a real program, and this session has none; mount a root image that contains it" },
	{ " open xdg-open xclip xsel pbcopy pbpaste wl-copy notify-send ",
	  NOT_FOUND "no desktop belongs to this session" },
};

static const struct advice *find(const char *name)
{
	size_t len = strlen(name);

	if (len == 0 || strchr(name, ' ') != NULL)
		return NULL;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const char *hit = table[i].names;

		while ((hit = strstr(hit, name)) != NULL) {
			if (hit[-1] == ' ' && hit[len] == ' ')
				return &table[i];
			hit++;
		}
	}
	return NULL;
}

/* --- the host that is meant --- */

/* "user@host:port/path" without what surrounds the host. */
static struct bytes bare_host(const char *arg)
{
	const char *scheme = strstr(arg, "://");
	const char *from = scheme != NULL ? scheme + 3 : arg;
	size_t len = strcspn(from, "/?#");
	const char *at = memchr(from, '@', len);

	if (at != NULL) {
		len -= (size_t)(at + 1 - from);
		from = at + 1;
	}
	return (struct bytes){ from, strcspn(from, "/?#:") };
}

/* The first operand, when these letters take the next argument. */
static const char *first_operand(struct cmd *c, const char *letters)
{
	for (int i = 1; i < c->argc; i++) {
		const char *arg = c->argv[i];

		if (arg[0] != '-' || arg[1] == '\0')
			return arg;
		if (strchr(letters, arg[1]) != NULL && arg[2] == '\0')
			i++;
	}
	return NULL;
}

static const char *last_operand(struct cmd *c)
{
	const char *last = c->argc > 1 ? c->argv[c->argc - 1] : NULL;

	return last != NULL && last[0] != '-' ? last : NULL;
}

static const char *with_text(struct cmd *c, const char *text)
{
	for (int i = 1; i < c->argc; i++)
		if (c->argv[i][0] != '-' && strstr(c->argv[i], text) != NULL)
			return c->argv[i];
	return NULL;
}

static const char *host_argument(struct cmd *c, enum advice_host where)
{
	switch (where) {
	case HOST_COLON: return with_text(c, ":");
	case HOST_LOGIN: return first_operand(c, "bcDEeFIiJLlmOopQRSWwqx");
	case HOST_LAST: return last_operand(c);
	case HOST_NONE: break;
	}
	return NULL;
}

static int advice_run(struct cmd *c)
{
	const struct advice *a = find(c->name);
	const char *arg = host_argument(c, a->host);
	struct buf text = buf_in(c->arena);
	const char *mark = strstr(a->text, "%s");

	if (a->host != HOST_NONE && arg == NULL) {
		cmd_warn(c, 0, "command not found: this session has no network");
		return 127;
	}
	if (mark != NULL) {
		buf_put(&text, a->text, (size_t)(mark - a->text));
		buf_add(&text, bare_host(arg));
		mark += 2;
	}
	buf_puts(&text, mark != NULL ? mark : a->text);
	cmd_warn(c, 0, "%s", buf_cstr(&text));
	return a->status;
}

static const struct builtin record = { .name = "advice", .run = advice_run, .flags = BUILTIN_RAW };

int builtin_advise(struct proc *p, int argc, char **argv)
{
	return argc > 0 && find(argv[0]) != NULL ? builtin_run(p, &record, argc, argv, NULL) : -1;
}
