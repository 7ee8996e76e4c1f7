import type { Knex } from 'knex'
import type { Operator, WorkflowGraph, WorkflowResource, WorkflowStop } from '@kontor/contract'
import type { RowOf } from '../../db/columns.ts'
import { anyOf, compare, isNotTrue, startsWith } from '../../db/expressions.ts'
import { fold } from '../../db/fold.ts'
import { shortList, type ListReader } from '../../db/short-list.ts'
import { columnsOf, rowsOf, rowsIn, readColumn } from '../../db/rows.ts'
import { param, statement } from '../../db/statement.ts'
import type { Sql } from '../../db/sql.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'
import type { Owner } from '../identity/acting/index.ts'

export type WorkflowRow = Omit<RowOf<'workflow'>, 'workspace_id' | 'secret' | 'secret_key'> & {
  readonly type: WorkflowResource['attributes']['type']
  readonly actor: Owner
  readonly stopped_reason: WorkflowStop | null
}

/** A workflow with the graph that is in force. */
export type Workflow = { readonly row: WorkflowRow; readonly graph: WorkflowGraph }

const columns = columnsOf('workflow', 'workspace_id', 'secret', 'secret_key')

type Joined = WorkflowRow & { readonly graph: WorkflowGraph }

const split = ({ graph, ...row }: Joined): Workflow => ({ row, graph })

const joinedIn = ({ knex }: Sql, workspaceId: string): Knex.QueryBuilder =>
  knex('workflow as w')
    .join('workflow_version as v', (on) => {
      on.on('v.workflow_id', 'w.id').on('v.version', 'w.graph_version')
    })
    .where('w.workspace_id', workspaceId)
    .where('v.workspace_id', workspaceId)

const joinedColumns = [...columns.map((column) => `w.${column}`), 'v.graph']

const workflowsIn = (sql: Sql, workspaceId: string): Knex.QueryBuilder =>
  joinedIn(sql, workspaceId).select(joinedColumns)

type Key = { readonly workspace_id: string; readonly id: string }

const withGraph = statement<Key, Joined>((sql) => workflowsIn(sql, param('workspace_id')).where('w.id', param('id')))

/** Finds a workflow with its graph. Anyone who knows an address calls this without a credential. */
export async function findWorkflow(tx: ReadTx, workspaceId: string, id: string): Promise<Workflow | undefined> {
  const found = await tx.first(withGraph, { workspace_id: workspaceId, id })
  return found && split(found)
}

const workflows = rowsOf<WorkflowRow>('workflow', columns)

/** Locks a workflow until the transaction ends. */
export const lockWorkflow = workflows.lock('change', 'workspace_id', 'id')

const all = statement<{ workspace_id: string }, Joined>((sql) => inWorkspace(sql))

const enabledOnes = statement<{ workspace_id: string }, Joined>((sql) => inWorkspace(sql).where('w.enabled', true))

const inWorkspace = ({ knex }: Sql): Knex.QueryBuilder =>
  knex('workflow as w')
    .join('workflow_version as v', (on) => {
      on.on('v.workflow_id', 'w.id').on('v.version', 'w.graph_version')
    })
    .select(...columns.map((column) => `w.${column}`), 'v.graph')
    .where('w.workspace_id', param('workspace_id'))
    .where('v.workspace_id', param('workspace_id'))

/**
 * Those among some workflows that are enabled, and stay so until the transaction ends: who disables one waits, and who
 * has disabled one has won.
 */
export async function keepEnabled(tx: Tx, workspaceId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  return new Set(
    await readColumn(tx, ({ knex, dialect }) =>
      dialect.locked(
        knex('workflow')
          .select('id')
          .where({ workspace_id: workspaceId, enabled: true })
          .where(dialect.oneOf('id', ids))
          .orderBy('id'),
        'keep',
      ),
    ),
  )
}

/** The workflows of a workspace, of every kind. */
export const listAll = async (tx: ReadTx, workspaceId: string): Promise<Workflow[]> =>
  (await tx.all(all, { workspace_id: workspaceId })).map(split)

/** The workflows of a workspace that run. */
export const listEnabled = async (tx: ReadTx, workspaceId: string): Promise<Workflow[]> =>
  (await tx.all(enabledOnes, { workspace_id: workspaceId })).map(split)

/** The workflows of a workspace that run, without their graphs. */
export const listWorking = (tx: ReadTx, workspaceId: string): Promise<Pick<WorkflowRow, 'id' | 'actor'>[]> =>
  tx.query(({ knex }) => knex('workflow').select('id', 'actor').where({ workspace_id: workspaceId, enabled: true }))

type MadeWorkflow = Pick<WorkflowRow, 'id' | 'name' | 'type' | 'enabled' | 'trigger_plugin' | 'actor'>

