// Written by `pnpm --filter @kontor/client generate`, from the contract.
import type { AppContract } from '@kontor/contract'
import type { OperationsOf } from './operation.ts'

export const api: OperationsOf<AppContract['api']> = {
  get: { method: 'GET', path: '/' },
}

export const workspaces: OperationsOf<AppContract['workspaces']> = {
  list: { method: 'GET', path: '/workspaces' },
  update: { method: 'PATCH', path: '/workspaces/{workspace}' },
}

export const users: OperationsOf<AppContract['users']> = {
  list: { method: 'GET', path: '/workspaces/{workspace}/users' },
  get: { method: 'GET', path: '/workspaces/{workspace}/users/{id}' },
  made: { method: 'GET', path: '/workspaces/{workspace}/users/{id}/made' },
  update: { method: 'PATCH', path: '/workspaces/{workspace}/users/{id}' },
  remove: { method: 'DELETE', path: '/workspaces/{workspace}/users/{id}' },
}

export const invitations: OperationsOf<AppContract['invitations']> = {
  list: { method: 'GET', path: '/workspaces/{workspace}/invitations' },
  create: { method: 'POST', path: '/workspaces/{workspace}/invitations' },
  get: { method: 'GET', path: '/workspaces/{workspace}/invitations/{id}' },
  remove: { method: 'DELETE', path: '/workspaces/{workspace}/invitations/{id}' },
  resend: { method: 'POST', path: '/workspaces/{workspace}/invitations/{id}/resend' },
}

export const apiKeys: OperationsOf<AppContract['apiKeys']> = {
  list: { method: 'GET', path: '/workspaces/{workspace}/api-keys' },
  create: { method: 'POST', path: '/workspaces/{workspace}/api-keys' },
  get: { method: 'GET', path: '/workspaces/{workspace}/api-keys/{id}' },
  update: { method: 'PATCH', path: '/workspaces/{workspace}/api-keys/{id}' },
  remove: { method: 'DELETE', path: '/workspaces/{workspace}/api-keys/{id}' },
  rotate: { method: 'POST', path: '/workspaces/{workspace}/api-keys/{id}/rotate' },
}

export const apps: OperationsOf<AppContract['apps']> = {
  list: { method: 'GET', path: '/workspaces/{workspace}/apps' },
  create: { method: 'POST', path: '/workspaces/{workspace}/apps' },
  get: { method: 'GET', path: '/workspaces/{workspace}/apps/{id}' },
  update: { method: 'PATCH', path: '/workspaces/{workspace}/apps/{id}' },
  remove: { method: 'DELETE', path: '/workspaces/{workspace}/apps/{id}' },
  rotate: { method: 'POST', path: '/workspaces/{workspace}/apps/{id}/rotate' },
}

export const asyncTasks: OperationsOf<AppContract['asyncTasks']> = {
  list: { method: 'GET', path: '/workspaces/{workspace}/async-tasks' },
  get: { method: 'GET', path: '/workspaces/{workspace}/async-tasks/{id}' },
  cancel: { method: 'POST', path: '/workspaces/{workspace}/async-tasks/{id}/cancel' },
}

export const schemas: OperationsOf<AppContract['schemas']> = {
  list: { method: 'GET', path: '/workspaces/{workspace}/schemas' },
  describe: { method: 'GET', path: '/workspaces/{workspace}/openapi.json' },
  create: { method: 'POST', path: '/workspaces/{workspace}/schemas/objects' },
  get: { method: 'GET', path: '/workspaces/{workspace}/schemas/objects/{object}' },
  replace: { method: 'PUT', path: '/workspaces/{workspace}/schemas/objects/{object}' },
  remove: { method: 'DELETE', path: '/workspaces/{workspace}/schemas/objects/{object}' },
  plan: { method: 'POST', path: '/workspaces/{workspace}/schemas/objects/{object}/plan', safe: true },
  addProperties: { method: 'POST', path: '/workspaces/{workspace}/schemas/{entity}/properties' },
  addRelationship: { method: 'POST', path: '/workspaces/{workspace}/schemas/{entity}/relationships' },
  removeRelationship: { method: 'DELETE', path: '/workspaces/{workspace}/schemas/{entity}/relationships/{field}' },
  updateOptions: { method: 'PATCH', path: '/workspaces/{workspace}/schemas' },
  reorder: { method: 'PATCH', path: '/workspaces/{workspace}/schemas/{entity}/fields-order' },
  show: { method: 'PATCH', path: '/workspaces/{workspace}/schemas/{entity}/fields-visibility' },
}

