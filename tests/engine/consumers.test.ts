import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Database, Tx } from '../../packages/server/src/db/tx.ts'
import { inEachWorkspace } from '../../packages/server/src/engine/each-workspace.ts'
import type { EarlyContext } from '../../packages/server/src/engine/recurring.ts'
import type { Runner } from '../../packages/server/src/engine/runner.ts'
import {
  followLog,
  outboxUpkeep,
  sequencesLater,
  startFollowing,
  stopFollowing,
  writeOutbox,
  type EventConsumer,
  type LoggedEvent,
} from '../../packages/server/src/modules/events/index.ts'
import { freshDatabase, migratedUrl, open } from '../db/fresh.ts'
import { Random } from '../harness/random.ts'
import { runSeed, sized } from '../harness/size.ts'
import { until } from '../harness/until.ts'
import { startRunner, testClock, workspaceA, workspaceB } from './engine.ts'

const recordId = '01900000-0000-7000-8000-0000000000aa'

/** The number that an event carries. */
const numberOf = ({ payload }: LoggedEvent): number => Number(payload.ids?.[0])

/** Does what a handler does when it emits: some events, numbered by a payload, in one transaction. */
const emit = (database: Database, workspaceId: string, numbers: readonly number[]): Promise<void> =>
  database.write((tx) =>
    writeOutbox(
      tx,
      { workspaceId, actor: { kind: 'user', userId: recordId, scopes: [] }, silent: false, now: testClock().now() },
      numbers.map((number) => ({
        id: crypto.randomUUID(),
        type: 'relationship.set' as const,
        object: 'person',
        recordId,
        payload: { relationship: 'deals', ids: [`${number}`] },
      })),
    ),
  )

const follow = (database: Database, workspaceId: string, name = 'test'): Promise<void> =>
  database.write((tx) => startFollowing(tx, workspaceId, name))

/** A consumer that leaves a row for each event, in its transaction; an event that came twice has two. */
const tracing = (name: string, more: Partial<EventConsumer> = {}): EventConsumer => ({
  name,
  prepare: async (_, workspaceId, events) => ({
    write: async (tx) =>
      tx.insert(
        'record_count_delta',
        events.map((event) => ({
          workspace_id: workspaceId,
          object: name,
          id: crypto.randomUUID(),
          delta: numberOf(event),
        })),
      ),
  }),
  ...more,
})

const traces = async (database: Database, workspaceId: string, name = 'test'): Promise<number[]> =>
  (
    await database.reader.query<{ delta: number }>(({ knex }) =>
      knex('record_count_delta').select('delta').where({ workspace_id: workspaceId, object: name }).orderBy('delta'),
    )
  ).map(({ delta }) => delta)

/** A node that numbers events, as every server does where the database does not, and has some consumers. */
function node(database: Database, consumers: readonly EventConsumer[], clock = testClock()): Promise<Runner> {
  const number = inEachWorkspace<EarlyContext>({
    due: outboxUpkeep.due,
    work: (context, workspaceId) =>
      context.database.write((tx) => outboxUpkeep.batch(tx, workspaceId, context.clock.now())),
  })
  const numbering = { name: 'number', everyMs: 1000, on: 'outbox', gapMs: 20, run: number } as const
  return startRunner(database, {
    clock,
    recurring: [...(sequencesLater(database.dialect) ? [numbering] : []), ...consumers.map(followLog)],
  })
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, number) => number)

test('a consumer gets each event of the workspaces that it follows, from when it began, in order', async () => {
  const database = await freshDatabase()
  const got: LoggedEvent[] = []
  const consumer = tracing('test', {
    async prepare(_, workspaceId, events) {
      expect(workspaceId).toBe(workspaceA)
      got.push(...events)
      return { write: async () => undefined }
    },
  })
  await node(database, [])
  await emit(database, workspaceA, [-1])
  await until(async () => (await database.reader.query(({ knex }) => knex('event').select('id'))).length === 1, {
    what: 'an event from before',
  })
  await follow(database, workspaceA)
  await node(database, [consumer])
  await emit(database, workspaceB, [100])
  for (const number of upTo(250)) void emit(database, workspaceA, [number * 2, number * 2 + 1])
  await until(() => got.length === 500, { what: 'all events' })
  expect(got.map(({ sequence }) => sequence)).toEqual(upTo(500).map((number) => number + 2))
  expect(got.map(numberOf).toSorted((a, b) => a - b)).toEqual(upTo(500))
  const { payload: _, ...first } = got[0]!
  expect(first).toEqual({
    sequence: 2,
    id: expect.any(String),
    type: 'relationship.set',
    object: 'person',
    record_id: recordId,
    actor: { id: recordId, kind: 'user' },
    silent: false,
    created_at: expect.any(Number),
  })
})

