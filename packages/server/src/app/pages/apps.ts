import { trimInvisible } from '@kontor/contract'
import { idempotencyStore } from '../../modules/requests/index.ts'
import type { AppWish, PageApps, RegisteredApp } from '../../http/pages/accounts.ts'
import { describeScopes } from '../../http/oauth/scopes.ts'
import type { Database, Tx } from '../../db/tx.ts'
import type { Clock } from '../../kernel/clock.ts'
import { failure } from '../../kernel/errors.ts'
import { hashSecret, isId } from '../../kernel/ids.ts'
import {
  apiScopes,
  countPeople,
  deleteClient,
  insertClient,
  isClientSecret,
  listClientsOf,
  lockClientOf,
  makeClient,
  newClientSecret,
  redirectUriFault,
  unknownScope,
  updateClientSecret,
  type ClientRow,
} from '../../modules/identity/oauth/index.ts'
import { lockRole } from '../../modules/identity/users/index.ts'
import { inTurn } from './turns.ts'

type Options = { readonly database: Database; readonly clock: Clock; readonly onAccessEnded: () => void }

const nameMax = 100
const redirectUrisMax = 20
/** Twenty of them still fit into a form. */
const redirectUriMax = 500

/** A submitted form: `once` identifies it, `asks` tells whether two are the same. */
type Sent = {
  readonly userId: string
  readonly workspaceId: string
  readonly page: 'register' | 'rotate'
  readonly once: string
  readonly asks: unknown
}

/** The format that the pages generate. */
const isOnce = /^[\w-]{22}$/

const sentBefore = 'This form has registered an app before. Send it once more to register another.'
const nameTaken = 'The workspace has an app of this name.'

/** Changes apps in the name of an admin, whose role is locked until the change is done. */
function changesOf({ database, clock }: Pick<Options, 'database' | 'clock'>) {
  const asAdmin = <T>(userId: string, workspaceId: string, change: (tx: Tx) => Promise<T>): Promise<T> =>
    database.write(async (tx) => {
      const role = await lockRole(tx, workspaceId, userId)
      if (role !== 'admin') throw failure('not_found', 'There is no such workspace, or you are no admin of it.')
      return change(tx)
    })
  /**
   * Creates something whose secret is shown in the answer to a form, once per form. A repeated form, from a second
   * click that discarded the first answer, gets the same answer. `used`: the form was sent for something else, or its
   * secret is no longer valid.
   */
  const makeOnce = <T>({ userId, workspaceId, page, once, asks }: Sent, make: (tx: Tx) => Promise<RegisteredApp | T>) =>
    inTurn(() =>
      asAdmin(userId, workspaceId, async (tx): Promise<RegisteredApp | T | 'used'> => {
        if (!isOnce.test(once)) return 'used'
        const scope = { workspaceId, actorId: userId, endpoint: `page.apps.${page}`, key: once, secret: true }
        const [requestHash, now] = [hashSecret(JSON.stringify(asks)), clock.now()]
        const found = await idempotencyStore.begin(tx, scope, requestHash, now)
        if (found === 'running')
          throw failure('idempotency_in_progress', 'This form is still being worked on. Reload the page.')
        if (found === 'other-request') return 'used'
        if (found !== 'new') {
          const before = found.body as RegisteredApp
          return (await isStill(tx, workspaceId, before)) ? before : 'used'
        }
        const made = await make(tx)
        if (isMade(made))
          await idempotencyStore.save(tx, scope, requestHash, { status: 200, body: made, headers: {} }, now)
        return made
      }),
    )
  return { asAdmin, makeOnce }
}