/** The workflows of a workspace, of every kind, without their graphs, by name. */
export const listToActAs = (tx: ReadTx, workspaceId: string): Promise<MadeWorkflow[]> =>
  tx.query(({ knex }) =>
    knex('workflow')
      .select('id', 'name', 'type', 'enabled', 'trigger_plugin', 'actor')
      .where('workspace_id', workspaceId)
      .orderBy([{ column: 'name' }, { column: 'id' }]),
  )

/** The columns that workflows of every kind are sorted by. */
export const workflowSorting = {
  columns: { name: 'w.name', _created_at: 'w.created_at', _updated_at: 'w.updated_at' },
  otherwise: { column: 'w.created_at', descending: false },
} as const

/** A condition on the name of a workflow. */
type NameCondition = { readonly op: Operator; readonly value: string }

type Sought = {
  readonly workspaceId: string
  readonly equal: Partial<Pick<WorkflowRow, 'enabled' | 'type' | 'trigger_plugin' | 'owner_id'>>
  readonly search: string | undefined
  readonly names?: readonly NameCondition[]
  /** No workflows of these types. */
  readonly typesLeftOut?: readonly WorkflowRow['type'][]
  readonly isPublished?: boolean | undefined
}

function narrowed(
  sql: Sql,
  query: Knex.QueryBuilder,
  { equal, search, names = [], typesLeftOut = [], isPublished }: Sought,
): Knex.QueryBuilder {
  for (const [column, value] of Object.entries(equal)) query.where(`w.${column}`, value)
  for (const condition of names) whereName(sql, query, 'w.name', condition)
  if (typesLeftOut.length > 0) query.whereNotIn('w.type', [...typesLeftOut])
  if (isPublished !== undefined) query[isPublished ? 'whereNotNull' : 'whereNull']('w.published_at')
  if (search !== undefined) query.where(sql.dialect.contains(sql.dialect.fold(sql.ref('w.name')), fold(search)))
  return query
}

/** The list of some workflows. */
export const workflowsAmong = (sought: Sought): ListReader<Workflow> => {
  const read = shortList<Joined>({
    from: (sql) => narrowed(sql, joinedIn(sql, sought.workspaceId), sought),
    columns: joinedColumns,
    id: 'w.id',
  })
  return async (tx, order, slice) => {
    const { rows, total } = await read(tx, order, slice)
    return { rows: rows.map(split), total }
  }
}

const ownWorkflows = rowsIn<WorkflowRow, 'id'>('workflow', columns, 'id')

export const insertWorkflow = (tx: Tx, workspaceId: string, row: WorkflowRow): Promise<void> =>
  tx.insert('workflow', [{ workspace_id: workspaceId, secret: null, secret_key: null, ...row }])

export const updateWorkflow = ownWorkflows.update

export const deleteWorkflow = workflows.remove('workspace_id', 'id')

export type VersionRow = Omit<RowOf<'workflow_version'>, 'workspace_id'> & { readonly graph: WorkflowGraph }

export const insertVersion = (tx: Tx, workspaceId: string, row: VersionRow): Promise<void> =>
  tx.insert('workflow_version', [{ workspace_id: workspaceId, ...row }])

const versionColumns = ['workflow_id', 'version', 'graph', 'created_at', 'created_by'] as const

const versions = rowsOf<VersionRow>('workflow_version', versionColumns)

export const findVersion = versions.find('workspace_id', 'workflow_id', 'version')

export const deleteVersions = versions.remove('workspace_id', 'workflow_id')

/** A page of the versions of a workflow. */
export const listVersions = (
  tx: ReadTx,
  workspaceId: string,
  workflowId: string,
  descending: boolean,
  { offset, rows }: { readonly offset: number; readonly rows: number },
): Promise<VersionRow[]> =>
  tx.query(({ knex }) =>
    knex('workflow_version')
      .select(...versionColumns)
      .where({ workspace_id: workspaceId, workflow_id: workflowId })
      .orderBy('version', descending ? 'desc' : 'asc')
      .offset(offset)
      .limit(rows),
  )

/** Narrows a query to the names that a condition asks for, regardless of case; every workflow has a name. */
function whereName(sql: Sql, query: Knex.QueryBuilder, column: string, { op, value }: NameCondition): void {
  const name = sql.dialect.fold(sql.ref(column))
  if (op === 'Is empty') query.where(anyOf(sql, []))
  else if (op === 'Is') query.where(compare(sql, name, '=', value))
  else if (op === 'Is not') query.where(isNotTrue(sql, compare(sql, name, '=', value)))
  else if (op === 'Contains') query.where(sql.dialect.contains(name, value))
  else if (op === 'Does not contain') query.where(isNotTrue(sql, sql.dialect.contains(name, value)))
  else if (op === 'Starts with') query.where(startsWith(sql, name, value))
  else if (op === 'Ends with') query.where(sql.dialect.endsWith(name, value))
}
