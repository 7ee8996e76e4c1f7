import { z } from 'zod'
import type { JobKind } from '../../engine/types.ts'
import type { Actor } from '../../kernel/actor.ts'
import { Failure } from '../../kernel/errors.ts'
import type { InProcessCall } from '../../kernel/invoke/in-process.ts'
import { standingOf } from '../identity/acting/index.ts'
import { findSlug } from '../workspaces/index.ts'
import { guestsAmong, isMember, namesOf } from './people.ts'
import { objectName } from './recordings.ts'

type Services = { readonly actAs: (actor: Actor, requestId: string) => InProcessCall }

const payload = z.object({
  meeting_id: z.string(),
  actor: z.custom<Actor>((value) => typeof value === 'object' && value !== null),
})

/**
 * Links participants of meetings to persons, as the author of the change that named them. Before 0071, such a change
 * left it to a job; this does what was pending at the upgrade, and nothing adds more of it.
 */
export const pendingPeopleJob = ({ actAs }: Services): JobKind<z.infer<typeof payload>> => ({
  name: 'meetings.people',
  payload,
  async run({ database: { reader }, workspaceId, clock }, { meeting_id: id, actor }) {
    const workspace = await findSlug(reader, workspaceId)
    const standing = await standingOf(reader, { workspaceId, now: clock.now() }, actor)
    if (workspace === undefined || 'stopped' in standing) return { state: 'done' }
    const call = actAs(actor, id)
    const meeting = await unlessRefused(call('records.get', { workspace, object: objectName, id }))
    for (const { email, name } of guestsAmong(meeting?.data.attributes['participants'])) {
      if (await isMember(reader, workspaceId, email)) continue
      const attributes = { email_addresses: { items: [email] }, ...(name !== undefined && { name: namesOf(name) }) }
      // A person who exists refuses it.
      const body = { data: { type: 'person', attributes } }
      await unlessRefused(call('records.create', { workspace, object: 'person', body, silent: true }))
      const of = { workspace, object: objectName, id, relationship: 'people', silent: true }
      const data = [{ type: 'person', id: { match: { email_addresses: email } } }]
      await unlessRefused(call('relationships.add', { ...of, body: { data } }))
    }
    return { state: 'done' }
  },
})

/** Returns what a call returns; undefined where it is refused, which another attempt would not change. */
async function unlessRefused<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof Failure && error.status < 500) return undefined
    throw error
  }
}
