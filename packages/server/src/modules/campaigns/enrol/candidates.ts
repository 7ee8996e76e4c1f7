import type { Enrolment, Suppression } from '@kontor/contract'
import { isString, itemsOf } from '../../../lib/guards.ts'
import { isoTime } from '../../../kernel/clock.ts'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { atLeast, levelsOn } from '../../access/index.ts'
import { listSuppressed } from '../../emails/index.ts'
import { normaliseEmail } from '../../fields/index.ts'
import { findObject, listLive } from '../../objects/index.ts'
import type { RunDraft, Workflow } from '../../workflows/index.ts'

/** Why a person may not be written to. */
export type WriteRefusal = Extract<Suppression & Enrolment, 'suppressed' | 'no_email' | 'invalid_email'>

/** A person who may be seen, and why they cannot be enrolled, if they cannot. */
export type Addressee = { readonly id: string; readonly refusal: WriteRefusal | undefined }

/** Those among some people whom the caller may see, each with what speaks against writing to them. */
export async function findCandidates(
  ctx: WorkspaceReadContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Addressee>> {
  const { workspaceId } = ctx.workspace
  const { object, principal } = await findObject(ctx, 'person', 'read')
  const rows = await listLive(ctx.tx, workspaceId, object.key, ids)
  const levelOf = await levelsOn(ctx.tx, workspaceId, principal, rows, 'view')
  const key = object.fields.get('email_addresses')?.key
  const people = rows
    .filter((row) => atLeast(levelOf(row), 'view'))
    .map(({ id, data }) => ({ id, address: itemsOf(key === undefined ? undefined : data[key]).find(isString) }))
  const addresses = people.flatMap(({ address }) => address ?? []).flatMap((address) => normaliseEmail(address) ?? [])
  const suppressed = addresses.length === 0 ? new Set<string>() : await listSuppressed(ctx.tx, workspaceId, addresses)
  return new Map(people.map(({ id, address }) => [id, { id, refusal: refusalOf(address, suppressed) }]))
}

function refusalOf(address: string | undefined, suppressed: ReadonlySet<string>): WriteRefusal | undefined {
  if (address === undefined || address.trim() === '') return 'no_email'
  const normalised = normaliseEmail(address)
  if (normalised === undefined) return 'invalid_email'
  return suppressed.has(normalised) ? 'suppressed' : undefined
}

type Enrolling = {
  readonly workflow: Workflow
  readonly by: string
  readonly now: number
  readonly listId: string | null
}

/** The run that enrols a person; their record is read when it begins, as the owner of the campaign sees it. */
export const draftOf = ({ workflow, by, now, listId }: Enrolling, { id, refusal }: Addressee): RunDraft => ({
  workflow,
  state: {
    event: {
      id: null,
      type: workflow.graph.trigger.plugin_id,
      sequence: null,
      created_at: isoTime(now),
      actor: { _id: by, entity: 'user' },
      object: { _id: id, entity: 'person', data: null, diff: [] },
      data: listId === null ? null : { list_id: listId },
    },
  },
  object: 'person',
  recordId: id,
  eventId: null,
  depth: 0,
  ...(refusal !== undefined && { suppressed: refusal }),
})

/** Why some people may not begin a campaign, as its owner sees them. */
export async function findRefusals(
  ctx: WorkspaceReadContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Suppression>> {
  const found = await findCandidates(ctx, ids)
  return new Map([...found.values()].flatMap(({ id, refusal }) => (refusal === undefined ? [] : [[id, refusal]])))
}
