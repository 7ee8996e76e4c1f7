import { describeKeyScope, type Output, type apiKeys } from '@kontor/contract'
import { dayMs, isoTime } from '../../kernel/clock.ts'
import { Failure } from '../../kernel/errors.ts'
import { findUser } from '../../modules/identity/users/index.ts'
import { allPages, callsOf, inTurn, type UserCalls } from './calls.ts'

/** A key as a person asks for it; `once` names the form, so that one that is sent twice makes one key. */
type KeyWish = {
  readonly workspace: string
  readonly name: string
  readonly kind: 'user' | 'workspace'
  readonly scopes: readonly string[]
  readonly days: number | undefined
  readonly once: string
}

/** A key that gets a new secret; `once` names the form, so that one that is sent twice gives one. */
type RotationWish = {
  readonly workspace: string
  readonly id: string
  readonly overlapHours: number
  readonly once: string
}

/** An API key as an admin of its workspace sees it. Times are milliseconds since 1970. */
export type WorkspaceKeyView = ReturnType<typeof viewOf>

type Listed = Output<typeof apiKeys.list>
type WithSecret = Output<typeof apiKeys.create>

const sentBefore = 'This form has already created a key. Send it again to create another one.'

/**
 * Lets the pages read and change keys through the API itself, in the name of the signed-in user, so that every rule of
 * the API applies.
 */
export function pageKeys(options: UserCalls) {
  const callAs = callsOf(options)
  const { runtime, clock } = options
  return {
    /** Returns the new key, or the faults by the name of the field. */
    async create(
      userId: string,
      wish: KeyWish,
    ): Promise<{ readonly key: string } | { readonly errors: Readonly<Record<string, string>> }> {
      const call = await callAs(userId)
      try {
        const body = { data: { type: 'api-key', attributes: attributesOf(wish, clock.now()) } }
        return secretOf(
          await inTurn(() =>
            call('apiKeys.create', { workspace: wish.workspace, body }, { idempotencyKey: wish.once }),
          ),
        )
      } catch (error) {
        if (!(error instanceof Failure) || error.status >= 429 || error.code === 'idempotency_in_progress') throw error
        if (error.code === 'idempotency_key_reused') return { errors: { name: sentBefore } }
        return {
          errors: Object.fromEntries(
            error.faults.map(({ detail, source }) => [fieldOf(source?.pointer), detail ?? error.message]),
          ),
        }
      }
    },
    async list(userId: string, workspace: string): Promise<WorkspaceKeyView[]> {
      const call = await callAs(userId)
      const keys = await allPages((page) => call('apiKeys.list', { workspace, page }))
      const makers = [...new Set(keys.map(({ attributes }) => attributes._created_by))]
      const names = new Map(await Promise.all(makers.map(async (id) => [id, await nameOf(id)] as const)))
      return keys.map((key) => viewOf(key, names.get(key.attributes._created_by)))
    },
    async revoke(userId: string, workspace: string, id: string): Promise<void> {
      await (
        await callAs(userId)
      )('apiKeys.remove', { workspace, id })
    },
    /** Gives a key a new secret. `used`: the form was sent before, with another wish. */
    async rotate(userId: string, { workspace, id, overlapHours, once }: RotationWish) {
      const call = await callAs(userId)
      try {
        return secretOf(
          await inTurn(() =>
            call('apiKeys.rotate', { workspace, id, body: { overlap_hours: overlapHours } }, { idempotencyKey: once }),
          ),
        )
      } catch (error) {
        if (error instanceof Failure && error.code === 'idempotency_key_reused') return 'used' as const
        throw error
      }
    },
  }

  async function nameOf(userId: string): Promise<string | undefined> {
    const user = await findUser(runtime.database.reader, userId)
    return user?.name ?? user?.email
  }
}

const secretOf = (answer: WithSecret): { readonly key: string } => ({
  key: answer.data.attributes.cleartext_api_key,
})

/** Says in words who owns a key and what it may do. */
function viewOf({ id, attributes }: Listed['data'][number], maker = 'a former member') {
  const { name, key_prefix: prefix, actor, scopes, _created_at, last_used_at, expires_at } = attributes
  return {
    id,
    name,
    prefix,
    owner: actor.type === 'user' ? 'Yours' : `The workspace’s, created by ${maker}`,
    scopes: scopes.length === 0 ? [everythingOf[actor.type]] : scopes.map((scope) => describeKeyScope(scope) ?? scope),
    createdAt: Date.parse(_created_at),
    lastUsedAt: last_used_at === null ? null : Date.parse(last_used_at),
    expiresAt: expires_at === null ? null : Date.parse(expires_at),
  }
}

const everythingOf = {
  user: 'Everything that you may do',
  workspace: 'Everything that the workspace’s keys may do',
} as const

const attributesOf = ({ name, kind, scopes, days }: KeyWish, now: number) => ({
  name,
  scopes,
  actor_type: kind,
  ...(days !== undefined && { expires_at: isoTime(endOf(now, days)) }),
})

/** Rounded to the day, so that a form that is sent twice requests the same. */
const endOf = (now: number, days: number): number => (Math.floor(now / dayMs) + 1 + days) * dayMs

const fields: Readonly<Record<string, string>> = {
  name: 'name',
  scopes: 'scopes',
  actor_type: 'kind',
  expires_at: 'days',
}

/** The form field for a path in the body; paths without a field belong to the workspace. */
const fieldOf = (pointer = ''): string => fields[pointer.split('/')[3] ?? ''] ?? 'workspace'
