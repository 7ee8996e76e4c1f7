import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { endpoints, exampleInput } from './endpoints.ts'
import { expectSuccess } from './expect.ts'
import { rest } from './surfaces.ts'

const app = await startApp()

const W = '/workspaces/{workspace}'
const O = `${W}/objects/{object}`
const related = `${O}/records/{id}/relationships/{relationship}`

/**
 * Spec §4, line by line, and the operation of the contract that each is. Written by hand, so that none can go missing
 * from the contract unseen. Of three the specification does not show the method or the path.
 */
const specified: readonly (readonly [method: string, path: string, operation: string])[] = [
  ['GET', '/workspaces', 'workspaces.list'],
  ['PATCH', W, 'workspaces.update'],
  ['POST', `${W}/api-keys`, 'apiKeys.create'],
  ['POST', `${W}/comments`, 'comments.create'],
  ['GET', `${W}/comments/{id}`, 'comments.get'],
  ['PATCH', `${W}/comments/{id}`, 'comments.update'],
  ['DELETE', `${W}/comments/{id}`, 'comments.remove'],
  ['GET', `${O}/records/{record}/activities`, 'activities.list'],
  ['GET', `${W}/campaigns/{campaignId}/recipients`, 'campaigns.listRecipients'],
  ['GET', `${O}/resources`, 'resources.list'],
  ['GET', `${O}/resources/{id}`, 'resources.get'],
  ['DELETE', `${O}/records`, 'records.removeMany'],
  ['GET', related, 'relationships.list'],
  ['DELETE', related, 'relationships.remove'],
  // "Replace related records": not shown.
  ['PATCH', related, 'relationships.replace'],
  ['POST', `${O}/records/{id}/access`, 'access.create'],
  ['GET', `${O}/records/{id}/access`, 'access.list'],
  ['GET', `${W}/lists`, 'lists.list'],
  ['GET', `${O}/lists/{list}`, 'lists.get'],
  ['PATCH', `${O}/lists/{list}`, 'lists.update'],
  ['GET', `${W}/workflows`, 'workflows.list'],
  ['GET', `${W}/workflows/{id}`, 'workflows.get'],
  ['PATCH', `${W}/workflows/{id}`, 'workflows.update'],
  ['GET', `${W}/schemas`, 'schemas.list'],
  ['PUT', `${W}/schemas/objects/{object}`, 'schemas.replace'],
  ['DELETE', `${W}/schemas/objects/{object}`, 'schemas.remove'],
  ['PATCH', `${W}/schemas/{entity}/fields-order`, 'schemas.reorder'],
  ['PATCH', `${W}/schemas/{entity}/fields-visibility`, 'schemas.show'],
  // "Add or remove enum field values": not shown.
  ['PATCH', `${W}/schemas`, 'schemas.updateOptions'],
  // "List schema activities": not shown.
  ['GET', `${W}/schemas/{entity}/activities`, 'activities.listOfSchema'],
  ['POST', `${W}/meetings/{meetingId}/recording`, 'meetings.startRecording'],
  ['DELETE', `${W}/meetings/{meetingId}/recording`, 'meetings.stopRecording'],
  ['POST', '/webhooks/workflows/{workspace}/{workflow_id}', 'inboundWebhooks.workflow'],
  ['POST', '/webhooks/agents/{workspace}/{agent_id}', 'inboundWebhooks.agent'],
]

test('the specification names 34 endpoints, each once', () => {
  expect(new Set(specified.map(([method, path]) => `${method} ${path}`)).size).toBe(34)
  expect(new Set(specified.map(([, , operation]) => operation)).size).toBe(34)
})

test.for(specified)('%s %s is %s of the contract, and succeeds', async ([method, path, operation]) => {
  const found = endpoints.find(({ endpoint }) => endpoint.method === method && endpoint.path === path)
  expect(found?.name).toBe(operation)
  const { endpoint } = found!
  expectSuccess(endpoint, await rest(app, operation, endpoint, await exampleInput(app, operation, endpoint)))
})
