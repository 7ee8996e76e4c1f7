import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const server = join(import.meta.dirname, '../../packages/server/src')

/** Functions that only pass their arguments on to a statement of their own: `=> tx.first(byId, { id })`. */
const wrapper = /=>\s*tx\.(?:first|all)\(\w+, (?:\w+|\{[\w\s:,]*\})\)\n/g

/** The rest lock several rows, or share their conditions with other statements. */
const wrappersMax = 8

test('what only passes its arguments on to a query is made by `rowsOf`, `finder` or `lister`', () => {
  const found = readdirSync(server, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.startsWith('db/'))
    .flatMap((path) =>
      [...readFileSync(join(server, path), 'utf8').matchAll(wrapper)].map(([text]) => ({ path, text })),
    )
  expect(found.length).toBeGreaterThan(0)
  expect(found.length, JSON.stringify(found, null, 2)).toBeLessThanOrEqual(wrappersMax)
})
