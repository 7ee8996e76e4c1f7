import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { allow } from '../harness/oauth.ts'
import { scratchFolder } from '../harness/scratch.ts'

const app = await startApp()
const root = fileURLToPath(new URL('../..', import.meta.url))
const guide = readFileSync(join(root, 'packages/docs/pages/connect-an-app.md'), 'utf8')
const blocks = [...guide.matchAll(/```sh no-run\n([\s\S]*?)```/g)].map(([, text = '']) => text)

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
  expect(JSON.parse(registered.output)).toEqual({ client_id: registered.variables['CLIENT_ID'] })
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
  expect(gone.output).toMatch(/^200\n/)
  expect(gone.output).toContain('unauthenticated')
})
