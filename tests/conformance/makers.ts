import type { TestApp } from '../harness/app.ts'
import { formOf } from '../harness/attachments.ts'
import { share } from '../harness/grants.ts'
import type { Json } from '../harness/http.ts'
import { createKey } from '../harness/people.ts'
import { workflowsOf } from '../harness/workflows.ts'

/** A whole call: path and query parameters flat, the body under `body`. */
export type Input = Readonly<Record<string, Json>>

let serial = 0

/** One that all members may see, and that has not been changed yet. */
export async function makeList({ api }: TestApp): Promise<string> {
  const { status, body } = await api.post('/workspaces/acme/objects/person/lists', {
    as: 'member',
    body: { title: 'Key people', type: 'static', permission: 'workspace_edit' },
  })
  if (status !== 201) throw new Error(`no list: ${JSON.stringify(body)}`)
  return body.data.id
}

/** One that keeps a secret. */
export async function makeApp({ api }: TestApp): Promise<string> {
  const redirect_uris = ['https://app.example.com/callback']
  const { status, body } = await api.post('/workspaces/acme/apps', { body: { name: `App ${++serial}`, redirect_uris } })
  if (status !== 201) throw new Error(`no app: ${JSON.stringify(body)}`)
  return body.data.id
}

/** One that sends nothing, so that any credential may see what it sends. */
export async function makeWebhook({ api }: TestApp): Promise<string> {
  const { key } = await createKey(api.post, 'admin', { scopes: ['webhooks:write'] })
  const { status, body } = await api.post('/workspaces/acme/webhooks', {
    as: { authorization: `api-key ${key}` },
    body: { url: 'https://receiver.example/', events: ['list.deleted'] },
  })
  if (status !== 201) throw new Error(`no webhook: ${JSON.stringify(body)}`)
  return body.data.id
}

/** One that has arrived. */
export async function makeDelivery(app: TestApp, { id }: Input): Promise<string> {
  const url = `${app.baseUrl}/webhooks/workflows/acme/${await makeInboundWorkflow(app)}`
  await app.api.patch(`/workspaces/acme/webhooks/${id}`, { body: { url } })
  const { status, body } = await app.api.post(`/workspaces/acme/webhooks/${id}/test`)
  if (status !== 202) throw new Error(`no delivery: ${JSON.stringify(body)}`)
  const one = `/workspaces/acme/webhooks/${id}/deliveries/${body.data.id}`
  await workflowsOf(app).until(async () => (await app.api.get(one)).body.data.attributes.ended_at !== null)
  return body.data.id
}

/** One that waits for a day at its first block. */
export async function makeWorkflow({ api }: TestApp): Promise<string> {
  const wait = { plugin_id: 'general:delay:for', input: { amount: 1, unit: 'days' } }
  const { status, body } = await api.post('/workspaces/acme/workflows', {
    body: {
      name: 'Wait',
      enabled: true,
      trigger: { plugin_id: 'on:manual:execution', next: 'wait' },
      blocks: { wait: { ...wait, prev: 'trigger' } },
    },
  })
  if (status !== 201) throw new Error(`no workflow: ${JSON.stringify(body)}`)
  return body.data.id
}

/** One that waits for a day; a draft where it is read or is to be started. */
export async function makeCampaign({ api }: TestApp, _input: Input, path: string): Promise<string> {
  const wait = { plugin_id: 'general:delay:for', input: { amount: 1, unit: 'days' } }
  const { status, body } = await api.post('/workspaces/acme/campaigns', { body: { name: 'Write', blocks: { wait } } })
  if (status !== 201) throw new Error(`no campaign: ${JSON.stringify(body)}`)
  const one = `/workspaces/acme/campaigns/${body.data.id}`
  if (!path.endsWith('/start') && !path.endsWith('}')) await api.post(`${one}/start`, {})
  if (path.endsWith('/resume')) await api.post(`${one}/pause`, {})
  return body.data.id
}

/** One that has code and does nothing; where it is run for a record, it may read that, and the run does not fail. */
export async function makeAgent({ api }: TestApp, _input: Input = {}, path = ''): Promise<string> {
  const code = 'export const handler = () => null'
  const scopes = path.endsWith('/runs') ? ['records:read'] : []
  const body = { name: 'Do nothing', code, enabled: true, scopes }
  const answer = await api.post('/workspaces/acme/agents', { body })
  if (answer.status !== 201) throw new Error(`no agent: ${JSON.stringify(answer.body)}`)
  return answer.body.data.id
}

