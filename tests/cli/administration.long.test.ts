import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyDatabase, type ScratchDatabase } from '../harness/database.ts'
import { failed, answered } from './kontor.ts'

let scratch: ScratchDatabase
const run = (...args: string[]) => answered(args, { DATABASE_URL: scratch.url, LOG_LEVEL: 'silent' })

const add = (email: string, ...args: string[]) => [
  'user',
  'add',
  '--workspace',
  'walk',
  '--email',
  email,
  '--role',
  'member',
  ...args,
]

const createKey = (email: string, kind: string) =>
  run('key', 'create', '--workspace', 'walk', '--email', email, '--kind', kind)

beforeAll(async () => {
  scratch = await emptyDatabase()
})
afterAll(() => scratch.remove())

describe('an empty database is set up', () => {
  test('migrate --status changes nothing', async () => {
    const { code, json } = await run('migrate', '--status', '--json')
    expect({ code, json }).toMatchObject({ code: 0, json: { current: 0, applied: [] } })
    expect(json.pending).toHaveLength(json.latest)
  })

  test('migrate makes the tables', async () => {
    const { json } = await run('migrate', '--json')
    expect(json).toMatchObject({ current: json.latest, pending: [] })
    expect(json.applied).toHaveLength(json.latest)
    expect((await run('migrate')).stdout).toContain('up to date')
  })

  test('migrate goes back only when it is told to', async () => {
    expect(await run('migrate', '--to', '0')).toMatchObject(failed(1, /removes tables and their data. Add --down/))
    const { json } = await run('migrate', '--to', '0', '--down', '--json')
    expect(json).toMatchObject({ current: 0, applied: [] })
    expect((await run('migrate', '--json')).json.pending).toEqual([])
    expect(await run('migrate', '--to', '99')).toMatchObject(failed(1, /There is no migration 99/))
  })

  test('workspace create', async () => {
    const { code, json } = await run(
      'workspace',
      'create',
      '--slug',
      'walk',
      '--name',
      'Walk',
      '--admin-email',
      'a@example.com',
      '--json',
    )
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/)
    expect({ code, json }).toEqual({
      code: 0,
      json: { workspace: { id, slug: 'walk', name: 'Walk' }, user: { id, email: 'a@example.com' } },
    })
  })

  test.each([
    [['--slug', 'walk'], /The workspace "walk" already exists/],
    [['--slug', 'Not A Slug'], /The slug cannot be "Not A Slug": .*lower-case letters/],
    [['--slug', 'other', '--admin-email', 'unknown'], /The e-mail address of the admin cannot be "unknown"/],
  ])('workspace create refuses %j', async (args, message) => {
    expect(await run('workspace', 'create', '--name', 'Walk', '--admin-email', 'a@example.com', ...args)).toMatchObject(
      failed(1, message),
    )
  })

  test('user add', async () => {
    const { json } = await run(
      'user',
      'add',
      '--workspace',
      'walk',
      '--email',
      'b@example.com',
      '--role',
      'member',
      '--name',
      'Zoë',
      '--json',
    )
    expect(json).toEqual({ id: expect.any(String), email: 'b@example.com', role: 'member' })
    expect(
      await run('user', 'add', '--workspace', 'walk', '--email', 'B@example.com', '--role', 'viewer'),
    ).toMatchObject(failed(1, /is already a member of "walk"/))
    expect(
      await run('user', 'add', '--workspace', 'wlk', '--email', 'c@example.com', '--role', 'viewer'),
    ).toMatchObject(failed(1, /There is no workspace "wlk"/))
  })

  test('user add takes a first password, as a value or as a line of stdin', async () => {
    expect((await run(...add('p@example.com', '--password', 'quiet rivers run deep', '--json'))).json).toMatchObject({
      email: 'p@example.com',
    })
    expect(
      (
        await answered(
          add('q@example.com', '--json', '--password'),
          { DATABASE_URL: scratch.url, LOG_LEVEL: 'silent' },
          'quiet rivers run deep\n',
        )
      ).json,
    ).toMatchObject({ email: 'q@example.com' })
    expect(await run(...add('r@example.com', '--password', 'short'))).toMatchObject(
      failed(1, /The password is not accepted. Use at least 12 characters/),
    )
    // A person who could not be given a password was not added either.
    expect(await run('user', 'password-link', '--email', 'r@example.com')).toMatchObject(
      failed(1, /There is no user with the e-mail address r@example.com/),
    )
    await run('workspace', 'create', '--slug', 'beside', '--name', 'Beside', '--admin-email', 'z@example.com')
    const again = await run(
      'user',
      'add',
      '--workspace',
      'beside',
      '--email',
      'p@example.com',
      '--role',
      'member',
      '--password',
      'another long password',
    )
    expect(again).toMatchObject(failed(1, /p@example.com has a password already/))
  })

  test('user password-link', async () => {
    const { json } = await run('user', 'password-link', '--email', 'B@example.com', '--json')
    expect(json).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:4000\/auth\/password\?token=[\w-]{43}$/),
    })
    expect(await run('user', 'password-link', '--email', 'unknown@example.com')).toMatchObject(
      failed(1, /There is no user/),
    )
  })

  test('token', async () => {
    const { json } = await run('token', '--email', 'b@example.com', '--json')
    expect(json).toEqual({ access_token: expect.stringMatching(/^ey[\w-]+\.[\w-]+\.[\w-]+$/), expires_in: 3600 })
    const plain = await run('token', '--email', 'b@example.com')
    expect(plain.stdout).toMatch(/^ey\S+\n$/)
    expect(await run('token', '--email', 'unknown@example.com')).toMatchObject(
      failed(1, /There is no user with the e-mail address unknown@example.com/),
    )
  })

  test('key create', async () => {
    const { json } = await run(
      'key',
      'create',
      '--workspace',
      'walk',
      '--email',
      'b@example.com',
      '--kind',
      'personal',
      '--scopes',
      'records:read,schemas:read',
      '--name',
      'Reader',
      '--json',
    )
    expect(json).toEqual({
      type: 'api-key',
      id: expect.any(String),
      attributes: expect.objectContaining({
        name: 'Reader',
        scopes: ['records:read', 'schemas:read'],
        cleartext_api_key: expect.stringMatching(/^kp_/),
      }),
    })
    const workspaceKey = await run(
      'key',
      'create',
      '--workspace',
      'walk',
      '--email',
      'a@example.com',
      '--kind',
      'workspace',
    )
    expect(workspaceKey.stdout).toMatch(/^kw_\S+\n$/)
  })

  test('what there is is listed', async () => {
    expect((await run('workspace', 'list', '--json')).json).toMatchObject([
      { slug: 'beside', members: 1 },
      { slug: 'walk', name: 'Walk', members: 4 },
    ])
    expect((await run('workspace', 'list')).stdout).toMatch(/^slug +name +members +created_at\nbeside /)
    expect((await run('user', 'list', '--workspace', 'walk', '--json')).json).toContainEqual({
      id: expect.any(String),
      email: 'b@example.com',
      name: 'Zoë',
      role: 'member',
      last_active_at: expect.anything(),
    })
    const keys = (await run('key', 'list', '--workspace', 'walk', '--json')).json
    expect(keys).toMatchObject([
      { kind: 'personal', name: 'Reader', email: 'b@example.com', scopes: ['records:read', 'schemas:read'] },
      { kind: 'workspace', email: 'a@example.com' },
    ])
    expect(JSON.stringify(keys)).not.toMatch(/hash|cleartext/)
    expect(await run('user', 'list', '--workspace', 'wlk')).toMatchObject(failed(1, /There is no workspace "wlk"/))
  })

  test('key revoke ends a key', async () => {
    const [{ id }] = (await run('key', 'list', '--workspace', 'walk', '--json')).json
    expect(await run('key', 'revoke', id, '--workspace', 'beside')).toMatchObject(failed(1, /There is no API key/))
    expect(await run('key', 'revoke', id, '--workspace', 'walk')).toMatchObject({
      code: 0,
      stdout: `Revoked the key ${id}.\n`,
    })
    expect((await run('key', 'list', '--workspace', 'walk', '--json')).json).toHaveLength(1)
    expect(await run('key', 'revoke', id, '--workspace', 'walk')).toMatchObject(failed(1, /There is no API key/))
  })

  test('user remove keeps the rules of the API', async () => {
    const remove = (email: string) => run('user', 'remove', '--workspace', 'walk', '--email', email)
    expect(await remove('p@example.com')).toMatchObject({
      code: 0,
      stdout: 'p@example.com is no longer a member of "walk".\n',
    })
    expect(await remove('p@example.com')).toMatchObject(failed(1, /is not a member of "walk"/))
    expect(await remove('a@example.com')).toMatchObject(failed(1, /This is the last admin of the workspace/))
    expect(
      (await run('user', 'list', '--workspace', 'walk', '--json')).json.map(({ email }: { email: string }) => email),
    ).not.toContain('p@example.com')
  })

  test('key create keeps the rules of the API', async () => {
    expect(await createKey('b@example.com', 'workspace')).toMatchObject(failed(1, /Only admins create workspace keys/))
    expect(await createKey('stranger@example.com', 'personal')).toMatchObject(failed(1, /is not a member of "walk"/))
  })
})

describe('a database that cannot be opened is told in words', () => {
  test.each([
    ['postgres://unknown@127.0.0.1:1/none', /No database responds at DATABASE_URL/],
    ['mysql://x', /must be sqlite:PATH or postgres/],
    ['sqlite:/dev/null/x.db', /A file is in the place of a folder/],
  ])('%s', async (url, message) => {
    expect(await answered(['token', '--email', 'a@example.com'], { DATABASE_URL: url })).toMatchObject(
      failed(1, message),
    )
  })
})
