import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** As the formatter has it; it breaks code, and leaves texts, templates and comments as they were written. */
const columnsMax = 120

/** Files that no one writes by hand; all of them are committed. */
const generated = [
  'pnpm-lock.yaml',
  'packages/contract/src/openapi/answers.json',
  'packages/docs/openapi.json',
  'packages/docs/released.json',
  'packages/docs/command-outputs.json',
  'packages/docs/commands.json',
  'packages/docs/src/site/field-types.json',
  'packages/docs/plugins.json',
  'packages/docs/src/site/standard-objects.json',
  'bench/results.json',
]

const tracked = (...patterns: string[]): string[] =>
  execFileSync('git', ['ls-files', '-z', ...patterns], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((path) => path !== '' && !generated.includes(path) && existsSync(join(root, path)))

test('no line of code or configuration is longer than 120 columns', () => {
  const paths = tracked('*.ts', '*.mjs', '*.cjs', '*.css', '*.sh', '*.json', '*.yaml')
  const long = paths.flatMap((path) =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .flatMap((line, index) => ([...line].length > columnsMax ? [`${path}:${index + 1}`] : [])),
  )
  expect(long).toEqual([])
  expect(paths.length).toBeGreaterThan(1000)
})
