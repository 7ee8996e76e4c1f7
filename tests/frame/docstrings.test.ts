import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** Docstrings that begin with "What"; the number only falls. A verb or a noun says it: "Returns …", "The …". */
const whatMax = 186

test('ever fewer docstrings begin with "What"', () => {
  const sources = globSync('packages/*/src/**/*.ts', { cwd: root })
  const found = sources.flatMap((path) => [...readFileSync(join(root, path), 'utf8').matchAll(/\/\*\*[\s*]*What\b.*/g)])
  expect(found.length).toBeLessThanOrEqual(whatMax)
  expect(sources.length).toBeGreaterThan(1000)
})
