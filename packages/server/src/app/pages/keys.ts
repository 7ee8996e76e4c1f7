import { describeKeyScope, type Output, type apiKeys } from '@kontor/contract'
import type { KeyWish, PageKeys, WorkspaceKeyView } from '../../http/pages/accounts.ts'
import { inProcess, type Served } from '../../kernel/invoke/in-process.ts'
import { dayMs, isoTime, type Clock } from '../../kernel/clock.ts'
import { Failure } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { Issuer } from '../../modules/identity/tokens/index.ts'
import { findUser } from '../../modules/identity/users/index.ts'
import { inTurn } from './turns.ts'

type Options = Served & { readonly issuer: Issuer; readonly clock: Clock }

type Listed = Output<typeof apiKeys.list>
type WithSecret = Output<typeof apiKeys.create>

const pageMax = 100

const sentBefore = 'This form has already created a key. Send it again to create another one.'

/**
 * Lets the pages read and change keys through the API itself, in the name of the signed-in user, so that every rule of
 * the API applies.
 */
export function pageKeys({ runtime, calls, issuer, clock }: Options): PageKeys {
  const callAs = async (userId: string) => {
    const { access_token: token } = await issuer.mint(userId)
    return inProcess({ runtime, calls }, { authorization: `Bearer ${token}` }, newId(clock.now()))
  }
  return {
    async create(userId, wish) {
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
    async list(userId, workspace) {
      const call = await callAs(userId)
      const keys: Listed['data'] = []
      for (let next: string | null = ''; next !== null;) {
        const { data, links } = await call('apiKeys.list', {
          workspace,
          page: { offset: keys.length, limit: pageMax },
        })
        keys.push(...data)
        next = links.next
      }
      const makers = [...new Set(keys.map(({ attributes }) => attributes._created_by))]
      const names = new Map(await Promise.all(makers.map(async (id) => [id, await nameOf(id)] as const)))
      return keys.map((key) => viewOf(key, names.get(key.attributes._created_by)))
    },
    async revoke(userId, workspace, id) {
      await (
        await callAs(userId)
      )('apiKeys.remove', { workspace, id })
    },
    async rotate(userId, { workspace, id, overlapHours, once }) {
      const call = await callAs(userId)
      try {
        return secretOf(
          await inTurn(() =>
            call('apiKeys.rotate', { workspace, id, body: { overlap_hours: overlapHours } }, { idempotencyKey: once }),
          ),
        )
      } catch (error) {
        if (error instanceof Failure && error.code === 'idempotency_key_reused') return 'used'
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

function viewOf({ id, attributes }: Listed['data'][number], maker = 'a former member'): WorkspaceKeyView {
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
