import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { isTooMuch, type ExplainedStatement } from '../../bench/src/plans/collect.ts'
import { explainLists } from '../../bench/src/plans/lists.ts'
import type { ListQuery } from '../../bench/src/plans/queries.ts'
import { readsMore } from '../../bench/src/plans/reads.ts'
import { stopServers } from '../../bench/src/processes.ts'
import { seed } from '../../bench/src/seed.ts'
import { freshUrl } from '../db/fresh.ts'

/**
 * Enough for both databases to see that an index is worth its while. `bench/src/plans.ts` has the lists with a million.
 */
const amount = { people: 10_000, companies: 1000, changes: [2000, 20, 1] }

const say = (): void => undefined

/**
 * Returns whether a statement reads too much. Postgres weighs what it reads of an index by the size of the table, so
 * only reads beyond indexes count there.
 */
const isWrong = (query: ListQuery, statement: ExplainedStatement): boolean =>
  isTooMuch(query, statement) && (inject('database') === 'sqlite' || readsMore(statement.reads, 'index'))

test('no list reads a table where an index is meant', { timeout: 240_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-plans-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  onTestFinished(stopServers)
  const url = await freshUrl()
  const seeded = await seed(url, amount, say)
  const explained = await explainLists(url, folder, seeded, { FIELD_INDEX_THRESHOLD: '0', BASE_URL: '' }, say, {
    hurried: false,
  })
  const wrong = explained.flatMap(({ query, statements }) =>
    statements
      .filter((statement) => isWrong(query, statement))
      .map(({ text, plan, reads }) => ({ list: query.name, reads, text, plan })),
  )
  expect(wrong).toEqual([])
  expect(explained.length).toBeGreaterThanOrEqual(80)
})
