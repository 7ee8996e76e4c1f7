import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const server = join(import.meta.dirname, '../../packages/server/src')

const sources = readdirSync(server, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))

test('no name of an exported type stands for two things in the server (docs/glossary.md)', () => {
  const pathsByName = new Map<string, string[]>()
  for (const path of sources) {
    for (const [, name = ''] of readFileSync(join(server, path), 'utf8').matchAll(
      /^export (?:abstract )?(?:type|interface|class) (\w+)/gm,
    )) {
      pathsByName.set(name, [...(pathsByName.get(name) ?? []), path])
    }
  }
  expect([...pathsByName].filter(([, paths]) => paths.length > 1)).toEqual([])
  expect(pathsByName.size).toBeGreaterThan(300)
})

test('every place that the glossary names is there', () => {
  const root = join(import.meta.dirname, '../..')
  const text = readFileSync(join(root, 'docs/glossary.md'), 'utf8')
  const rows = text
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| ---') && !line.endsWith('Where |'))
  const named = rows.flatMap((row) =>
    [...(row.split(' | ').at(-1) ?? '').matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
  )
  const isThere = (path: string): boolean =>
    existsSync(join(root, path)) ||
    existsSync(join(server, path)) ||
    sources.some((source) => source.endsWith(`/${path}`))
  expect(named.filter((path) => !path.includes('*') && !isThere(path))).toEqual([])
  expect(named.length).toBeGreaterThan(50)
})
