import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const server = join(import.meta.dirname, '../../packages/server/src')
const modules = join(server, 'modules')

const linesMax = 6000
const namesMax = 40

/** Files of the server with fewer lines belong in the files that use them, with few exceptions. */
const crumbLines = 20
const crumbsMax = 60

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
  const found = names.map((name) => ({ name, lines: linesOf(name) }))
  expect(found.filter(({ lines }) => lines > linesMax)).toEqual([])
  expect(found.length).toBeGreaterThan(40)
})

test('no module has a door of more names than a reader keeps in mind', () => {
  const found = names.map((name) => ({ name, names: exportsOf(name).length }))
  expect(found.filter((one) => one.names > namesMax)).toEqual([])
  expect(exportsOf('records')).toContain('requireVisible')
})

/** Doors, migrations, which never change, and tasks of the pool, which are loaded by their address. */
const hasToBeApart = /(^|\/)index\.ts$|^db\/migrations\/|\.(test|task)\.ts$/

test('few files of the server are crumbs, which a reader has to open for a line or two', () => {
  const sizes = readdirSync(server, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !hasToBeApart.test(path))
    .map((path) => readFileSync(join(server, path), 'utf8').split('\n').length - 1)
  expect(sizes.length).toBeGreaterThan(500)
  expect(sizes.filter((lines) => lines < crumbLines).length).toBeLessThan(crumbsMax)
})
