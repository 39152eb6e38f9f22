// SPDX-License-Identifier: MIT
//
// cowsh for JavaScript: a simulated computer in WebAssembly, in browsers, workers, Node and at the
// edge. README.md shows its use, cowsh.d.ts what everything takes and gives.
//
// A computer and its forks share one WebAssembly instance (class Instance). The library asks for
// bytes and time by callbacks, which are the methods of Instance that module.mjs calls; what has
// to be waited for is answered with PENDING, and asked for again after `event`.
import createModule from './module.mjs';
import { Request } from './request.mjs';

const PENDING = -2000;
const DONE = 0, WAIT = 2;
const EIO = 5, EAGAIN = 11, EINVAL = 22;
const SLICE_STEPS = 100_000; // run at once: less than TURN_MS
const TURN_MS = 8; // so long is the event loop kept waiting
const CODES = {
	1: 'EPERM', 2: 'ENOENT', 5: 'EIO', 6: 'ENXIO', 9: 'EBADF', 11: 'EAGAIN', 12: 'ENOMEM',
	13: 'EACCES', 16: 'EBUSY', 17: 'EEXIST', 20: 'ENOTDIR', 21: 'EISDIR', 22: 'EINVAL',
	27: 'EFBIG', 28: 'ENOSPC', 30: 'EROFS', 36: 'ENAMETOOLONG', 40: 'ELOOP',
};
const TYPES = { 1: 'fifo', 2: 'device', 4: 'directory', 6: 'device', 8: 'file', 10: 'symlink', 12: 'socket' };
const PROFILES = { default: 0, small: 1, large: 2 };
const FORMS = { unified: 0, git: 1, tar: 2 };
const encoder = new TextEncoder();

const now = () => performance.now();
const text = (bytes) => new TextDecoder().decode(bytes);
const bytesOf = (data) => {
	if (typeof data === 'string')
		return encoder.encode(data);
	if (data instanceof ArrayBuffer)
		return new Uint8Array(data);
	if (ArrayBuffer.isView(data))
		return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
	throw new TypeError('neither a string nor bytes');
};
const joined = (chunks) => {
	const all = new Uint8Array(chunks.reduce((n, c) => n + c.length, 0));
	let at = 0;

	for (const c of chunks) {
		all.set(c, at);
		at += c.length;
	}
	return all;
};
// Lets what waits in the event loop run.
const breathe = () => new Promise((resolve) => {
	if (typeof setImmediate === 'function')
		return setImmediate(resolve);
	const channel = new MessageChannel();
	channel.port1.onmessage = () => {
		channel.port1.close();
		resolve();
	};
	channel.port2.postMessage(0);
});

export class CowshError extends Error {
	constructor(message, code) {
		super(message);
		this.name = 'CowshError';
		this.code = code;
	}
}

// Where cowsh.wasm comes from if nobody says; node.mjs puts another one here.
export const defaults = { wasm: () => fetch(new URL('cowsh.wasm', import.meta.url)) };
let compiled; // of the default

async function compile(source) {
	if (source === undefined)
		return compiled ??= compile(defaults.wasm()).catch((e) => {
			compiled = undefined;
			throw e;
		});
	source = await source;
	if (source instanceof WebAssembly.Module)
		return source;
	if (typeof Response === 'function' && source instanceof Response)
		source = await source.arrayBuffer();
	return WebAssembly.compile(source);
}

/* --- an instance --- */

// As struct answer of glue.c: numbers, then integers.
const NUMBERS = ['steps', 'outputBytes', 'processes', 'memoryPeak', 'timeMs', 'limitValue', 'size', 'mtimeMs'];
const INTEGERS = ['result', 'status', 'limit', 'exited', 'mode', 'uid', 'gid', 'nlink', 'where', 'made'];

class Instance {
	computers = new Map(); // by their ids
	files = new Map(); // lazy ones
	handlers = []; // of custom commands
	names = []; // of limits
	waiting = []; // who is to be told of the next event
	lastId = 0;
	keepers = 0; // how many read lazy files again and again