export const records: OperationsOf<AppContract['records']> = {
  create: { method: 'POST', path: '/workspaces/{workspace}/objects/{object}/records' },
  createMany: { method: 'POST', path: '/workspaces/{workspace}/objects/{object}/records/bulk' },
  get: { method: 'GET', path: '/workspaces/{workspace}/objects/{object}/records/{id}' },
  update: { method: 'PATCH', path: '/workspaces/{workspace}/objects/{object}/records/{id}' },
  updateMany: { method: 'PATCH', path: '/workspaces/{workspace}/objects/{object}/records' },
  remove: { method: 'DELETE', path: '/workspaces/{workspace}/objects/{object}/records/{id}' },
  removeMany: { method: 'DELETE', path: '/workspaces/{workspace}/objects/{object}/records' },
  restore: { method: 'POST', path: '/workspaces/{workspace}/objects/{object}/records/restore' },
  merge: { method: 'POST', path: '/workspaces/{workspace}/objects/{object}/records/{id}/merges' },
}

export const imports: OperationsOf<AppContract['imports']> = {
  list: { method: 'GET', path: '/workspaces/{workspace}/imports' },
  upload: { method: 'POST', path: '/workspaces/{workspace}/imports/uploads' },
  preview: { method: 'POST', path: '/workspaces/{workspace}/imports/preview', safe: true },
  create: { method: 'POST', path: '/workspaces/{workspace}/imports' },
  get: { method: 'GET', path: '/workspaces/{workspace}/imports/{id}' },
  cancel: { method: 'POST', path: '/workspaces/{workspace}/imports/{id}/cancel' },
  resume: { method: 'POST', path: '/workspaces/{workspace}/imports/{id}/resume' },
  revert: { method: 'POST', path: '/workspaces/{workspace}/imports/{id}/revert' },
  getRevert: { method: 'GET', path: '/workspaces/{workspace}/imports/{id}/revert' },
  exportRejects: { method: 'GET', path: '/workspaces/{workspace}/imports/{id}/rejects' },
  writeRejects: { method: 'POST', path: '/workspaces/{workspace}/imports/{id}/rejects/file' },
}

export const exports: OperationsOf<AppContract['exports']> = {
  list: { method: 'GET', path: '/workspaces/{workspace}/exports' },
  create: { method: 'POST', path: '/workspaces/{workspace}/exports' },
  get: { method: 'GET', path: '/workspaces/{workspace}/exports/{id}' },
  download: { method: 'GET', path: '/workspaces/{workspace}/exports/{id}/download' },
  cancel: { method: 'POST', path: '/workspaces/{workspace}/exports/{id}/cancel' },
}

export const relationships: OperationsOf<AppContract['relationships']> = {
  list: { method: 'GET', path: '/workspaces/{workspace}/objects/{object}/records/{id}/relationships/{relationship}' },
  replace: {
    method: 'PATCH',
    path: '/workspaces/{workspace}/objects/{object}/records/{id}/relationships/{relationship}',
  },
  add: { method: 'POST', path: '/workspaces/{workspace}/objects/{object}/records/{id}/relationships/{relationship}' },
  remove: {
    method: 'DELETE',
    path: '/workspaces/{workspace}/objects/{object}/records/{id}/relationships/{relationship}',
  },
}

