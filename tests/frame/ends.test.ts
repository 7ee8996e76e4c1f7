import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { atEnd, endAll } from '../harness/at-end.ts'

const tests = new URL('..', import.meta.url)

test('only whole files have an afterAll: within a test Vitest forgets it', () => {
  const nested = globSync('**/*.ts', { cwd: tests, exclude: ['**/node_modules/**'] }).filter((path) =>
    /^[ \t]+afterAll\(/m.test(readFileSync(new URL(path, tests), 'utf8')),
  )
  expect(nested).toEqual([])
})

test('all ends, last come first, though something cannot be ended', async () => {
  const ended: string[] = []
  atEnd(() => ended.push('first'))
  atEnd(() => {
    throw new Error('it cannot be ended')
  })
  atEnd(async () => ended.push('last'))
  await expect(endAll()).rejects.toThrow('it cannot be ended')
  expect(ended).toEqual(['last', 'first'])
  await endAll()
})
