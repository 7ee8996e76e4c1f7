import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** The machine's Node may be older; `npm run` must find the pinned one first. */
test('everything runs on the Node that package.json pins', () => {
  const { devDependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    devDependencies: { node: string }
  }
  expect(process.versions.node).toBe(devDependencies.node)
  expect(process.versions.node).toMatch(/^24\./)
})
