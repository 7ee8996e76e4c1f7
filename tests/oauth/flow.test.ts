import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { allow, ask, redeem } from '../harness/oauth.ts'

const app = await startApp()

test('an app on a server reads what a member lets it read', async () => {
  const third = await app.oauth.register()
  const visitor = await app.oauth.visitor('member')
  const asked = await ask(third, 'openid profile email offline_access records:read')
  const page = await visitor.open(asked.url)
  expect(page.text).toContain('Let Mail Merge in?')
  const tokens = await redeem(third, asked, await allow(visitor, page))
  expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'openid profile email offline_access records:read' })
  const as = { authorization: `Bearer ${tokens.access_token}` }
  expect((await app.api.get('/workspaces', { as })).status).toBe(200)
  expect((await app.api.get('/workspaces/acme/objects/person/resources', { as })).status).toBe(200)
})