export const resources: OperationsOf<AppContract['resources']> = {
  list: { method: 'GET', path: '/workspaces/{workspace}/objects/{object}/resources' },
  query: { method: 'POST', path: '/workspaces/{workspace}/objects/{object}/resources/query', safe: true },
  aggregate: { method: 'POST', path: '/workspaces/{workspace}/objects/{object}/resources/aggregate', safe: true },
  create: { method: 'POST', path: '/workspaces/{workspace}/objects/{object}/resources' },
  get: { method: 'GET', path: '/workspaces/{workspace}/objects/{object}/resources/{id}' },
  stats: { method: 'GET', path: '/workspaces/{workspace}/objects/{object}/stats' },
  listDeleted: { method: 'GET', path: '/workspaces/{workspace}/objects/{object}/deleted-resources' },
}

export const lists: OperationsOf<AppContract['lists']> = {
  list: { method: 'GET', path: '/workspaces/{workspace}/lists' },
  listOfObject: { method: 'GET', path: '/workspaces/{workspace}/objects/{object}/lists' },
  create: { method: 'POST', path: '/workspaces/{workspace}/objects/{object}/lists' },
  get: { method: 'GET', path: '/workspaces/{workspace}/objects/{object}/lists/{list}' },
  update: { method: 'PATCH', path: '/workspaces/{workspace}/objects/{object}/lists/{list}' },
  remove: { method: 'DELETE', path: '/workspaces/{workspace}/objects/{object}/lists/{list}' },
  publish: { method: 'POST', path: '/workspaces/{workspace}/objects/{object}/lists/{list}/publish' },
  unpublish: { method: 'POST', path: '/workspaces/{workspace}/objects/{object}/lists/{list}/unpublish' },
  listRecords: { method: 'GET', path: '/workspaces/{workspace}/objects/{object}/lists/{list}/resources' },
  addRecords: { method: 'POST', path: '/workspaces/{workspace}/objects/{object}/lists/{list}/resources' },
  removeRecords: { method: 'DELETE', path: '/workspaces/{workspace}/objects/{object}/lists/{list}/resources' },
  exportRows: { method: 'POST', path: '/workspaces/{workspace}/objects/{object}/lists/{list}/rows/csv', safe: true },
}

export const search: OperationsOf<AppContract['search']> = {
  query: { method: 'POST', path: '/workspaces/{workspace}/search', safe: true },
}

export const sql: OperationsOf<AppContract['sql']> = {
  query: { method: 'POST', path: '/workspaces/{workspace}/sql', safe: true },
  exportCsv: { method: 'POST', path: '/workspaces/{workspace}/sql/csv', safe: true },
}

export const comments: OperationsOf<AppContract['comments']> = {
  create: { method: 'POST', path: '/workspaces/{workspace}/comments' },
  get: { method: 'GET', path: '/workspaces/{workspace}/comments/{id}' },
  update: { method: 'PATCH', path: '/workspaces/{workspace}/comments/{id}' },
  remove: { method: 'DELETE', path: '/workspaces/{workspace}/comments/{id}' },
}

export const attachments: OperationsOf<AppContract['attachments']> = {
  list: { method: 'GET', path: '/workspaces/{workspace}/objects/{object}/records/{id}/attachments' },
  upload: { method: 'PUT', path: '/workspaces/{workspace}/objects/{object}/records/{id}/attachments' },
  create: { method: 'POST', path: '/workspaces/{workspace}/objects/{object}/records/{id}/attachments' },
  get: { method: 'GET', path: '/workspaces/{workspace}/objects/{object}/records/{id}/attachments/{attachmentId}' },
  remove: {
    method: 'DELETE',
    path: '/workspaces/{workspace}/objects/{object}/records/{id}/attachments/{attachmentId}',
  },
}

