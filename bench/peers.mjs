// SPDX-License-Identifier: MIT
//
// Times a script in two other simulated shells, in this process: just-bash and Bashkit.
// usage: node peers.mjs DIRECTORY UNITS SCRIPT WANTED, where DIRECTORY has node_modules. Prints for
// each CPU microseconds per unit (median of 3), `wrong` if it does not print what is WANTED, or
// `fails`. With `new` for UNITS, a session is made for each run; else it is kept.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [directory, units, script, wanted] = process.argv.slice(2);
const require = createRequire(`${directory}/`);
const load = async name => (await import(pathToFileURL(require.resolve(name)))).Bash;
const RUNS = 3;
const PREPARE = 'seq 100 > f';

// Their limits are out of the way as far as they let themselves be moved.
const many = 1e9;
const shells = {
	'just-bash': async () => {
		const Bash = await load('just-bash');
		return () => {
			const shell = new Bash({ executionLimits: { maxCallDepth: 1e6, maxCommandCount: many,
				maxLoopIterations: many, maxExecutionTimeMs: Infinity } });
			return async text => await shell.exec(text);
		};
	},
	'@everruns/bashkit': async () => {
		const Bash = await load('@everruns/bashkit');
		return () => {
			const shell = new Bash({ maxCommands: many, maxLoopIterations: many,
				maxTotalLoopIterations: many, maxFunctionDepth: 1e6 });
			return async text => shell.executeSync(text);
		};
	},
};

const micros = () => {
	const { user, system } = process.cpuUsage();
	return user + system;
};

async function time(make) {
	const fresh = units === 'new';
	const turns = fresh ? 50 : units === 'warm' ? 200 : 1;
	const times = [];
	for (let i = 0; i < RUNS; i++) {
		let run = make();
		let last;
		if (!fresh)
			await run(PREPARE);
		const start = micros();
		for (let turn = 0; turn < turns; turn++) {
			if (fresh)
				run = make();
			last = await run(script);
		}
		times.push(micros() - start);
		if (last.stdout.trimEnd() !== wanted.trimEnd())
			return last.exitCode === 0 ? 'wrong' : 'fails';
	}
	const per = turns > 1 ? turns : Number(units);
	return (times.sort((a, b) => a - b)[RUNS >> 1] / per).toFixed(2);
}

const answers = [];
for (const prepare of Object.values(shells)) {
	try {
		answers.push(await time(await prepare()));
	} catch {
		answers.push('fails');
	}
}
console.log(answers.join(' '));
process.exit(0);
