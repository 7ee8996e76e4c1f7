import type { agents, Input, workflows } from '@kontor/contract'
import { isId } from '../../kernel/ids.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { requestedOrder } from '../../kernel/requested-order.ts'
import { cursorPages } from '../../kernel/short-page.ts'
import { narrowingOf } from '../../kernel/authorise.ts'
import { totalRecords } from '../counters/index.ts'
import { actingOf, findVersion, kindOf, requireCharge, requireWorkflow } from '../definitions/index.ts'
import { maySeeContents } from './contents.ts'
import { runsCounter, countRuns, listRuns, type RunSummaryRow } from './store.ts'
import type { WorkflowKind, WorkflowKinds } from './kinds.ts'
import { presentSummary } from './present.ts'

/** A page of the runs of a workflow, for those who may see what it does. */
export async function pageOfRuns(
  ctx: WorkspaceReadContext<'unknown_field' | 'forbidden' | 'cursor_mismatch'>,
  kinds: WorkflowKinds,
  endpoint: typeof workflows.listRuns | typeof agents.listRuns,
  input: Omit<Input<typeof workflows.listRuns>, 'id'>,
  id: string,
) {
  const { sortOrder, filter } = input
  const { row } = await requireWorkflow(ctx, id)
  requireCharge(ctx, row)
  const { workspaceId } = ctx.workspace
  const { descending } = requestedOrder(ctx, sortOrder, { _created_at: 'id' }, { column: 'id', descending: true })
  const { status, record_id: recordId } = filter ?? {}
  const sought = { workspaceId, workflowId: id, status, recordId, actingId: actingOf(ctx) }
  const isWhole = status === undefined && recordId === undefined && sought.actingId === undefined
  const isOfNone = recordId !== undefined && !isId(recordId)
  const pages = cursorPages(ctx, endpoint, input, { column: 'id', descending })
  const [found, total] = isOfNone
    ? [[], 0]
    : await Promise.all([
        listRuns(ctx.tx, sought, descending, pages.part),
        isWhole ? totalRecords(ctx.tx, workspaceId, runsCounter(id)) : countRuns(ctx.tx, sought),
      ])
  const { rows, ...envelope } = pages.envelope(found, total, (run) => ({ value: run.id, id: run.id }))
  const isWithheld = await withheldRuns(ctx, kindOf(kinds, row.type), rows)
  return { data: rows.map((run) => presentSummary(run, isWithheld(run))), ...envelope }
}

/** Finds among runs of a workflow those that have read more than the credential of the caller covers. */
async function withheldRuns(
  { tx, actor, workspace: { workspaceId } }: WorkspaceReadContext,
  kind: WorkflowKind,
  runs: readonly RunSummaryRow[],
): Promise<(run: RunSummaryRow) => boolean> {
  // Only why one failed may tell what it has read.
  const failed = narrowingOf(actor) === undefined ? [] : runs.filter(({ failure }) => failure !== null)
  const numbers = [...new Set(failed.map(({ graph_version }) => graph_version))]
  const versions = await Promise.all(
    numbers.map((version) => findVersion(tx, workspaceId, failed[0]?.workflow_id ?? '', version)),
  )
  const graphs = new Map(versions.flatMap((one) => (one === undefined ? [] : [[one.version, one.graph] as const])))
  return (run) => {
    const graph = graphs.get(run.graph_version)
    return graph !== undefined && !maySeeContents(actor, run, { kind, graph }, workspaceId)
  }
}
