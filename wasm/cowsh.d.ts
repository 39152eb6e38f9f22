// SPDX-License-Identifier: MIT
//
// The types of cowsh.mjs.

/** Bytes, or a string that is written as UTF-8. */
export type Data = string | Uint8Array | ArrayBuffer;

/** A file whose bytes are asked for when they are read. */
export interface LazyFile {
	size: number;
	/** The `length` bytes at `position`; fewer only at the end. Rejecting makes reading fail with EIO. */
	read(position: number, length: number): Data | Promise<Data>;
	mode?: number;
}

/** One run of a custom command. */
export interface Call {
	/** As argv: the first one is the command's name. */
	readonly args: string[];
	readonly cwd: string;
	/** All of its standard input, if the command wants it. */
	readonly input: Uint8Array;
	/** A variable of its environment. Only until the command first waits. */
	env(name: string): string | undefined;
	/** To its standard output, and its standard error. */
	write(data: Data): void;
	error(data: Data): void;
}

/** Returns its exit status (nothing: 0). What it throws is written as a message, its status is 1. */
export type Command = (call: Call) => number | void | Promise<number | void>;

export interface CommandWithInput {
	run: Command;
	/** Its standard input is read to the end before it runs. Default: it reads none. */
	input?: boolean;
}

export interface Options {
	/** The login name; default "user" (uid 1000); "root" is uid 0. */
	user?: string;
	hostname?: string;
	/** Where the shell starts, made if missing; default: the user's home. */
	cwd?: string;
	/** Added to the default environment. */
	env?: Record<string, string>;
	/** Of $RANDOM, shuf, mktemp, /dev/urandom. */
	seed?: number;
	/** "virtual" (default): sleeping costs nothing, and the same commands give the same times. */
	clock?: 'virtual' | 'real';
	/** Where the virtual clock starts: milliseconds since 1970, or a Date. Default 2026-01-01. */
	epoch?: number | Date;
	/** Limits that are not set. */
	profile?: 'default' | 'small' | 'large';
	/** By the names of `cowsh --help`: steps, memory, output, files, disk, processes, ... 0: none. */
	limits?: Record<string, number>;
	/** How many states before commands are kept for undo. */
	checkpoints?: number;
	/** Whether commands see a terminal. */
	terminal?: boolean;
	/**
	 * The network: asked for each request, redirects included (they come with `redirect: "manual"`).
	 * Nothing instead of a response refuses. Default: there is no network. Browsers do not tell
	 * where a redirect leads, so that it is refused there.
	 */
	fetch?: (url: string, init: RequestInit) => Promise<Response | null | undefined>;
	/** Images (`cowsh image build`), by where they are mounted. */
	images?: Record<string, Data>;
	/** Files by their paths. A Blob is read when it is used. */
	files?: Record<string, Data | Blob | LazyFile>;
	/** Commands of the host, by their names. */
	commands?: Record<string, Command | CommandWithInput>;
	/** Output as it is produced: 1 is standard output, 2 standard error. Not waited for. */
	onOutput?: (fd: 1 | 2, data: Uint8Array) => void;
	/** cowsh.wasm: its bytes, a module, or a response. Default: from beside this module. */
	wasm?: WebAssembly.Module | BufferSource | Response | Promise<WebAssembly.Module | BufferSource | Response>;
}

export interface RunOptions {
	/** Standard input: bytes, or what gives them one after the other (a ReadableStream, too). */
	stdin?: Data | AsyncIterable<Data> | Iterable<Data>;
	onOutput?: (fd: 1 | 2, data: Uint8Array) => void;
	/** Milliseconds, after which the command ends with the limit "time". */
	timeout?: number;
	/** Ends the command with the limit "cancel". */
	signal?: AbortSignal;
	/** Whether the result has the output; default true. */
	collect?: boolean;
}

