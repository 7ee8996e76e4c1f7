import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { ChangeTime, ChangeTimes } from '../../../kernel/change-times.ts'
import { handled, promised } from '../../../lib/promises.ts'
import { SerialisationFailure } from '../../../db/errors.ts'
import { knownMigrations } from '../../../db/migrations/index.ts'
import { param, statement } from '../../../db/statement.ts'
import type { Database, ReadTx, Tx } from '../../../db/tx.ts'
import { roomFor } from '../../../lib/caches.ts'

type OfWorkspace = { readonly workspace_id: string }

/** The row of a workspace; null where no row exists, in the column of a function. */
type Horizon = { readonly told_until: number | null }

const findHorizon = statement<OfWorkspace, Horizon>(({ knex }) =>
  knex('horizon').select('told_until').where('workspace_id', param('workspace_id')),
)

const tell = statement<OfWorkspace & { told_until: number }, never>(
  (sql) =>
    sql`insert into horizon (workspace_id, told_until) values (${param('workspace_id')}, ${param('told_until')})
     on conflict (workspace_id) do update set told_until = excluded.told_until
       where horizon.told_until < excluded.told_until`,
)

const findNewest = statement<OfWorkspace & { object: string }, { updated_at: number }>(({ knex }) =>
  knex('record')
    .select('updated_at')
    .where({ workspace_id: param('workspace_id'), object: param('object') })
    .whereNull('deleted_at')
    .orderBy('updated_at', 'desc')
    .limit(1),
)

/** Workspaces whose watermark and group a node remembers. */
const rememberedMax = 10_000

// An open change on Postgres is a shared lock, which blocks nothing. It is released with the transaction, right after
// its rows become visible, and its key has the workspace and the time since when the change is open.

const sinceBits = 42
const sinceMask = 2n ** BigInt(sinceBits) - 1n

const workspaceBits = 21

/** Derived from the id, so the same on every database: hashing costs as much as a query's text. */
// oxlint-disable-next-line kontor/module-state
const groups = new LRUCache<string, number>(roomFor(rememberedMax))

function groupOf(workspaceId: string): number {
  let group = groups.get(workspaceId)
  if (group === undefined) {
    group = createHash('sha256').update(workspaceId).digest().readUInt32BE() >>> (32 - workspaceBits)
    groups.set(workspaceId, group)
  }
  return group
}

const keyOf = (workspaceId: string, now: number): string =>
  ((BigInt(groupOf(workspaceId)) << BigInt(sinceBits)) | (BigInt(now) & sinceMask)).toString()

const beginChange = statement<OfWorkspace & { key: string }, Horizon>(
  (sql) =>
    sql`select told_until from kontor_begin_change(${param('workspace_id')}, ${param('key')}, ${knownMigrations})`,
)

type UnderWay = { readonly holder: string; readonly since: number }

const listUnderWay = statement<{ workspace: number }, UnderWay>((sql) => {
  const key = sql`((classid::bigint << 32) | objid::bigint)`
  return sql`select virtualtransaction as holder, ${key} & ${sinceMask} as since from pg_locks
    where locktype = 'advisory' and mode = 'ShareLock' and granted and ${key} >> ${sinceBits} = ${param('workspace')}
      and database = (select oid from pg_database where datname = current_database())`
})

/** Longest that a reader waits for open changes; it does not see past those that take longer. */
const waitMaxMs = 1000
const pauseMaxMs = 50

/**
 * A reader publishes a watermark before it reads up to it: the watermark is stored, and every change that begins later
 * gets a later timestamp. The reader waits for changes that began before. So only clients that read by time pay, and
 * writers read one row.
 */
export class DatabaseChangeTimes implements ChangeTimes {
  readonly #database: Database
  readonly #watermarks = new LRUCache<string, number>(roomFor(rememberedMax))

  constructor(database: Database) {
    this.#database = database
  }

  begin(tx: Tx, workspaceId: string, now: number): Promise<ChangeTime> {
    return tx.dialect.name === 'sqlite' ? beginAlone(tx, workspaceId, now) : this.#beginBeside(tx, workspaceId, now)
  }

  async watermark(workspaceId: string, object: string): Promise<number> {
    const { reader, dialect } = this.#database
    const newest = (await reader.first(findNewest, { workspace_id: workspaceId, object }))?.updated_at ?? 0
    if (newest > (await toldUntil(reader, workspaceId)))
      await this.#database.write((tx) => tx.run(tell, { workspace_id: workspaceId, told_until: newest }))
    return dialect.name === 'sqlite' ? newest : settled(reader, workspaceId, newest)
  }

  /**
   * Starts from the watermark that this node remembers and checks it later, so that no work waits for a round trip
   * before it begins.
   */
  async #beginBeside(tx: Tx, workspaceId: string, now: number): Promise<ChangeTime> {
    const at = Math.max(now, (this.#watermarks.get(workspaceId) ?? 0) + 1)
    const begun = handled(tx.first(beginChange, { workspace_id: workspaceId, key: keyOf(workspaceId, at) }))
    return { now: at, confirmed: promised(async () => this.#confirm(workspaceId, at, (await begun)?.told_until ?? 0)) }
  }

  /**
   * A reader that publishes a later watermark sees that this change is open; a watermark published before is found
   * here.
   */
  #confirm(workspaceId: string, at: number, watermark: number): void {
    if (watermark > 0) this.#watermarks.set(workspaceId, watermark)
    if (watermark >= at) throw new SerialisationFailure('A reader holds a later watermark')
  }
}

const toldUntil = async (tx: ReadTx, workspaceId: string): Promise<number> =>
  (await tx.first(findHorizon, { workspace_id: workspaceId }))?.told_until ?? 0

/** On SQLite changes run one after another, and so do updates of the watermark. */
const beginAlone = async (tx: Tx, workspaceId: string, now: number): Promise<ChangeTime> => ({
  now: Math.max(now, (await toldUntil(tx, workspaceId)) + 1),
  confirmed: Promise.resolve(),
})

/** Waits for the changes that were open when the watermark was published and belong before it. */
async function settled(reader: ReadTx, workspaceId: string, watermark: number): Promise<number> {
  const started = performance.now()
  const early = async () =>
    (await reader.all(listUnderWay, { workspace: groupOf(workspaceId) })).filter(({ since }) => since <= watermark)
  let awaited = await early()
  for (let pauseMs = 1; awaited.length > 0; pauseMs = Math.min(pauseMs * 2, pauseMaxMs)) {
    if (performance.now() - started > waitMaxMs) return Math.min(...awaited.map(({ since }) => since)) - 1
    await sleep(pauseMs)
    const holders = new Set((await early()).map(({ holder }) => holder))
    awaited = awaited.filter(({ holder }) => holders.has(holder))
  }
  return watermark
}
