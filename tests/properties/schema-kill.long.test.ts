import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { apiOf } from '../harness/api.ts'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { changesOf, objectPath, schemasOf } from '../harness/schemas.ts'
import { startServer } from '../harness/server-process.ts'

/** Runs no jobs itself: what is done is done by servers that are killed. */
const app = await startApp()
const settings = { FIELD_INDEX_THRESHOLD: '50' }

const name = { xSvcType: 'text', xSvcPrimary: true }
const letters = ['a', 'b', 'c', 'd']
const options = { xSvcType: 'select', enum: letters }
const text = { xSvcType: 'text' }
const rows = 240

type Server = Awaited<ReturnType<typeof startServer>>
type Kind = {
  readonly fields: (other: string) => Json
  /** Changes the document; undefined where the object is deleted. */
  readonly change: ((properties: Json, document: Json) => unknown) | undefined
  /** The fault of some of the records, for which the change cannot be made. */
  readonly fails?: { readonly field: string; readonly count: number }
}

/** A change of every kind, each of an object of its own with records in it. */
const kinds: Readonly<Record<string, Kind>> = {
  tighten: { fields: () => ({ v: text }), change: (properties) => (properties.v.maxLength = 1) },
  fail: {
    fields: () => ({ v: text }),
    change: (properties) => (properties.v.enum = ['a', 'b']),
    fails: { field: 'v', count: rows / 2 },
  },
  require: { fields: () => ({ v: text }), change: (_properties, document) => (document.required = ['v', 'name']) },
  unique: { fields: () => ({ v: text }), change: (properties) => (properties.name.xSvcUnique = true) },
  twins: {
    fields: () => ({ v: text }),
    change: (properties) => (properties.v.xSvcUnique = true),
    fails: { field: 'v', count: rows - letters.length },
  },
  primary: {
    fields: () => ({ v: text }),
    change: (properties) => {
      delete properties.name.xSvcPrimary
      properties.v.xSvcPrimary = true
    },
  },
  options: { fields: () => ({ v: options }), change: (properties) => (properties.v.enum = ['a', 'c']) },
  drop: {
    fields: () => ({ v: text, w: { ...text, xSvcUnique: true } }),
    change: (properties) => {
      delete properties.v
      delete properties.w
    },
  },
  rename: {
    fields: () => ({ v: text }),
    change: (properties, document) =>
      (document.properties = {
        first: { ...properties.name, xSvcPrevName: 'name' },
        second: { ...properties.v, xSvcPrevName: 'v' },
      }),
  },
  retype: { fields: () => ({ v: text }), change: (properties) => (properties.v = options) },
  unrelate: {
    fields: (other) => ({
      v: { xSvcType: 'reference', xSvcRelationship: { kind: 'many-to-one', entity: other, field: 'back' } },
    }),
    change: (properties) => delete properties.v,
  },
  everything: {
    fields: () => ({ v: options, w: text }),
    change: (properties) => {
      properties.v.enum = ['a']
      properties.w.maxLength = 10
      properties.w.xSvcUnique = true
      properties.x = { xSvcType: 'number' }
    },
  },
  remove: { fields: () => ({ v: text, w: { ...text, xSvcUnique: true } }), change: undefined },
}

type Prepared = {
  readonly kind: Kind
  readonly object: string
  readonly before: Json
  readonly wanted: Json
  readonly ids: readonly string[]
}

const through = (server: Server) => ({
  api: apiOf(app.http, server.baseUrl, app.credentials),
  startJobs: async () => undefined,
})

/** Makes an object for a kind of change, with records. */
async function prepare(server: Server, kind: Kind): Promise<Prepared> {
  const there = through(server)
  const other = await schemasOf(there).make({ name })
  const object = await schemasOf(there).make({ name, ...kind.fields(other) })
  const related = await recordsOf(there).create(other, { name: 'Related' })
  const before = await schemasOf(there).get(object)
  const { v, w } = before.properties
  const made = await recordsOf(there).createMany(
    object,
    Array.from({ length: rows }, (_, number) => ({
      name: `N ${number}`,
      v: v.xSvcRelationship === undefined ? letters[number % 4] : related.id,
      ...(w && { w: `w${number}` }),
    })),
  )
  await recordsOf(there).list(object, { 'filter[v]': 'a' })
  const wanted = structuredClone(before)
  kind.change?.(wanted.properties, wanted)
  return { kind, object, before, wanted, ids: made.map(({ id }) => id) }
}

type SentChange = Prepared & { readonly task: string | undefined }

