import { attributesOf, type AgentChange } from '@kontor/contract'
import { isId } from '../../kernel/ids.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import type { Pool } from '../../pool/index.ts'
import { faultOfProgram } from '../sandbox/index.ts'
import { findWorkflow } from '../definitions/index.ts'
import { requireAgent } from './find.ts'
import { pointerTo, type Body } from './service.ts'
import { taskOf } from './task.ts'

/** Refuses an agent that shall run with code that cannot: read in the pool, before the transaction of the change. */
export async function requireReadableTask(
  ctx: WorkspaceReadContext,
  pool: Pool,
  body: Body,
  id?: string,
): Promise<void> {
  const { workspaceId } = ctx.workspace
  const { enabled, code: given } = attributesOf<AgentChange>(body)
  const found = id !== undefined && isId(id) ? await findWorkflow(ctx.tx, workspaceId, id) : undefined
  const isRunning = enabled ?? found?.row.enabled ?? false
  const code = given === undefined && found?.row.enabled === false ? taskOf(found.graph).code : given
  if (!isRunning || code === undefined || code === null) return
  const detail = await faultOfProgram(pool, workspaceId, code)
  const source = { pointer: pointerTo(body, given === undefined ? 'enabled' : 'code') }
  if (detail !== undefined) throw ctx.fail('invalid_body', { detail, source })
}

/** The same for a test run: one that is enabled has been read before. */
export async function requireReadableToTry(
  ctx: WorkspaceReadContext,
  pool: Pool,
  { agentId, dry_run }: { readonly agentId: string; readonly dry_run?: boolean | undefined },
): Promise<void> {
  const { row, graph } = await requireAgent(ctx, agentId)
  const { code } = taskOf(graph)
  if (row.enabled || code === undefined || code === null) return
  const detail = await faultOfProgram(pool, ctx.workspace.workspaceId, code)
  const source = dry_run === true ? { parameter: 'dry_run' } : { pointer: '/dry_run' }
  if (detail !== undefined) throw ctx.fail('invalid_body', { detail, source })
}