export const access: OperationsOf<AppContract['access']> = {
  listOfObject: { method: 'GET', path: '/workspaces/{workspace}/objects/{object}/access' },
  createOfObject: { method: 'POST', path: '/workspaces/{workspace}/objects/{object}/access' },
  removeOfObject: { method: 'DELETE', path: '/workspaces/{workspace}/objects/{object}/access/{grant}' },
  list: { method: 'GET', path: '/workspaces/{workspace}/objects/{object}/records/{id}/access' },
  create: { method: 'POST', path: '/workspaces/{workspace}/objects/{object}/records/{id}/access' },
  createMany: { method: 'POST', path: '/workspaces/{workspace}/objects/{object}/records/{id}/access/bulk' },
  explain: { method: 'GET', path: '/workspaces/{workspace}/objects/{object}/records/{id}/access/explain' },
  update: { method: 'PATCH', path: '/workspaces/{workspace}/objects/{object}/records/{id}/access/{grant}' },
  remove: { method: 'DELETE', path: '/workspaces/{workspace}/objects/{object}/records/{id}/access/{grant}' },
}

export const activities: OperationsOf<AppContract['activities']> = {
  list: { method: 'GET', path: '/workspaces/{workspace}/objects/{object}/records/{record}/activities' },
  listOfSchema: { method: 'GET', path: '/workspaces/{workspace}/schemas/{entity}/activities' },
  listOfSchemas: { method: 'GET', path: '/workspaces/{workspace}/schemas/activities' },
}

export const meetings: OperationsOf<AppContract['meetings']> = {
  startRecording: { method: 'POST', path: '/workspaces/{workspace}/meetings/{meetingId}/recording' },
  stopRecording: { method: 'DELETE', path: '/workspaces/{workspace}/meetings/{meetingId}/recording' },
  addTranscript: { method: 'POST', path: '/workspaces/{workspace}/meetings/{meetingId}/transcript' },
  uploadTranscript: { method: 'POST', path: '/workspaces/{workspace}/meetings/{meetingId}/recordings/transcript' },
  uploadMedia: { method: 'POST', path: '/workspaces/{workspace}/meetings/{meetingId}/recordings/media' },
  addMedia: { method: 'POST', path: '/workspaces/{workspace}/meetings/{meetingId}/recordings/media/{recordingId}' },
  getArtifacts: {
    method: 'POST',
    path: '/workspaces/{workspace}/meetings/{meetingId}/recordings/{recordingId}/artifacts',
    safe: true,
  },
  searchTranscripts: { method: 'GET', path: '/workspaces/{workspace}/transcripts' },
  importCalendar: { method: 'POST', path: '/workspaces/{workspace}/meetings/import' },
  listRecordings: { method: 'GET', path: '/workspaces/{workspace}/meetings/{meetingId}/recordings' },
  getTranscript: {
    method: 'GET',
    path: '/workspaces/{workspace}/meetings/{meetingId}/recordings/{recordingId}/transcript',
  },
}

export const webhooks: OperationsOf<AppContract['webhooks']> = {
  list: { method: 'GET', path: '/workspaces/{workspace}/webhooks' },
  create: { method: 'POST', path: '/workspaces/{workspace}/webhooks' },
  get: { method: 'GET', path: '/workspaces/{workspace}/webhooks/{id}' },
  update: { method: 'PATCH', path: '/workspaces/{workspace}/webhooks/{id}' },
  remove: { method: 'DELETE', path: '/workspaces/{workspace}/webhooks/{id}' },
  rotateSecret: { method: 'POST', path: '/workspaces/{workspace}/webhooks/{id}/rotate-secret' },
  test: { method: 'POST', path: '/workspaces/{workspace}/webhooks/{id}/test' },
  stats: { method: 'GET', path: '/workspaces/{workspace}/webhooks/{id}/stats' },
  listDeliveries: { method: 'GET', path: '/workspaces/{workspace}/webhooks/{id}/deliveries' },
  getDelivery: { method: 'GET', path: '/workspaces/{workspace}/webhooks/{id}/deliveries/{delivery}' },
  resend: { method: 'POST', path: '/workspaces/{workspace}/webhooks/{id}/deliveries/{delivery}/resend' },
  recover: { method: 'POST', path: '/workspaces/{workspace}/webhooks/{id}/recover' },
}

