import { inboundWebhooks } from '@kontor/contract'
import { isoTime } from '../../../kernel/clock.ts'
import { chainHeader } from '../../../kernel/headers.ts'
import { hashSecret } from '../../../kernel/ids.ts'
import { implement, type AddressContext, type ArrivalHeaders } from '../../../kernel/implement.ts'
import type { KeyRing } from '../../../lib/key-ring.ts'
import { findSettings } from '../../settings/index.ts'
import { findWorkspace } from '../../workspaces/index.ts'
import { findWorkflow, type Workflow } from '../definition/store.ts'
import { beginRuns } from '../runs/begin.ts'
import { filtersHold } from '../runs/event-filters.ts'
import { suppressedBy } from '../runs/suppressed-by.ts'
import { readEnding } from './address.ts'
import { noteArrival } from './arrivals/store.ts'
import { chainReader } from './chain.ts'
import { senders } from '../plugins/inbound-senders.ts'
import { inboundTrigger, isSecret, optionsOf, secretHeader, type InboundOptions } from '../plugins/inbound-trigger.ts'

/** Headers by which senders say that they send the same again. */
const repeatHeaders = ['webhook-id', 'idempotency-key'] as const

/** Headers that are for us and not for the workflow. */
const ownHeaders: ReadonlySet<string> = new Set([secretHeader, chainHeader])

type Context = AddressContext<'not_found' | 'forbidden'>

export const inboundHandlers = (keys: KeyRing) =>
  implement(inboundWebhooks, {
    async workflow(ctx, { workspace, workflow_id: ending, validationToken, body = {} }) {
      const found = await requireOpen(ctx, { workspace, named: readEnding(keys, ending) })
      if (validationToken !== undefined) return { body: answerToGraph(ctx, found, validationToken) }
      const { handshake } = found.options
      const answer = handshake === undefined ? undefined : senders[handshake].answerTo(body)
      if (answer !== undefined) return { body: answer }
      requireSecret(ctx, found, body)
      return take(ctx, keys, found, body)
    },

    async agent(ctx, { workspace, agent_id: ending, body = {} }) {
      return take(ctx, keys, await requireAgent(ctx, { workspace, named: readEnding(keys, ending) }), body)
    },
  })

type Address = { readonly workspace: string; readonly named: ReturnType<typeof readEnding> }

type Found = { readonly workspaceId: string; readonly workflow: Workflow }
type FoundWorkflow = Found & { readonly options: InboundOptions }

const nothingTaken = ({ fail }: AddressContext<'not_found'>) =>
  fail('not_found', { detail: 'Nothing is taken at this address.' })

/** What has an address that is in force, and is enabled; anything else is told as what does not exist. */
async function requireEnabled(ctx: AddressContext<'not_found'>, { workspace: slug, named }: Address): Promise<Found> {
  const workspace = await findWorkspace(ctx.tx, slug)
  const workflow = workspace && named ? await findWorkflow(ctx.tx, workspace.id, named.id) : undefined
  const isInForce = workflow?.row.address_rotation === named?.address_rotation
  if (workspace === undefined || workflow?.row.enabled !== true || !isInForce) throw nothingTaken(ctx)
  return { workspaceId: workspace.id, workflow }
}

/** A workflow that takes what is sent to it, and what it asks of the sender. */
async function requireOpen(ctx: AddressContext<'not_found'>, address: Address): Promise<FoundWorkflow> {
  const found = await requireEnabled(ctx, address)
  const options = optionsOf(found.workflow.graph.trigger)
  if (options === undefined) throw nothingTaken(ctx)
  return { ...found, options }
}

async function requireAgent(ctx: AddressContext<'not_found'>, address: Address): Promise<Found> {
  const found = await requireEnabled(ctx, address)
  if (found.workflow.row.type !== 'agent') throw nothingTaken(ctx)
  return found
}

function answerToGraph(ctx: Context, { options }: FoundWorkflow, token: string): string {
  if (options.handshake === 'graph') return token
  throw ctx.fail('invalid_parameter', {
    detail: 'The workflow answers no validation: its trigger has no `handshake: graph`.',
    source: { parameter: 'validationToken' },
  })
}

function requireSecret({ headers, fail }: Context, { options: { handshake, secret } }: FoundWorkflow, body: unknown) {
  if (secret === undefined) return
  const fits = isSecret(secret)
  if (fits(headers[secretHeader]) || (handshake !== undefined && senders[handshake].presents(body, fits))) return
  throw fail('forbidden', {
    detail: 'The workflow asks its senders for a secret, which this request does not present.',
    source: { header: 'X-Webhook-Secret' },
  })
}

/** Begins a run with what was sent, unless the same has come before. */
async function take(
  { tx, now, headers }: AddressContext<'not_found'>,
  keys: KeyRing,
  { workspaceId, workflow }: Found,
  body: unknown,
) {
  const name = repeatHeaders.map((header) => headers[header]).find((value) => value !== undefined)
  if (name !== undefined) {
    const sender_key = hashSecret(String(name))
    if (!(await noteArrival(tx, { workspace_id: workspaceId, workflow_id: workflow.row.id, sender_key }, now)))
      return { body: {} }
  }
  const state = stateOf(body, headers, now)
  const timeZone = async () => (await findSettings(tx, workspaceId)).time_zone
  if (!(await filtersHold(workflow.graph.trigger.filters, state, { now, timeZone }))) return { body: {} }
  const chain = chainReader(keys)(headers[chainHeader])
  const suppressed = suppressedBy(chain, workflow)
  const draft = {
    workflow,
    state,
    object: null,
    recordId: null,
    eventId: null,
    depth: (chain?.depth ?? 0) + 1,
    ...(suppressed !== undefined && { suppressed }),
  }
  await beginRuns(tx, workspaceId, [draft], now)
  return { body: {} }
}

const stateOf = (body: unknown, headers: ArrivalHeaders, now: number) => ({
  event: {
    id: null,
    type: inboundTrigger.id,
    sequence: null,
    created_at: isoTime(now),
    actor: null,
    object: null,
    data: {
      body,
      headers: Object.fromEntries(Object.entries(headers).filter(([header]) => !ownHeaders.has(header))),
    },
  },
})
