import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, inject, test } from 'vitest'
import { startFollowing } from '../../packages/server/src/modules/events/consumers/store.ts'
import { outboxFacts, outboxUpkeep, writeOutbox } from '../../packages/server/src/modules/events/outbox/store.ts'
import type { Database, Tx } from '../../packages/server/src/db/tx.ts'
import { Random } from '../harness/random.ts'
import { runSeed, sized } from '../harness/size.ts'
import { until } from '../harness/until.ts'
import { freshDatabase, migratedUrl, open } from './fresh.ts'

const workspaces = ['a', 'b', 'c'].map((letter) => `01900000-0000-7000-8000-00000000000${letter}`)
const now = Date.UTC(2026, 0, 1)
const actor = { kind: 'user', userId: workspaces[0]!, scopes: [] } as const

type Payload = { readonly writer: number; readonly number: number }
type EventRow = { readonly sequence: number; readonly payload: Payload }

/** Ids say nothing about the order: nodes have clocks of their own. */
const event = (told: Payload) => ({
  id: randomUUID(),
  type: 'relationship.set' as const,
  object: 'person',
  recordId: randomUUID(),
  payload: { relationship: `${told.writer}`, ids: [`${told.number}`] },
})

const tell = (tx: Tx, workspaceId: string, ...told: Payload[]): Promise<void> =>
  writeOutbox(tx, { workspaceId, actor, silent: false, now }, told.map(event))

const numbersAreGiven = inject('database') === 'postgres'

/** One batch in each workspace with events that have no number; returns whether there are more. */
async function sequenceSome(database: Database): Promise<boolean> {
  let more = false
  for (const workspaceId of await outboxUpkeep.due(database.reader, 0))
    more = (await database.write((tx) => outboxUpkeep.batch(tx, workspaceId, 0))) || more
  return more
}

const sequenceAll = async (database: Database): Promise<void> => {
  if (numbersAreGiven) while (await sequenceSome(database));
}

const after = async (database: Database, workspaceId: string, sequence: number): Promise<EventRow[]> =>
  (
    await database.reader.query<{ sequence: number; payload: { relationship: string; ids: [string] } }>(({ knex }) =>
      knex('event')
        .select('sequence', 'payload')
        .where('workspace_id', workspaceId)
        .where('sequence', '>', sequence)
        .orderBy('sequence'),
    )
  ).map(({ sequence: at, payload: { relationship, ids } }) => ({
    sequence: at,
    payload: { writer: Number(relationship), number: Number(ids[0]) },
  }))

/** Returns whether a transaction waits for a lock. */
const hasWaiting = async (database: Database): Promise<boolean> =>
  (
    await database.reader.query(({ knex }) =>
      knex('pg_stat_activity').where('wait_event_type', 'Lock').whereRaw('datname = current_database()'),
    )
  ).length > 0

