// SPDX-License-Identifier: MIT
//
// The npm package, under Node. usage: node wasm/package.test.mjs PACKAGE [COWSH]
// With a native cowsh, saved computers go from one to the other.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const [dir, native] = process.argv.slice(2);
const { Computer, CowshError } = await import(path.resolve(dir, 'node.mjs'));
const tests = [];
const test = (name, fn) => tests.push({ name, fn });
const code = (wanted) => (e) => e instanceof CowshError && e.code === wanted;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

test('a command gives output, status and costs; the shell stays', async () => {
	const c = await Computer.create({ files: { 'in.txt': 'b\na\n' }, env: { GREETING: 'hi' } });
	const r = await c.run('sort in.txt; echo $GREETING >&2; x=5; f() { echo f$x; }; cd /tmp; (exit 3)');

	assert.deepEqual([r.status, r.stdout, r.stderr, r.limit, r.exited], [3, 'a\nb\n', 'hi\n', null, false]);
	assert.ok(r.steps > 100 && r.processes > 0 && r.memoryPeak > 0);
	assert.equal((await c.run('f; pwd')).stdout, 'f5\n/tmp\n');
	assert.equal(c.variable('x'), '5');
	assert.equal(c.variable('nosuch'), undefined);
	assert.equal((await c.run('exit 7')).exited, true);
	assert.equal((await c.exec(['printf', '%s|', 'a b', 'c'])).stdout, 'a b|c|');
});

test('bytes are bytes', async () => {
	const c = await Computer.create({ files: { b: new Uint8Array([0, 255, 10, 128]) } });

	assert.deepEqual([...(await c.run('cat b')).stdoutBytes], [0, 255, 10, 128]);
	assert.deepEqual([...(await c.readFile('b'))], [0, 255, 10, 128]);
});

test('pipes stream, and output comes as it is made', async () => {
	const c = await Computer.create();
	const seen = [];

	assert.equal((await c.run('yes | head -n 2; seq 100000 | tail -n 1')).stdout, 'y\ny\n100000\n');
	await c.run('echo one; sleep 1; echo two >&2', { collect: false, onOutput: (fd, data) => seen.push(fd, new TextDecoder().decode(data)) });
	assert.deepEqual(seen, [1, 'one\n', 2, 'two\n']);
});

test('a script that never ends gives way to the event loop, and ends by timeout, signal or limit', async () => {
	const c = await Computer.create({ limits: { steps: 5e6 } });
	let ticks = 0;
	const timer = setInterval(() => ticks++, 10);
	const r = await c.run('while :; do :; done', { timeout: 200 });

	clearInterval(timer);
	assert.equal(r.limit?.name, 'time');
	assert.ok(ticks >= 5, `${ticks} ticks`);
	const aborter = new AbortController();
	setTimeout(() => aborter.abort(), 50);
	assert.equal((await c.run('while :; do :; done', { signal: aborter.signal })).limit.name, 'cancel');
	await assert.rejects(c.run('echo', { signal: aborter.signal }), { name: 'AbortError' });
	const limited = await c.run('while :; do :; done');
	assert.deepEqual([limited.limit.name, limited.limit.value, limited.status], ['steps', 5e6, 137]);
	assert.match(limited.limit.where, /bash, line 1/);
	c.setLimit('steps', 1e6);
	assert.equal((await c.run('while :; do :; done')).limit.value, 1e6);
	assert.equal((await c.run('cat <(sleep 1) & wait; echo alive')).stdout, 'alive\n');
});

test('the background goes on when it is told to', async () => {
	const c = await Computer.create();

	assert.equal((await c.run('{ sleep 100; echo late; } & echo first')).stdout, 'first\n');
	assert.equal((await c.drain()).stdout, 'late\n');
	assert.equal((await c.run('wait $!; echo $?')).stdout, '0\n');
	const f = c.fork();
	const two = await Promise.all([c.run('seq 200000 | wc -l'), f.run('seq 300000 | wc -l')]);
	assert.deepEqual(two.map((r) => r.stdout), ['200000\n', '300000\n']);
});

