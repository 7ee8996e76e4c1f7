import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const modules = join(import.meta.dirname, '../../packages/server/src/modules')

const linesMax = 6000
const namesMax = 40

/** Modules that are larger than a module may be, with some room; each number only falls. */
const larger: Readonly<Record<string, { readonly lines?: number; readonly names?: number }>> = {
  query: { lines: 6300, names: 58 },
  definitions: { names: 45 },
}

/** The folders with a door; those of identity are modules of their own. */
const names = ['', 'identity'].flatMap((parent) =>
  readdirSync(join(modules, parent), { withFileTypes: true })
    .map(({ name }) => join(parent, name))
    .filter((name) => existsSync(join(modules, name, 'index.ts'))),
)

const linesOf = (name: string): number =>
  readdirSync(join(modules, name), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .reduce((sum, path) => sum + readFileSync(join(modules, name, path), 'utf8').split('\n').length - 1, 0)

/** The names that other modules may import. */
const exportsOf = (name: string): string[] =>
  [...readFileSync(join(modules, name, 'index.ts'), 'utf8').matchAll(/export (?:type )?\{([^}]*)\}/g)]
    .flatMap(([, list = '']) => list.split(','))
    .map((one) => one.trim())
    .filter((one) => one !== '')

test('no module has grown too large to read', () => {
  const found = names.map((name) => ({ name, lines: linesOf(name), most: larger[name]?.lines ?? linesMax }))
  expect(found.filter(({ lines, most }) => lines > most)).toEqual([])
  expect(found.length).toBeGreaterThan(40)
})

test('no module has a door of more names than a reader keeps in mind', () => {
  const found = names.map((name) => ({ name, names: exportsOf(name).length, most: larger[name]?.names ?? namesMax }))
  expect(found.filter((one) => one.names > one.most)).toEqual([])
  expect(exportsOf('records')).toContain('requireVisible')
})

test('no module is listed as larger than it is', () => {
  const isNeeded = ([name, { lines, names: some }]: [string, (typeof larger)[string]]): boolean =>
    (lines === undefined || linesOf(name) > linesMax) && (some === undefined || exportsOf(name).length > namesMax)
  expect(Object.entries(larger).filter((one) => !isNeeded(one))).toEqual([])
})
