import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const modules = join(import.meta.dirname, '../../packages/server/src/modules')

/** Sends the e-mails of campaigns at their pace. */
const exceptions = ['blocks/send-email.ts']

test('no module but their own asks for the kinds of workflows by name (docs/decisions/0135)', () => {
  const sources = globSync('**/*.ts', { cwd: modules }).filter((path) => !path.endsWith('.test.ts'))
  const asking = sources.filter((path) =>
    /\b(\w*[tT]ype|kind) [=!]== '(sequence|agent)'/.test(readFileSync(join(modules, path), 'utf8')),
  )
  const own = asking.filter((path) => path.startsWith('campaigns/') || path.startsWith('agents/'))
  expect(asking.filter((path) => !own.includes(path))).toEqual(exceptions)
  expect(own).toContain('agents/find.ts')
})