	static async open(source) {
		const module = await compile(source);
		const self = new Instance();

		self.m = await createModule({
			host: self,
			instantiateWasm: (imports, done) => {
				WebAssembly.instantiate(module, imports).then(done);
				return {};
			},
		});
		self.at = self.m._glue_answer();
		for (let i = 0; i < self.m._glue_limit_count(); i++)
			self.names.push(self.string(self.m._glue_limit_name(i)));
		return self;
	}

	/* --- memory --- */

	// What the last call has left: the fields of struct answer.
	get answer() {
		const answer = {};

		NUMBERS.forEach((name, i) => (answer[name] = this.m.HEAPF64[(this.at >> 3) + i]));
		INTEGERS.forEach((name, i) => (answer[name] = this.m.HEAP32[(this.at >> 2) + 2 * NUMBERS.length + i]));
		return answer;
	}

	bytes(at, len) {
		return this.m.HEAPU8.slice(at, at + len);
	}

	string(at) {
		return at === 0 ? '' : text(this.bytes(at, this.m.HEAPU8.indexOf(0, at) - at));
	}

	// A list of strings that ends with a null pointer.
	strings(at) {
		const list = [];

		for (let p; (p = this.m.HEAPU32[at >> 2]) !== 0; at += 4)
			list.push(this.string(p));
		return list;
	}

	// Calls fn with what `put` copies there, and takes it back.
	lend(fn) {
		const lent = [];
		const take = (n) => {
			const at = this.m._malloc(n || 1);

			if (at === 0)
				throw new CowshError('no memory', 'ENOMEM');
			lent.push(at);
			return at;
		};
		const put = (data) => {
			const at = take(data.length);

			this.m.HEAPU8.set(data, at);
			return at;
		};
		const memory = {
			take,
			put,
			string: (s) => {
				s = encoder.encode(s);
				if (s.includes(0))
					throw new CowshError('a zero byte in a name', 'EINVAL');
				return put(joined([s, new Uint8Array(1)]));
			},
			strings: (list) => put(new Uint8Array(new Uint32Array([...list.map(memory.string), 0]).buffer)),
		};

		try {
			return fn(memory);
		} finally {
			for (const at of lent)
				this.m._free(at);
		}
	}

	// Calls a function of glue.c by its name; what it answers. Strings and bytes are lent.
	call(name, ...args) {
		if (this.broken)
			throw this.broken;
		return this.lend((memory) => {
			const values = args.flatMap((a) => {
				if (typeof a === 'string')
					return memory.string(a);
				return a instanceof Uint8Array ? [memory.put(a), a.length] : a;
			});

			try {
				this.m[`_glue_${name}`](...values);
			} catch (e) {
				// A trap has left its state anywhere.
				this.broken = new CowshError(`the instance has broken: ${e.message}`, 'EIO');
				throw this.broken;
			}
			return this.answer;
		});
	}

	error(result, what) {
		const why = this.string(this.m._glue_error_text(result));

		return new CowshError(what ? `${what}: ${why}` : why, CODES[-result] ?? `E${-result}`);
	}

	// The same, and an error if it fails.
	must(what, name, ...args) {
		const answer = this.call(name, ...args);

		if (answer.result < 0)
			throw this.error(answer.result, what);
		return answer;
	}

	/* --- waiting --- */

	// Something that was pending is there.
	event() {
		const waiting = this.waiting;

		this.waiting = [];
		for (const c of this.computers.values())
			c.woken = true;
		for (const tell of waiting)
			tell();
	}

	nextEvent() {
		return new Promise((resolve) => this.waiting.push(resolve));
	}

	// The same with all files that it reads in memory: it begins anew whenever one is not there yet.
	async patientlyFromStart(what, name, ...args) {
		this.keepers++;
		try {
			return await this.patiently(what, name, ...args);
		} finally {
			if (--this.keepers === 0)
				for (const f of this.files.values())
					f.parts.clear();
		}
	}