/** Asks for the change; no task where the server was gone before it answered. */
async function ask(server: Server, prepared: Prepared): Promise<SentChange> {
  const there = through(server)
  const answer = await (
    prepared.kind.change === undefined
      ? there.api.delete(objectPath(prepared.object))
      : changesOf(there).put(prepared.object, prepared.wanted)
  ).catch(() => undefined)
  if (answer !== undefined && answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  return { ...prepared, task: answer?.body.data.id }
}

const partOf = ({ properties, required }: Json): Json => ({
  required,
  properties: Object.fromEntries(
    Object.entries<Json>(properties).map(([field, { xSvcPrevName: _old, ...schema }]) => [field, schema]),
  ),
})

/** Expects all of a change, or nothing and the reason. The arrival of one that was never answered is open. */
async function expectWhole(server: Server, { kind, object, before, wanted, task }: SentChange): Promise<void> {
  const { status, body } = await through(server).api.get(objectPath(object))
  const isThere = status === 200
  const found = isThere ? partOf(body.data.attributes) : undefined
  const whole = kind.change === undefined ? undefined : partOf(wanted)
  if (task === undefined)
    return expect(kind.fails === undefined ? [partOf(before), whole] : [partOf(before)]).toContainEqual(found)
  const { state, metadata } = (await changesOf(through(server)).task(task)).attributes
  if (kind.fails === undefined) expect([state, found], JSON.stringify(metadata)).toEqual(['completed', whole])
  else
    expect([state, metadata.errors.map(({ field, count }: Json) => [field, count]), found]).toEqual([
      'failed',
      [[kind.fails.field, kind.fails.count]],
      partOf(before),
    ])
}

const every = ['claim', 'clear', 'check', 'activate', 'settle', 'begin', 'clean'] as const

/** Kills a server as soon as a job stands at one of some steps, or at whichever they stand after a while. */
async function killAt(
  server: Server,
  wanted: readonly string[],
  isAt: () => Promise<readonly (string | undefined)[]>,
): Promise<readonly (string | undefined)[]> {
  const until = performance.now() + 5000
  while (performance.now() < until && !(await isAt()).some((step) => step !== undefined && wanted.includes(step)))
    await sleep(0)
  await server.kill()
  return isAt()
}

/** Tables that tell what has happened, and what was answered. */
const memories = ['activity', 'event', 'outbox', 'idempotency', 'schema_version', 'async_task', 'job']

/**
 * Kills a server while changes of every kind are made, at a step that is still missing; another one that has brought
 * them to an end.
 */
async function strike(
  struck: Set<string>,
  first: Server,
): Promise<{ readonly changes: readonly SentChange[]; readonly server: Server }> {
  const prepared = await Promise.all(Object.values(kinds).map((kind) => prepare(first, kind)))
  const asked = Promise.all(prepared.map((one) => ask(first, one)))
  const steps = async () =>
    (await app.schemaJobs.list()).filter(({ kind }) => kind === 'schemas.change').map(({ step }) => step)
  const missing = every.filter((step) => !struck.has(step))
  for (const step of await killAt(first, missing, steps)) if (step !== undefined) struck.add(step)
  const changes = await asked
  await app.schemaJobs.giveBack()
  const server = await startServer(app.databaseUrl, settings)
  await app.schemaJobs.ended('schemas.change')
  for (const change of changes) await expectWhole(server, change)
  return { changes, server }
}

/** The same for what is left behind, which is removed seconds later: here at once. */
async function strikeCleaning(struck: Set<string>, server: Server): Promise<Server> {
  await app.schemaJobs.hasten()
  if (struck.has('clean')) return server
  const cleaning = async () =>
    (await app.schemaJobs.list()).filter(({ isUnderWay }) => isUnderWay).map(({ step }) => step)
  for (const step of await killAt(server, ['clean'], cleaning)) if (step !== undefined) struck.add(step)
  await app.schemaJobs.giveBack()
  return startServer(app.databaseUrl, settings)
}

test(
  'a server that is killed at any step of any change: the change is made, or it is not and says why, and ' +
    'nothing is half',
  { timeout: 300_000 },
  async () => {
    const struck = new Set<string>()
    let server = await startServer(app.databaseUrl, settings)
    for (let round = 0; round < 12 && struck.size < every.length; round++) {
      const { changes, server: next } = await strike(struck, server)
      server = await strikeCleaning(struck, next)
      await app.schemaJobs.ended('schemas.change', 'schemas.clean')
      await app.indexes.ready()
      expect(await app.tableFaults(changes.map(({ object }) => object))).toEqual([])
      const left = (await app.rows(await app.workspaceId('acme'))).filter(
        (row) => !memories.some((table) => row.startsWith(`${table} `)),
      )
      const gone = changes.filter(({ kind, task }) => kind.change === undefined && task !== undefined)
      for (const { object, ids } of gone)
        expect(left.filter((row) => row.includes(`"${object}`) || ids.some((id) => row.includes(id)))).toEqual([])
    }
    expect([...struck].toSorted()).toEqual([...every].toSorted())
    expect(await server.terminate()).toBe(0)
  },
)
