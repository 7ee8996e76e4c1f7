import { campaignsTables } from './baseline/campaigns.ts'
import { droppedFunctions, functions } from './baseline/functions.ts'
import { historyTables } from './baseline/history.ts'
import { indexesTables } from './baseline/indexes.ts'
import { peopleTables } from './baseline/people.ts'
import { recordsTables } from './baseline/records.ts'
import { sendingTables } from './baseline/sending.ts'
import { workTables } from './baseline/work.ts'
import { workflowsTables } from './baseline/workflows.ts'
import { workspacesTables } from './baseline/workspaces.ts'
import type { Migration, Words } from './words.ts'

const tables = (words: Words): string[] =>
  [
    workspacesTables,
    peopleTables,
    recordsTables,
    indexesTables,
    historyTables,
    workflowsTables,
    campaignsTables,
    sendingTables,
    workTables,
  ].flatMap((of) => of(words))

/** The names of tables that a statement creates; partitions go with theirs. */
const createdBy = (statement: string): string[] =>
  statement.includes(' partition of ') ? [] : (/^create (?:virtual )?table (\w+)/.exec(statement)?.slice(1) ?? [])

/** The schema before the first release, in one step (docs/decisions/0401). */
export const migration: Migration = {
  name: '0001-baseline',
  up: (words) => [...functions(words), ...tables(words)],
  down: (words) => [
    ...tables(words)
      .flatMap(createdBy)
      .toReversed()
      .map((table) => `drop table ${table}`),
    ...droppedFunctions(words),
  ],
}