test('what it writes is written once for each event, by several processes that fail and stop in between', async () => {
  const url = await migratedUrl()
  const databases = upTo(3).map(() => open(url, { connectionsMax: 4 }))
  const database = databases[0]!
  await Promise.all([follow(database, workspaceA), follow(database, workspaceB, 'other')])
  const random = new Random(runSeed)
  const events = sized(300, 60)
  let writes = 0
  const shaky = tracing('test', {
    async prepare(context, workspaceId, given) {
      for (let turns = random.below(50); turns > 0; turns--) await nextTurn()
      // Now and then it takes a few of them alone.
      const some = given.slice(0, random.between(1, given.length * 2))
      const { write } = await tracing('test').prepare(context, workspaceId, some)
      const all = async (tx: Tx) => {
        await write(tx)
        // Behind what it has written, which is then undone with the move of the cursor.
        if ([2, 5].includes(++writes)) throw new Error('broken')
      }
      return { write: all, events: some.length }
    },
  })
  const clock = testClock()
  const nodeOn = (one: Database) => node(one, [shaky, tracing('other')], clock)
  const runners = await Promise.all(databases.map(nodeOn))
  for (const [index, number] of upTo(events).entries()) {
    await emit(databases[index % 3]!, workspaceA, [number])
    await emit(databases[index % 3]!, workspaceB, [number])
    if (index === events / 2) await runners[0]!.stop(1000)
    if (index === (events * 2) / 3) runners[0] = await nodeOn(databases[0]!)
  }
  const written = (count: number) =>
    Promise.all(
      [[workspaceA, 'test'] as const, [workspaceB, 'other'] as const].map(([workspaceId, name]) =>
        until(
          async () => {
            // Failed events come again when the work comes round, or when something happens.
            clock.jump(1000)
            return (await traces(database, workspaceId, name)).length >= count
          },
          { what: `${count} of ${name}` },
        ),
      ),
    )
  await written(events)
  // Behind all others: what would be written again is written before it.
  await Promise.all([emit(database, workspaceA, [events]), emit(database, workspaceB, [events])])
  await written(events + 1)
  expect(await traces(database, workspaceA)).toEqual(upTo(events + 1))
  expect(await traces(database, workspaceB, 'other')).toEqual(upTo(events + 1))
  expect(await traces(database, workspaceA, 'other')).toEqual([])
})

test('it goes on where it was when all processes have ended, and starting again moves nothing', async () => {
  const database = await freshDatabase()
  await follow(database, workspaceA)
  const runner = await node(database, [tracing('test')])
  await emit(database, workspaceA, [0])
  await until(async () => (await traces(database, workspaceA)).length === 1, { what: 'the first' })
  await runner.stop(1000)
  await emit(database, workspaceA, [1, 2])
  await follow(database, workspaceA)
  await node(database, [tracing('test')])
  await until(async () => (await traces(database, workspaceA)).length === 3, { what: 'the others' })
  expect(await traces(database, workspaceA)).toEqual([0, 1, 2])
})

test('where a consumer has stopped it gets nothing, nor later what happened meanwhile', async () => {
  const database = await freshDatabase()
  await follow(database, workspaceA)
  await follow(database, workspaceA, 'other')
  await node(database, [tracing('test'), tracing('other')])
  await database.write((tx) => stopFollowing(tx, workspaceA, 'test'))
  await emit(database, workspaceA, [0])
  await until(async () => (await traces(database, workspaceA, 'other')).length === 1, { what: 'the other consumer' })
  await follow(database, workspaceA)
  await emit(database, workspaceA, [1])
  await until(async () => (await traces(database, workspaceA)).length === 1, { what: 'what came after' })
  expect(await traces(database, workspaceA)).toEqual([1])
})
