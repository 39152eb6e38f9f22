/* SPDX-License-Identifier: MIT
 *
 * Forks of a session in which real programs are alive: both sides go on independently, each with
 * what the program had in memory, in pipes and in sockets. usage: microvm-live IMAGE [saved]
 * With a second argument the copies are saved and loaded instead, and damaged. Prints what a copy
 * costs.
 */
#include "tests/microvm/session.h"

/* --- saved and loaded --- */

enum { SAVED_BYTES = 64 << 20, COPIES = 4 };

static struct copy {
	cowsh *session;
	cowsh_image *image;
	char *bytes; /* of SAVED_BYTES, kept for the next */
	size_t len;
} copies[COPIES];
static bool by_file; /* copies are saved and loaded instead of forked */

static int put_saved(void *user, const void *data, size_t len)
{
	struct copy *c = user;

	if (c->len + len > SAVED_BYTES)
		return -COWSH_ENOSPC;
	memcpy(c->bytes + c->len, data, len);
	c->len += len;
	return 0;
}

static struct copy *free_copy(void)
{
	struct copy *c = copies;

	while (c->session != NULL)
		c++;
	if (c->bytes == NULL)
		c->bytes = aligned_alloc(4096, SAVED_BYTES);
	c->len = 0;
	return c;
}

static int save_to(cowsh *s, struct copy *c, struct cowsh_saved *saved)
{
	struct cowsh_sink sink = COWSH_SINK_INIT;

	sink.write = put_saved;
	sink.user = c;
	return cowsh_save(s, &sink, image, "base", saved);
}

static int load_from(struct copy *c, bool machine)
{
	struct cowsh_config config = COWSH_CONFIG_INIT;
	struct cowsh_host host = host_of_tests();
	const char *why;
	int err = cowsh_image_open(store, c->bytes, c->len, image, &c->image, &why);

	config.microvm = machine ? cowsh_kvm() : NULL;
	if (err == 0)
		err = cowsh_load(store, &config, &host, c->image, &c->session);
	if (err < 0 && c->image != NULL)
		cowsh_image_close(c->image);
	c->image = err < 0 ? NULL : c->image;
	return err;
}

/* What goes on as the session would. */
static cowsh *copy_of(cowsh *s)
{
	struct cowsh_saved saved = COWSH_SAVED_INIT;
	struct copy *c;
	int err;

	if (!by_file)
		return fork_of(s);
	c = free_copy();
	err = save_to(s, c, &saved);
	if (err == 0)
		err = load_from(c, true);
	if (err == 0)
		return c->session;
	printf("FAILED: save and load: %s\n", cowsh_error_text(err));
	exit(1);
}

static void copy_free(cowsh *s)
{
	cowsh_free(s);
	for (struct copy *c = copies; c < copies + COPIES; c++) {
		if (c->session != s)
			continue;
		cowsh_image_close(c->image);
		c->session = NULL;
		c->image = NULL;
	}
}

/* --- programs --- */

/* A script that an expectation runs in Python, as a file. */
static void write_file(cowsh *s, const char *path, const char *text)
{
	if (cowsh_put_file(s, path, text, strlen(text), 0644) < 0)
		abort();
}

static size_t kib(size_t before)
{
	return (cowsh_store_used(store) - before) / 1024;
}

/* A Python that is asked through a coprocess. */
static void interpreter(cowsh *s)
{
	size_t before;
	double start;
	cowsh *f;
	cowsh *g;

	expect(s,
	       "coproc PY { exec python3 -u -i -q 2>/dev/null; }\n"
	       "tell() { echo \"$1\" >&${PY[1]}; }\n"
	       "ask() { tell \"$1\"; read -r answer <&${PY[0]}; echo \"$answer\"; }\n"
	       "tell 'x = 41'; ask 'print(x + 1)'",
	       "42\n");
	before = cowsh_store_used(store);
	start = cpu_ms();
	f = copy_of(s);
	printf("copy with a python3 alive: %.2f ms, %zu KiB\n", cpu_ms() - start, kib(before));
	start = cpu_ms();
	expect(f, "tell 'x += 100'; ask 'print(x)'", "141\n");
	printf("its first answer, with a machine: %.2f ms, then %zu KiB\n", cpu_ms() - start,
	       kib(before));
	start = cpu_ms();
	expect(s, "tell 'x += 1'; ask 'print(x)'", "42\n");
	printf("the parent's first answer: %.2f ms, then %zu KiB\n", cpu_ms() - start, kib(before));
	g = copy_of(f);
	expect(g, "ask 'print(x, sum(range(1000)))'", "141 499500\n");
	copy_free(f);
	expect(g, "ask 'print(x)'; jobs %1 | cut -d ' ' -f 3", "141\nRunning\n");
	expect(g, "exec {PY[1]}>&-; wait $PY_PID; echo $?; jobs", "0\n");
	expect(s, "ask 'print(x)'; kill %1; wait %1; echo $?", "42\n143\n");
	copy_free(g);
	f = copy_of(s);
	expect(f, "jobs; echo none", "none\n");
	copy_free(f);
}

