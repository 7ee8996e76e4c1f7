// `entry.js` imports this, if Node is new enough.
import { packedEdition } from './packed-edition.ts'
import { runInShell } from './run-in-shell.ts'

await runInShell(packedEdition)
