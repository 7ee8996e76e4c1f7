import { setTimeout as sleep } from 'node:timers/promises'
import type { TestDatabase } from './database.ts'

type State = {
  readonly object: string
  readonly field: string
  readonly kind: string
  readonly state: string
  readonly filled: number
}

const tables = ['field_text', 'field_number', 'field_gram'] as const

/** Lists look at the indexes once a second: until then they take what they last saw for what is there. */
const lookMs = 1000

const readyMsMax = 60_000

/** The state of the indexes that were built on demand; `wait` turns the clock of the server. */
export function indexesOf(database: TestDatabase, wait: (ms: number) => void) {
  const states = (): Promise<State[]> =>
    database.reader.query(({ knex }) =>
      knex('field_index_state')
        .select('object', 'field', 'kind', 'state', 'filled')
        .orderBy(['object', 'field', 'kind']),
    )

  /** Every index row, in an order of its own; those of one object where it is named. */
  const rows = async (object = ''): Promise<string[]> => {
    const found = await Promise.all(
      tables.map((table) =>
        database.reader.query<Record<string, unknown>>(({ knex }) => knex(table).where('field', 'like', `${object}%`)),
      ),
    )
    return found
      .flatMap((all, at) => all.map(({ id: _own, ...row }) => `${tables[at]} ${JSON.stringify(row)}`))
      .toSorted()
  }

  /** Resolves when every index that was asked for is ready. */
  const ready = async (): Promise<void> => {
    for (const until = Date.now() + readyMsMax; ;) {
      const building = (await states()).filter(({ state }) => state !== 'ready')
      if (building.length === 0) break
      if (Date.now() > until) throw new Error(`still building: ${JSON.stringify(building)}`)
      await sleep(20)
    }
    wait(lookMs + 1)
  }

  /** Takes all indexes of an object away, but for those of its primary field, as if no list had asked for one. */
  const forget = async (object: string, primary: string): Promise<void> => {
    await database.write(async (tx) => {
      for (const table of tables) {
        await tx.change(({ knex }) =>
          knex(table)
            .where('field', 'like', `${object}.%`)
            .where(
              (other) =>
                void other.whereNot('field', `${object}.${primary}`).orWhereRaw('? = ?', [table, 'field_gram']),
            )
            .delete(),
        )
      }
      await tx.change(({ knex }) => knex('field_index_state').where({ object }).delete())
    })
    wait(lookMs + 1)
  }

  /**
   * Claims a unique value of acme in a transaction that lasts until it is told to end, which gives the value free
   * again:
   * a writer of the same value waits inside a transaction of their own. Postgres only.
   */
  const hold = async (field: string, value: string) => {
    const [workspace] = await database.reader.query<{ id: string }>(({ knex }) =>
      knex('workspace').select('id').where({ slug: 'acme' }),
    )
    const [held, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const over = database
      .write(async (tx) => {
        await tx.insertNew(
          'unique_key',
          [{ workspace_id: workspace!.id, field, key_value: value, record_id: workspace!.id }],
          ['field'],
        )
        held.resolve()
        await end.promise
        throw new Error('given free')
      })
      .catch(() => undefined)
    await held.promise
    return {
      someoneWaits: async () => {
        while (
          (
            await database.reader.query(({ knex }) =>
              knex('pg_locks').select('pid').where({ granted: false, locktype: 'transactionid' }),
            )
          ).length === 0
        )
          await sleep(5)
      },
      release: async () => {
        end.resolve()
        await over
      },
    }
  }

  return { states, rows, ready, forget, hold }
}
