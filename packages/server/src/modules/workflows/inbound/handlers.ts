import { inboundWebhooks } from '@kontor/contract'
import { isoTime } from '../../../kernel/clock.ts'
import { chainHeader } from '../../../kernel/preconditions.ts'
import { hashSecret } from '../../../kernel/ids.ts'
import { Failure, failure } from '../../../kernel/errors.ts'
import {
  atAddress,
  implement,
  type AddressContext,
  type ArrivalHeaders,
  type ArrivalQuery,
  type FindAddress,
  type FoundAddress,
} from '../../../kernel/implement.ts'
import type { KeyRing } from '../../../lib/key-ring.ts'
import { findLocalTime } from '../../settings/index.ts'
import { beginRuns, filtersHold, suppressedBy } from '../../runs/index.ts'
import { readEnding, type AddressServices } from './address.ts'
import { noteArrival } from './arrivals/store.ts'
import { chainReader } from './chain.ts'
import {
  senders,
  inboundTrigger,
  isSecret,
  secretHeader,
  optionsOf,
  type Sender,
  type InboundOptions,
} from '../../plugins/index.ts'
import type { ReadTx } from '../../../db/tx.ts'
import { findWorkspace } from '../../workspaces/index.ts'
import { findWorkflow, kindOf, type Workflow } from '../../definitions/index.ts'

/** Headers by which senders say that they send the same again. */
const repeatHeaders = ['webhook-id', 'idempotency-key'] as const

/** Headers that are for us and not for the workflow. */
const ownHeaders: ReadonlySet<string> = new Set([secretHeader, chainHeader])

type Context = AddressContext<'not_found' | 'forbidden'>

export const inboundHandlers = (services: AddressServices) => {
  const { keys } = services
  return implement(inboundWebhooks, {
    workflow: atAddress(findWorkflowAddress(keys), async (ctx, { workspace, workflow_id: ending, ...sent }) => {
      const found = await findOpenWorkflow(ctx.tx, keys, { workspace, ending })
      if (found === undefined) throw nothingTaken(ctx)
      const { validationToken, body = {} } = sent
      if (validationToken !== undefined) return { body: answerToGraph(ctx, found, validationToken) }
      const { handshake } = found.options
      const answer = handshake === undefined ? undefined : senders[handshake].answerTo(body)
      if (answer !== undefined) return { body: answer }
      if (!presentsSecret(found, ctx.headers, body)) throw secretMissing()
      return take(ctx, services, found, body)
    }),

    check: atAddress(findCheckedAddress(keys), async (ctx, { workspace, workflow_id: ending }) => {
      const found = await findOpenWorkflow(ctx.tx, keys, { workspace, ending })
      if (found === undefined) throw nothingTaken(ctx)
      return { body: answerToCheck(found, ctx.query) }
    }),

    agent: atAddress(findKindsAddress(services), async (ctx, { workspace, agent_id: ending, body = {} }) => {
      const found = await findOpenOfKind(ctx.tx, services, { workspace, ending })
      if (found === undefined) throw nothingTaken(ctx)
      return take(ctx, services, found, body)
    }),
  })
}

/** A secret that only a header can present is checked before the body is read. */
const findWorkflowAddress =
  (keys: KeyRing): FindAddress =>
  async (tx, scope, headers) => {
    const address = { workspace: String(scope['workspace']), ending: String(scope['workflow_id']) }
    const found = await findOpenWorkflow(tx, keys, address)
    if (found?.options.handshake === undefined && found && !presentsSecret(found, headers, undefined))
      throw secretMissing()
    return addressOf(found)
  }

const findCheckedAddress =
  (keys: KeyRing): FindAddress =>
  async (tx, scope) =>
    addressOf(
      await findOpenWorkflow(tx, keys, { workspace: String(scope['workspace']), ending: String(scope['workflow_id']) }),
    )

const findKindsAddress =
  (services: AddressServices): FindAddress =>
  async (tx, scope) => {
    const address = { workspace: String(scope['workspace']), ending: String(scope['agent_id']) }
    return addressOf(await findOpenOfKind(tx, services, address))
  }

const nothingTaken = ({ fail }: Pick<AddressContext<'not_found'>, 'fail'>) =>
  fail('not_found', { detail: 'There is no such address, or it was replaced: copy the current one.' })

