import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * The casts in the server; `as const` is none. The rest are edges: libraries, queries, own JSON. A new one needs one
 * less somewhere else: narrow by a guard of lib/guards.ts, or say what is there in a type.
 */
const castsMax = 67

const args = ['-c', 'tests/frame/casts.oxlintrc.json', '--format', 'unix', 'packages/server/src']

async function findCasts(): Promise<string[]> {
  const { stdout } = await promisify(execFile)('node_modules/.bin/oxlint', args, { cwd: root }).catch(
    (failed: { stdout: string }) => failed,
  )
  return stdout.split('\n').filter((line) => /^(?!.*\.test\.ts).*consistent-type-assertions/.test(line))
}

test('the server has few casts, and no more than it had', async () => {
  const casts = await findCasts()
  expect(casts.length, casts.join('\n')).toBeGreaterThan(0)
  expect(casts.length, casts.join('\n')).toBeLessThanOrEqual(castsMax)
})

test('`as never` stands nowhere', async () => {
  const casts = await findCasts()
  const files = [...new Set(casts.map((line) => line.slice(0, line.indexOf(':'))))]
  const texts = await Promise.all(files.map(async (file) => [file, await readFile(`${root}/${file}`, 'utf8')] as const))
  expect(texts.filter(([, text]) => /\bas never\b/.test(text)).map(([file]) => file)).toEqual([])
})
