import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyDatabase, type ScratchDatabase } from '../harness/database.ts'
import { failed, answered } from './kontor.ts'

let scratch: ScratchDatabase
const run = (...args: string[]) => answered(args, { DATABASE_URL: scratch.url, LOG_LEVEL: 'silent' })
const create = (...args: string[]) => run('oauth-client', 'create', '--name', 'Mail Merge', ...args)

const id = expect.stringMatching(/^[0-9a-f-]{36}$/)
const secret = expect.stringMatching(/^kcs_[\w-]{43}$/)
const web = 'https://mail.example.com/callback'

beforeAll(async () => {
  scratch = await emptyDatabase()
})
afterAll(() => scratch.remove())

describe('an app is registered', () => {
  test('with a secret, which is shown only once', async () => {
    const { code, json } = await create('--redirect-uri', web, '--confidential', '--json')
    expect({ code, json }).toEqual({ code: 0, json: { client_id: id, client_secret: secret } })
    expect((await run('oauth-client', 'list', '--json')).stdout).not.toContain(json.client_secret)
  })

  test('without one, at several addresses', async () => {
    const { json } = await create(
      '--redirect-uri',
      'http://127.0.0.1/callback',
      'com.example.mail:/callback',
      '--redirect-uri',
      web,
      '--public',
      '--json',
    )
    expect(json).toEqual({ client_id: id })
    const { json: listed } = await run('oauth-client', 'list', '--json')
    expect(listed.at(-1)).toEqual({
      client_id: json.client_id,
      name: 'Mail Merge',
      type: 'public',
      redirect_uris: ['http://127.0.0.1/callback', 'com.example.mail:/callback', web],
      scopes: null,
      created_at: expect.any(String),
    })
  })

  test('and told to a person line by line', async () => {
    const { stdout, stderr } = await create('--redirect-uri', web, '--confidential')
    expect(stdout).toMatch(/^client_id {6}[0-9a-f-]{36}\nclient_secret {2}kcs_\S+\n$/)
    expect(stderr).toContain('shown only once')
    expect((await run('oauth-client', 'list')).stdout).toContain(`confidential  Mail Merge  ${web}`)
  })

  test.each([
    [[], /required option '--redirect-uri <uri...>'/, 2],
    [['--redirect-uri', web], /--public or --confidential/, 2],
    [['--redirect-uri', web, '--public', '--confidential'], /cannot be used with/, 2],
    [['--redirect-uri', 'http://mail.example.com/callback', '--public'], /must begin with https:/, 1],
    [['--redirect-uri', 'javascript:alert(1)', '--public'], /must begin with https:/, 1],
    [['--redirect-uri', 'data:text/html,x', '--public'], /must begin with https:/, 1],
    [['--redirect-uri', 'myapp:/callback', '--public'], /com\.example\.app:/, 1],
    [['--redirect-uri', 'com.example.mail:/callback', '--confidential'], /must begin with https:/, 1],
    [['--redirect-uri', 'https://*.example.com/callback', '--confidential'], /list each address/, 1],
    [['--redirect-uri', `${web}#here`, '--confidential'], /must not contain a "#"/, 1],
    [
      ['--redirect-uri', 'https://a:b@mail.example.com/', '--confidential'],
      /must not contain a user name or password/,
      1,
    ],
    [['--redirect-uri', 'mail.example.com', '--confidential'], /is not a valid address/, 1],
  ] as const)('but not with %j', async (args, message, code) => {
    expect(await create(...args)).toMatchObject(failed(code, message))
  })
})

describe('an app that is registered', () => {
  test('gets another secret', async () => {
    const { json } = await create('--redirect-uri', web, '--confidential', '--json')
    const { json: rotated } = await run('oauth-client', 'rotate-secret', json.client_id, '--json')
    expect(rotated).toEqual({ client_id: json.client_id, client_secret: secret })
    expect(rotated.client_secret).not.toBe(json.client_secret)
    expect((await run('oauth-client', 'rotate-secret', json.client_id)).stdout).toMatch(/^kcs_\S+\n$/)
    expect(await run('oauth-client', 'rotate-secret', 'unknown')).toMatchObject(failed(1, /There is no app "unknown"/))
    const { json: open } = await create('--redirect-uri', web, '--public', '--json')
    expect(await run('oauth-client', 'rotate-secret', open.client_id)).toMatchObject(failed(1, /has no secret/))
  })

  test('is removed', async () => {
    const { json } = await create('--redirect-uri', web, '--public', '--json')
    expect(await run('oauth-client', 'remove', json.client_id)).toMatchObject({ code: 0 })
    expect(await run('oauth-client', 'remove', json.client_id)).toMatchObject(failed(1, /There is no app/))
  })
})

test('signing-key rotate', async () => {
  const { json } = await run('signing-key', 'rotate', '--json')
  expect(json).toEqual({ kid: expect.any(String) })
  const { stdout, stderr } = await run('signing-key', 'rotate', '--drop-others')
  expect(stdout).not.toContain(json.kid)
  expect(stderr).toContain('no longer accepted')
})
