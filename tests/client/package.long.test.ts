import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { scratchFolder } from '../harness/scratch.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const files: Readonly<Record<string, string>> = {
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      target: 'es2022',
      lib: ['es2024', 'dom', 'dom.iterable'],
      module: 'esnext',
      moduleResolution: 'bundler',
      jsx: 'react-jsx',
      strict: true,
      // As templates of Vite have it: two libraries of others name types of Node.
      skipLibCheck: true,
      noEmit: true,
    },
    include: ['src'],
  }),
  'index.html': '<!doctype html><div id="root"></div><script type="module" src="/src/main.tsx"></script>',
  'src/main.tsx': `
import { createRoot } from 'react-dom/client'
import { useEffect, useState } from 'react'
import { createKontorClient, isKontorError, type RecordResource } from '@kontor/client'

const kontor = createKontorClient({ url: 'http://127.0.0.1:4000/v1', accessToken: async () => 'token' })

function People() {
  const [people, setPeople] = useState<RecordResource[]>([])
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    kontor.resources.list
      .query({ workspace: 'acme', object: 'person' })
      .then(({ data }) => setPeople(data))
      .catch((error: unknown) => setProblem(isKontorError(error, 'forbidden') ? error.code : String(error)))
  }, [])
  return problem === undefined ? <ul>{people.map(({ id }) => <li key={id}>{id}</li>)}</ul> : <p>{problem}</p>
}

createRoot(document.getElementById('root')!).render(<People />)
`,
  'src/objects.ts': `
import { createObjectsClient } from '@kontor/client'
export const open = (): unknown => createObjectsClient({ url: '', apiKey: '' }, 'acme')
`,
  'src/trpc.ts': `
import { createKontorClient } from '@kontor/client'
export const open = (): unknown => createKontorClient({ url: '', apiKey: '' })
`,
  'src/session.ts': `
import { createRestClient } from '@kontor/client'
import { createBrowserSession } from '@kontor/client/browser'
const { accessToken } = createBrowserSession({ authUrl: '', clientId: '' })
export const rest = createRestClient({ url: '', accessToken })
`,
  'src/live.ts': `
import { createKontorClient, createRestClient } from '@kontor/client'
import { infiniteListOptions, keepFresh } from '@kontor/client/react-query'
import { QueryClient, useInfiniteQuery } from '@tanstack/react-query'
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query'

const connection = { url: 'http://127.0.0.1:4000/v1', apiKey: 'key' }
const queryClient = new QueryClient()
const trpc = createTRPCOptionsProxy({ client: createKontorClient(connection), queryClient })
export const follow = (): Promise<void> => keepFresh(queryClient, createRestClient(connection), 'acme')
export const useDeals = () =>
  useInfiniteQuery(infiniteListOptions(trpc.resources.list, { workspace: 'acme', object: 'deal' })).data?.pages[0]?.meta
`,
  'src/server.ts': `
import { verifyWebhook } from '@kontor/client/webhooks'
export const typeOf = (body: string, headers: Headers): string => verifyWebhook(body, headers, 'whsec_').type
`,
}

const libraries = {
  react: '19.3.1',
  'react-dom': '19.3.1',
  '@tanstack/react-query': '5.108.0',
  '@trpc/client': '11.22.1',
  '@trpc/tanstack-react-query': '11.22.1',
  '@types/react': '19',
  '@types/react-dom': '19',
  vite: '8.3.8',
  typescript: '5.9.3',
  publint: '0.3.25',
  '@arethetypeswrong/cli': '0.18.5',
}

describe.runIf(inject('database') === 'sqlite')('the packages, installed where nothing else of ours is', () => {
  let folder = ''
  const run = async (command: string, ...args: string[]): Promise<string> =>
    (
      await promisify(execFile)(command, args, { cwd: folder, maxBuffer: 1e7 }).catch(
        ({ stdout, stderr }: { stdout: string; stderr: string }) => {
          throw new Error(`${command} ${args.join(' ')}\n${stdout}\n${stderr}`)
        },
      )
    ).stdout
  const tarballs: string[] = []
  /** Bytes that a file is in a page, compressed. */
  const bundled = async (name: string, beside?: string): Promise<number> => {
    const lib = { entry: `src/${name}.ts`, formats: ['es'], fileName: name }
    const external = beside === undefined ? '[]' : `[/^${beside}/]`
    const build = `{ lib: ${JSON.stringify(lib)}, outDir: '${name}', rolldownOptions: { external: ${external} } }`
    const config = `export default { build: ${build} }`
    await writeFile(join(folder, 'vite.config.js'), config)
    await run('npx', 'vite', 'build', '--minify')
    return gzipSync(readFileSync(join(folder, name, `${name}.js`))).length
  }

  beforeAll(async () => {
    folder = await scratchFolder()
    await promisify(execFile)(process.execPath, [join(root, 'tools/release.mjs'), folder], { cwd: root })
    tarballs.push(...readdirSync(folder).filter((name) => name.endsWith('.tgz')))
    const ours = Object.fromEntries(
      tarballs.map((name) => [`@kontor/${/^kontor-([a-z]+)-/.exec(name)?.[1]}`, `file:${name}`]),
    )
    const manifest = { private: true, type: 'module', dependencies: { ...ours, ...libraries }, overrides: ours }
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
    await mkdir(join(folder, 'src'))
    for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text)
    await run('npm', 'install', '--no-audit', '--no-fund', '--prefer-offline')
  }, 600_000)

  test('are as publishing wants them', async () => {
    expect(tarballs.toSorted()).toEqual([
      expect.stringMatching(/^kontor-cli-/),
      expect.stringMatching(/^kontor-client-/),
      expect.stringMatching(/^kontor-contract-/),
    ])
    for (const tarball of tarballs) {
      expect(await run('npx', 'publint', 'run', tarball, '--strict')).toContain('All good!')
      const packed = await run('tar', '-xzOf', tarball, 'package/package.json')
      expect(packed).not.toMatch(/workspace:|catalog:/)
      // A command, which no program imports.
      if (tarball.startsWith('kontor-cli-')) continue
      await run('npx', 'attw', tarball, '--profile', 'esm-only')
      expect((await run('tar', '-tzf', tarball)).split('\n')).toEqual(
        expect.arrayContaining([
          'package/LICENSE',
          'package/README.md',
          ...['.js', '.js.map', '.d.ts'].map((ending) => `package/dist/index${ending}`),
        ]),
      )
    }
  }, 300_000)

  test('compile under strict and are bundled small, without the schemas', async () => {
    await run('npx', 'tsc', '--noEmit')
    await run('npx', 'vite', 'build', '--minify')
    const assets = join(folder, 'dist/assets')
    const page = readdirSync(assets)
      .map((name) => readFileSync(join(assets, name), 'utf8'))
      .join('\n')
    expect(page).toContain('Idempotency-Key')
    expect(page).not.toMatch(/ZodError|\$ZodType|invalid_union/)
    expect(await bundled('objects')).toBeLessThan(4096)
    // Beside tRPC itself.
    expect(await bundled('trpc', '@trpc')).toBeLessThan(10_240)
  }, 300_000)
})
