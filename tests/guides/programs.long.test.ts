import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { guideNames, isProgram, nameOf, snippetsOf, tabsOf } from './snippets.ts'

const examples = fileURLToPath(new URL('../../examples', import.meta.url))
const cache = join(examples, 'node_modules/.cache')
await mkdir(cache, { recursive: true })
const project = await mkdtemp(join(cache, 'guides-'))
afterAll(() => rm(project, { recursive: true, force: true }))

test('the programs of the guides compile under strict', { timeout: 120_000 }, async () => {
  const programs = guideNames.flatMap((guide) => snippetsOf(guide).filter(isProgram))
  // Those with generated clients or types need what is generated; they are run.
  const ours = programs.filter(
    (program) => nameOf(program).startsWith('examples/') && !program.text.includes('client-types'),
  )
  expect(ours.length).toBeGreaterThan(4)
  for (const program of ours) await writeFile(join(project, basename(nameOf(program))), program.text)
  for (const guide of guideNames) {
    const tabs = [tabsOf(guide, 'ts'), tabsOf(guide, 'ts', 'tab no-run')].filter((text) => text !== '')
    for (const [at, text] of tabs.entries()) await writeFile(join(project, `tabs-${at}-of-${guide}.ts`), text)
  }
  await symlink(join(examples, 'node_modules'), join(project, 'node_modules'))
  const config = { extends: '../../../../tsconfig.base.json', include: ['.'], exclude: ['node_modules'] }
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(examples, 'node_modules/.bin/tsc')
  const { stdout } = await promisify(execFile)(tsc, ['--singleThreaded', '-p', '.'], { cwd: project }).catch(
    (failure: { stdout: string }) => failure,
  )
  expect(stdout).toBe('')
})