static void server(cowsh *s)
{
	cowsh *f;

	write_file(s, "/tmp/server.py",
		   "import socket\n"
		   "s = socket.socket(); s.bind(('127.0.0.1', 8080)); s.listen(5)\n"
		   "n = 0\n"
		   "while True:\n"
		   "  c, _ = s.accept(); d = c.recv(100); n += 1\n"
		   "  c.sendall(b'%d %s' % (n, d)); c.close()\n");
	write_file(s, "/tmp/client.py",
		   "import socket, sys\n"
		   "c = socket.create_connection(('127.0.0.1', 8080))\n"
		   "c.sendall(sys.argv[1].encode()); print(c.recv(100).decode())\n");
	expect(s, "python3 /tmp/server.py & sleep 1; python3 /tmp/client.py a", "1 a\n");
	f = copy_of(s);
	expect(f, "python3 /tmp/client.py b; python3 /tmp/client.py c", "2 b\n3 c\n");
	expect(s, "python3 /tmp/client.py d", "2 d\n");
	expect(f, "kill %1; wait; python3 /tmp/client.py e 2>&1 | tail -n 1",
	       "ConnectionRefusedError: [Errno 111] Connection refused\n");
	expect(s, "python3 /tmp/client.py f; kill $!; wait", "3 f\n");
	copy_free(f);
}

/* One that sleeps wakes when it would have, forked before it began or while it slept. */
static void sleeper(cowsh *s)
{
	static const char wait[] = "wait $!; echo $?";
	cowsh *f;

	write_file(s, "/tmp/sleep.py",
		   "import time\n"
		   "t = time.time(); time.sleep(5); print(int(time.time() - t))\n");
	expect(s, "python3 /tmp/sleep.py &", "");
	f = copy_of(s);
	expect(f, wait, "5\n0\n");
	copy_free(f);
	expect(s, "sleep 2; echo two", "two\n");
	f = copy_of(s);
	expect(f, wait, "5\n0\n");
	expect(s, wait, "5\n0\n");
	copy_free(f);
}

static void threads(cowsh *s)
{
	cowsh *f;

	write_file(s, "/tmp/threads.py",
		   "import threading, queue, sys\n"
		   "q, r = queue.Queue(), queue.Queue()\n"
		   "def work():\n"
		   "  while (x := q.get()) is not None: r.put(x * x)\n"
		   "ts = [threading.Thread(target=work) for i in range(4)]\n"
		   "for t in ts: t.start()\n"
		   "for line in sys.stdin:\n"
		   "  for i in range(int(line)): q.put(i)\n"
		   "  print(sum(r.get() for i in range(int(line))), flush=True)\n"
		   "for t in ts: q.put(None)\n"
		   "for t in ts: t.join()\n"
		   "print('bye')\n");
	expect(s,
	       "coproc T { exec python3 /tmp/threads.py; }\n"
	       "echo 10 >&${T[1]}; read x <&${T[0]}; echo $x",
	       "285\n");
	f = copy_of(s);
	expect(f, "echo 11 >&${T[1]}; read x <&${T[0]}; echo $x; exec {T[1]}>&-; cat <&${T[0]}",
	       "385\nbye\n");
	expect(s, "echo 12 >&${T[1]}; read x <&${T[0]}; echo $x; exec {T[1]}>&-; cat <&${T[0]}",
	       "506\nbye\n");
	copy_free(f);
}

