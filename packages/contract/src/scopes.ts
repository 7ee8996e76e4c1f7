import { suggestion } from './nearest.ts'

/**
 * The scopes that narrow a key or token, each with a plain description; `<area>:<verb>`, for records also
 * `records:read:<object>`. Each has an operation: a test compares them with the contract.
 */
const texts = {
  'records:read': 'See records: people, companies, deals and all other objects',
  'records:write': 'Create and change records',
  'records:delete': 'Delete and restore records',
  'schemas:read': 'See objects and their fields',
  'schemas:write': 'Create, change and delete objects and fields',
  'lists:read': 'See lists',
  'lists:write': 'Create, change and delete lists',
  'comments:read': 'Read comments',
  'comments:write': 'Write and delete comments',
  'files:read': 'See and download files that are attached to records',
  'files:write': 'Attach files to records, and delete them',
  'access:read': 'See who has access to what',
  'access:write': 'Change who has access to what',
  'events:read': 'Follow events of data that the other permissions allow',
  'webhooks:read': 'See webhooks and what they have sent',
  'webhooks:write': 'Create and change webhooks, which send data that you can see to other services',
  'workflows:read': 'See workflows and their runs',
  'workflows:write': 'Create, change and delete workflows, which keep acting on your behalf',
  'workflows:run': 'Run, retry and cancel workflows',
  'agents:read': 'See agents and their runs',
  'agents:write': 'Create, change and delete agents, which act on your behalf',
  'agents:run': 'Run and cancel agents, and undo their changes',
  'campaigns:read': 'Read campaigns, and who opened, clicked or replied to their e-mails',
  'campaigns:write': 'Create, start, pause and delete campaigns, which e-mail people on your behalf',
  'emails:read': 'Read the e-mails of workflows and campaigns, and see suppressed addresses',
  'emails:write': 'Suppress addresses, so that they are no longer e-mailed',
  'settings:read': 'See the settings of the workspace',
  'settings:write': 'Change the settings of the workspace',
  'layouts:read': 'See the layout of pages',
  'layouts:write': 'Change the layout of pages for all members',
  'notifications:read': 'See your notifications',
  'notifications:write': 'Mark notifications as read, and change your notification settings',
  'members:read': 'See members',
  'members:write': 'Invite and remove members, and change their roles',
} as const

export type Scope = keyof typeof texts

export const scopes = Object.keys(texts) as readonly Scope[]

/**
 * Scopes that no key has, and no app unless its registration names them: the first outlives the consent, the second
 * concerns all members (docs/decisions/0093).
 */
const personalTexts = {
  'keys:write': 'Create, change and revoke your API keys, which keep working after you disconnect the app',
  'workspaces:write': 'Rename the workspace',
} as const

export type PersonalScope = keyof typeof personalTexts

export const personalScopes = Object.keys(personalTexts) as readonly PersonalScope[]

const membersWrite = 'members:write' satisfies Scope

/**
 * The scopes that an app has only if its registration names them, since their effects outlast the consent
 * (docs/decisions/0093). Keys can have `members:write`.
 */
export const namedScopes: readonly string[] = [membersWrite, ...personalScopes]

/** The scopes of an app whose registration names none. */
export const defaultAppScopes: readonly Scope[] = scopes.filter((scope) => scope !== membersWrite)

/** Names that were scopes before they had an operation, and will be: what was narrowed to them stays narrow. */
const areasToCome = ['meetings']

/** The scopes that OpenID Connect asks for at sign-in, beside those of Kontor. */
export const signInScopes = {
  openid: 'Know who you are',
  profile: 'See your name',
  email: 'See your e-mail address',
  offline_access: 'Stay connected while you are away',
} as const

const onObject = 'records:(read|write|delete):[a-z][a-z0-9_]*'

/** `records:read`, or the same narrowed to one object: `records:read:person`. */
export const scopePattern = new RegExp(`^(${scopes.join('|')})$|^${onObject}$`)

const onWebhook = 'deliveries:(?:read|write):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})'

const webhookPattern = new RegExp(`^${onWebhook}$`)

/**
 * Matches the scopes of a key: those of all credentials, and the deliveries of one webhook, `deliveries:read:<its id>`
 * (docs/decisions/0155).
 */
export const keyScopePattern = new RegExp(`${scopePattern.source}|^${onWebhook}$`)

/** The id of the webhook whose deliveries a scope opens; undefined for all other scopes. */
export const webhookOfScope = (scope: string): string | undefined => webhookPattern.exec(scope)?.[1]

/** Lists the scopes there are, for a text that is none of them. */
export const scopeFault = (given: unknown, allowed: readonly string[] = scopes): string =>
  `Must be one of the scopes ${allowed.join(', ')}. Scopes of records may name an object, as in records:read:person.` +
  suggestion(String(given), allowed)

const narrowing = new RegExp(
  `^(${personalScopes.join('|')})$|${keyScopePattern.source}|^(${areasToCome.join('|')}):(read|write|run)$`,
)

/** Returns whether a word among the scopes of a token is a scope of this API. */
export const narrows = (word: string): boolean => narrowing.test(word)

/** A scope that an app may be registered for. */
export const isAppScope = (scope: string): boolean => scopePattern.test(scope) || Object.hasOwn(personalTexts, scope)

/** Built-in objects as people call them; others are described by their names. */
const recordNouns: Readonly<Record<string, string>> = {
  person: 'people',
  company: 'companies',
  deal: 'deals',
  meeting: 'meetings',
}

const narrowed = { read: 'See', write: 'Create and change', delete: 'Delete and restore' } as const

const fixedTexts: Readonly<Record<string, string>> = { ...signInScopes, ...texts, ...personalTexts }

/** Describes a scope for the person who consents; undefined for other words. */
export function describeScope(scope: string): string | undefined {
  if (Object.hasOwn(fixedTexts, scope)) return fixedTexts[scope]
  if (!scopePattern.test(scope)) return undefined
  const [, verb, object] = scope.split(':') as [string, keyof typeof narrowed, string]
  return `${narrowed[verb]} ${recordNouns[object] ?? `records of the object “${object}”`}`
}

/** The same for all that a key may be narrowed to. */
export function describeKeyScope(scope: string): string | undefined {
  const webhook = webhookOfScope(scope)
  if (webhook === undefined) return describeScope(scope)
  const does = scope.startsWith('deliveries:read:') ? 'See what was sent by' : 'Send again what was sent by'
  return `${does} the webhook “${webhook}”`
}
