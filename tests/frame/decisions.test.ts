import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const decisions = join(root, 'docs/decisions')
const pages = readdirSync(decisions).filter((name) => /^\d{4}-.*\.md$/.test(name))
const textOf = (page: string): string => readFileSync(join(decisions, page), 'utf8')

/** Folders that pages name tests from. */
const folders = ['', 'tests', 'packages/server/src', 'packages/docs/src']

/** Decisions that nothing has been built of yet. */
const unbuilt = ['0366-what-a-write-costs.md']

const testsIn = (text: string): string[] => [...text.matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, path = '']) => path)

const isThere = (path: string): boolean => folders.some((folder) => existsSync(join(root, folder, path)))

const heldBy = (page: string): string[] => testsIn(/^\*\*Held by\*\*:[^]*$/m.exec(textOf(page))?.[0] ?? '')

test('every decision names the tests that hold it', () => {
  expect(pages.filter((page) => heldBy(page).length === 0)).toEqual(unbuilt)
  expect(pages.length).toBeGreaterThan(100)
})

test('every test that a decision names is there', () => {
  const missing = pages.flatMap((page) =>
    testsIn(textOf(page))
      .filter((path) => path.includes('/') && !isThere(path))
      .map((path) => `${page}: ${path}`),
  )
  expect(missing).toEqual([])
})

test('every decision is in the index, under its own title', () => {
  const index = textOf('README.md')
  const lines = pages.map((page) => {
    const [, title = ''] = /^# \d{4} (.+)$/m.exec(textOf(page)) ?? []
    return `| [${page.slice(0, 4)}](${page}) | ${title} |`
  })
  expect(lines.filter((line) => !index.includes(line))).toEqual([])
})
