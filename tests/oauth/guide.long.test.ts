import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { snippetsOf, tabsOf } from '../guides/snippets.ts'
import { startApp } from '../harness/app.ts'
import { freePort } from '../harness/free-port.ts'
import { allow } from '../harness/oauth.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { until } from '../harness/until.ts'

const app = await startApp()
const root = fileURLToPath(new URL('../..', import.meta.url))
const blocks = snippetsOf('connect-an-app')
  .filter(({ language }) => language.startsWith('sh'))
  .map(({ text }) => text)

/** Runs the commands of the guide one after another in one shell's words, and keeps what they have set. */
async function run(commands: string, variables: Readonly<Record<string, string>>, folder: string) {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    DATABASE_URL: app.databaseUrl,
    ...variables,
  }
  const script =
    `cd ${folder}; npm() { command npm --prefix ${root} "$@"; ` +
    `}\n${commands.replace('AUTH_URL=http://127.0.0.1:4000', `AUTH_URL=${app.origin}`)}\nprintf '\\n--\\n'; set`
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { env, maxBuffer: 4e6 })
  const [output = '', set = ''] = stdout.split('\n--\n')
  const names = ['AUTH_URL', 'CLIENT_ID', 'VERIFIER', 'STATE', 'ACCESS_TOKEN', 'REFRESH_TOKEN']
  const kept = names.flatMap((name): [string, string][] => {
    const value = new RegExp(`^${name}=(.*)$`, 'm').exec(set)?.[1]
    return value === undefined ? [] : [[name, value.replaceAll("'", '')]]
  })
  return { output: output.trim(), variables: { ...variables, ...Object.fromEntries(kept) } }
}

test('the commands of the guide do what it says', { timeout: 60_000 }, async () => {
  const folder = await scratchFolder()
  const [
    register = '',
    addUser = '',
    askFor = '',
    redeem = '',
    call = '',
    refresh = '',
    look = '',
    letGo = '',
    ...others
  ] = blocks
  expect(others).toEqual([])
  const registered = await run(register, {}, folder)
  expect(registered.variables['CLIENT_ID']).toMatch(/^[\da-f-]{36}$/)
  expect((await run(addUser, registered.variables, folder)).output).toContain(
    'Added nora@example.com to "acme" as member.',
  )

  const asked = await run(askFor, registered.variables, folder)
  const visitor = await app.oauth.visitor('member')
  const returned = new URL(await allow(visitor, await visitor.open(asked.output)))
  expect(returned.searchParams.get('state')).toBe(asked.variables['STATE'])

  const redeemed = await run(redeem, { ...asked.variables, CODE: returned.searchParams.get('code') as string }, folder)
  expect(JSON.parse(redeemed.output)).toMatchObject({
    scope: 'openid email offline_access records:read',
    token_type: 'Bearer',
    expires_in: 3600,
  })
  const called = await run(call, redeemed.variables, folder)
  expect(called.output).toContain('"slug":"acme"')
  expect(called.output).toContain('"email":"member@example.com"')

  const refreshed = await run(refresh, redeemed.variables, folder)
  expect(refreshed.variables['ACCESS_TOKEN']).not.toBe(redeemed.variables['ACCESS_TOKEN'])
  expect((await run(look, refreshed.variables, folder)).output).toContain('"active":true')
  const gone = await run(letGo, refreshed.variables, folder)
  expect(gone.output).toMatch(/^{}200\n/)
  expect(gone.output).toContain('unauthenticated')
})

const programs = { ts: [process.execPath, 'app.ts'], python: ['python3', 'app.py'] } as const

test.for(['ts', 'python'] as const)('the program in %s signs a person in', { timeout: 60_000 }, async (language) => {
  const folder = await scratchFolder()
  const port = String(await freePort())
  const { clientId } = await app.oauth.register({ type: 'public', redirectUris: ['http://127.0.0.1:8765/callback'] })
  const [command, file] = programs[language]
  const program = tabsOf('connect-an-app', language, 'tab no-run')
  writeFileSync(join(folder, file), program.replace('http://127.0.0.1:4000', app.origin).replaceAll('8765', port))
  const running = spawn(command, [file], { cwd: folder, env: { PATH: process.env['PATH'], CLIENT_ID: clientId } })
  let output = ''
  for (const stream of [running.stdout, running.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = once(running, 'close')
  const [address] = await until(() => /^http:.*$/m.exec(output) ?? undefined, { what: () => output })
  const visitor = await app.oauth.visitor('member')
  const returned = await allow(visitor, await visitor.open(address))
  // The program prints the address before it listens.
  await until(() =>
    fetch(returned).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  expect({ code: (await ended)[0], output }).toMatchObject({ code: 0 })
  const [, signedIn = '', introspected = '', revoked = ''] = output.split(/^(?=\[?\{|200)/m)
  expect(signedIn).toContain('workspace')
  expect(signedIn).toContain('member@example.com')
  expect(introspected).toMatch(/active['"]?: [tT]rue/)
  expect(revoked).toMatch(/^200[\s\S]*unauthenticated/)
})
