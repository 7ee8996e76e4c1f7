import type { KeyWish, PageAccounts } from './http/pages/accounts.ts'
import { inProcess, type Served } from './in-process.ts'
import { dayMs, isoTime, type Clock } from './kernel/clock.ts'
import { Failure } from './kernel/errors.ts'
import { newId } from './kernel/ids.ts'
import type { Issuer } from './modules/auth/index.ts'

type Options = Served & { readonly issuer: Issuer; readonly clock: Clock }

/** Has the pages make keys by the API itself, in the name of who is signed in, so that every rule of the API holds. */
export const pageKeys = ({ runtime, calls, issuer, clock }: Options): PageAccounts['createKey'] => async (userId, wish) => {
  const { access_token: token } = await issuer.mint(userId)
  const call = inProcess({ runtime, calls }, `Bearer ${token}`, newId(clock.now()))
  try {
    const answer = await call('apiKeys.create', { workspace: wish.workspace, body: { data: { type: 'api-key', attributes: attributesOf(wish, clock.now()) } } }, { idempotencyKey: wish.once })
    return { key: (answer as { readonly data: { readonly attributes: { readonly cleartext_api_key: string } } }).data.attributes.cleartext_api_key }
  } catch (error) {
    if (!(error instanceof Failure) || error.status >= 429) throw error
    return { errors: Object.fromEntries(error.faults.map(({ detail, source }) => [fieldOf(source?.pointer), detail ?? error.message])) }
  }
}

const attributesOf = ({ name, kind, scopes, days }: KeyWish, now: number) => ({ name, scopes, actor_type: kind, ...(days !== undefined && { expires_at: isoTime(endOf(now, days)) }) })

/** By the day, so that a form that is sent twice asks for the same. */
const endOf = (now: number, days: number): number => (Math.floor(now / dayMs) + 1 + days) * dayMs

const fields: Readonly<Record<string, string>> = { name: 'name', scopes: 'scopes', actor_type: 'kind', expires_at: 'days' }

/** The field of the form that a place in the body comes from; what has none belongs to the workspace. */
const fieldOf = (pointer = ''): string => fields[pointer.split('/')[3] ?? ''] ?? 'workspace'