export const workflows: OperationsOf<AppContract['workflows']> = {
  list: { method: 'GET', path: '/workspaces/{workspace}/workflows' },
  create: { method: 'POST', path: '/workspaces/{workspace}/workflows' },
  get: { method: 'GET', path: '/workspaces/{workspace}/workflows/{id}' },
  update: { method: 'PATCH', path: '/workspaces/{workspace}/workflows/{id}' },
  remove: { method: 'DELETE', path: '/workspaces/{workspace}/workflows/{id}' },
  rotateSecret: { method: 'POST', path: '/workspaces/{workspace}/workflows/{id}/rotate-secret' },
  getAddress: { method: 'GET', path: '/workspaces/{workspace}/workflows/{id}/address' },
  rotateAddress: { method: 'POST', path: '/workspaces/{workspace}/workflows/{id}/address/rotate' },
  listVersions: { method: 'GET', path: '/workspaces/{workspace}/workflows/{id}/versions' },
  getVersion: { method: 'GET', path: '/workspaces/{workspace}/workflows/{id}/versions/{version}' },
  compareVersions: { method: 'GET', path: '/workspaces/{workspace}/workflows/{id}/versions/{version}/diff' },
  restoreVersion: { method: 'POST', path: '/workspaces/{workspace}/workflows/{id}/versions/{version}/restore' },
  listRuns: { method: 'GET', path: '/workspaces/{workspace}/workflows/{id}/runs' },
  run: { method: 'POST', path: '/workspaces/{workspace}/workflows/{id}/runs' },
  getRun: { method: 'GET', path: '/workspaces/{workspace}/workflow-runs/{id}' },
  getRunStep: { method: 'GET', path: '/workspaces/{workspace}/workflow-runs/{id}/steps/{number}' },
  retryRun: { method: 'POST', path: '/workspaces/{workspace}/workflow-runs/{id}/retry' },
  resumeRun: { method: 'POST', path: '/workspaces/{workspace}/workflow-runs/{id}/resume' },
  cancelRun: { method: 'POST', path: '/workspaces/{workspace}/workflow-runs/{id}/cancel' },
  listPlugins: { method: 'GET', path: '/workspaces/{workspace}/workflow-plugins' },
}

export const campaigns: OperationsOf<AppContract['campaigns']> = {
  list: { method: 'GET', path: '/workspaces/{workspace}/campaigns' },
  create: { method: 'POST', path: '/workspaces/{workspace}/campaigns' },
  get: { method: 'GET', path: '/workspaces/{workspace}/campaigns/{campaignId}' },
  update: { method: 'PATCH', path: '/workspaces/{workspace}/campaigns/{campaignId}' },
  remove: { method: 'DELETE', path: '/workspaces/{workspace}/campaigns/{campaignId}' },
  start: { method: 'POST', path: '/workspaces/{workspace}/campaigns/{campaignId}/start' },
  pause: { method: 'POST', path: '/workspaces/{workspace}/campaigns/{campaignId}/pause' },
  resume: { method: 'POST', path: '/workspaces/{workspace}/campaigns/{campaignId}/resume' },
  listRecipients: { method: 'GET', path: '/workspaces/{workspace}/campaigns/{campaignId}/recipients' },
  getTotals: { method: 'GET', path: '/workspaces/{workspace}/campaigns/{campaignId}/totals' },
  getProgress: { method: 'GET', path: '/workspaces/{workspace}/campaigns/{campaignId}/progress' },
  preview: { method: 'POST', path: '/workspaces/{workspace}/campaigns/{campaignId}/preview', safe: true },
  testSend: { method: 'POST', path: '/workspaces/{workspace}/campaigns/{campaignId}/test-send' },
  enrol: { method: 'POST', path: '/workspaces/{workspace}/campaigns/{campaignId}/recipients' },
  unenrol: { method: 'DELETE', path: '/workspaces/{workspace}/campaigns/{campaignId}/recipients' },
}

