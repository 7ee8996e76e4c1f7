import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/** Reads a secret: typed unseen at a terminal, or the first line of stdin. */
export async function readSecret(prompt: string): Promise<string> {
  const { stdin, stderr } = process
  // Readline itself shows what is typed; this shows nothing of it.
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: unseen, terminal: stdin.isTTY })
  if (stdin.isTTY) stderr.write(prompt)
  try {
    for await (const line of lines) return line
    return ''
  } finally {
    lines.close()
    if (stdin.isTTY) stderr.write('\n')
  }
}
