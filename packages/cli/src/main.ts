#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Beside the packages, for no other program. Halves the time to the first line: 0.15 s of CPU instead of 0.3 s.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)))
const { runInShell } = await import('./run-in-shell.ts')
const { wholeEdition } = await import('./whole-edition.ts')

await runInShell(wholeEdition)
