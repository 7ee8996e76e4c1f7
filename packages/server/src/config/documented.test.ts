import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { declaredSettings } from '../config.ts'

const page = readFileSync(new URL('../../../docs/pages/operation.md', import.meta.url), 'utf8')

/** The rows of the table: each names its settings, and their default. */
const rows = page
  .slice(page.indexOf('\n## Settings\n'), page.indexOf('\nCommands that call the API read these variables'))
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .flatMap((line) => {
    const [names = '', byDefault = ''] = line.split(' | ')
    return [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => [name, byDefault] as const)
  })

test('the guide to operation has every setting once', () => {
  expect(rows.map(([name]) => name).toSorted()).toEqual(declaredSettings.map(({ variable }) => variable).toSorted())
})

test('the guide to operation shows the defaults by which the server runs', () => {
  const shown = new Map(rows)
  const wrong = declaredSettings
    .filter(({ byDefault }) => byDefault !== undefined)
    .filter(({ variable, byDefault }) => shown.get(variable)?.replaceAll(/[`,]/g, '') !== byDefault)
  expect(wrong).toEqual([])
  expect(shown.get('PORT')).toBe('`4000`')
})