/** One that was cancelled; where that is read, one that is undone. */
export async function makeAgentRun(app: TestApp, { agentId }: Input, path: string): Promise<string> {
  const runs = `/workspaces/acme/agents/${agentId}/runs`
  const { status, body } = await app.api.post(runs, { body: {} })
  if (status !== 201) throw new Error(`no run: ${JSON.stringify(body)}`)
  const one = `${runs}/${body.data.id}`
  await app.api.post(`${one}/cancel`)
  if (!path.endsWith('/undo')) return body.data.id
  await app.api.post(`${one}/undo`)
  await workflowsOf(app).until(async () => (await app.api.get(`${one}/undo`)).body.data.attributes.state !== 'running')
  return body.data.id
}

/** One that begins with what is sent to its address. */
export async function makeInboundWorkflow({ api }: TestApp): Promise<string> {
  const trigger = { plugin_id: 'on:svc:automation-webhook' }
  const { status, body } = await api.post('/workspaces/acme/workflows', {
    body: { name: 'Take', enabled: true, trigger },
  })
  if (status !== 201) throw new Error(`no workflow: ${JSON.stringify(body)}`)
  return body.data.id
}

/** The first of a workflow; where it is to be restored, another is in force. */
export async function makeVersion({ api }: TestApp, { id }: Input, path: string): Promise<string> {
  if (path.endsWith('/restore'))
    await api.patch(`/workspaces/acme/workflows/${id}`, { body: { run_limits: { max_depth: 3 } } })
  return '1'
}

/** One that was cancelled, where it is read or tried again; one that waits at its first block, where it is changed. */
export async function makeRun(app: TestApp, _input: Input, path: string): Promise<string> {
  if (path.includes('/steps/')) return makeEndedRun(app)
  const { body } = await app.api.post(`/workspaces/acme/workflows/${await makeWorkflow(app)}/runs`, { body: {} })
  const { id } = body.data
  await workflowsOf(app).runIn(id, 'waiting')
  const one = `/workspaces/acme/workflow-runs/${id}`
  if (path.endsWith('/retry') || path.endsWith('{id}')) await app.api.post(`${one}/cancel`, {})
  return id
}

/** One with a step that is done. */
async function makeEndedRun(app: TestApp): Promise<string> {
  const find = { plugin_id: 'svc:find:records', input: { object: 'company' }, prev: 'trigger' }
  const trigger = { plugin_id: 'on:manual:execution', next: 'find' }
  const { body } = await app.api.post('/workspaces/acme/workflows', {
    body: { name: 'Find', enabled: true, trigger, blocks: { find } },
  })
  const begun = await app.api.post(`/workspaces/acme/workflows/${body.data.id}/runs`, { body: {} })
  await workflowsOf(app).runIn(begun.body.data.id, 'success')
  return begun.body.data.id
}

/** Uploads a file into the folder of the person whose id the path has. */
export async function uploadFile({ api, http }: TestApp, { object, id }: Input): Promise<Json> {
  const { status, body } = await api.put(`/workspaces/acme/objects/${object}/records/${id}/attachments`, {
    body: { name: 'offer.pdf' },
  })
  if (status !== 200) throw new Error(`no upload: ${JSON.stringify(body)}`)
  const { signedUrl, key, attachmentId } = body.data
  const sent = await http.send({ method: 'PUT', url: signedUrl, body: '%PDF-1.7 an offer' })
  if (sent.status !== 200) throw new Error(`not uploaded: ${sent.status}`)
  return { name: 'offer.pdf', key, attachmentId }
}

/** One that all members may see, and that has not been changed yet. */
/** Uploads a file to be imported; returns the id of the upload. */
export async function uploadImport({ api, http }: TestApp): Promise<string> {
  const { status, body } = await api.post('/workspaces/acme/imports/uploads', { body: { name: 'contacts.csv' } })
  if (status !== 200) throw new Error(`no upload: ${JSON.stringify(body)}`)
  const { signedUrl, upload_id: id } = body.data
  const sent = await http.send({ method: 'PUT', url: signedUrl, body: 'Name,E-mail\nGrace Hopper,' })
  if (sent.status !== 200) throw new Error(`not uploaded: ${sent.status}`)
  return id
}

/** One that writes nothing, so that other tests find the records that they made; where it is asked for, reverted. */
export async function makeImport(app: TestApp, _input: Input, path: string): Promise<string> {
  const mapping = [{ source: 'Name', field: 'name' }]
  const { status, body } = await app.api.post('/workspaces/acme/imports', {
    body: { object: 'person', upload_id: await uploadImport(app), mapping, dry_run: true },
  })
  if (status !== 202) throw new Error(`no import: ${JSON.stringify(body)}`)
  const { id } = body.data
  if (!path.endsWith('/revert')) return id
  await app.api.post(`/workspaces/acme/imports/${id}/cancel`)
  await app.api.post(`/workspaces/acme/imports/${id}/revert`)
  return id
}

