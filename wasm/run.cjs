// SPDX-License-Identifier: MIT
//
// Runs the case runner's wasm under Node. The module is instantiated from bytes: the loader's own
// fetch fails there.
const fs = require('fs');
const path = require('path');

const build = process.argv[2];
const factory = require(path.resolve(build, 'run.js'));
factory({
	arguments: process.argv.slice(3),
	wasmBinary: fs.readFileSync(path.resolve(build, 'run.wasm')),
	// The loader says nothing of a trap.
	quit: (status, error) => {
		if (error instanceof WebAssembly.RuntimeError)
			fs.writeSync(2, `${error.stack}\n`);
		process.exitCode = status;
		throw error;
	},
});
