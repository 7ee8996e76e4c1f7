import { describe, expect, test } from 'vitest'
import { isMutation, namedScopes, personalScopes, scopes, type Endpoint } from '@kontor/contract'
import { startApp } from '../harness/app.ts'
import { connect, type ThirdParty } from '../harness/oauth.ts'
import type { Caller } from '../harness/people.ts'
import { turnOf } from '../harness/size.ts'
import { closed, exampleInput, leastScopeOf } from './endpoints.ts'
import { expectError, expectSuccess } from './expect.ts'
import { rest, surfaces } from './surfaces.ts'

const app = await startApp()
const third = await app.oauth.register()
const visitor = await app.oauth.visitor('admin')

/** An app with these scopes, acting for an admin. */
async function appWith(party: ThirdParty, ...wanted: readonly string[]): Promise<Caller> {
  return { authorization: `Bearer ${(await connect(party, visitor, wanted.join(' '))).access_token}` }
}

const signsIn = await app.oauth.register({ scopes: ['openid'] })
const registered = await app.oauth.register({ scopes: [...scopes, ...personalScopes] })

const guest = await appWith(signsIn, 'openid', 'profile', 'email', 'offline_access')
const everything = await appWith(third, 'openid', 'profile', 'email', 'offline_access')
const trusted = await appWith(registered, 'openid', ...scopes, ...personalScopes)

/** Returns whether the registration of an app has to name the scope that opens an endpoint. */
const isNamed = ({ scope, openToApps }: Endpoint): boolean =>
  scope === null ? openToApps !== true : namedScopes.includes(scope)

describe('an app of a third party', () => {
  test.for(turnOf(0, closed))(
    '%s: does nothing without a scope of the API, on any surface',
    async ([name, endpoint]) => {
      const input = await exampleInput(app, name, endpoint)
      await app.events()
      for (const surface of Object.values(surfaces)) {
        const outcome = await surface(app, name, endpoint, input, { as: guest })
        expectError(endpoint, outcome, 'insufficient_scope')
        expect(outcome.body.errors[0].meta).toMatchObject({
          required:
            leastScopeOf(endpoint, input) ?? (typeof endpoint.openToApps === 'string' ? endpoint.openToApps : null),
          granted: [],
        })
      }
      expect(await app.events()).toEqual([])
    },
  )

  test.for(
    turnOf(
      1,
      closed.filter(([, endpoint]) => !isNamed(endpoint)),
    ),
  )('%s: that names no scope of the API does what its registration allows', async ([name, endpoint]) => {
    expectSuccess(
      endpoint,
      await rest(app, name, endpoint, await exampleInput(app, name, endpoint), { as: everything }),
    )
  })

  test.for(
    turnOf(
      2,
      closed.filter(([, endpoint]) => isNamed(endpoint)),
    ),
  )('%s: does what stays with the person only where its registration names it', async ([name, endpoint]) => {
    const input = await exampleInput(app, name, endpoint)
    for (const surface of Object.values(surfaces))
      expectError(endpoint, await surface(app, name, endpoint, input, { as: everything }), 'insufficient_scope')
    const outcome = await rest(app, name, endpoint, input, { as: trusted })
    // The key that is there may do more than an app, which may not change it then.
    if (endpoint.path.includes('/api-keys/{id}') && isMutation(endpoint)) expectError(endpoint, outcome, 'forbidden')
    else expectSuccess(endpoint, outcome)
  })
})