export const agents: OperationsOf<AppContract['agents']> = {
  list: { method: 'GET', path: '/workspaces/{workspace}/agents' },
  create: { method: 'POST', path: '/workspaces/{workspace}/agents' },
  get: { method: 'GET', path: '/workspaces/{workspace}/agents/{agentId}' },
  update: { method: 'PATCH', path: '/workspaces/{workspace}/agents/{agentId}' },
  remove: { method: 'DELETE', path: '/workspaces/{workspace}/agents/{agentId}' },
  getAddress: { method: 'GET', path: '/workspaces/{workspace}/agents/{agentId}/address' },
  rotateAddress: { method: 'POST', path: '/workspaces/{workspace}/agents/{agentId}/address/rotate' },
  listRuns: { method: 'GET', path: '/workspaces/{workspace}/agents/{agentId}/runs' },
  run: { method: 'POST', path: '/workspaces/{workspace}/agents/{agentId}/runs' },
  getRun: { method: 'GET', path: '/workspaces/{workspace}/agents/{agentId}/runs/{runId}' },
  cancelRun: { method: 'POST', path: '/workspaces/{workspace}/agents/{agentId}/runs/{runId}/cancel' },
  undoRun: { method: 'POST', path: '/workspaces/{workspace}/agents/{agentId}/runs/{runId}/undo' },
  getUndo: { method: 'GET', path: '/workspaces/{workspace}/agents/{agentId}/runs/{runId}/undo' },
}

export const inboundWebhooks: OperationsOf<AppContract['inboundWebhooks']> = {
  workflow: { method: 'POST', path: '/webhooks/workflows/{workspace}/{workflow_id}' },
  check: { method: 'GET', path: '/webhooks/workflows/{workspace}/{workflow_id}' },
  agent: { method: 'POST', path: '/webhooks/agents/{workspace}/{agent_id}' },
}

export const emails: OperationsOf<AppContract['emails']> = {
  list: { method: 'GET', path: '/workspaces/{workspace}/emails' },
  getInbound: { method: 'GET', path: '/workspaces/{workspace}/emails/inbound' },
  rotateInbound: { method: 'POST', path: '/workspaces/{workspace}/emails/inbound/rotate' },
  get: { method: 'GET', path: '/workspaces/{workspace}/emails/{id}' },
}

export const suppressions: OperationsOf<AppContract['suppressions']> = {
  list: { method: 'GET', path: '/workspaces/{workspace}/suppressions' },
  create: { method: 'POST', path: '/workspaces/{workspace}/suppressions' },
  remove: { method: 'DELETE', path: '/workspaces/{workspace}/suppressions/{id}' },
}

export const events: OperationsOf<AppContract['events']> = {
  list: { method: 'GET', path: '/workspaces/{workspace}/events' },
  stream: { method: 'GET', path: '/workspaces/{workspace}/events/stream' },
}

export const requests: OperationsOf<AppContract['requests']> = {
  get: { method: 'GET', path: '/workspaces/{workspace}/requests/{key}' },
}

export const limits: OperationsOf<AppContract['limits']> = {
  get: { method: 'GET', path: '/workspaces/{workspace}/limits' },
}

export const settings: OperationsOf<AppContract['settings']> = {
  list: { method: 'GET', path: '/workspaces/{workspace}/settings' },
  get: { method: 'GET', path: '/workspaces/{workspace}/settings/{key}' },
  create: { method: 'POST', path: '/workspaces/{workspace}/settings' },
  remove: { method: 'DELETE', path: '/workspaces/{workspace}/settings' },
}

export const layouts: OperationsOf<AppContract['layouts']> = {
  get: { method: 'GET', path: '/workspaces/{workspace}/layouts/{id}' },
  update: { method: 'PATCH', path: '/workspaces/{workspace}/layouts/{id}' },
  reset: { method: 'POST', path: '/workspaces/{workspace}/layouts/{id}/reset' },
}

export const notifications: OperationsOf<AppContract['notifications']> = {
  list: { method: 'GET', path: '/workspaces/{workspace}/notifications' },
  read: { method: 'POST', path: '/workspaces/{workspace}/notifications/read' },
  getPreferences: { method: 'GET', path: '/workspaces/{workspace}/notifications/preferences' },
  updatePreferences: { method: 'PATCH', path: '/workspaces/{workspace}/notifications/preferences' },
}