	// As must, again and again while lazy files are on their way; what was emitted and listed is of
	// the last time.
	async patiently(what, name, ...args) {
		for (;;) {
			this.emitted = [];
			this.listed = [];
			const answer = this.call(name, ...args);

			if (answer.result === -EAGAIN || answer.result === PENDING) {
				await this.nextEvent();
				continue;
			}
			if (answer.result < 0)
				throw this.error(answer.result, what);
			return { ...answer, emitted: this.emitted, listed: this.listed };
		}
	}

	/* --- what the library asks --- */

	// Of the host: what is thrown ends the command, and comes out of it.
	asked(id, ask) {
		const computer = this.computers.get(id);

		try {
			return ask(computer);
		} catch (e) {
			if (computer)
				computer.thrown ??= { error: e };
			return -EIO;
		}
	}

	output(id, fd, at, len) {
		return this.asked(id, (c) => {
			c.written(fd, this.bytes(at, len));
			return 0;
		});
	}

	input(id, into, len) {
		return this.asked(id, (c) => c.stdin.take(this.m.HEAPU8.subarray(into, into + len)));
	}

	expired(id) {
		const c = this.computers.get(id);

		return c !== undefined && (c.thrown !== undefined || now() >= c.deadline) ? 1 : 0;
	}

	fetch(id, number, method, url, headers, body, bodyBytes, timeout, into, len) {
		return this.asked(id, (c) => {
			let r = c.requests.get(number);

			if (len === 0) {
				r?.close();
				c.requests.delete(number);
				return 0;
			}
			if (r === undefined) {
				const pairs = this.strings(headers).map((h) => {
					const colon = h.indexOf(':');
					return [h.slice(0, colon), h.slice(colon + 1).trim()];
				});
				r = new Request(c.options.fetch, this.string(url), {
					method: this.string(method),
					headers: pairs,
					body: bodyBytes !== 0 ? this.bytes(body, bodyBytes) : undefined,
				}, timeout, () => this.event());
				c.requests.set(number, r);
			}
			return r.take(this.m.HEAPU8.subarray(into, into + len));
		});
	}

	read(id, pos, into, len) {
		return this.files.get(id)?.take(pos, len, this.m.HEAPU8, into) ?? -EIO;
	}

	command(handler, call) {
		const { name, run } = this.handlers[handler];
		const c = new Call(this, call);
		const failed = (e) => {
			c.error(`${name}: ${e?.message ?? e}\n`);
			return 1;
		};
		const status = (r) => (Number.isInteger(r) ? r & 255 : 0);

		try {
			const r = run(c);

			if (typeof r?.then !== 'function')
				return status(r);
			r.then(status, failed).then((s) => {
				this.call('call_finish', call, s);
				this.event();
			}).catch(() => {}); // only a broken instance
			return PENDING;
		} catch (e) {
			return failed(e);
		}
	}

	emit(at, len) {
		this.emitted.push(this.bytes(at, len));
		return 0;
	}

	each(name, mode, kind, size) {
		this.listed.push({ name: this.string(name), mode, kind, size });
		return 0;
	}

	/* --- */

