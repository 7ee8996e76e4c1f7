import { inboundWebhooks } from '@kontor/contract'
import { isoTime } from '../../../kernel/clock.ts'
import { hashSecret } from '../../../kernel/ids.ts'
import { implement, type AddressContext } from '../../../kernel/implement.ts'
import type { KeyRing } from '../../../lib/key-ring.ts'
import { findWorkspace } from '../../workspaces/index.ts'
import { findWorkflow, type Workflow } from '../definition/store.ts'
import { beginRuns } from '../runs/begin.ts'
import { maxDepthByDefault } from '../runs/limits.ts'
import { readEnding } from './address.ts'
import { depthIn } from './depth.ts'
import { noteArrival } from './arrivals/store.ts'

const inboundPlugin = 'on:svc:automation-webhook'

/** Headers by which senders say that they send the same again. */
const repeatHeaders = ['webhook-id', 'idempotency-key'] as const

export const inboundHandlers = (keys: KeyRing) =>
  implement(inboundWebhooks, {
    workflow: (ctx, { workspace, workflow_id: ending, body }) =>
      take(ctx, { workspace, named: readEnding(keys, ending), isAgent: false }, body),

    agent: (ctx, { workspace, agent_id: ending, body }) =>
      take(ctx, { workspace, named: readEnding(keys, ending), isAgent: true }, body),
  })

type Address = {
  readonly workspace: string
  readonly named: ReturnType<typeof readEnding>
  readonly isAgent: boolean
}

/** Begins a run with what was sent, unless the same has come before. */
async function take(ctx: AddressContext<'not_found'>, address: Address, body: unknown) {
  const { tx, now, headers } = ctx
  const { workspaceId, workflow } = await requireOpen(ctx, address)
  const name = repeatHeaders.map((header) => headers[header]).find((value) => value !== undefined)
  if (name !== undefined) {
    const arrival = { workspace_id: workspaceId, workflow_id: workflow.row.id, sender_key: hashSecret(name) }
    if (!(await noteArrival(tx, arrival, now))) return { body: {} }
  }
  const depth = depthIn(headers)
  const maxDepth = workflow.graph.run_limits.max_depth ?? maxDepthByDefault
  const draft = {
    workflow,
    state: {
      event: {
        id: null,
        type: inboundPlugin,
        sequence: null,
        created_at: isoTime(now),
        actor: null,
        object: null,
        data: { body: body ?? null, headers },
      },
    },
    object: null,
    recordId: null,
    eventId: null,
    depth: depth + 1,
    ...(depth >= maxDepth && { suppressed: 'max_depth' as const }),
  }
  await beginRuns(tx, workspaceId, [draft], now)
  return { body: {} }
}

/** The workflow or the agent of an address; one that does not exist is told as one that takes nothing. */
async function requireOpen(
  { tx, fail }: AddressContext<'not_found'>,
  { workspace: slug, named, isAgent }: Address,
): Promise<{ readonly workspaceId: string; readonly workflow: Workflow }> {
  const workspace = await findWorkspace(tx, slug)
  const workflow = workspace && named ? await findWorkflow(tx, workspace.id, named.id) : undefined
  const isInForce = workflow?.row.address_rotation === named?.address_rotation
  if (workspace === undefined || workflow === undefined || !isInForce || !isOpenFor(workflow, isAgent))
    throw fail('not_found', { detail: 'Nothing is taken at this address.' })
  return { workspaceId: workspace.id, workflow }
}

const isOpenFor = ({ row }: Workflow, isAgent: boolean): boolean =>
  row.enabled && (isAgent ? row.type === 'agent' : row.trigger_plugin === inboundPlugin)
