// SPDX-License-Identifier: MIT
//
// The npm package in a browser, on a page and in a worker. usage: node wasm/browser.test.mjs PACKAGE BROWSER
// The page forbids code that is made at run time, as many do.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';

const [dir, browser] = process.argv.slice(2);
const types = { mjs: 'text/javascript', wasm: 'application/wasm', html: 'text/html', hostile: 'text/plain' };
const page = `<!doctype html><meta http-equiv="Content-Security-Policy" content="script-src 'self' 'wasm-unsafe-eval'">
<script type="module" src="/page.mjs"></script>`;
const checks = `import { Computer } from '/cowsh.mjs';
export async function check(where) {
	const failed = [];
	let passed = 0;
	const is = (name, got, wanted) => (JSON.stringify(got) === JSON.stringify(wanted) ? passed++ : failed.push(where + ': ' + name + ': ' + JSON.stringify(got)));
	let c = await Computer.create({
		files: { big: new Blob([new Uint8Array(3e6)]) },
		commands: { later: async ({ write }) => { await new Promise((r) => setTimeout(r, 5)); write('later\\n'); } },
		fetch: (url, init) => (new URL(url).origin === location.origin ? fetch(url, init) : null),
	});
	is('a pipeline', (await c.run('seq 5 | sort -rn | head -n 2; wc -c < big; later')).stdout, '5\\n4\\n3000000\\nlater\\n');
	let ticks = 0;
	const timer = setInterval(() => ticks++, 10);
	is('a timeout', (await c.run('while :; do :; done', { timeout: 300 })).limit.name, 'time');
	clearInterval(timer);
	is('the page goes on', ticks > 5, true);
	is('fetch', (await c.run('curl -s ' + location.origin + '/hello')).stdout, 'hello');
	is('a redirect', (await c.run('curl -sL ' + location.origin + '/moved')).stdout, '');
	is('fetch refused', (await c.run('curl -s https://example.org/')).status !== 0, true);
	is('saved and loaded', (await (await Computer.load(await c.save())).run('wc -c big')).stdout, '3000000 big\\n');
	const hostile = (await (await fetch('/recursion.hostile')).text()).split(/^### /m).slice(1).map((t) => t.slice(t.indexOf('\\n') + 1));
	for (const script of hostile.filter((t, i) => i % 8 === 0 || /^(eval|bash)/.test(t))) {
		try {
			const f = c.fork();
			await f.run(script, { timeout: 100, collect: false });
			is('alive after ' + script.slice(0, 50), (await f.exec(['echo', 'alive'])).stdout, 'alive\\n');
			f.free();
		} catch (e) {
			// A worker has less stack: docs/limits.md, W-1.
			is('broken by ' + script.slice(0, 50), [where, e.code], ['worker', 'EIO']);
			is('broken for good', await c.run('echo').catch((again) => again.code), 'EIO');
			c = await Computer.create();
		}
	}
	return { passed, failed };
}`;
const own = {
	'/': ['html', page],
	'/checks.mjs': ['mjs', checks],
	'/page.mjs': ['mjs', `import { check } from '/checks.mjs';
const send = (path, data) => fetch(path, { method: 'POST', body: JSON.stringify(data) });
try {
	await send('/result', await check('page'));
} catch (e) {
	await send('/result', { passed: 0, failed: ['page: ' + e.stack] });
}
const worker = new Worker('/worker.mjs', { type: 'module' });
worker.onmessage = ({ data }) => send('/result', data);
worker.onerror = (e) => send('/result', { passed: 0, failed: ['worker: ' + e.message] });`],
	'/worker.mjs': ['mjs', `import { check } from '/checks.mjs';
check('worker').then(postMessage, (e) => postMessage({ passed: 0, failed: ['worker: ' + e.stack] }));`],
	'/recursion.hostile': ['hostile', readFileSync('tests/hostile/recursion.hostile')],
	'/hello': ['hostile', 'hello'],
};
const profile = mkdtempSync(path.join(tmpdir(), 'cowsh-'));
let results = 0, passed = 0, failed = 0;
let child;

function end() {
	console.log(`package in a browser: ${passed} passed, ${failed} failed`);
	process.exitCode = failed !== 0 || passed === 0 ? 1 : 0;
	child.once('exit', () => rmSync(profile, { recursive: true, force: true, maxRetries: 5 }));
	child.kill();
	server.close();
	server.closeAllConnections();
	clearTimeout(late);
}

const server = http.createServer(async (request, response) => {
	const name = new URL(request.url, 'http://x').pathname;

	if (request.method === 'POST') {
		let text = '';
		for await (const part of request)
			text += part;
		response.end();
		const r = JSON.parse(text);
		passed += r.passed;
		failed += r.failed.length;
		r.failed.forEach((f) => console.log(`FAIL ${f}`));
		if (++results === 2)
			end();
		return;
	}
	if (name === '/moved')
		return response.writeHead(302, { location: '/hello' }).end();
	try {
		const [type, body] = own[name] ?? [name.split('.').pop(), readFileSync(path.join(dir, path.basename(name)))];
		response.writeHead(200, { 'content-type': types[type] });
		response.end(body);
	} catch {
		response.writeHead(404).end();
	}
});
const late = setTimeout(() => {
	console.log(`FAIL the browser does not answer: ${results} results`);
	failed++;
	end();
}, 120_000);
server.listen(0, '127.0.0.1', () => {
	child = spawn(browser, ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', `--user-data-dir=${profile}`,
		`http://127.0.0.1:${server.address().port}/`], { stdio: 'ignore' });
});
