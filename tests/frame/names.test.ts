import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const server = join(import.meta.dirname, '../../packages/server/src')

const sources = readdirSync(server, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))

test('no name of an exported type stands for two things in the server (docs/glossary.md)', () => {
  const places = new Map<string, string[]>()
  for (const path of sources) {
    for (const [, name = ''] of readFileSync(join(server, path), 'utf8').matchAll(
      /^export (?:abstract )?(?:type|interface|class) (\w+)/gm,
    )) {
      places.set(name, [...(places.get(name) ?? []), path])
    }
  }
  expect([...places].filter(([, paths]) => paths.length > 1)).toEqual([])
  expect(places.size).toBeGreaterThan(300)
})
