// SPDX-License-Identifier: MIT
//
// A request of the session to the network, by the host's fetch: its answer as HTTP/1.1 writes it.
const PENDING = -2000;
const EACCES = 13, ETIMEDOUT = 110;
const ERRORS = {
	ENOTFOUND: 113, EAI_AGAIN: 113, ECONNREFUSED: 111, ECONNRESET: 104, UND_ERR_SOCKET: 104, ETIMEDOUT,
	UND_ERR_CONNECT_TIMEOUT: ETIMEDOUT, ENETUNREACH: 101, EHOSTUNREACH: 113, EACCES, EPERM: EACCES,
};
const EHOSTUNREACH = 113;
// The body comes decoded and in one piece.
const DROPPED = new Set(['content-encoding', 'transfer-encoding', 'connection', 'keep-alive']);

function head(response) {
	const packed = response.headers.has('content-encoding');
	const lines = [`HTTP/1.1 ${response.status} ${response.statusText ?? ''}`];

	for (const [name, value] of response.headers)
		if (!DROPPED.has(name) && !(packed && name === 'content-length'))
			lines.push(`${name}: ${value}`);
	return new TextEncoder().encode(`${lines.map((l) => l.replace(/[\r\n]/g, ' ')).join('\r\n')}\r\n\r\n`);
}

export class Request {
	chunks = [];
	ended = false;
	failed = 0;
	aborter = new AbortController();

	// event is called whenever there is more to take.
	constructor(fetch, url, init, timeoutMs, event) {
		this.event = event;
		if (timeoutMs > 0)
			this.timer = setTimeout(() => this.aborter.abort(new DOMException('time is up', 'TimeoutError')), timeoutMs);
		this.#answer(fetch, url, init).catch((e) => {
			const code = e?.code ?? e?.cause?.code;

			this.failed = e?.name === 'TimeoutError' ? ETIMEDOUT : ERRORS[code] ?? EHOSTUNREACH;
		}).then(() => {
			this.ended = true;
			clearTimeout(this.timer);
			event();
		});
	}

	async #answer(fetch, url, init) {
		const response = await fetch(url, { ...init, redirect: 'manual', signal: this.aborter.signal });

		// A host's fetch refuses by giving nothing; a browser does not tell where a redirect leads.
		if (!response || response.type === 'opaqueredirect') {
			this.failed = EACCES;
			return;
		}
		this.chunks.push(head(response));
		this.event();
		for (const reader = response.body?.getReader(); reader;) {
			const { done, value } = await reader.read();

			if (done)
				return;
			this.chunks.push(value);
			this.event();
		}
	}

	take(into) {
		const first = this.chunks[0];

		if (first === undefined)
			return this.failed ? -this.failed : this.ended ? 0 : PENDING;
		const n = Math.min(into.length, first.length);

		into.set(first.subarray(0, n));
		if (n === first.length)
			this.chunks.shift();
		else
			this.chunks[0] = first.subarray(n);
		return n;
	}

	close() {
		clearTimeout(this.timer);
		this.aborter.abort();
	}
}
