import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { version } from '@kontor/contract'
import { kontor } from '../cli/kontor.ts'
import { startApp } from '../harness/app.ts'
import { emptyDatabase } from '../harness/database.ts'
import { httpClient, type Answer } from '../harness/http.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { startServer } from '../harness/server-process.ts'

const browserAccepts = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const http = httpClient()

/** A server on an empty database, as a newcomer starts it. */
async function serverOf(settings: Readonly<Record<string, string>>, finished: (end: () => Promise<void>) => void) {
  const scratch = await emptyDatabase()
  finished(() => scratch.remove())
  const dataDir = await scratchFolder()
  const server = await startServer(scratch.url, { DATA_DIR: dataDir, ...settings })
  const { auth_url: authUrl } = JSON.parse(readFileSync(join(dataDir, 'server.json'), 'utf8'))
  const origin = `http://127.0.0.1:${new URL(authUrl as string).port}`
  const get = (path: string, headers: Record<string, string> = { Accept: browserAccepts }): Promise<Answer> =>
    http.send({ method: 'GET', url: origin + path, headers })
  return { ...server, url: scratch.url, dataDir, origin, get }
}

/** Pages of the docs that show addresses of the server. */
const operationPage = '/docs/reference/records/create'
const oauthGuide = '/docs/guides/connect-an-app'

