import { randomUUID } from 'node:crypto'
import { isMutation, type Endpoint } from '@kontor/contract'
import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { share } from '../harness/grants.ts'
import type { Json } from '../harness/http.ts'
import { createKey, type Caller } from '../harness/people.ts'
import { recordsOf } from '../harness/records.ts'
import { turnOf } from '../harness/size.ts'
import { exampleInput, hasParameter, workspaced, type Input } from './endpoints.ts'
import { hide, marker } from './hidden/world.ts'
import { rest, surfaces } from './surfaces.ts'

const app = await startApp()
const hidden = await hide(app)
const colleague = await app.addMember('member', 'colleague')
const friend = await app.addMember('member', 'friend')
const strangers: readonly Caller[] = ['viewer', colleague.as, 'workspaceKey']

const idPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g
const definitions = ['webhooks', 'campaigns', 'agents']
const hiddenIds = Object.entries(hidden).flatMap(([segment, id]) => (definitions.includes(segment) ? [] : [id]))

const textOf = (body: Json): string => JSON.stringify(body ?? null).toLowerCase()

/** Nothing of what is hidden, but for ids that the caller has sent. */
function expectSilent(body: Json, input: Input, what: string): void {
  const text = textOf(body)
  const sent = JSON.stringify(input)
  expect(text, what).not.toContain(marker.toLowerCase())
  for (const id of hiddenIds) if (!sent.includes(id)) expect(text, what).not.toContain(id)
}

/** The same call about what is hidden: each segment that may name it does. */
function aimed({ path }: Endpoint, input: Input): Input {
  const names = [...path.matchAll(/\/([\w-]+)\/\{(\w+)\}/g)]
  return Object.assign(
    {},
    input,
    ...names.map(([, segment, name]) => hidden[segment!] && { [name!]: hidden[segment!] }),
  )
}

/** Questions that find it, where the example of the contract does not. */
const questions: Readonly<Record<string, Json>> = {
  'search.query': { query: marker },
  'resources.query': { filter: { field: 'job_title', op: 'Is', value: marker } },
  'lists.exportRows': {},
  'sql.query': { sql: 'SELECT p.job_title, c.name FROM person p LEFT JOIN company c ON p.company_id = c._id' },
  'sql.exportCsv': { sql: 'SELECT job_title FROM person' },
}

const reads = workspaced.filter(([, endpoint]) => !isMutation(endpoint))

/** Calls of an endpoint that would show what is hidden. */
async function callsOf([name, endpoint]: (typeof reads)[number]): Promise<Input[]> {
  const page = endpoint.query !== undefined && 'page' in endpoint.query.shape ? { page: { limit: 100 } } : {}
  const input = { ...(await exampleInput(app, name, endpoint)), ...page }
  const body = questions[name]
  return [input, { ...aimed(endpoint, input), ...(body && { body }) }]
}

/** Reads that are about what is hidden, one of each kind. */
const shown = [
  'activities.list',
  'attachments.list',
  'comments.get',
  'relationships.list',
  'meetings.getTranscript',
  'records.get',
  'resources.get',
  'resources.list',
  'resources.query',
  'resources.listDeleted',
  'search.query',
  'sql.query',
  'sql.exportCsv',
  'meetings.searchTranscripts',
  'events.list',
  'lists.get',
  'lists.listRecords',
  'lists.exportRows',
  'emails.list',
  'emails.get',
  'suppressions.list',
  'workflows.getRun',
  'workflows.getRunStep',
  'agents.getRun',
  'webhooks.getDelivery',
  'campaigns.listRecipients',
]

/** Where an admin sees it, so that there is something to hide. */
const shownBy = new Set<string>()

describe('a read shows nothing of records that its caller may not see', () => {
  test.for(reads)('%s', async (read) => {
    const [name, endpoint] = read
    for (const call of await callsOf(read)) {
      const send = async (as: Caller): Promise<Json> => (await rest(app, name, endpoint, call, { as })).body
      if (textOf(await send('admin')).includes(marker.toLowerCase())) shownBy.add(name)
      for (const as of strangers) expectSilent(await send(as), call, `${JSON.stringify(as)} ${JSON.stringify(call)}`)
      const inMarkdown = await rest(app, name, endpoint, call, { as: 'viewer', headers: { Accept: 'text/markdown' } })
      expectSilent(inMarkdown.body, call, `in Markdown ${JSON.stringify(call)}`)
      const { scope } = endpoint
      // Lists have a scope of their own.
      if (scope === null || scope === 'lists:read' || scope.startsWith('records:')) continue
      const { key } = await createKey(app.api.post, 'admin', { scopes: [scope] })
      expect(textOf(await send({ authorization: `api-key ${key}` })), scope).not.toContain(marker.toLowerCase())
    }
  })

  test('and an admin sees them there', () => {
    expect([...shownBy]).toEqual(expect.arrayContaining(shown))
  })
})

const ofHidden = /\/(?:records|resources|comments|meetings|recordings|media|attachments|access|emails)\/\{(\w+)\}/g

/** Ids of records in a call, and of what is part of records. */
function idsOf({ path }: Endpoint, input: Input): string[] {
  const inPath = [...path.matchAll(ofHidden)].map(([, name]) => input[name!])
  const inBody = [...JSON.stringify(input['body'] ?? null).matchAll(idPattern)].map(([id]) => id)
  const users: readonly string[] = Object.values(app.userIds)
  return [...new Set([...inPath, ...inBody])].filter((id) => !users.includes(id))
}

const renamed = <T>(value: T, ids: ReadonlyMap<string, string>): T =>
  value === undefined ? value : JSON.parse(JSON.stringify(value).replaceAll(idPattern, (id) => ids.get(id) ?? id))

/** The makers share meetings with all, and what they grant. */
async function unshare(name: string, input: Input): Promise<Input> {
  const meeting = input['meetingId']
  if (meeting !== undefined) await recordsOf(app, 'admin').patch('meeting', meeting, { visibility: 'private' })
  if (!/^access\.(?:update|remove)$/.test(name)) return input
  const one = `${String(input['object'])}/records/${String(input['id'])}`
  await app.api.delete(`/workspaces/acme/objects/${one}/access/${String(input['grant'])}`)
  return { ...input, grant: await share(app.api.post, one, friend.id, 'view') }
}

const combined = <A, B, C>(some: readonly A[], others: readonly B[], more: readonly C[]): [A, B, C][] =>
  some.flatMap((one) => others.flatMap((other) => more.map((third): [A, B, C] => [one, other, third])))

const withoutIds = (body: Json): Json =>
  body?.errors === undefined ? body : { errors: body.errors.map(({ id: _id, ...error }: Json) => error) }

describe('a call that names hidden records returns what it returns for ids that nothing has', () => {
  test.for(turnOf(22, workspaced))('%s', async ([name, endpoint]) => {
    const input = await unshare(name, await exampleInput(app, name, endpoint))
    const unknown = new Map(idsOf(endpoint, input).map((id) => [id, randomUUID().replace(/^(.{14})4/, '$17')]))
    if (unknown.size === 0) return
    const calls = hasParameter(endpoint, 'dry_run') ? [{ ...input, dry_run: true }, input] : [input]
    for (const [call, as, surface] of combined(calls, strangers, Object.values(surfaces))) {
      const outcome = await surface(app, name, endpoint, call, { as })
      const none = await surface(app, name, endpoint, renamed(call, unknown), { as })
      expect([outcome.status, renamed(withoutIds(outcome.body), unknown)], JSON.stringify(as)).toEqual([
        none.status,
        withoutIds(none.body),
      ])
    }
  })
})
