import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** The beginning of a docstring that is a clause, and neither a noun nor a verb: "What a run says." */
const clause = /\/\*\*[\s*]*(?:How|What|Whatever|Who|Whoever|Whether)\b.*/g

test('docstrings begin with a verb or a noun', () => {
  const sources = globSync('packages/*/src/**/*.ts', { cwd: root })
  const found = sources.flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(clause)].map(([text]) => `${path}: ${text}`),
  )
  expect(found).toEqual([])
  expect(sources.length).toBeGreaterThan(1000)
})