async function turnsOfTheLoop(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn()
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

test('events are numbered from one in each workspace, in the order in which they were written', async () => {
  const database = await freshDatabase()
  await database.write((tx) => tell(tx, workspaces[0]!, { writer: 0, number: 1 }, { writer: 0, number: 2 }))
  await database.write((tx) => tell(tx, workspaces[1]!, { writer: 1, number: 1 }))
  await sequenceAll(database)
  await database.write((tx) => tell(tx, workspaces[0]!))
  await database.write((tx) => tell(tx, workspaces[0]!, { writer: 0, number: 3 }))
  await sequenceAll(database)
  expect((await after(database, workspaces[0]!, 0)).map(({ sequence, payload }) => [sequence, payload.number])).toEqual(
    [
      [1, 1],
      [2, 2],
      [3, 3],
    ],
  )
  expect(await after(database, workspaces[1]!, 0)).toEqual([{ sequence: 1, payload: { writer: 1, number: 1 } }])
})

test('events wake the consumers that follow their workspace, and no others', async () => {
  const database = await freshDatabase()
  const woken: string[] = []
  for (const topic of ['events', 'events.one', 'events.two'] as const)
    database.subscribe(topic, () => woken.push(topic))
  await database.write((tx) => startFollowing(tx, workspaces[0]!, 'one'))
  await database.write((tx) => startFollowing(tx, workspaces[1]!, 'two'))
  const wokenBy = async (workspaceId: string): Promise<string[]> => {
    woken.length = 0
    await database.write((tx) => tell(tx, workspaceId, { writer: 0, number: 1 }))
    await sequenceAll(database)
    return [...new Set(woken)]
  }
  expect(await wokenBy(workspaces[0]!)).toEqual(['events', 'events.one'])
  expect(await wokenBy(workspaces[1]!)).toEqual(['events', 'events.two'])
  expect(await wokenBy(workspaces[2]!)).toEqual(['events'])
})

test.runIf(numbersAreGiven)(
  'a consumer that begins to follow while events get their numbers is woken by them',
  async () => {
    const url = await migratedUrl()
    const [node, other] = [open(url), open(url)]
    await node.write((tx) => tell(tx, workspaces[0]!, { writer: 0, number: 1 }))
    const woken: string[] = []
    other.subscribe('events.one', () => woken.push('one'))
    let numbering: Promise<boolean> | undefined
    await node.write(async (tx) => {
      await startFollowing(tx, workspaces[0]!, 'one')
      numbering = sequenceSome(other)
      // It waits for the end of the log, which is locked.
      await until(() => hasWaiting(node), { what: 'a lock that is waited for' })
    })
    await numbering
    expect(woken).toEqual(['one'])
  },
)

test('events of a change that is taken back are never seen, and leave no gap', async () => {
  const database = await freshDatabase()
  const refused = database.write(async (tx) => {
    await tell(tx, workspaces[0]!, { writer: 0, number: 1 })
    throw new Error('no')
  })
  await expect(refused).rejects.toThrow('no')
  await database.write((tx) => tell(tx, workspaces[0]!, { writer: 0, number: 2 }))
  await sequenceAll(database)
  expect((await after(database, workspaces[0]!, 0)).map(({ sequence, payload }) => [sequence, payload.number])).toEqual(
    [[1, 2]],
  )
})

test(
  'a reader that goes on from the last number misses nothing, whatever commits late, while several nodes ' +
    'give the numbers',
  async () => {
    const url = await migratedUrl()
    const nodes = Array.from({ length: 3 }, () => open(url))
    const end = new AbortController()
    const events = sized(60, 5)
    const written = new Map<string, number>()
    /** Every event is written after the one before has been committed, by whichever node. */
    const write = async (writer: number) => {
      const random = new Random(runSeed, writer)
      for (let number = 1; number <= events; number++) {
        const workspaceId = workspaces[writer % workspaces.length]!
        const told = { writer, number }
        const isRefused = random.chance(0.1)
        await nodes[number % nodes.length]!.write(async (tx) => {
          await tell(tx, workspaceId, told)
          // Some commit long after they wrote. On SQLite no other transaction could write meanwhile.
          if (numbersAreGiven && random.chance(0.3)) await turnsOfTheLoop(random.below(1000))
          if (isRefused) throw new Error('no')
        }).then(
          () => written.set(workspaceId, (written.get(workspaceId) ?? 0) + 1),
          () => number--,
        )
      }
    }
    const sequencer = async (node: Database) => {
      while (!end.signal.aborted) {
        await sequenceAll(node)
        await nextTurn()
      }
    }
    const reader = async (node: Database, workspaceId: string): Promise<EventRow[]> => {
      const seen: EventRow[] = []
      const readOn = async () => void seen.push(...(await after(node, workspaceId, seen.at(-1)?.sequence ?? 0)))
      while (!end.signal.aborted) {
        await readOn()
        await nextTurn()
      }
      await readOn()
      return seen
    }
    const sequencers = Promise.all(nodes.map(sequencer))
    const readers = workspaces.map((workspaceId, index) => reader(nodes[index % nodes.length]!, workspaceId))
    await Promise.all(Array.from({ length: 9 }, (_, writer) => write(writer)))
    await sequenceAll(nodes[0]!)
    end.abort()
    await sequencers
    for (const [index, seen] of (await Promise.all(readers)).entries()) {
      expect(seen.map(({ sequence }) => sequence)).toEqual(upTo(written.get(workspaces[index]!)!))
      for (const writer of new Set(seen.map(({ payload }) => payload.writer))) {
        expect(seen.filter(({ payload }) => payload.writer === writer).map(({ payload }) => payload.number)).toEqual(
          upTo(events),
        )
      }
    }
  },
)

test('an event that was written before a thousand others and commits after them comes behind them', async () => {
  const database = await freshDatabase()
  const late = () =>
    database.write(async (tx) => {
      await tell(tx, workspaces[0]!, { writer: 0, number: 0 })
      if (numbersAreGiven) await others()
    })
  const others = async () => {
    for (let number = 1; number <= 10; number++)
      await database.write((tx) =>
        tell(tx, workspaces[0]!, ...Array.from({ length: 100 }, () => ({ writer: 1, number }))),
      )
    await sequenceAll(database)
    expect((await after(database, workspaces[0]!, 0)).length).toBe(1000)
  }
  if (!numbersAreGiven) await others()
  await late()
  await sequenceAll(database)
  const seen = await after(database, workspaces[0]!, 0)
  expect(seen.map(({ sequence }) => sequence)).toEqual(upTo(1001))
  expect(seen.at(-1)!.payload).toEqual({ writer: 0, number: 0 })
})

describe.runIf(numbersAreGiven)('where numbers are given after the commit', () => {
  test('a flood in one workspace does not hold up another, and takes several batches', async () => {
    const database = await freshDatabase()
    await database.write((tx) =>
      tell(tx, workspaces[0]!, ...Array.from({ length: 2500 }, (_, number) => ({ writer: 0, number }))),
    )
    await database.write((tx) => tell(tx, workspaces[1]!, { writer: 1, number: 1 }))
    expect(await sequenceSome(database)).toBe(true)
    expect(await after(database, workspaces[1]!, 0)).toHaveLength(1)
    expect((await after(database, workspaces[0]!, 0)).length).toBe(2000)
    await sequenceAll(database)
    expect((await after(database, workspaces[0]!, 0)).map(({ sequence }) => sequence)).toEqual(upTo(2500))
  })

  test('what waits for its number is told', async () => {
    const database = await freshDatabase()
    expect(await outboxFacts(database, now)).toEqual({ waiting: 0, lagMs: 0 })
    await database.write((tx) => tell(tx, workspaces[0]!, { writer: 0, number: 1 }, { writer: 0, number: 2 }))
    const { waiting, lagMs } = await outboxFacts(database, now + 5000)
    expect(waiting).toBe(2)
    expect(lagMs).toBe(5000)
    await sequenceAll(database)
    expect(await outboxFacts(database, now)).toEqual({ waiting: 0, lagMs: 0 })
  })
})