	// A choice of glue.c, lent by `memory`.
	choose(memory, options, id) {
		const limits = options.limits ?? {};
		const at = memory.take(this.m._glue_choice_bytes());
		const string = (s) => (s === undefined ? 0 : memory.string(s));
		const env = Object.entries(options.env ?? {}).map(([name, value]) => `${name}=${value}`);
		const pointers = [string(options.user), string(options.hostname), string(options.cwd), memory.strings(env)];
		const numbers = [options.seed ?? 0, options.epoch === undefined ? NaN : Number(options.epoch)];

		for (const name of Object.keys(limits))
			if (!this.names.includes(name))
				throw new CowshError(`no such limit: ${name}`, 'EINVAL');
		if (options.profile !== undefined && !(options.profile in PROFILES))
			throw new CowshError(`no such profile: ${options.profile}`, 'EINVAL');
		numbers.push(...this.names.map((name) => limits[name] ?? -1));
		this.m.HEAPU32.set(pointers, at >> 2);
		this.m.HEAPF64.set(numbers, (at >> 3) + 2);
		this.m.HEAP32.set([
			PROFILES[options.profile ?? 'default'], options.checkpoints ?? 0, options.clock === 'real' ? 1 : 0,
			options.fetch ? 1 : 0, options.terminal ? 1 : 0, id,
		], (at >> 2) + 4 + 2 * numbers.length);
		return at;
	}
}

// Standard input: bytes, or something that gives them one after the other.
class Input {
	chunk = new Uint8Array(0);

	constructor(from, event) {
		this.event = event;
		if (from === undefined || from === null)
			return;
		if (typeof from !== 'string' && !ArrayBuffer.isView(from))
			this.rest = (from[Symbol.asyncIterator] ?? from[Symbol.iterator])?.call(from) ?? this.reader(from);
		if (this.rest === undefined)
			this.chunk = bytesOf(from);
	}

	// Of a stream that can't be iterated yet.
	reader(from) {
		const reader = from.getReader?.();

		return reader && { next: () => reader.read() };
	}

	take(into) {
		if (this.failed)
			throw this.failed.error;
		if (this.chunk.length === 0 && this.rest !== undefined)
			return this.more();
		const n = Math.min(into.length, this.chunk.length);

		into.set(this.chunk.subarray(0, n));
		this.chunk = this.chunk.subarray(n);
		return n;
	}

	more() {
		if (!this.asked) {
			this.asked = true;
			Promise.resolve(this.rest.next()).then(({ done, value }) => {
				if (done)
					this.rest = undefined;
				else
					this.chunk = bytesOf(value);
			}).catch((error) => (this.failed = { error })).then(() => {
				this.asked = false;
				this.event();
			});
		}
		return PENDING;
	}
}

// A file whose bytes are asked for when they are read.
class LazyFile {
	parts = new Map(); // by place and length: what has come, or 'asked'

	constructor(instance, read) {
		this.instance = instance;
		this.read = read;
	}

	take(pos, len, heap, into) {
		const key = `${pos} ${len}`;
		let part = this.parts.get(key);

		if (part === undefined) {
			this.parts.set(key, 'asked');
			Promise.resolve().then(() => this.read(pos, len)).then(bytesOf).catch(() => null).then((data) => {
				this.parts.set(key, data);
				this.instance.event();
			});
			part = 'asked';
		}
		if (part === 'asked')
			return PENDING;
		if (this.instance.keepers === 0 || part === null)
			this.parts.delete(key);
		if (part === null || part.length > len)
			return -EIO;
		heap.set(part, into);
		return part.length;
	}
}

// One run of a custom command.
class Call {
	#instance;
	#call;

	constructor(instance, call) {
		const m = instance.m;

		this.#instance = instance;
		this.#call = call;
		this.args = instance.strings(m._glue_call_argv(call));
		this.cwd = instance.string(m._glue_call_cwd(call));
		const input = m._glue_call_input(call);
		this.input = instance.bytes(input, instance.answer.size);
	}

	// Only until the first await: the process may be gone then.
	env = (name) => this.#instance.lend((memory) => {
		const at = this.#instance.m._glue_call_getenv(this.#call, memory.string(name));

		return at === 0 ? undefined : this.#instance.string(at);
	});

	write = (data) => void this.#instance.call('call_write', this.#call, 1, bytesOf(data));
	error = (data) => void this.#instance.call('call_write', this.#call, 2, bytesOf(data));
}

/* --- computers --- */

