import { createHash } from 'node:crypto'
import * as oauth from 'openid-client'
import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { allow, ask, redeem, type AuthorizationRequest, type ThirdParty } from '../harness/oauth.ts'

const app = await startApp()
const visitor = await app.oauth.visitor('member')
const confidential = await app.oauth.register()
const open = await app.oauth.register({ type: 'public', name: 'Desk' })

type Code = AuthorizationRequest & { readonly returned: string; readonly code: string }

/** A fresh code, as it came back to the app. */
async function codeFor(third: ThirdParty, parameters?: Readonly<Record<string, string>>): Promise<Code> {
  const asked = await ask(third, 'openid records:read', parameters)
  const page = await visitor.open(asked.url)
  const returned = page.location ?? (await allow(visitor, page))
  return { ...asked, returned, code: new URL(returned).searchParams.get('code') as string }
}

type Form = Readonly<Record<string, string | undefined>>

/** The token endpoint, asked by hand. */
async function token(form: Form, headers: Readonly<Record<string, string>> = {}) {
  const body = new URLSearchParams(
    Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  return app.http.send({
    method: 'POST',
    url: `${app.origin}/oauth2/token`,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: body.toString(),
  })
}

const basic = ({ clientId, secret = '' }: ThirdParty, given = secret) => ({
  Authorization: `Basic ${Buffer.from(`${clientId}:${given}`).toString('base64')}`,
})

const redemption = ({ code, verifier }: Code, third: ThirdParty): Form => ({
  grant_type: 'authorization_code',
  code,
  redirect_uri: third.redirectUri,
  code_verifier: verifier,
})

const status = (accessToken: string) =>
  app.api.get('/workspaces', { as: { authorization: `Bearer ${accessToken}` } }).then((answer) => answer.status)

describe('a code', () => {
  test('is good once; bringing it again ends what came of it', async () => {
    const fresh = await codeFor(confidential)
    const tokens = await redeem(confidential, fresh, fresh.returned)
    expect(await status(tokens.access_token)).toBe(200)
    await expect(redeem(confidential, fresh, fresh.returned)).rejects.toMatchObject({ error: 'invalid_grant' })
    expect(await status(tokens.access_token)).toBe(401)
  })

  test('brought several times at once gives nothing that lasts but to one, if to anyone', async () => {
    const fresh = await codeFor(confidential)
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => token(redemption(fresh, confidential), basic(confidential))),
    )
    const won = answers.filter((answer) => answer.status === 200)
    expect(won.length).toBeLessThan(2)
    expect(answers.filter((answer) => answer.status === 400 && answer.body.error === 'invalid_grant')).toHaveLength(
      5 - won.length,
    )
    for (const { body } of won) expect(await status(body.access_token)).toBe(401)
  })

  test('is good for a minute', async () => {
    const fresh = await codeFor(confidential)
    await app.advance(61_000)
    expect((await token(redemption(fresh, confidential), basic(confidential))).body).toMatchObject({
      error: 'invalid_grant',
    })
  })

  const wrong: [string, (code: Code) => [Form, ThirdParty?]][] = [
    ['with another verifier', (code) => [{ ...redemption(code, open), code_verifier: oauth.randomPKCECodeVerifier() }]],
    ['without its verifier', (code) => [{ ...redemption(code, open), code_verifier: undefined }]],
    ['with another address', (code) => [{ ...redemption(code, open), redirect_uri: 'https://app.example.com/other' }]],
    ['by another app', (code) => [redemption(code, open), confidential]],
    [
      'with a letter changed',
      (code) => [{ ...redemption(code, open), code: code.code.slice(0, -1) + (code.code.endsWith('A') ? 'B' : 'A') }],
    ],
  ]
  test.for(wrong)('%s is refused', async ([, change]) => {
    const fresh = await codeFor(open)
    const [form, third] = change(fresh)
    const { status: refused, body } = await (third === undefined
      ? token({ ...form, client_id: open.clientId })
      : token(form, basic(third)))
    expect([refused, body.error]).toEqual([400, 'invalid_grant'])
  })
})

describe('an app that does not prove itself', () => {
  const wrong: [string, () => [Form, Readonly<Record<string, string>>?]][] = [
    ['with a wrong secret', () => [{}, basic(confidential, 'kcs_wrong')]],
    [
      'with the hash of its secret',
      () => [
        {},
        basic(
          confidential,
          createHash('sha256')
            .update(confidential.secret ?? '')
            .digest('base64url'),
        ),
      ],
    ],
    ['with an empty secret', () => [{ client_id: confidential.clientId, client_secret: '' }]],
    ['without a secret', () => [{ client_id: confidential.clientId }]],
    ['with a secret that it does not have', () => [{}, basic(open, 'kcs_made_up')]],
    ['that is unknown', () => [{ client_id: '01890000-0000-7000-8000-000000000000', client_secret: 'x' }]],
    ['whose id is none', () => [{ client_id: "x'; drop table oauth_client", client_secret: 'x' }]],
  ]
  test.for(wrong)('%s gets nothing', async ([, given]) => {
    const fresh = await codeFor(confidential)
    const [form, headers] = given()
    const {
      status: refused,
      body,
      headers: answered,
    } = await token({ ...redemption(fresh, confidential), ...form }, headers)
    expect([refused, body.error]).toEqual([401, 'invalid_client'])
    if (headers !== undefined) expect(answered['www-authenticate']).toMatch(/^Basic/)
    expect(Object.keys(body).toSorted()).toEqual(['error', 'error_description'])
  })
})

describe('PKCE', () => {
  const refusals: [string, ThirdParty, Readonly<Record<string, string | undefined>>][] = [
    ['is required of an app without a secret', open, { code_challenge: undefined, code_challenge_method: undefined }],
    ['must not be plain', open, { code_challenge_method: 'plain' }],
    ['must not be plain for an app with a secret either', confidential, { code_challenge_method: 'plain' }],
    ['must name its method', open, { code_challenge_method: undefined }],
  ]
  test.for(refusals)('%s', async ([, third, change]) => {
    const url = new URL((await ask(third, 'openid records:read')).url)
    for (const [name, value] of Object.entries(change)) {
      if (value === undefined) url.searchParams.delete(name)
      else url.searchParams.set(name, value)
    }
    const returned = new URL((await visitor.open(url.href)).location as string)
    expect(returned.origin + returned.pathname).toBe(third.redirectUri)
    expect(returned.searchParams.get('error')).toBe('invalid_request')
    expect(returned.searchParams.has('code')).toBe(false)
  })

  test('may be left out by an app with a secret', async () => {
    const url = new URL((await ask(confidential, 'openid records:read')).url)
    for (const name of ['code_challenge', 'code_challenge_method']) url.searchParams.delete(name)
    const page = await visitor.open(url.href)
    const code = new URL(page.location ?? (await allow(visitor, page))).searchParams.get('code') as string
    expect(
      (
        await token(
          { grant_type: 'authorization_code', code, redirect_uri: confidential.redirectUri },
          basic(confidential),
        )
      ).status,
    ).toBe(200)
  })
})

test.for(['password', 'client_credentials', 'implicit', 'urn:ietf:params:oauth:grant-type:device_code'])(
  'there is no way in by %s',
  async (grant_type) => {
    const { status: refused, body } = await token(
      { grant_type, username: 'member@example.com', password: 'x', scope: 'records:read' },
      basic(confidential),
    )
    expect(refused).toBe(400)
    expect(['unsupported_grant_type', 'invalid_request']).toContain(body.error)
  },
)
