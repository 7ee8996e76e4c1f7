import type { WorkflowChange, WorkflowGraph, WorkflowNodeInput } from '@kontor/contract'
import { Failure } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { isString } from '../../lib/guards.ts'
import type { Pool } from '../../pool/index.ts'
import { faultOfProgram } from '../sandbox/index.ts'
import { findWorkflow, placeOf, requireGraph, requireWorkflow, type SentAttributes } from '../definitions/index.ts'

type Sent = Omit<SentAttributes, 'attributes'> & { readonly attributes: WorkflowChange }

/** Refuses a workflow that shall run with code that cannot: read in the pool, before the transaction of the change. */
export async function requireReadableCode(
  ctx: WorkspaceReadContext,
  pool: Pool,
  sent: Sent,
  id?: string,
): Promise<void> {
  const { workspaceId } = ctx.workspace
  const { attributes } = sent
  const found = id !== undefined && isId(id) ? await findWorkflow(ctx.tx, workspaceId, id) : undefined
  const isRunning = attributes.enabled ?? found?.row.enabled ?? false
  const isOther = attributes.blocks !== undefined || found?.row.enabled === false
  if (isRunning && isOther)
    await requireReadable(pool, workspaceId, attributes.blocks ?? found?.graph.blocks ?? {}, sent)
}

/** The same for a version that a workflow which runs shall have again. */
export async function requireReadableVersion(
  ctx: WorkspaceReadContext,
  pool: Pool,
  { id, version }: { readonly id: string; readonly version: string },
): Promise<void> {
  const workflow = await requireWorkflow(ctx, id)
  const { graph } = await requireGraph(ctx, workflow, version)
  if (workflow.row.published_at !== null)
    await requireReadable(pool, ctx.workspace.workspaceId, graph.blocks, { base: [], attributes: {} })
}

/** The same for a run of a workflow by hand: one that is enabled has been read before. */
export async function requireReadableToRun(
  ctx: WorkspaceReadContext,
  pool: Pool,
  id: string,
  sent: SentAttributes,
): Promise<void> {
  const { row, graph } = await requireWorkflow(ctx, id)
  if (!row.enabled) await requireReadable(pool, ctx.workspace.workspaceId, graph.blocks, sent)
}

type CodeFault = { readonly path: readonly string[]; readonly detail: string }

type Blocks = WorkflowGraph['blocks'] | Readonly<Record<string, WorkflowNodeInput>>

async function requireReadable(pool: Pool, workspaceId: string, blocks: Blocks, sent: SentAttributes): Promise<void> {
  const faults = await codeFaults(pool, workspaceId, blocks)
  if (faults.length > 0)
    throw new Failure(faults.map(({ path, detail }) => ({ code: 'invalid_body', detail, ...placeOf(path, sent) })))
}

async function codeFaults(pool: Pool, workspaceId: string, blocks: Blocks): Promise<CodeFault[]> {
  const faults: CodeFault[] = []
  // One after the other: the pool has turns for others, too.
  for (const [key, { plugin_id, input = {} }] of Object.entries(blocks)) {
    const { code } = input
    if (plugin_id !== 'code:execute' || !isString(code)) continue
    const detail = await faultOfProgram(pool, workspaceId, code)
    if (detail !== undefined) faults.push({ path: ['blocks', key, 'input', 'code'], detail })
  }
  return faults
}