/** Answers a check by GET with the text that the sender wants back. */
function answerToCheck({ options: { handshake, secret } }: FoundWorkflow, query: ArrivalQuery): string {
  const sender: Sender | undefined = handshake && senders[handshake]
  const text = sender?.textFor(query)
  if (text === undefined)
    throw new Failure(
      {
        code: 'method_not_allowed',
        detail: 'This address accepts POST. GET only responds to the checks of a `handshake`.',
      },
      { allow: ['POST', 'OPTIONS'] },
    )
  const isWrong = secret !== undefined && sender?.checksSecret?.(query, isSecret(secret)) === false
  if (!isWrong) return text
  throw failure('forbidden', 'The verify token is not the secret of the workflow.', {
    source: { parameter: 'hub.verify_token' },
  })
}

function answerToGraph(ctx: Context, { options }: FoundWorkflow, token: string): string {
  if (options.handshake === 'graph') return token
  throw ctx.fail('invalid_parameter', {
    detail: 'The workflow does not respond to validation: its trigger has no `handshake: graph`.',
    source: { parameter: 'validationToken' },
  })
}

function presentsSecret(
  { options: { handshake, secret } }: FoundWorkflow,
  headers: ArrivalHeaders,
  body: unknown,
): boolean {
  if (secret === undefined) return true
  const fits = isSecret(secret)
  return fits(headers[secretHeader]) || (handshake !== undefined && senders[handshake].presents(body, fits))
}

const secretMissing = () =>
  failure('forbidden', 'The workflow requires a secret, which this request does not contain.', {
    source: { header: 'X-Webhook-Secret' },
  })

/** Begins a run with what was sent, unless the same has come before. */
async function take(
  { tx, now, headers, query }: AddressContext<'not_found'>,
  { keys, kinds }: AddressServices,
  { workspaceId, workflow }: Found,
  body: unknown,
) {
  const name = repeatHeaders.map((header) => headers[header]).find((value) => value !== undefined)
  if (name !== undefined) {
    const sender_key = hashSecret(String(name))
    if (!(await noteArrival(tx, { workspace_id: workspaceId, workflow_id: workflow.row.id, sender_key }, now)))
      return { body: {} }
  }
  const state = stateOf({ body, headers, query }, now)
  const localTime = () => findLocalTime(tx, workspaceId)
  if (!(await filtersHold(workflow.graph.trigger.filters, state, { now, localTime }))) return { body: {} }
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
  await beginRuns(tx, { workspaceId, now, kinds }, [draft])
  return { body: {} }
}

type Sent = { readonly body: unknown; readonly headers: ArrivalHeaders; readonly query: ArrivalQuery }

const stateOf = ({ body, headers, query }: Sent, now: number) => ({
  event: {
    id: null,
    type: inboundTrigger.id,
    sequence: null,
    created_at: isoTime(now),
    actor: null,
    object: null,
    data: {
      body,
      query,
      headers: Object.fromEntries(Object.entries(headers).filter(([header]) => !ownHeaders.has(header))),
    },
  },
})

/** The two segments of an address. */
type Address = { readonly workspace: string; readonly ending: string }

/** An enabled workflow whose address is in force. */
type Found = { readonly workspaceId: string; readonly workflow: Workflow }
type FoundWorkflow = Found & { readonly options: InboundOptions }

async function findEnabled(
  tx: ReadTx,
  keys: KeyRing,
  { workspace: slug, ending }: Address,
): Promise<Found | undefined> {
  // An address that we have not signed belongs to no workflow, and costs no query.
  const named = readEnding(keys, ending)
  const workspace = named && (await findWorkspace(tx, slug))
  const workflow = workspace && (await findWorkflow(tx, workspace.id, named.id))
  const isInForce = workflow?.row.enabled === true && workflow.row.address_rotation === named?.address_rotation
  return workspace && workflow && isInForce ? { workspaceId: workspace.id, workflow } : undefined
}

/** Finds a workflow that takes what is sent to it, and what it requires of the sender. */
async function findOpenWorkflow(tx: ReadTx, keys: KeyRing, address: Address): Promise<FoundWorkflow | undefined> {
  const found = await findEnabled(tx, keys, address)
  const options = found && optionsOf(found.workflow.graph.trigger)
  return found && options && { ...found, options }
}

/** Finds a workflow of a kind with addresses that accept any request. */
async function findOpenOfKind(
  tx: ReadTx,
  { keys, kinds }: AddressServices,
  address: Address,
): Promise<Found | undefined> {
  const found = await findEnabled(tx, keys, address)
  return found && kindOf(kinds, found.workflow.row.type).hasAddress === true ? found : undefined
}

/** Names what was found, whichever of its addresses was used. */
const addressOf = (found: Found | undefined): FoundAddress | undefined =>
  found && { workspaceId: found.workspaceId, id: found.workflow.row.id }