/** The functions that admins have for the apps of their workspace (docs/decisions/0117). */
export function pageApps({ database, clock, onAccessEnded }: Options): PageApps {
  const { asAdmin, makeOnce } = changesOf({ database, clock })
  return {
    async list(workspaceId) {
      const { reader } = database
      const [rows, counts] = await Promise.all([listClientsOf(reader, workspaceId), countPeople(reader, workspaceId)])
      const people = new Map(counts.map((one) => [one.client_id, one.people]))
      return rows.map((row) => ({
        id: row.id,
        name: row.name,
        type: row.client_type,
        redirectUris: row.redirect_uris,
        scopes: scopeTexts(row.scopes),
        createdAt: row.created_at,
        people: people.get(row.id) ?? 0,
        secretMark: markOf(row),
      }))
    },
    async register(userId, workspaceId, { once, ...wish }) {
      const errors = faultsOf(wish)
      if (Object.keys(errors).length > 0) return { errors }
      const scopes = wish.scopes === null ? null : apiScopes(wish.scopes)
      const made = await makeOnce({ userId, workspaceId, page: 'register', once, asks: wish }, async (tx) => {
        const given = { ...wish, name: trimInvisible(wish.name), workspaceId, scopes, createdBy: userId }
        const { row, secret } = makeClient(given, clock.now())
        return (await insertClient(tx, row)) ? { clientId: row.id, secret } : 'taken'
      })
      return isMade(made) ? made : { errors: { name: made === 'used' ? sentBefore : nameTaken } }
    },
    async rotate(userId, workspaceId, { id, secretMark, once }) {
      const made = await makeOnce({ userId, workspaceId, page: 'rotate', once, asks: [id, secretMark] }, async (tx) => {
        const row = await requireApp(tx, workspaceId, id)
        if (row.client_type === 'public') throw failure('not_found', 'A public app has no secret.')
        if (markOf(row) !== secretMark) return 'changed'
        const { secret, secret_hash } = newClientSecret()
        await updateClientSecret(tx, row.id, secret_hash)
        return { clientId: row.id, secret }
      })
      return isMade(made) ? made : 'changed'
    },
    async remove(userId, workspaceId, id) {
      await asAdmin(userId, workspaceId, async (tx) => {
        // A repeated form may have removed it already, which counts as success.
        const row = await findApp(tx, workspaceId, id)
        if (row !== undefined) await deleteClient(tx, row.id, clock.now())
      })
      onAccessEnded()
    },
  }
}

const isMade = (made: unknown): made is RegisteredApp => typeof made === 'object'

/**
 * Identifies an app's current secret without showing it; of two admins who rotate at once, neither must replace the
 * other's secret unknowingly.
 */
const markOf = ({ secret_hash }: ClientRow): string => (secret_hash === null ? '' : hashSecret(secret_hash))

/** An app of the workspace, locked until the transaction ends. */
const findApp = async (tx: Tx, workspaceId: string, id: string): Promise<ClientRow | undefined> =>
  isId(id) ? lockClientOf(tx, workspaceId, id) : undefined

async function requireApp(tx: Tx, workspaceId: string, id: string): Promise<ClientRow> {
  const row = await findApp(tx, workspaceId, id)
  if (row === undefined) throw failure('not_found', 'The workspace has no app with this id.')
  return row
}

/** Returns whether an app still has the secret that was made then. */
async function isStill(tx: Tx, workspaceId: string, { clientId, secret }: RegisteredApp): Promise<boolean> {
  const row = await findApp(tx, workspaceId, clientId)
  return (
    row !== undefined && (row.secret_hash === null || (secret !== undefined && isClientSecret(secret, row.secret_hash)))
  )
}

function scopeTexts(scopes: readonly string[] | null): readonly string[] {
  if (scopes === null) return ['Everything that the person may do']
  return scopes.length === 0 ? ['Nothing but know who the person is'] : describeScopes(scopes)
}

function faultsOf({ name, redirectUris, type, scopes }: Omit<AppWish, 'once'>): Record<string, string> {
  const unknown = unknownScope(scopes ?? [])
  const faults = {
    name: nameFault(trimInvisible(name)),
    redirect_uris: redirectFault(redirectUris, type),
    scopes: unknown !== undefined && `"${unknown}" is no scope.`,
  }
  return Object.fromEntries(
    Object.entries(faults).filter((fault): fault is [string, string] => typeof fault[1] === 'string'),
  )
}

function nameFault(name: string): string | undefined {
  if (name === '') return 'Enter a name.'
  if (name.length > nameMax) return `Enter a name of at most ${nameMax} characters.`
  // Characters that reverse the direction of text would make one name look like another.
  return /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(name) ? 'Leave out control characters.' : undefined
}

function redirectFault(uris: readonly string[], type: AppWish['type']): string | undefined {
  if (uris.length === 0) return 'Enter at least one address.'
  if (uris.length > redirectUrisMax || uris.some(({ length }) => length > redirectUriMax)) {
    return `Enter at most ${redirectUrisMax} addresses of at most ${redirectUriMax} characters each.`
  }
  return uris.map((uri) => redirectUriFault(uri, type)).find((fault) => fault !== undefined)
}
