import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { answered } from '../cli/kontor.ts'
import { startApp } from '../harness/app.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const cache = join(root, 'examples/browser/node_modules/.cache')
await mkdir(cache, { recursive: true })

const { baseUrl, credentials } = await startApp()
const env = { KONTOR_BASE_URL: baseUrl, KONTOR_API_KEY: credentials.keys.adminKey!, KONTOR_WORKSPACE: 'acme' }

const guides = [
  ['tanstack-query', 6],
  ['browser-app', 2],
  ['optimistic-updates', 3],
] as const

/** All snippets of a guide that say in their first line where they are saved. */
const snippetsOf = async (name: string): Promise<string[][]> => {
  const guide = await readFile(join(root, `packages/docs/pages/${name}.md`), 'utf8')
  return [...guide.matchAll(/```tsx?(?: no-run)?\n(\/\/ (\S+)\n[\s\S]*?)```/g)]
}

test.for(guides)('the snippets of the guide %s compile under strict', { timeout: 300_000 }, async ([name, count]) => {
  const project = await mkdtemp(join(cache, 'guide-'))
  onTestFinished(() => rm(project, { recursive: true, force: true }))
  const snippets = await snippetsOf(name)
  expect(snippets).toHaveLength(count)
  // A page that has no connection of its own builds on that of another.
  const isOwn = snippets.some(([, , file]) => file === 'kontor.ts')
  const set = await snippetsOf('tanstack-query')
  const shared = isOwn ? [] : set.filter(([, , file]) => file === 'kontor.ts' || file === 'acme.ts')
  for (const [, text = '', file = ''] of [...shared, ...snippets]) await writeFile(join(project, file), text)
  expect(await answered(['types', '--out', join(project, 'kontor-types.ts')], env)).toMatchObject({ code: 0 })
  await symlink(join(root, 'examples/browser/node_modules'), join(project, 'node_modules'))
  const config = { extends: '../../../tsconfig.json', include: ['.'] }
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(root, 'examples/browser/node_modules/.bin/tsc')
  const { stdout } = await promisify(execFile)(tsc, ['--singleThreaded', '-p', '.'], { cwd: project }).catch(
    (failure: { stdout: string }) => failure,
  )
  expect(stdout).toBe('')
})
