import { nextTurn } from '../../lib/portions.ts'
import type { ReadTx } from '../../db/tx.ts'
import { Failure } from '../../kernel/errors.ts'
import type { DomainEvent } from '../../kernel/events.ts'
import type { WriteContext } from '../../kernel/implement.ts'
import { defined, isOneOf, isString, itemsOf, memberOf } from '../../lib/guards.ts'
import { thingTypes, type Field } from '../fields/index.ts'
import { findMember, findUserByEmail } from '../identity/users/index.ts'
import { createEach, findHolders, findTarget, linkEach, type WriteTarget } from '../records/index.ts'
import { objectName } from './recordings.ts'
import { withoutUniques } from './without-uniques.ts'

/** Participants of one meeting who are looked up; more are not a meeting. */
const participantsMax = 200

/** Meetings whose people are linked at once: other requests are served in between. */
const portionSize = 50

/** A participant who may be a person. */
type Guest = { readonly email: string; readonly name: string | undefined }

/**
 * Links the participants of meetings to persons, in the transaction of the change that names them: finds the persons
 * with their e-mail addresses and creates those that do not exist (docs/decisions/0134). Persons whom the caller may
 * not see or create are left out.
 */
export async function linkParticipants(ctx: WriteContext, events: readonly DomainEvent[]): Promise<void> {
  const named = guestsOf(events)
  if (named.size === 0) return
  const known = new Map<string, string | undefined>()
  // In one order, so that two calls which name the same people do not wait for each other in a circle.
  const meetings = [...named].toSorted(([one], [other]) => (one < other ? -1 : 1))
  for (let at = 0; at < meetings.length; at += portionSize) {
    if (at > 0) await nextTurn()
    await unlessRefused(ctx, (inner) => linkPortion(inner, meetings.slice(at, at + portionSize), known))
  }
}

/** The guests of each meeting, as the last change names them. */
function guestsOf(events: readonly DomainEvent[]): ReadonlyMap<string, readonly Guest[]> {
  const found = new Map<string, readonly Guest[]>()
  for (const { object, recordId, payload } of events) {
    if (object !== objectName || !('diff' in payload)) continue
    const change = payload.diff.findLast(({ path }) => path[0] === 'participants')
    if (change === undefined) continue
    found.set(recordId, guestsAmong(change.val))
  }
  return new Map([...found].filter(([, guests]) => guests.length > 0))
}

/** Returns those of a meeting's participants who may be persons. */
export const guestsAmong = (participants: unknown): readonly Guest[] =>
  itemsOf(participants)
    .slice(0, participantsMax)
    .flatMap((item): Guest[] => {
      const [email, name] = [memberOf(item, 'email'), memberOf(item, 'name')]
      return isString(email) && !isThing(item) ? [{ email, name: isString(name) ? name : undefined }] : []
    })

/** Rooms and the like take part, and are nobody. */
const isThing = (participant: unknown): boolean => isOneOf(thingTypes, memberOf(participant, 'type'))

async function linkPortion(
  ctx: WriteContext,
  meetings: readonly (readonly [string, readonly Guest[]])[],
  known: Map<string, string | undefined>,
): Promise<void> {
  const { object } = await findTarget(ctx, objectName)
  const people = object.fields.get('people')
  if (people?.relationship?.entity !== 'person') return
  const target = await findTarget(ctx, 'person')
  const guests = new Map(meetings.flatMap(([, some]) => some.map((guest) => [guest.email, guest])))
  const unknown = [...guests.values()].filter(({ email }) => !known.has(email))
  await findPersons(ctx, target, unknown, known)
  await linkEach(
    withoutUniques(ctx),
    object,
    people,
    meetings.map(([id, some]) => ({
      id,
      others: [...new Set(some.flatMap(({ email }) => known.get(email) ?? []))],
    })),
  )
}

/** Finds the persons with some addresses, and creates those that do not exist. */
async function findPersons(
  ctx: WriteContext,
  target: WriteTarget,
  guests: readonly Guest[],
  known: Map<string, string | undefined>,
): Promise<void> {
  const field = target.object.uniques.find(({ name }) => name === 'email_addresses')
  // Without unique addresses nobody can be found by one, and people would come twice.
  if (field === undefined) return
  const outside: Guest[] = []
  for (const guest of guests)
    if (await isMember(ctx.tx, ctx.workspace.workspaceId, guest.email)) known.set(guest.email, undefined)
    else outside.push(guest)
  const holders = await findHolders(ctx, target, field, outside.map(valueOf))
  for (const [index, { email }] of outside.entries()) known.set(email, holders[index])
  const missing = outside
    .filter(({ email }) => known.get(email) === undefined)
    .toSorted((one, other) => (one.email < other.email ? -1 : 1))
  if (missing.length > 0) await createPersons(ctx, field, missing, known)
}

const valueOf = ({ email }: Guest) => ({ items: [email] })

async function createPersons(
  ctx: WriteContext,
  field: Field,
  guests: readonly Guest[],
  known: Map<string, string | undefined>,
): Promise<void> {
  const given = guests.map((guest, index) => ({
    type: 'person',
    attributes: {
      [field.name]: valueOf(guest),
      ...(guest.name !== undefined && { name: namesOf(guest.name) }),
    },
    path: ['data', index, 'attributes'],
  }))
  await unlessRefused(ctx, async (inner) => {
    const { outcomes } = await createEach({ ...withoutUniques(inner), fail: refusal }, 'person', given, {})
    for (const [index, { email }] of guests.entries()) {
      const outcome = defined(outcomes[index])
      known.set(email, 'result' in outcome ? outcome.result.row.id : holderIn(outcome.refusal))
    }
  })
}

/** Another call may have been faster: the refusal names the person, if the caller may see them. */
function holderIn({ faults }: Failure): string | undefined {
  const holder = faults.find(({ code }) => code === 'unique_violation')?.meta?.['existing_id']
  return isString(holder) ? holder : undefined
}

/** Members are users, and no contacts of their own workspace. */
export async function isMember(tx: ReadTx, workspaceId: string, email: string): Promise<boolean> {
  const user = await findUserByEmail(tx, email)
  return user !== undefined && (await findMember(tx, workspaceId, user.id)) !== undefined
}

/** The last word of a name is the last name. */
export function namesOf(name: string): { readonly first_name: string; readonly last_name?: string } {
  const words = name.trim().split(/\s+/)
  const last = words.length > 1 ? words.pop() : undefined
  return { first_name: words.join(' '), ...(last !== undefined && { last_name: last }) }
}

/** Refusals here are no answers: they only leave people out. */
const refusal = (code: Failure['code'], fault?: { readonly detail?: string }): Failure =>
  new Failure({ code, ...fault })

/** Does work that may be refused: what it has done is undone then, and the call goes on. */
async function unlessRefused(ctx: WriteContext, work: (ctx: WriteContext) => Promise<void>): Promise<void> {
  try {
    await ctx.attempt(work)
  } catch (error) {
    if (!(error instanceof Failure) || error.status >= 500) throw error
  }
}