/* A write that waits for room goes on where it was: nothing is missing, nothing there twice. */
static void full_pipe(cowsh *s)
{
	static const char check[] = "md5sum <&7; exec 7<&-";
	cowsh *f;

	write_file(s, "/tmp/writes.py",
		   "import os\n"
		   "n = os.write(1, bytes(range(256)) * 1000)\n"
		   "n += os.writev(1, [b'abc' * 30000, b'de' * 40000])\n"
		   "os.write(1, b'%d' % n)\n");
	expect(s,
	       "exec 7< <(exec python3 /tmp/writes.py); sleep 1\n"
	       "dd bs=10000 count=19 iflag=fullblock status=none <&7 | wc -c",
	       "190000\n");
	f = copy_of(s);
	expect(f, check, "c1beb7bb1f700b46c3bb7c269632797e  -\n");
	expect(s, check, "c1beb7bb1f700b46c3bb7c269632797e  -\n");
	copy_free(f);
}

/* In the middle of computing; and one whose child, a command of ours, stays behind. */
static void others(cowsh *s)
{
	cowsh *f;

	expect(s,
	       "python3 -c 'for i in range(5000000): pass\nprint(\"counted\")' &\n"
	       "sleep 0.01",
	       "");
	f = copy_of(s);
	expect(f, "wait", "counted\n");
	expect(s, "wait", "counted\n");
	copy_free(f);
	write_file(s, "/tmp/child.py",
		   "import asyncio\n"
		   "async def main():\n"
		   "  p = await asyncio.create_subprocess_exec('/bin/cat', stdin=-1, stdout=-1)\n"
		   "  await asyncio.sleep(3)\n"
		   "  print((await p.communicate(b'hello'))[0], p.returncode)\n"
		   "asyncio.run(main())\n");
	expect(s, "python3 /tmp/child.py & sleep 1", "");
	f = copy_of(s);
	expect(f, "wait $!; echo $?", "b'' -9\n0\n");
	expect(s, "wait $!; echo $?", "b'hello' 0\n0\n");
	copy_free(f);
}

/* What a program may have open, and forks that find no memory at any point. */
static void open_files(cowsh *s)
{
	static const char all[] =
		"ask 'print(ep.poll(0)[0][1], os.eventfd_read(e), len(b.recv(5000)), m[5],"
		" p.accept()[1][0], n.get(), os.write(tm, b\"hi\\n\"), os.read(ts, 9))'";
	/* Terminals are not saved. */
	static const char saved[] =
		"ask 'print(ep.poll(0)[0][1], os.eventfd_read(e), len(b.recv(5000)), m[5],"
		" p.accept()[1][0], n.get())'";
	const char *ask = by_file ? saved : all;
	const char *answer = by_file ? "5 3 1000 7 127.0.0.1 rang\n"
				     : "5 3 1000 7 127.0.0.1 rang 3 b'hi\\n'\n";
	struct cowsh_host host = host_of_tests();
	int none = 0;

	write_file(s, "/tmp/opens.py",
		   "import mmap, os, queue, select, signal, socket, threading, time\n"
		   "a, b = socket.socketpair(); a.send(b'x' * 1000)\n"
		   "p = socket.socket(); p.bind(('127.0.0.1', 99)); p.listen(5)\n"
		   "c = socket.create_connection(('127.0.0.1', 99))\n"
		   "tm, ts = os.openpty(); e = os.eventfd(3)\n"
		   "socket.send_fds(a, [b'q'], [tm, ts, p.fileno()])\n"
		   "ep = select.epoll(); ep.register(b)\n"
		   "m = mmap.mmap(-1, 100000); m[5] = 7\n"
		   "n = queue.Queue(); signal.signal(signal.SIGALRM, lambda s, f: n.put('rang'))\n"
		   "signal.setitimer(signal.ITIMER_REAL, 50)\n");
	expect(s,
	       "coproc PY { exec python3 -u -i -q 2>/dev/null; }\n"
	       "tell 'exec(open(\"/tmp/opens.py\").read()); x = 5'; ask 'print(x)'",
	       "5\n");
	for (uint64_t limit = 200000; limit < 8000000; limit += 400009) {
		cowsh *f;
		int err;

		cowsh_set_limit(s, COWSH_LIMIT_MEMORY, limit);
		err = by_file ? save_to(s, free_copy(), NULL) : cowsh_fork(s, &host, &f);
		cowsh_set_limit(s, COWSH_LIMIT_MEMORY, 512 << 20);
		none += err == -COWSH_ENOMEM;
		if (err == 0 && !by_file)
			cowsh_free(f);
	}
	if (none < 5)
		printf("FAILED: %d forks without memory\n", none), failed++;
	for (int i = 0; i < 2; i++) {
		cowsh *f = copy_of(s);

		expect(f, ask, answer);
		copy_free(f);
	}
	expect(s, all, "5 3 1000 7 127.0.0.1 rang 3 b'hi\\n'\n");
	expect(s, "kill %1; wait", "");
}

