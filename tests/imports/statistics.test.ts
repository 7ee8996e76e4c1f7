import { expect, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { importsOf, mappingOf } from '../harness/imports.ts'
import { verificationOf } from '../harness/verification.ts'

const rows = 1000

test.runIf(inject('database') === 'postgres')(
  'the first lists after an import are planned for its rows: statistics are gathered before it has ended',
  async () => {
    const app = await startApp()
    const { change } = verificationOf(app.databaseUrl)
    /** Rows of the workspace's part of a table, as the planner knows them: none before anything was gathered. */
    const known = (table: string): Promise<number> =>
      change(async (tx, workspaceId) => {
        const [row] = await tx.query<{ known: number }>(({ knex }) =>
          knex.raw(
            `select reltuples::int as known from pg_class
            where oid = (select tableoid from ${table} where workspace_id = ? limit 1)`,
            [workspaceId],
          ),
        )
        return row?.known ?? 0
      })
    const mapping = mappingOf({ Name: 'name', 'E-mail': 'email_addresses' })
    const file = ['Name,E-mail', ...Array.from({ length: rows }, (_, at) => `Ada ${at},ada-${at}@example.com`)]
    const done = await importsOf(app).run(file.join('\n'), { object: 'person', mapping })
    expect(done).toMatchObject({ state: 'completed', created: rows })
    for (const table of ['record', 'unique_key', 'field_text', 'search_document'])
      expect(await known(table), table).toBeGreaterThanOrEqual(rows)
  },
)