export async function makeAttachment(app: TestApp, input: Input): Promise<string> {
  const upload = await uploadFile(app, input)
  const { status, body } = await app.api.post(
    `/workspaces/acme/objects/${input['object']}/records/${input['id']}/attachments`,
    { body: upload },
  )
  if (status !== 201) throw new Error(`no attachment: ${JSON.stringify(body)}`)
  return upload.attachmentId
}

/** One that all members may change; where its recordings are listed, it has some. */
export async function makeMeeting(app: TestApp, _input: Input, path: string): Promise<string> {
  const { api } = app
  const attributes = { title: 'Kick-off', start: '2026-01-31T09:30:00.000Z' }
  const { status, body } = await api.post('/workspaces/acme/objects/meeting/records', {
    body: { data: { type: 'meeting', attributes } },
  })
  if (status !== 201) throw new Error(`no meeting: ${JSON.stringify(body)}`)
  const { id } = body.data
  await share(api.post, `meeting/records/${id}`, 'workspace', 'edit', 'admin')
  if (path.endsWith('/recordings')) for (let made = 0; made < 3; made++) await makeRecording(app, { meetingId: id })
  return id
}

export async function makeRecording({ api }: TestApp, { meetingId }: Input): Promise<string> {
  const { status, body } = await api.post(`/workspaces/acme/meetings/${meetingId}/transcript`, {
    body: { transcript: [{ speaker: 'Grace Hopper', words: [{ text: 'Good' }, { text: 'morning' }] }] },
  })
  if (status !== 201) throw new Error(`no recording: ${JSON.stringify(body)}`)
  return body.data.id
}

/** Beyond the addresses of examples, which have numbers of their own. */
let addresses = 1_000_000

/** One that a workflow wrote to no record, so that every member may see it. */
export async function makeEmail(app: TestApp): Promise<string> {
  const input = { to: `example-${++addresses}@example.com`, subject: 'Hello', text: 'Hello.' }
  const { body } = await app.api.post('/workspaces/acme/workflows', {
    body: {
      name: 'Write',
      enabled: true,
      trigger: { plugin_id: 'on:manual:execution', next: 'send' },
      blocks: { send: { plugin_id: 'svc:send:email', input, prev: 'trigger' } },
    },
  })
  const { body: begun } = await app.api.post(`/workspaces/acme/workflows/${body.data.id}/runs`, { body: {} })
  const run = await workflowsOf(app).runIn(begun.data.id)
  return run.attributes.steps[0].output.email_id
}

export async function makeSuppression({ api }: TestApp): Promise<string> {
  const { status, body } = await api.post('/workspaces/acme/suppressions', {
    body: { address: `example-${++addresses}@example.com` },
  })
  if (status !== 201) throw new Error(`no suppression: ${JSON.stringify(body)}`)
  return body.data.id
}

/** One whose media has been uploaded and not been added yet. */
export async function makeMedia({ api, http }: TestApp, { meetingId }: Input): Promise<string> {
  const { status, body } = await api.post(`/workspaces/acme/meetings/${meetingId}/recordings/media`, {
    body: { contentType: 'video/mp4' },
  })
  if (status !== 201) throw new Error(`no media: ${JSON.stringify(body)}`)
  const { recordingId, upload } = body.data
  const sent = await http.send({ method: 'POST', url: upload.url, ...formOf(upload.fields, 'a film') })
  if (sent.status !== 204) throw new Error(`not uploaded: ${sent.status} ${JSON.stringify(sent.body)}`)
  return recordingId
}

/** Some that the admin, who makes the examples' calls, is told of. */
export async function makeNotifications(app: TestApp): Promise<void> {
  const owner_id = app.userIds.admin
  for (let made = 0; made < 3; made++) {
    const { status, body } = await app.api.post('/workspaces/acme/objects/company/records', {
      as: 'member',
      body: { data: { type: 'company', attributes: { owner_id } } },
    })
    if (status !== 201) throw new Error(`no company: ${JSON.stringify(body)}`)
  }
  await app.startJobs()
  await app.quiet()
}

/** A check of an address by Meta. */
export async function checkedInput(app: TestApp): Promise<Record<string, Json>> {
  const workflow_id = await makeInboundWorkflow(app)
  const trigger = { plugin_id: 'on:svc:automation-webhook', input: { handshake: 'meta' } }
  await app.api.patch(`/workspaces/acme/workflows/${workflow_id}`, { body: { trigger } })
  return { workspace: 'acme', workflow_id, 'hub.mode': 'subscribe', 'hub.challenge': '1158201444' }
}

/** One that is not written yet. */
export async function makeExport({ api }: TestApp): Promise<string> {
  const { status, body } = await api.post('/workspaces/acme/exports', { body: { kind: 'workspace' } })
  if (status !== 202) throw new Error(`no export: ${JSON.stringify(body)}`)
  return body.data.id
}