test('standard input: a string, parts that come later, an error', async () => {
	const c = await Computer.create();

	async function* parts() {
		yield 'one\ntw';
		await pause(5);
		yield new TextEncoder().encode('o\n');
	}
	assert.equal((await c.run('read a; echo [$a]; cat', { stdin: 'x\ny\n' })).stdout, '[x]\ny\n');
	assert.equal((await c.run('rev', { stdin: parts() })).stdout, 'eno\nowt\n');
	assert.equal((await c.run('cat', { stdin: new Blob(['streamed']).stream() })).stdout, 'streamed');
	assert.equal((await c.run('cat | wc -c')).stdout, '0\n');
	async function* broken() {
		throw new Error('no more');
	}
	await assert.rejects(c.run('cat', { stdin: broken() }), /no more/);
	await assert.rejects(c.run('echo x', { onOutput() { throw new Error('full'); } }), /full/);
	assert.equal((await c.run('echo alive')).stdout, 'alive\n');
});

test('custom commands', async () => {
	const c = await Computer.create({
		commands: {
			add: ({ args, write }) => write(`${args.slice(1).reduce((n, a) => n + Number(a), 0)}\n`),
			later: async ({ args, cwd, env, write, error }) => {
				const home = env('HOME');
				await pause(5);
				write(`${cwd} ${home} ${args.length}\n`);
				error('done\n');
				return 4;
			},
			upper: { input: true, run: ({ input, write }) => write(new TextDecoder().decode(input).toUpperCase()) },
			fails: () => { throw new Error('no luck'); },
			rejects: async () => { throw new Error('later no luck'); },
		},
	});

	assert.equal((await c.run('add 1 2 | sed s/3/three/; echo abc | upper; x=$(later a); echo $x $?')).stdout, 'three\nABC\n/home/user /home/user 2 4\n');
	const r = await c.run('fails; echo $?; rejects; echo $?');
	assert.deepEqual([r.stdout, r.stderr], ['1\n1\n', 'fails: no luck\nrejects: later no luck\n']);
	assert.equal((await c.run('for i in 1 2; do add $i & later; done | sort; wait')).stdout.split('\n').length, 5);
	assert.equal((await c.fork().run('add 2 2')).stdout, '4\n');
	assert.equal((await c.run('while read l; do add $l 1; done', { stdin: '1\n2\n' })).stdout, '2\n3\n');
});

test('the network is what fetch says', async () => {
	const asked = [];
	const c = await Computer.create({
		async fetch(url, init) {
			asked.push([url, init.method, init.body && new TextDecoder().decode(init.body)]);
			await pause(1);
			if (url.endsWith('/moved'))
				return new Response(null, { status: 302, headers: { location: '/here' } });
			if (url.endsWith('/gone'))
				throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } });
			if (url.endsWith('/slow'))
				return new Promise((_, reject) => init.signal.addEventListener('abort', () => reject(init.signal.reason)));
			if (url.endsWith('/no'))
				return null;
			return new Response(new ReadableStream({
				async start(out) {
					for (const part of ['a long ', 'answer\n']) {
						out.enqueue(new TextEncoder().encode(part));
						await pause(2);
					}
					out.close();
				},
			}), { headers: { 'x-kind': 'test', 'content-encoding': 'identity' } });
		},
	});

	assert.equal((await c.run('curl -s https://example.org/x | tr a-z A-Z')).stdout, 'A LONG ANSWER\n');
	assert.match((await c.run('curl -si https://example.org/x')).stdout, /^HTTP\/1.1 200 .*\r\n(.*\r\n)*x-kind: test\r\n/);
	assert.equal((await c.run('curl -sL -d a=b https://example.org/moved -w "%{http_code}"')).stdout, 'a long answer\n200');
	assert.deepEqual(asked.slice(-2), [['https://example.org/moved', 'POST', 'a=b'], ['https://example.org/here', 'GET', undefined]]);
	assert.equal((await c.run('curl -s https://example.org/gone')).status, 7);
	assert.notEqual((await c.run('curl -s https://example.org/no')).status, 0);
	assert.equal((await c.run('curl -s -m 1 https://example.org/slow')).status, 28);
	assert.equal((await c.run('curl -s https://example.org/slow', { timeout: 50 })).limit.name, 'time');
	assert.notEqual((await (await Computer.create()).run('curl -s https://example.org/x')).status, 0);
});