class Result {
	constructor(answer, limit, out) {
		this.status = answer.status;
		this.limit = limit;
		this.exited = answer.exited !== 0;
		this.steps = answer.steps;
		this.timeMs = answer.timeMs;
		this.processes = answer.processes;
		this.memoryPeak = answer.memoryPeak;
		this.outputBytes = answer.outputBytes;
		this.stdoutBytes = out[1];
		this.stderrBytes = out[2];
	}

	get stdout() {
		return text(this.stdoutBytes);
	}

	get stderr() {
		return text(this.stderrBytes);
	}
}

export class Snapshot {
	constructor(instance, made) {
		this.instance = instance;
		this.made = made;
	}

	free() {
		if (this.made !== 0)
			this.instance.call('snapshot_free', this.made);
		this.made = 0;
	}
}

export class Computer {
	#i;
	#session = 0;
	#id;
	#busy = false;
	#collect = null;

	// Of Instance:
	woken = false;
	deadline = Infinity;
	thrown;
	stdin = new Input();
	requests = new Map();

	constructor(instance, options, id) {
		this.#i = instance;
		this.#id = id;
		this.options = options;
	}

	static async create(options = {}) {
		const c = Computer.#made(await Instance.open(options.wasm), options, 'new');

		await c.#furnish(options);
		return c;
	}

	static async load(saved, options = {}) {
		const i = await Instance.open(options.wasm);
		const c = Computer.#made(i, options, 'load', Computer.#image(i, saved));

		await c.#furnish(options);
		return c;
	}

	static #made(i, options, how, ...from) {
		const id = ++i.lastId;
		const c = new Computer(i, options, id);

