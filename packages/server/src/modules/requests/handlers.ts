import { contract, isMutation, requests, type Contract, type Endpoint } from '@kontor/contract'
import { isRecord } from '../../lib/guards.ts'
import { actorId } from '../../kernel/actor.ts'
import { holdsScope, hasRole } from '../../kernel/authorise.ts'
import { isoTime } from '../../kernel/clock.ts'
import { Failure } from '../../kernel/errors.ts'
import { implement, type WorkspaceReadContext } from '../../kernel/implement.ts'
import { resource } from '../../kernel/resource.ts'
import { isId } from '../../kernel/ids.ts'
import { hiddenLists } from '../lists/index.ts'
import { sightOf } from '../records/index.ts'

type KeyQuery = {
  readonly workspaceId: string
  readonly actorId: string
  readonly key: string
  readonly endpoints: readonly string[]
}
type Kept = {
  readonly endpoint: string
  readonly status: number
  readonly body: unknown
  readonly created_at: number
  readonly expires_at: number
}

/**
 * The requests of an actor that were committed under a key, the latest first; `running` while one of them has not
 * ended.
 */
export type FindRequests = (asked: KeyQuery, now: number) => Promise<readonly Kept[] | 'running'>

/** Every operation that accepts a key, by its name. */
const keyed = new Map<string, Endpoint>(
  Object.entries<Contract[string]>(contract)
    .flatMap(([domain, endpoints]) =>
      Object.entries(endpoints).map(([key, endpoint]): [string, Endpoint] => [`${domain}.${key}`, endpoint]),
    )
    .filter(([, endpoint]) => isMutation(endpoint)),
)

export const requestHandlers = (findRequests: FindRequests) =>
  implement(requests, {
    async get(ctx, { key, endpoint }) {
      const asked = {
        workspaceId: ctx.workspace.workspaceId,
        actorId: actorId(ctx.actor),
        key,
        endpoints: [...keyed.keys()],
      }
      const found = await findRequests(asked, ctx.now)
      if (found === 'running')
        throw new Failure(
          { code: 'idempotency_in_progress', detail: 'A request with this Idempotency-Key is still running.' },
          { retryAfterSeconds: 1 },
        )
      const shown = found.find((one) => endpoint === undefined || one.endpoint === endpoint)
      if (shown === undefined)
        throw ctx.fail('not_found', { detail: 'No request of yours was committed under this key within 24 hours.' })
      const isShown = mayRead(ctx, keyed.get(shown.endpoint)) && (await seesAnswer(ctx, shown.body))
      const attributes = {
        _id: key,
        endpoint: shown.endpoint,
        status: shown.status,
        body: isShown && isRecord(shown.body) ? { ...shown.body } : null,
        _created_at: isoTime(shown.created_at),
        expires_at: isoTime(shown.expires_at),
      }
      return {
        body: {
          data: resource('request', key, attributes),
          meta: { endpoints: found.map((one) => one.endpoint) },
        },
      }
    },
  })

/**
 * A narrower credential of the same user, or one whose user has lost a role since, learns that a request was committed,
 * but not its answer. Secrets are shown once.
 */
const mayRead = ({ actor, workspace }: WorkspaceReadContext, endpoint: Endpoint | undefined): boolean =>
  endpoint !== undefined &&
  endpoint.secret !== true &&
  hasRole(endpoint, workspace) &&
  [endpoint.scope ?? undefined, endpoint.recordScope].every((scope) => scope === undefined || holdsScope(actor, scope))

/** Returns whether the caller still sees every record and list that a stored answer names. */
export async function seesAnswer(ctx: WorkspaceReadContext, body: unknown): Promise<boolean> {
  const ids = [...new Set(idsIn(body))]
  if (ids.length === 0) return true
  const [sight, lists] = await Promise.all([sightOf(ctx, ids), hiddenLists(ctx, ids)])
  return !ids.some((id) => sight.hides(id) || lists.has(id))
}

/** All texts in a value that have the shape of an id. */
function idsIn(value: unknown): string[] {
  if (typeof value === 'string') return isId(value) ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(idsIn) : []
}