test('files that come when they are read', async () => {
	let reads = 0;
	const big = new Uint8Array(1 << 20).map((_, i) => i * 7);
	const c = await Computer.create({
		files: {
			'/data/blob': new Blob([big]),
			'/data/lazy': { size: 5, read: async (pos, len) => { reads++; await pause(1); return 'later'.slice(pos, pos + len); } },
			'/data/broken': { size: 5, read: async () => { throw new Error('gone'); } },
		},
	});

	assert.equal((await c.run('wc -c < /data/lazy; ls /data')).stdout, '5\nblob\nbroken\nlazy\n');
	assert.equal(reads, 0);
	assert.equal((await c.run('cat /data/lazy; md5sum < /data/lazy')).stdout, `later${(await c.run('printf later | md5sum')).stdout}`);
	assert.deepEqual(await c.readFile('/data/blob'), big);
	await c.run('rm /data/broken');
	const saved = await Computer.load(await c.save());
	assert.deepEqual([await saved.readText('/data/lazy'), (await saved.readFile('/data/blob')).length], ['later', big.length]);
	const twice = await Promise.all([c.save(), c.fork().save(), c.save()]);
	assert.deepEqual(twice[0], twice[2]);
	await c.writeFile('/data/broken', { size: 5, read: async () => { throw new Error('gone'); } });
	await assert.rejects(c.save(), code('EIO'));
	assert.match((await c.run('cat /data/broken')).stderr, /Input\/output error/);
	await assert.rejects(c.readFile('/data/broken'), code('EIO'));
	assert.equal((await c.run('echo changed > /data/lazy; cat /data/lazy')).stdout, 'changed\n');
	await c.writeFile('/data/lazy', new Blob(['again']));
	await c.writeFile('here', new Blob(['relative']));
	assert.equal((await c.run('cat /data/lazy here')).stdout, 'againrelative');
});

test('files of the host', async () => {
	const c = await Computer.create();

	await c.writeFile('/a/b/c', 'text', { mode: 0o600 });
	c.mkdir('/a/d');
	await c.run('ln -s b/c /a/l; truncate -s 3M /a/hole; printf x >> /a/hole');
	assert.deepEqual(c.list('/a').map((e) => `${e.name} ${e.type}`), ['b directory', 'd directory', 'hole file', 'l symlink']);
	assert.deepEqual([c.lstat('/a/b/c').mode, c.lstat('/a/b/c').size, c.lstat('/a/b/c').mtime.getUTCFullYear()], [0o600, 4, 2026]);
	assert.equal(c.readlink('/a/l'), 'b/c');
	assert.equal(await c.readText('/a/l'), 'text');
	const hole = await c.readFile('/a/hole');
	assert.deepEqual([hole.length, hole[0], hole.at(-1)], [3 * 1024 * 1024 + 1, 0, 120]);
	c.remove('/a/b/c');
	await assert.rejects(c.readFile('/a/b/c'), code('ENOENT'));
	assert.throws(() => c.list('/nosuch'), code('ENOENT'));
	assert.throws(() => c.lstat('a\0b'), code('EINVAL'));
});

test('forks, snapshots, changes, undo', async () => {
	const c = await Computer.create({ checkpoints: 2 });

	await c.run('x=1; echo one > f; echo same > g');
	const before = c.snapshot();
	const other = c.fork();
	await other.run('x=2; echo two > f');
	await c.run('echo three > f; rm g; mkdir d');
	assert.equal((await c.run('echo $x $(cat f)')).stdout, '1 three\n');
	assert.equal((await other.run('echo $x $(cat f)')).stdout, '2 two\n');
	assert.deepEqual((await c.diff(before)).map(({ kind, path }) => kind + path), ['+/home/user/d', 'M/home/user/f', '-/home/user/g']);
	assert.match(new TextDecoder().decode(await c.exportChanges(before, { form: 'unified' })), /^-one\n\+three$/m);
	assert.equal((await c.exportChanges(before, { form: 'tar' })).length % 512, 0);
	c.undo();
	c.undo();
	assert.equal((await c.run('cat f g')).stdout, 'one\nsame\n');
	await c.run('rm f g');
	c.restore(before);
	assert.equal((await c.run('cat f g')).stdout, 'one\nsame\n');
	before.free();
	other.free();
	assert.throws(() => other.list(), code('EBADF'));
});

