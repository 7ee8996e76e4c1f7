import { z } from 'zod'
import { enqueueNew } from '../../engine/store.ts'
import type { JobKind, JobType } from '../../engine/types.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'
import type { Actor } from '../../kernel/actor.ts'
import { Failure } from '../../kernel/errors.ts'
import type { DomainEvent } from '../../kernel/events.ts'
import type { InProcessCall } from '../../kernel/invoke/in-process.ts'
import { isOneOf, isString, itemsOf, memberOf } from '../../lib/guards.ts'
import { thingTypes } from '../fields/index.ts'
import { standingOf } from '../identity/standing/index.ts'
import { findMember, findUserByEmail } from '../identity/users/index.ts'
import { findSlug } from '../workspaces/index.ts'
import { objectName } from './recordings.ts'

const actorSchema = z.custom<Actor>((value) => typeof value === 'object' && value !== null)

const peopleKind = {
  name: 'meetings.people',
  payload: z.object({ meeting_id: z.string(), actor: actorSchema }),
} satisfies JobType<unknown>

type Payload = z.infer<typeof peopleKind.payload>

type Source = { readonly workspaceId: string; readonly actor: Actor; readonly now: number }

/** Leaves it to a job to link the participants of meetings, in the transaction of the change that names them. */
export const linkParticipants = (
  tx: Tx,
  { workspaceId, actor, now }: Source,
  events: readonly DomainEvent[],
): Promise<void> =>
  enqueueNew<Payload>(
    tx,
    events
      .filter(namesParticipants)
      .map(({ recordId }) => ({ workspaceId, kind: peopleKind, payload: { meeting_id: recordId, actor }, now })),
  )

const namesParticipants = ({ object, payload }: DomainEvent): boolean =>
  object === objectName &&
  'diff' in payload &&
  payload.diff.some(({ path, val }) => path[0] === 'participants' && itemsOf(val).length > 0)

/** Participants of one meeting who are looked up; more are not a meeting. */
const participantsMax = 200

type Services = { readonly actAs: (actor: Actor, requestId: string) => InProcessCall }

/**
 * Finds the persons whose e-mail addresses the participants of a meeting have, creates those that there are not, and
 * links them, as the author of the change. Addresses are unique among persons, so that no person comes twice, whatever
 * runs at the same time (docs/decisions/0179).
 */
export const peopleJob = ({ actAs }: Services): JobKind<Payload> => ({
  ...peopleKind,
  async run({ database: { reader }, workspaceId, clock }, { meeting_id: id, actor }) {
    const slug = await findSlug(reader, workspaceId)
    const standing = await standingOf(reader, workspaceId, actor, clock.now())
    if (slug === undefined || 'ended' in standing) return { state: 'done' }
    const call = actAs(actor, id)
    const meeting = await unlessRefused(call('records.get', { workspace: slug, object: objectName, id }))
    const participants = itemsOf(meeting?.data.attributes['participants']).slice(0, participantsMax)
    const people: string[] = []
    for (const participant of participants) {
      const email = memberOf(participant, 'email')
      if (!isString(email) || isThing(participant) || (await isMember(reader, workspaceId, email))) continue
      const found = await findOrCreate(call, slug, email, memberOf(participant, 'name'))
      if (found !== undefined) people.push(found)
    }
    if (people.length > 0)
      await unlessRefused(
        call('relationships.add', {
          workspace: slug,
          object: objectName,
          id,
          relationship: 'people',
          body: { data: people.map((person) => ({ type: 'person', id: person })) },
          silent: true,
        }),
      )
    return { state: 'done' }
  },
})

/** Rooms and the like take part, and are nobody. */
const isThing = (participant: unknown): boolean => isOneOf(thingTypes, memberOf(participant, 'type'))

/** Members are users, and no contacts of their own workspace. */
async function isMember(tx: ReadTx, workspaceId: string, email: string): Promise<boolean> {
  const user = await findUserByEmail(tx, email)
  return user !== undefined && (await findMember(tx, workspaceId, user.id)) !== undefined
}

/** The person with an address; undefined where the actor may neither see nor create them. */
async function findOrCreate(
  call: InProcessCall,
  workspace: string,
  email: string,
  name: unknown,
): Promise<string | undefined> {
  const of = { workspace, object: 'person' }
  const find = async (): Promise<string | undefined> => {
    const filter = { email_addresses: { Is: email } }
    const found = await unlessRefused(call('resources.list', { ...of, filter, page: { limit: 1 } }))
    return found !== undefined && 'data' in found ? found.data[0]?.id : undefined
  }
  const known = await find()
  if (known !== undefined) return known
  const attributes = { email_addresses: { items: [email] }, ...(isString(name) && { name: namesOf(name) }) }
  const created = await unlessRefused(
    call('records.create', { ...of, body: { data: { type: 'person', attributes } }, silent: true }),
  )
  // Where it was refused, another meeting may have been faster.
  return created?.data.id ?? find()
}

/** The last word of a name is the last name. */
function namesOf(name: string): { readonly first_name: string; readonly last_name?: string } {
  const words = name.trim().split(/\s+/)
  const last = words.length > 1 ? words.pop() : undefined
  return { first_name: words.join(' '), ...(last !== undefined && { last_name: last }) }
}

/** What a call answers; undefined where it is refused, which another attempt would not change. */
async function unlessRefused<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof Failure && error.status < 500) return undefined
    throw error
  }
}