export interface Result {
	/** The exit status: 0 to 255, 128 + n after signal n. */
	readonly status: number;
	readonly stdout: string;
	readonly stderr: string;
	readonly stdoutBytes: Uint8Array;
	readonly stderrBytes: Uint8Array;
	/** The limit that ended the command. */
	readonly limit: { name: string; value: number; where: string } | null;
	/** The script called `exit`, or ended by `set -e`. */
	readonly exited: boolean;
	readonly steps: number;
	/** Virtual time that passed. */
	readonly timeMs: number;
	readonly processes: number;
	readonly memoryPeak: number;
	readonly outputBytes: number;
}

export interface Stat {
	type: FileType;
	/** Permissions. */
	mode: number;
	size: number;
	uid: number;
	gid: number;
	nlink: number;
	mtime: Date;
}

export type FileType = 'file' | 'directory' | 'symlink' | 'fifo' | 'socket' | 'device';

/** "+" added, "-" removed, "M" content changed, "m" only metadata, "T" type changed. */
export interface Change {
	path: string;
	kind: '+' | '-' | 'M' | 'm' | 'T';
	mode: number;
	size: number;
}

export class CowshError extends Error {
	/** "ENOENT", "EBUSY" (a command is running), ... */
	readonly code: string;
}

/** All files as they were, in constant time. */
export class Snapshot {
	private constructor();
	free(): void;
}

/**
 * A simulated computer. Commands run one at a time; a method that is called meanwhile throws EBUSY.
 * Should WebAssembly itself fail (its stack is the browser's), everything throws EIO from then on.
 */
export class Computer {
	private constructor();
	static create(options?: Options): Promise<Computer>;
	/** Goes on where a saved one was. Limits, fetch and commands are not in what was saved. */
	static load(saved: Data, options?: Options): Promise<Computer>;

	/** Runs a script in the computer's shell, whose variables, functions, directory and jobs stay. */
	run(script: Data, options?: RunOptions): Promise<Result>;
	/** Runs a program; argv[0] is looked up in PATH. */
	exec(argv: string[], options?: RunOptions): Promise<Result>;
	/** Goes on with what is in the background until nothing is left of it. */
	drain(options?: RunOptions): Promise<Result>;
	/** Sends a signal to what runs in the foreground: 2 is what ^C sends. */
	signal(number: number): void;
	setLimit(name: string, value: number): void;
	/** A variable of the shell; undefined if it is unset. */
	variable(name: string): string | undefined;

	/** For line editors: whether the text is the beginning of a command that needs more lines. */
	incomplete(script: Data): boolean;
	/** What PS1 or PS2 shows. */
	prompt(name?: string): string;
	/** Whether the shell behaves as at a terminal. */
	setInteractive(on: boolean): void;
	setTerminalSize(rows: number, columns: number): void;

	/** Paths that are relative start where the shell is; permissions are not checked. */
	writeFile(path: string, content: Data | Blob | LazyFile, options?: { mode?: number }): Promise<void>;
	readFile(path: string): Promise<Uint8Array>;
	readText(path: string): Promise<string>;
	/** Of a symbolic link: its own. */
	lstat(path: string): Stat;
	readlink(path: string): string;
	list(path?: string): { name: string; type: FileType }[];
	mkdir(path: string, options?: { mode?: number }): void;
	remove(path: string): void;
	mountImage(path: string, image: Data, options?: { readOnly?: boolean }): void;
	addCommand(name: string, command: Command | CommandWithInput): void;

	/** A computer like this one, independent from now on. What it asks its host is as here, if not said. */
	fork(options?: Pick<Options, 'fetch' | 'onOutput' | 'clock'>): Computer;
	snapshot(): Snapshot;
	restore(snapshot: Snapshot): void;
	/** Becomes what it was before the last command (see checkpoints). */
	undo(): void;
	/** What changed since a snapshot, until another one or now. */
	diff(since: Snapshot, until?: Snapshot): Promise<Change[]>;
	/** The same as a patch or a tar archive. */
	exportChanges(since: Snapshot, options?: { form?: 'git' | 'unified' | 'tar'; until?: Snapshot; path?: string }): Promise<Uint8Array>;
	/** All of it, for load, or a file for `cowsh --session`. */
	save(options?: { compress?: boolean }): Promise<Uint8Array>;

	/** Bytes that this computer and its forks use together. */
	readonly memoryUsed: number;
	free(): void;
}
