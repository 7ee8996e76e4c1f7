import { describe, expect, test } from 'vitest'
import { scopes } from '@kontor/contract'
import { startApp } from '../harness/app.ts'
import { connect } from '../harness/oauth.ts'
import type { Caller } from '../harness/people.ts'
import { all, exampleInput, select } from './endpoints.ts'
import { expectError, expectSuccess } from './expect.ts'
import { rest, surfaces } from './surfaces.ts'

const app = await startApp()
const third = await app.oauth.register()
const visitor = await app.oauth.visitor('admin')

/** The app with these scopes, acting for an admin. */
async function appWith(...wanted: readonly string[]): Promise<Caller> {
  return { authorization: `Bearer ${(await connect(third, visitor, wanted.join(' '))).access_token}` }
}

const guest = await appWith('openid', 'profile', 'email', 'offline_access')
const trusted = await appWith('openid', ...scopes)

describe('an app of a third party', () => {
  test.for(all)('%s: does nothing without a scope of the API, on any surface', async ([name, endpoint]) => {
    const input = await exampleInput(app, name, endpoint)
    await app.events()
    for (const surface of Object.values(surfaces)) {
      const outcome = await surface(app, name, endpoint, input, { as: guest })
      expectError(endpoint, outcome, 'insufficient_scope')
      expect(outcome.body.errors[0].meta).toMatchObject({ required: endpoint.scope, granted: [] })
    }
    expect(await app.events()).toEqual([])
  })

  test.for(select(({ scope, openToApps }) => scope !== null || openToApps === true))('%s: does what its scopes say', async ([name, endpoint]) => {
    expectSuccess(endpoint, await rest(app, name, endpoint, await exampleInput(app, name, endpoint), { as: trusted }))
  })

  test.for(select(({ scope, openToApps }) => scope === null && openToApps === undefined))('%s: does not do what is for the person alone', async ([name, endpoint]) => {
    const input = await exampleInput(app, name, endpoint)
    for (const surface of Object.values(surfaces)) expectError(endpoint, await surface(app, name, endpoint, input, { as: trusted }), 'insufficient_scope')
  })
})
