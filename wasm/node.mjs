// SPDX-License-Identifier: MIT
//
// cowsh.mjs for Node, whose fetch reads no files.
import { readFile } from 'node:fs/promises';
import { defaults } from './cowsh.mjs';

defaults.wasm = () => readFile(new URL('cowsh.wasm', import.meta.url));

export * from './cowsh.mjs';
