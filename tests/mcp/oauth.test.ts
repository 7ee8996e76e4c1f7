import {
  Client,
  StreamableHTTPClientTransport,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { atEnd } from '../harness/at-end.ts'
import { startApp } from '../harness/app.ts'
import { mcpOf } from '../harness/mcp.ts'
import { allow, connect } from '../harness/oauth.ts'

const app = await startApp({ oauthRegistrationsPerHour: 10 })
const redirectUrl = 'https://agent.example.com/callback'
const address = new URL(`${app.origin}/mcp`)

/** A client that knows the address of the server alone, as an agent's maker writes it on the SDK. */
function strangerClient() {
  const kept: {
    client?: StoredOAuthClientInformation
    tokens?: StoredOAuthTokens
    discovery?: OAuthDiscoveryState
    verifier: string
    sentTo?: URL
  } = { verifier: '' }
  const authProvider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: 'Agent',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void Object.assign(kept, { client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void Object.assign(kept, { tokens }),
    redirectToAuthorization: (url) => void (kept.sentTo = url),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier,
    discoveryState: () => kept.discovery,
    saveDiscoveryState: (discovery) => void (kept.discovery = discovery),
  }
  return { kept, connectTo: () => new StreamableHTTPClientTransport(address, { authProvider }) }
}

test('a client that knows the address alone registers, is let in by a person, and acts for them', async () => {
  const { kept, connectTo } = strangerClient()
  const first = connectTo()
  await expect(new Client({ name: 'agent', version: '1' }).connect(first)).rejects.toThrow()
  const asked = kept.sentTo!
  expect(asked.searchParams.get('resource')).toBe(`${app.origin}/mcp`)
  const visitor = await app.oauth.visitor('member')
  const returned = new URL(await allow(visitor, await visitor.open(asked.href)))
  await first.finishAuth(returned.searchParams)

  const client = new Client({ name: 'agent', version: '1' })
  await client.connect(connectTo())
  atEnd(() => client.close())
  const { content } = await client.callTool({
    name: 'create',
    arguments: { object: 'task', records: [{ title: 'Hi' }] },
  })
  expect(content).toEqual([{ type: 'text', text: expect.stringContaining('Created 1.') }])
  const { body } = await app.api.get('/workspaces/acme/objects/task/resources')
  const [task] = body.data
  expect(task.attributes._created_by).toBe(app.userIds.member)
  await app.idle()
  const feed = await app.api.get(`/workspaces/acme/objects/task/records/${task.id}/activities`)
  expect(feed.body.data[0].attributes.data[0].actor).toMatchObject({
    _id: app.userIds.member,
    source_id: kept.client?.client_id,
  })
})

test('an app that lacks a scope is answered 403 with the scope, so that its client can ask for it', async () => {
  const { access_token } = await connect(
    await app.oauth.register(),
    await app.oauth.visitor('member'),
    'records:read:person',
  )
  const { call } = await mcpOf(app, { as: { authorization: `Bearer ${access_token}` } })
  expect((await call('list', { object: 'person' })).isError).toBe(false)
  const { status, headers } = await app.http.send({
    method: 'POST',
    url: address.href,
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${access_token}` },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list', arguments: { object: 'company' } },
    }),
  })
  expect(status).toBe(403)
  expect(headers['www-authenticate']).toContain('scope="records:read:company"')
  expect(headers['www-authenticate']).toContain('/.well-known/oauth-protected-resource/mcp')
})

test('tokens are refused for resources of others', async () => {
  const third = await app.oauth.register()
  const visitor = await app.oauth.visitor('member')
  await expect(connect(third, visitor, 'records:read', { resource: 'https://else.example.com/mcp' })).rejects.toThrow()
})
