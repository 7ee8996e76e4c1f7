import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const decisions = join(root, 'docs/decisions')
const pages = readdirSync(decisions).filter((name) => /^\d{4}-.*\.md$/.test(name))
const textOf = (page: string): string => readFileSync(join(decisions, page), 'utf8')

/** Folders that pages name tests from. */
const folders = ['', 'tests', 'packages/server/src', 'packages/docs/src']

const testsIn = (text: string): string[] => [...text.matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, path = '']) => path)

const isThere = (path: string): boolean => folders.some((folder) => existsSync(join(root, folder, path)))

const heldBy = (page: string): string[] => testsIn(/^\*\*Held by\*\*:[^]*$/m.exec(textOf(page))?.[0] ?? '')

/** The numbers of the pages whose place a page has taken. */
const replacedBy = (page: string): string[] =>
  /^# .+\n\nReplaces ([^]+?)\.\n\n/.exec(textOf(page))?.[1]?.split(/,\s+/) ?? []

test('every decision names the tests that hold it', () => {
  expect(pages.filter((page) => heldBy(page).length === 0)).toEqual([])
  expect(pages.length).toBeGreaterThan(80)
})

test('every test that a decision names is there', () => {
  const missing = pages.flatMap((page) =>
    testsIn(textOf(page))
      .filter((path) => path.includes('/') && !isThere(path))
      .map((path) => `${page}: ${path}`),
  )
  expect(missing).toEqual([])
})

test('every decision is in the index once, under its own title, and no other page is', () => {
  const lines = pages.map((page) => {
    const [, title = ''] = /^# \d{4} (.+)$/m.exec(textOf(page)) ?? []
    return `| [${page.slice(0, 4)}](${page}) | ${title} |`
  })
  const indexed = textOf('README.md').match(/^\| \[\d{4}\].*$/gm)
  expect(indexed?.toSorted()).toEqual(lines.toSorted())
})

test('no number stands for two decisions, nor for one that another page has replaced', () => {
  const numbers = pages.flatMap((page) => [page.slice(0, 4), ...replacedBy(page)])
  expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([])
})

/** A number in parentheses, or several: `(0042)`, `(0042, 0044)`. */
const inParentheses = /\((0\d{3}(?:, 0\d{3})*)\)/g
const afterFolder = /docs\/decisions(?:\/|`, |, )(0\d{3}(?:(?:, | and | to )0\d{3})*)/g

const numbersIn = (text: string): string[] =>
  [...text.matchAll(inParentheses), ...text.matchAll(afterFolder)].flatMap(
    ([, list = '']) => list.match(/\d{4}/g) ?? [],
  )

/** Area codes look the same. */
const others = new Set(['tests/records/phone-numbers.test.ts'])

const linksIn = (text: string): string[] =>
  [...text.matchAll(/\]\([^)\s]*?(\d{4}-[a-z][a-z0-9-]*\.md)\)/g)].map(([, name = '']) => name)

test('no file names a decision that is not there', () => {
  const paths = execFileSync('git', ['ls-files', '-z', '*.ts', '*.mjs', '*.cjs', '*.md', '.*rc*'], { cwd: root })
    .toString()
    .split('\0')
    .filter((path) => path !== '' && !others.has(path) && existsSync(join(root, path)))
  const known = new Set(pages.flatMap((page) => [page, page.slice(0, 4)]))
  const missing = paths.flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    const named = [...new Set([...numbersIn(text), ...linksIn(text)])]
    return named.filter((name) => !known.has(name)).map((name) => `${path}: ${name}`)
  })
  expect(missing).toEqual([])
  expect(paths.length).toBeGreaterThan(1000)
})