test('saved and loaded, also by the native program', async () => {
	const c = await Computer.create();

	await c.run('x=5; f() { echo f$x; }; echo kept > file; cd /tmp');
	const saved = await c.save();
	const loaded = await Computer.load(saved);
	assert.equal((await loaded.run('f; pwd; cat ~/file')).stdout, 'f5\n/tmp\nkept\n');
	await assert.rejects(Computer.load(saved.slice(0, saved.length / 2)), code('EINVAL'));
	await assert.rejects(Computer.load('nothing'), code('EINVAL'));
	if (native === undefined)
		return;
	const work = mkdtempSync(path.join(tmpdir(), 'cowsh-'));
	const file = path.join(work, 's.cow');
	try {
		writeFileSync(file, saved);
		assert.equal(execFileSync(native, ['--session', file, '-c', 'f; x=6']).toString(), 'f5\n');
		assert.equal((await (await Computer.load(readFileSync(file))).run('f')).stdout, 'f6\n');
		execFileSync(native, ['image', 'build', '-o', path.join(work, 'i'), 'docs']);
		const mounted = await Computer.create({ images: { '/docs': readFileSync(path.join(work, 'i')) } });
		assert.equal((await mounted.run('head -n 1 /docs/security.md')).stdout, readFileSync('docs/security.md', 'utf8').split('\n')[0] + '\n');
	} finally {
		rmSync(work, { recursive: true });
	}
});

test('the clock', async () => {
	const start = performance.now();
	const virtual = await Computer.create({ epoch: new Date('2030-05-06T07:08:09Z') });

	assert.equal((await virtual.run('date -u +%FT%TZ; sleep 3600; date -u +%T')).stdout, '2030-05-06T07:08:09Z\n08:08:09\n');
	assert.ok(performance.now() - start < 5000);
	const real = await Computer.create({ clock: 'real' });
	const before = Date.now();
	const r = await real.run('date +%s; sleep 0.2');
	assert.ok(Date.now() - before >= 195);
	assert.ok(Math.abs(Number(r.stdout) - before / 1000) < 5);
});

test('at a terminal', async () => {
	const c = await Computer.create({ terminal: true });

	c.setInteractive(true);
	c.setTerminalSize(40, 100);
	assert.equal(c.incomplete('if true; then'), true);
	assert.equal(c.incomplete('echo a'), false);
	assert.match(c.prompt('PS1'), /\$ $/);
	assert.equal((await c.run('[ -t 1 ] && tput cols')).stdout, '100\n');
	const running = c.run('while :; do :; done');
	await pause(20);
	assert.throws(() => c.list(), code('EBUSY'));
	await assert.rejects(c.run('echo'), code('EBUSY'));
	c.signal(2);
	assert.equal((await running).status, 130);
});

test('what is no option', async () => {
	await assert.rejects(Computer.create({ limits: { nosuch: 1 } }), code('EINVAL'));
	await assert.rejects(Computer.create({ profile: 'huge' }), code('EINVAL'));
	await assert.rejects(Computer.create({ wasm: new Uint8Array(8) }), WebAssembly.CompileError);
	await assert.rejects(Computer.create({ user: 'a\0b' }), code('EINVAL'));
});

test('hostile scripts do not break the instance', async () => {
	const c = await Computer.create({ profile: 'small' });
	const all = readFileSync('tests/hostile/recursion.hostile', 'latin1').split(/^### /m).slice(1);
	const deep = all.filter((t, i) => i % 8 === 0 || /^nested/.test(t)).map((t) => t.slice(t.indexOf('\n') + 1));

	assert.ok(deep.length > 15);
	// Numbers that are cut where sizes have 32 bits.
	deep.push('shuf -i 0-9223372036854775807; shuf -n 4611686018427387904 -i 0-9223372036854775807');
	deep.push('dd if=/dev/zero of=/dev/null bs=4G count=1; dd if=/dev/zero of=/dev/null ibs=4294967297 count=1');
	deep.push('truncate -s 5G f; sort f | wc -c; tac f | wc -c; cat f | md5sum');
	deep.push("sqlite3 :memory: \"select hex(zeroblob(1000000)) like '%'||hex(zeroblob(20000))||'1'\"");
	for (const script of deep) {
		const f = c.fork();
		await f.run(Buffer.from(script, 'latin1'), { timeout: 200, collect: false });
		assert.equal((await f.exec(['echo', 'alive'])).stdout, 'alive\n', script.slice(0, 60));
		f.free();
	}
});

let failed = 0;
for (const { name, fn } of tests) {
	try {
		await fn();
	} catch (e) {
		failed++;
		console.log(`FAIL ${name}\n${e.stack}`);
	}
}
console.log(`package in wasm: ${tests.length - failed} passed, ${failed} failed`);
process.exitCode = failed !== 0 ? 1 : 0;