describe('a newcomer', () => {
  test(
    'is led to the reference, which names this server, and meets pages',
    { timeout: 60_000 },
    async ({ onTestFinished }) => {
      const server = await serverOf({ CORS_ORIGIN: 'https://app.example.com', KONTOR_DEMOO: '1' }, onTestFinished)
      const first = await server.get('/')
      expect([first.status, first.headers['location']]).toEqual([302, 'docs/'])
      for (const accept of ['application/json', '*/*'])
        expect(await server.get('/', { Accept: accept })).toMatchObject({
          status: 404,
          body: { errors: [{ code: 'not_found' }] },
        })

      expect((await server.get('/docs/')).body).toContain('<h1>Kontor</h1>')
      const reference = await server.get(operationPage)
      expect(reference.status).toBe(200)
      expect(reference.body).toContain(`${server.origin}/v1/workspaces`)
      expect(reference.body).not.toContain('127.0.0.1:4000')
      expect((await server.get(oauthGuide)).body).toContain(server.origin)
      expect((await server.get(operationPage, { 'If-None-Match': reference.headers['etag']! })).status).toBe(304)
      expect((await server.get('/docs')).headers['location']).toBe('docs/')

      for (const path of ['/auth/nothing', '/auth/account/nothing/here']) {
        const { status, headers, body } = await server.get(path)
        expect([path, status, headers['content-type']]).toEqual([path, 404, 'text/html; charset=utf-8'])
        expect(body).toContain('Page not found')
        expect(headers['content-security-policy']).toContain("default-src 'none'")
      }

      expect(server.output()).toContain('Kontor has no setting CORS_ORIGIN. Did you mean CORS_ORIGINS?')
      expect(server.output()).toContain('Kontor has no setting KONTOR_DEMOO. Did you mean KONTOR_DEMO?')
    },
  )

  test('is told each refused origin once', { timeout: 60_000 }, async ({ onTestFinished }) => {
    const server = await serverOf({ CORS_ORIGINS: 'https://app.example.com' }, onTestFinished)
    for (const origin of [
      'https://other.example.com',
      'https://other.example.com',
      'https://app.example.com',
      server.origin,
    ])
      await server.get('/v1/workspaces', { Origin: origin })
    for (let index = 0; index < 150; index++)
      await server.get('/v1/workspaces', { Origin: `https://hostile-${index}.example.com` })
    await server.terminate()
    const told = server
      .output()
      .split('\n')
      .filter((line) => line.includes('CORS_ORIGINS='))
    expect(told.filter((line) => line.includes('other.example.com'))).toHaveLength(1)
    expect(told.filter((line) => line.includes('//app.example.com') || line.includes(server.origin))).toEqual([])
    expect(told.length).toBeLessThanOrEqual(100)
  })

  test('finds the public address in the reference of a server behind a proxy', { timeout: 60_000 }, async () => {
    const { origin, http: client } = await startApp({
      baseUrl: 'https://crm.example.com/api/v1',
      authUrl: 'https://sign-in.example.com',
    })
    const textOf = async (path: string) => (await client.send({ method: 'GET', url: `${origin}${path}` })).body
    expect(await textOf(operationPage)).toContain('https://crm.example.com/api/v1/workspaces')
    expect(await textOf(oauthGuide)).toContain('https://sign-in.example.com')
    for (const path of [operationPage, oauthGuide]) expect(await textOf(path)).not.toContain('127.0.0.1:4000')
  })

  test('gets in by the commands that an empty server prints', { timeout: 90_000 }, async ({ onTestFinished }) => {
    const server = await serverOf({ KONTOR_DEMO: '0' }, onTestFinished)
    await expect.poll(server.output).toContain('There is no workspace yet')
    expect(server.output()).toContain('with the same DATA_DIR and DATABASE_URL:')
    const steps = [...server.output().matchAll(/^ {2}npm run -s kontor -- (.+@example\.com.*)$/gm)].map(
      ([, line = '']) => line.split(' '),
    )
    expect(steps.map(([noun, verb]) => `${noun} ${verb}`)).toEqual([
      'workspace create',
      'user password-link',
      'key create',
    ])
    const env = { DATABASE_URL: server.url, DATA_DIR: server.dataDir }
    const [made, link, key] = [await kontor(steps[0]!, env), await kontor(steps[1]!, env), await kontor(steps[2]!, env)]
    expect([made.code, link.code, key.code], made.stderr + link.stderr + key.stderr).toEqual([0, 0, 0])
    // The port was given to the server alone: the command line has it from the server.
    expect(link.stdout).toContain(`${server.origin}/auth/password?token=`)
    expect((await http.send({ method: 'GET', url: link.stdout.trim() })).body).toContain('Set the password')
    const listed = await kontor(['records', 'list', 'person', '--json'], {
      DATA_DIR: server.dataDir,
      KONTOR_API_KEY: key.stdout.trim(),
      KONTOR_WORKSPACE: 'acme',
    })
    expect(listed).toMatchObject({ code: 0, json: { data: [], meta: { total_records: 0 } } })
    await server.terminate()
    const again = await startServer(server.url, { DATA_DIR: await scratchFolder() })
    await again.terminate()
    expect(again.output()).not.toContain('There is no workspace yet')
  })

  test('finds the same version everywhere', { timeout: 60_000 }, async ({ onTestFinished }) => {
    const server = await serverOf({}, onTestFinished)
    expect((await kontor(['--version'])).stdout).toBe(`${version}\n`)
    for (const path of ['/v1/openapi.json', '/actions/openapi.json'])
      expect((await server.get(path)).body.info.version, path).toBe(version)
    expect((await server.get('/docs/guides/versions')).body).toContain(`Kontor ${version}`)
    const packages = ['.', 'packages/cli', 'packages/client', 'packages/contract', 'packages/docs', 'packages/server']
    for (const one of packages)
      expect(JSON.parse(readFileSync(new URL(`../../${one}/package.json`, import.meta.url), 'utf8')).version, one).toBe(
        version,
      )
  })
})

describe('what a server writes of its address', () => {
  test('is gone after a clean stop, and harmless where it stayed', { timeout: 60_000 }, async ({ onTestFinished }) => {
    const server = await serverOf({}, onTestFinished)
    const env = { DATA_DIR: server.dataDir, KONTOR_API_KEY: 'pk_none', KONTOR_WORKSPACE: 'acme' }
    expect((await kontor(['records', 'list', 'person'], env)).stderr).toContain('Check --api-key')
    await server.kill()
    // No server has this address any more: the usual one is tried, and the one that is given wins.
    expect((await kontor(['records', 'list', 'person'], env)).stderr).not.toContain(server.origin)
    const next = await startServer(server.url, { DATA_DIR: server.dataDir })
    expect((await kontor(['records', 'list', 'person'], env)).stderr).toContain('Check --api-key')
    expect(
      (await kontor(['records', 'list', 'person'], { ...env, KONTOR_BASE_URL: 'http://127.0.0.1:9/v1' })).stderr,
    ).toContain('http://127.0.0.1:9/v1')
    expect(await next.terminate()).toBe(0)
    expect(() => readFileSync(join(server.dataDir, 'server.json'))).toThrow(/ENOENT/)
  })
})