		i.computers.set(id, c);
		try {
			c.#session = i.lend((memory) => i.must('', how, ...from, i.choose(memory, options, id)).made);
		} catch (e) {
			i.computers.delete(id);
			throw e;
		}
		return c;
	}

	static #image(i, bytes) {
		bytes = bytesOf(bytes);
		const at = i.m._glue_image_memory(bytes.length);

		if (at === 0)
			throw new CowshError('no memory', 'ENOMEM');
		i.m.HEAPU8.set(bytes, at);
		const { result, where, made } = i.call('image_open', at, bytes.length);

		if (result >= 0)
			return made;
		i.m._free(at);
		throw new CowshError(i.string(where) || i.error(result).message, 'EINVAL');
	}

	async #furnish({ images, files, commands }) {
		for (const [path, bytes] of Object.entries(images ?? {}))
			this.mountImage(path, bytes);
		for (const [path, content] of Object.entries(files ?? {}))
			await this.writeFile(path, content);
		for (const [name, command] of Object.entries(commands ?? {}))
			this.addCommand(name, command);
	}

	#idle() {
		if (this.#session === 0)
			throw new CowshError('the computer was freed', 'EBADF');
		if (this.#busy)
			throw new CowshError('a command is running', 'EBUSY');
	}

	written(fd, data) {
		this.#collect?.[fd].push(data);
		(this.onOutput ?? this.options.onOutput)?.(fd, data);
	}

	/* --- running --- */

	run(script, options = {}) {
		return this.#command(options, () => this.#i.must('', 'start', this.#session, bytesOf(script)));
	}

	exec(argv, options = {}) {
		return this.#command(options, () => this.#i.lend((memory) =>
			this.#i.must(argv[0], 'start_program', this.#session, argv.length, memory.strings(argv))));
	}

	drain(options = {}) {
		return this.#command(options, () => {}, 'drain');
	}

	async #command({ stdin, onOutput, timeout, signal, collect = true }, start, step = 'step') {
		this.#idle();
		signal?.throwIfAborted();
		const stop = () => {
			this.#i.call('cancel', this.#session);
			this.#i.event();
		};
		const timer = timeout === undefined ? undefined : setTimeout(() => this.#i.event(), timeout);

		this.#busy = true;
		this.onOutput = onOutput;
		this.deadline = timeout === undefined ? Infinity : now() + timeout;
		this.stdin = new Input(stdin, () => this.#i.event());
		this.#collect = collect ? [[], [], []] : null;
		signal?.addEventListener('abort', stop);
		try {
			start();
			await this.#go(step);
			return this.#result();
		} finally {
			signal?.removeEventListener('abort', stop);
			clearTimeout(timer);
			for (const r of this.requests.values())
				r.close();
			this.requests.clear();
			this.#busy = false;
			this.#collect = null;
			this.onOutput = this.thrown = undefined;
			this.deadline = Infinity;
		}
	}

	async #go(step) {
		for (let turn = now(); ;) {
			if (this.woken) {
				this.woken = false;
				this.#i.call('wake', this.#session);
			}
			const state = this.#i.must('', step, this.#session, SLICE_STEPS).result;

			if (state === DONE)
				return;
			if (state === WAIT && !this.woken)
				await this.#event();
			else if (now() - turn < TURN_MS)
				continue;
			else
				await breathe();
			turn = now();
		}
	}

	// Until something is there that was waited for, or the first sleeper wakes.
	async #event() {
		const at = this.options.clock === 'real' ? this.#i.call('next_timer', this.#session).size : Infinity;
		let timer;

		if (at !== Infinity)
			timer = setTimeout(() => this.#i.event(), Math.min(Math.max(0, at - Date.now()), 0x7fffffff));
		await this.#i.nextEvent();
		clearTimeout(timer);
	}

	#result() {
		if (this.thrown)
			throw this.thrown.error;
		const answer = this.#i.must('', 'result', this.#session);
		const names = { [this.#i.names.length + 1]: 'deadlock', [this.#i.names.length + 2]: 'cancel' };
		const limit = answer.limit < 0 ? null : {
			name: this.#i.names[answer.limit] ?? names[answer.limit],
			value: answer.limitValue,
			where: this.#i.string(answer.where),
		};

		return new Result(answer, limit, (this.#collect ?? [[], [], []]).map(joined));
	}

	signal(number) {
		this.#i.must('', 'signal', this.#session, number);
		this.#i.event();
	}

	/* --- for line editors --- */

	incomplete(script) {
		this.#idle();
		return this.#i.must('', 'incomplete', this.#session, bytesOf(script)).result !== 0;
	}

	prompt(name = 'PS1') {
		this.#idle();
		return this.#i.lend((memory) => {
			const room = memory.take(4096);
			const n = this.#i.must(name, 'prompt', this.#session, name, room, 4096).result;

			return text(this.#i.bytes(room, Math.min(n, 4095)));
		});
	}

	setInteractive(on) {
		this.#idle();
		this.#i.must('', 'interactive', this.#session, on ? 1 : 0);
	}

	setTerminalSize(rows, columns) {
		this.#idle();
		this.#i.must('', 'terminal_size', this.#session, rows, columns);
	}

	variable(name) {
		this.#idle();
		const { result, where, size } = this.#i.call('variable', this.#session, name);

		return result < 0 ? undefined : text(this.#i.bytes(where, size));
	}

	setLimit(name, value) {
		const limit = this.#i.names.indexOf(name);

		if (limit < 0)
			throw new CowshError(`no such limit: ${name}`, 'EINVAL');
		this.#i.must(name, 'set_limit', this.#session, limit, value);
	}

	/* --- files --- */

	async writeFile(path, content, { mode = 0o644 } = {}) {
		this.#idle();
		if (typeof Blob === 'function' && content instanceof Blob) {
			const blob = content;

			content = { size: blob.size, read: async (pos, len) => new Uint8Array(await blob.slice(pos, pos + len).arrayBuffer()) };
		}
		if (typeof content?.read !== 'function')
			return void this.#i.must(path, 'put_file', this.#session, path, bytesOf(content), mode);
		const id = this.#i.files.size + 1;

		if (this.#i.call('stat', this.#session, path).result >= 0)
			this.remove(path);
		this.#i.files.set(id, new LazyFile(this.#i, content.read));
		this.#i.must(path, 'put_lazy', this.#session, path, id, content.size, content.mode ?? mode);
	}

	async readFile(path) {
		this.#idle();
		const { where, size } = await this.#i.patiently(path, 'get_file', this.#session, path);
		const bytes = this.#i.bytes(where, size);

		this.#i.call('bytes_free', this.#session, where, size);
		return bytes;
	}

	async readText(path) {
		return text(await this.readFile(path));
	}

	lstat(path) {
		this.#idle();
		const { mode, size, uid, gid, nlink, mtimeMs } = this.#i.must(path, 'stat', this.#session, path);

		return { type: TYPES[mode >> 12], mode: mode & 0o7777, size, uid, gid, nlink, mtime: new Date(mtimeMs) };
	}

	readlink(path) {
		this.#idle();
		return this.#i.lend((memory) => {
			const room = memory.take(4096);
			const n = this.#i.must(path, 'read_link', this.#session, path, room, 4096).result;

			return text(this.#i.bytes(room, Math.min(n, 4096)));
		});
	}

	list(path = '.') {
		this.#idle();
		this.#i.listed = [];
		this.#i.must(path, 'list', this.#session, path);
		return this.#i.listed.map(({ name, mode }) => ({ name, type: TYPES[mode >> 12] }));
	}

	mkdir(path, { mode = 0o755 } = {}) {
		this.#idle();
		this.#i.must(path, 'make_directory', this.#session, path, mode);
	}

	remove(path) {
		this.#idle();
		this.#i.must(path, 'remove', this.#session, path);
	}

	mountImage(path, bytes, { readOnly = false } = {}) {
		this.#idle();
		this.#i.must(path, 'mount_image', this.#session, path, Computer.#image(this.#i, bytes), readOnly ? 1 : 0);
	}

	addCommand(name, command) {
		this.#idle();
		const { run, input = false } = typeof command === 'function' ? { run: command } : command;

		this.#i.handlers.push({ name, run });
		this.#i.must(name, 'add_command', this.#session, name, this.#i.handlers.length - 1, input ? 1 : 0);
	}

	/* --- copies and changes --- */

	fork(options = {}) {
		this.#idle();
		return Computer.#made(this.#i, { ...this.options, ...options }, 'fork', this.#session);
	}

	snapshot() {
		this.#idle();
		return new Snapshot(this.#i, this.#i.must('', 'snapshot', this.#session).made);
	}

	restore(snapshot) {
		this.#idle();
		this.#i.must('', 'restore', this.#session, snapshot.made);
	}

	undo() {
		this.#idle();
		this.#i.must('', 'undo', this.#session);
	}

	async diff(since, until) {
		this.#idle();
		const { listed } = await this.#i.patientlyFromStart('', 'diff', this.#session, since.made, until?.made ?? 0);

		return listed.map(({ name, kind, mode, size }) => ({ path: name, kind: String.fromCharCode(kind), mode, size }));
	}

	async exportChanges(since, { form = 'git', until, path } = {}) {
		this.#idle();
		if (!(form in FORMS))
			throw new CowshError(`no such form: ${form}`, 'EINVAL');
		const { emitted } = await this.#i.patientlyFromStart('', 'export', this.#session, FORMS[form], since.made,
			until?.made ?? 0, path ?? 0);

		return joined(emitted);
	}

	async save({ compress = true } = {}) {
		this.#idle();
		return joined((await this.#i.patientlyFromStart('', 'save', this.#session, compress ? 1 : 0)).emitted);
	}

	/* --- */

	// Bytes that the computer and all that share its memory use.
	get memoryUsed() {
		return this.#i.m._glue_used();
	}

	free() {
		this.#idle();
		this.#i.call('free', this.#session);
		this.#i.computers.delete(this.#id);
		this.#session = 0;
	}
}
