import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { mcpOf } from '../harness/mcp.ts'

const app = await startApp({ rateLimitPerMinute: 30, standingStill: true })

const ask = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

const send = (method: string, headers: Record<string, string> = {}, body: unknown = ask) =>
  app.http.send({
    method,
    url: `${app.origin}/mcp`,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: method === 'POST' ? JSON.stringify(body) : undefined,
  })

test('tells who comes without a credential where to get one', async () => {
  const { status, headers, body } = await send('POST')
  expect([status, body.errors[0].code]).toEqual([401, 'unauthenticated'])
  expect(headers['www-authenticate']).toContain(
    `resource_metadata="${app.origin}/.well-known/oauth-protected-resource/mcp"`,
  )
})

test('accepts POST alone, since it has no sessions and no streams', async () => {
  for (const method of ['GET', 'DELETE']) {
    const { status, headers } = await send(method)
    expect([status, headers['allow']]).toEqual([405, 'POST, OPTIONS'])
  }
})

test('accepts one message in each request, so that none asks for more than a limit of requests foresees', async () => {
  const { status, body } = await send('POST', { Authorization: `Bearer ${app.credentials.cast.tokens.member}` }, [ask])
  expect([status, body.errors[0].detail]).toEqual([422, 'Send one message in each request.'])
})

test('lets personal keys and workspace keys in, into the workspace that the header names', async () => {
  for (const as of ['memberKey', 'workspaceKey'] as const) {
    const { call } = await mcpOf(app, { as })
    expect(await call('describe_schema')).toMatchObject({ isError: false })
  }
  const elsewhere = await mcpOf(app, { as: 'memberKey', workspace: 'other' })
  expect((await elsewhere.call('describe_schema')).text).toContain('There is no such workspace.')
  const nowhere = await mcpOf(app, { as: 'memberKey', workspace: null })
  expect((await nowhere.call('describe_schema')).text).toContain('X-Svc-Workspace')
})

test('finds the workspace of a token that opens one alone', async () => {
  const { call } = await mcpOf(app, { as: 'member', workspace: null })
  expect((await call('list', { object: 'person' })).text).toBe('No record matches.')
})

test('refuses what the role of the caller refuses', async () => {
  const { call } = await mcpOf(app, { as: 'viewer' })
  const { text, isError } = await call('create', { object: 'person', records: [{ job_title: 'Poet' }] })
  expect(isError).toBe(true)
  expect(text).toContain('Do not try again.')
})

test('says when the rate limit of the workspace is used up, which its tools share with all other calls', async () => {
  const { call } = await mcpOf(app, { as: 'member' })
  const until = async (): Promise<string> => {
    const { text, isError } = await call('list', { object: 'person' })
    return isError ? text : until()
  }
  expect(await until()).toMatch(/Wait \d+ seconds first\./)
  expect((await app.api.post('/workspaces/acme/objects/person/resources/query', { body: {} })).status).toBe(429)
})