/* Loads a file and lets its programs run, as far as that goes. */
static void try_damaged(struct copy *c)
{
	struct cowsh_result result;

	if (load_from(c, true) < 0)
		return;
	cowsh_set_limit(c->session, COWSH_LIMIT_STEPS, 20000000);
	cowsh_set_limit(c->session, COWSH_LIMIT_MEMORY, 64 << 20);
	if (cowsh_run(c->session, "sleep 1", 7, &result) < 0)
		printf("FAILED: a damaged session does not run\n"), failed++;
	copy_free(c->session);
}

/* A file in which a page is not what it was: it can't be loaded, or the program that uses the page
 * ends. What an attacker who makes hashes fit can do is for the fuzzer. */
static void damaged(cowsh *s)
{
	struct copy *c = free_copy();
	uint64_t state = 12345;

	expect(s, "coproc PY { exec python3 -u -i -q 2>/dev/null; }; ask 'print(1)'; tell 'x = 7'",
	       "1\n");
	if (save_to(s, c, NULL) < 0)
		abort();
	for (int i = 0; i < 60; i++) {
		char was;
		size_t at;

		state = state * 6364136223846793005u + 1442695040888963407u;
		at = (size_t)(state >> 20) % c->len;
		was = c->bytes[at];
		c->bytes[at] = (char)(was ^ (1 << (state & 7)));
		try_damaged(c);
		c->bytes[at] = was;
	}
	if (load_from(c, false) < 0)
		abort();
	if (cowsh_lost_processes(c->session) != 1)
		printf("FAILED: a program without a machine is not lost\n"), failed++;
	expect(c->session, "wait $!; echo $?; read x <&${PY[0]} || echo end", "137\nend\n");
	copy_free(c->session);
	expect(s, "kill %1; wait", "");
}

/* Memory and semaphores of System V, with a program that waits for one. */
static void system_v(cowsh *s)
{
	cowsh *f;

	write_file(
		s, "/tmp/v.py",
		"import ctypes, sys\n"
		"c = ctypes.CDLL(None); c.shmat.restype = ctypes.c_void_p\n"
		"class Op(ctypes.Structure): _fields_ = [(x, ctypes.c_short) for x in 'nof']\n"
		"a = c.shmat(c.shmget(5, 100, 0o1600), None, 0); s = c.semget(6, 2, 0o1600)\n"
		"def op(*x): return c.semop(s, ctypes.byref(Op(*x)), 1)\n"
		"if sys.argv[1] == 'value': print(c.semctl(s, 1, 12)); sys.exit()\n"
		"if sys.argv[1] != 'wait':\n"
		"  t = sys.argv[1].encode() + b'\\0'; ctypes.memmove(a, t, len(t)); op(0, 1, 0)\n"
		"  sys.exit()\n"
		"op(1, 7, 0x1000)\n"
		"while op(0, -1, 0) == 0:\n"
		"  print(ctypes.string_at(a).decode(), file=open('/tmp/said', 'a'))\n");
	expect(s, "python3 /tmp/v.py wait & sleep 1; python3 /tmp/v.py a; sleep 1; cat /tmp/said",
	       "a\n");
	f = copy_of(s);
	expect(f, "python3 /tmp/v.py b; sleep 1; cat /tmp/said", "a\nb\n");
	expect(s, "python3 /tmp/v.py c; sleep 1; cat /tmp/said", "a\nc\n");
	expect(f, "python3 /tmp/v.py value; kill %1; wait; python3 /tmp/v.py value", "7\n0\n");
	expect(s, "python3 /tmp/v.py value; kill $!; wait; python3 /tmp/v.py value", "7\n0\n");
	copy_free(f);
	expect(s, "rm /tmp/said", "");
}

static void session(bool warm)
{
	cowsh *s = session_of_tests(warm);

	interpreter(s);
	server(s);
	sleeper(s);
	threads(s);
	full_pipe(s);
	others(s);
	open_files(s);
	if (!by_file)
		system_v(s);
	if (by_file)
		damaged(s);
	cowsh_free(s);
}

enum { SLABS = 64 << 10 }; /* small blocks may lie in other slabs than before */

int main(int argc, char **argv)
{
	size_t used;

	if (!open_store(argc, argv))
		return 2;
	by_file = argc > 2;
	session(true);
	session(false);
	used = cowsh_store_used(store);
	session(true);
	session(false);
	return verdict(used + SLABS);
}
