import type { Enrolment, Suppression } from '@kontor/contract'
import { isString, itemsOf } from '../../../lib/guards.ts'
import type { Chain } from '../../../kernel/actor.ts'
import { isoTime } from '../../../kernel/clock.ts'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { atLeast, levelsOn } from '../../access/index.ts'
import { chooseAddress, findSuppressed, validAmong, type AddressChoice } from '../../emails/index.ts'
import { findObject, listLive } from '../../objects/index.ts'
import { placeInChain, type RunDraft } from '../../runs/index.ts'
import type { Workflow } from '../../definitions/index.ts'

/** Why a person may not be written to. */
export type WriteRefusal = Extract<Suppression & Enrolment, 'suppressed' | 'no_email' | 'invalid_email'>

/** A person who may be seen, and where a campaign would write to them, or why it may not. */
export type Addressee = { readonly id: string; readonly choice: AddressChoice }

/** Those among some people whom the caller may see, each with where they are written to. */
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
    .map(({ id, data }) => ({ id, addresses: itemsOf(key === undefined ? undefined : data[key]).filter(isString) }))
  const suppressed = await findSuppressed(ctx.tx, workspaceId, {
    addresses: people.flatMap(({ addresses }) => validAmong(addresses)),
    people: people.map(({ id }) => id),
  })
  return new Map(people.map((person) => [person.id, { id: person.id, choice: chooseAddress(person, suppressed) }]))
}

/** Returns the address of a run that enrols a person, or why it may not begin. */
const draftOfChoice = (choice: AddressChoice): Pick<RunDraft, 'address' | 'suppressed'> =>
  'address' in choice ? { address: choice.address } : { suppressed: choice.refusal }

type Enrolling = {
  readonly workflow: Workflow
  readonly by: string
  readonly now: number
  readonly listId: string | null
  /** The chain of workflows that the enrolment goes on with. */
  readonly chain: Chain | undefined
}

/** The run that enrols a person; their record is read when it begins, as the owner of the campaign sees it. */
export const draftOf = ({ workflow, by, now, listId, chain }: Enrolling, { id, choice }: Addressee): RunDraft => ({
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
  isFirst: listId !== null,
  ...placeInChain(chain, workflow),
  ...draftOfChoice(choice),
})

/** Returns where a campaign writes to people whom an event enrols, as its owner sees them, or why it may not. */
export async function findAddressees(ctx: WorkspaceReadContext, ids: readonly string[]) {
  const found = await findCandidates(ctx, ids)
  return new Map([...found.values()].map(({ id, choice }) => [id, { ...draftOfChoice(choice), isFirst: true }]))
}
