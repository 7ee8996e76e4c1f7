import type { apps, AppType, Output } from '@kontor/contract'
import { describeScopes } from '../oauth/scopes.ts'
import { Failure, failure } from '../../kernel/errors.ts'
import type { InProcessCall } from '../../kernel/invoke/in-process.ts'
import { allPages, callsOf, inTurn, type UserCalls } from './calls.ts'

/** An app as it is to be registered; scopes of null are all that end with the consent, and `once` names the form. */
type AppWish = {
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly type: AppType
  readonly scopes: readonly string[] | null
  readonly once: string
}

/** An app that gets a new secret in place of the one that the mark is of; `once` names the form. */
type RotationWish = { readonly id: string; readonly secretMark: string; readonly once: string }

/** An app of a workspace as its admins see it. */
export type WorkspaceAppView = ReturnType<typeof viewOf>

/** Credentials of an app; a public one has no secret. */
export type RegisteredApp = ReturnType<typeof registered>

type Listed = Output<typeof apps.list>['data'][number]
type WithSecret = Output<typeof apps.create>

/** The format that the pages generate. */
const isOnce = /^[\w-]{22}$/

const sentBefore = 'This form has already registered an app. Send it again to register another one.'
const nameTaken = 'The workspace already has an app with this name.'

/**
 * Lets the pages read and change the apps of a workspace through the API itself, in the name of the signed-in admin
 * (docs/decisions/0093).
 */
export function pageApps(options: UserCalls) {
  const callAs = callsOf(options)
  return {
    async list(userId: string, workspace: string): Promise<WorkspaceAppView[]> {
      const call = await callAs(userId)
      return (await allPages((page) => call('apps.list', { workspace, page }))).map(viewOf)
    },
    async register(
      userId: string,
      workspace: string,
      { once, ...wish }: AppWish,
    ): Promise<RegisteredApp | { readonly errors: Readonly<Record<string, string>> }> {
      const call = await callAs(userId)
      if (!isOnce.test(once)) return { errors: { name: sentBefore } }
      try {
        const body = { data: { type: 'app', attributes: attributesOf(wish) } }
        const made = await inTurn(() => call('apps.create', { workspace, body }, { idempotencyKey: once }))
        return (await isCurrent(call, workspace, made)) ? registered(made) : { errors: { name: sentBefore } }
      } catch (error) {
        return { errors: errorsOf(error, wish) }
      }
    },
    /** `changed`: it has no longer the secret that the mark is of. */
    async rotate(
      userId: string,
      workspace: string,
      { id, secretMark, once }: RotationWish,
    ): Promise<RegisteredApp | 'changed'> {
      const call = await callAs(userId)
      const { data: app } = await call('apps.get', { workspace, id }).catch(hidden)
      if (app.attributes.type === 'public') throw failure('not_found', 'A public app has no secret.')
      if (!isOnce.test(once)) return 'changed'
      try {
        const body = { secret_id: secretMark }
        const made = await inTurn(() => call('apps.rotate', { workspace, id, body }, { idempotencyKey: once }))
        return (await isCurrent(call, workspace, made)) ? registered(made) : 'changed'
      } catch (error) {
        if (error instanceof Failure && error.status === 422) return 'changed'
        return hidden(error)
      }
    },
    async remove(userId: string, workspace: string, id: string): Promise<void> {
      const call = await callAs(userId)
      // A repeated form may have removed it already, which counts as success.
      await call('apps.remove', { workspace, id }).catch((error: unknown) => {
        if (!(error instanceof Failure) || error.code !== 'not_found') hidden(error)
      })
    },
  }
}

/** Refuses an admin who is none any more as a page that does not exist. */
function hidden(error: unknown): never {
  if (!(error instanceof Failure) || error.code !== 'forbidden') throw error
  throw failure('not_found', 'This workspace does not exist, or you are not an admin of it.')
}

/** Returns whether an app still has the secret that a form has made, which may have been sent before. */
async function isCurrent(call: InProcessCall, workspace: string, { data: made }: WithSecret): Promise<boolean> {
  try {
    const { data } = await call('apps.get', { workspace, id: made.id })
    return data.attributes.secret_id === made.attributes.secret_id
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return false
    throw error
  }
}

const registered = ({ data: { id, attributes } }: WithSecret) => ({
  clientId: id,
  secret: attributes.client_secret ?? undefined,
})

/** Says in words what an app may ask for; `secretMark` says which secret it has, and does not tell it. */
const viewOf = ({ id, attributes }: Listed) => ({
  id,
  name: attributes.name,
  type: attributes.type,
  redirectUris: attributes.redirect_uris,
  scopes: scopeTexts(attributes.scopes),
  createdAt: Date.parse(attributes._created_at),
  people: attributes.people,
  secretMark: attributes.secret_id ?? '',
})

function scopeTexts(scopes: readonly string[] | null): readonly string[] {
  if (scopes === null) return ['Everything that the person may do']
  return scopes.length === 0 ? ['Only find out who the person is'] : describeScopes(scopes)
}

type Wish = Omit<AppWish, 'once'>

const attributesOf = ({ redirectUris, ...wish }: Wish) => ({ ...wish, redirect_uris: redirectUris })

/** The texts of the form for what the API refuses, by field. */
function errorsOf(error: unknown, { name, redirectUris }: Wish): Record<string, string> {
  if (!(error instanceof Failure) || error.status >= 429 || error.code === 'idempotency_in_progress') throw error
  if (error.code === 'idempotency_key_reused') return { name: sentBefore }
  if (error.code === 'unique_violation') return { name: nameTaken }
  if (error.code !== 'invalid_body') return hidden(error)
  const faults = error.faults.map(({ detail, source }) => [fieldOf(source?.pointer), detail ?? error.message] as const)
  return {
    ...Object.fromEntries<string>(faults),
    ...(name.trim() === '' && { name: 'Enter a name.' }),
    ...(redirectUris.length === 0 && { redirect_uris: 'Enter at least one address.' }),
  }
}

/** The form field for a path in the body. */
const fieldOf = (pointer = ''): string => pointer.split('/')[3] ?? 'name'
