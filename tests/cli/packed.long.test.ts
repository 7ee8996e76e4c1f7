import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { kontor } from './kontor.ts'

const app = await startApp()
const settings = {
  KONTOR_BASE_URL: app.baseUrl,
  KONTOR_API_KEY: app.credentials.keys.adminKey!,
  KONTOR_WORKSPACE: 'acme',
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

/** A project with nothing but the packed command line beside it, on a machine that reaches no registry. */
async function emptyProject() {
  const folder = await scratchFolder()
  const pnpm = join(root, 'node_modules/.bin/pnpm')
  await run(pnpm, ['run', 'build'], { cwd: join(root, 'packages/cli') })
  await run(pnpm, ['pack', '--pack-destination', folder], { cwd: join(root, 'packages/cli') })
  const tarball = `./${(await readdir(folder)).find((name) => name.endsWith('.tgz'))}`
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
    HOME: folder,
    npm_config_registry: 'http://127.0.0.1:9/',
    ...settings,
  }
  const shell = (command: string, ...args: string[]) => run(command, args, { cwd: folder, env })
  return { folder, tarball, shell }
}

test('says which Node it needs on an older one', async () => {
  const entry = await readFile(join(root, 'packages/cli/entry.js'), 'utf8')
  const said: string[] = []
  const old = {
    versions: { node: '20.19.1' },
    execPath: '/usr/bin/node',
    stderr: { write: (text: string) => said.push(text) },
    exitCode: undefined as number | undefined,
  }
  runInNewContext(entry, { process: old })
  expect(said).toEqual([expect.stringMatching(/^kontor requires Node 22\.12 or newer\. This is Node 20\.19\.1, /)])
  expect(old.exitCode).toBe(1)
})

/** The first line says where the types come from. */
const withoutFirstLine = (text: string): string => text.slice(text.indexOf('\n'))

test('writes types in another project, by npx and before its build', async () => {
  const { folder, tarball, shell } = await emptyProject()
  const written = (await kontor(['types'], settings)).stdout
  expect(written).toContain('export interface Objects')
  expect((await shell('npx', '--yes', tarball, 'types')).stdout).toBe(written)

  const prebuild = 'kontor types --out src/kontor-types.ts'
  const scripts = { prebuild, build: 'node --check src/kontor-types.ts' }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', scripts }))
  await mkdir(join(folder, 'src'))
  await shell('npm', 'install', '--save-dev', '--no-audit', '--no-fund', tarball)
  await shell('npm', 'run', 'build')
  expect(await readFile(join(folder, 'src/kontor-types.ts'), 'utf8')).toBe(written)
  expect(await readdir(join(folder, 'node_modules'))).toEqual(['.bin', '.package-lock.json', '@kontor'])

  await shell('npx', 'kontor', 'schema', 'pull', '--dir', 'crm')
  const ofFiles = await shell('npx', 'kontor', 'types', '--dir', 'crm')
  expect(withoutFirstLine(ofFiles.stdout)).toBe(withoutFirstLine(written))

  const { stdout } = await shell('npx', 'kontor', 'records', 'list', 'person', '--json')
  expect(JSON.parse(stdout)).toMatchObject({ data: [] })
  await expect(shell('npx', 'kontor', 'serve')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("unknown command 'serve'"),
  })
}, 120_000)
