/** What a key or token may be narrowed to, each with what it opens in plain words; `<area>:<verb>`, for records also `records:read:<object>`. */
const texts = {
  'records:read': 'See records: people, companies, deals and everything else that is kept here',
  'records:write': 'Create and change records',
  'records:delete': 'Delete and restore records',
  'schemas:read': 'See which objects and fields there are',
  'schemas:write': 'Change which objects and fields there are',
  'lists:read': 'See lists',
  'lists:write': 'Create, change and delete lists',
  'comments:read': 'Read comments',
  'comments:write': 'Write and delete comments',
  'access:read': 'See who has access to what',
  'access:write': 'Change who has access to what',
  'workflows:read': 'See workflows and their runs',
  'workflows:write': 'Create, change and delete workflows',
  'workflows:run': 'Start and cancel workflows',
  'campaigns:read': 'See campaigns and their recipients',
  'campaigns:write': 'Create, change and start campaigns',
  'meetings:read': 'See meetings',
  'meetings:write': 'Create and change meetings',
  'files:read': 'Open files',
  'files:write': 'Add and delete files',
  'webhooks:read': 'See webhooks and what they delivered',
  'webhooks:write': 'Have changes sent to other services',
  'events:read': 'Follow everything that changes',
  'members:read': 'See who is a member',
  'members:write': 'Invite and remove members, and change their roles',
} as const

export type Scope = keyof typeof texts

export const scopes = Object.keys(texts) as readonly Scope[]

/** The scopes that OpenID Connect asks for at sign-in, beside those of Kontor. */
export const signInScopes = {
  openid: 'Know who you are',
  profile: 'See your name',
  email: 'See your e-mail address',
  offline_access: 'Stay connected while you are away',
} as const

/** `records:read`, or the same narrowed to one object: `records:read:person`. */
export const scopePattern = new RegExp(`^(${scopes.join('|')})$|^records:(read|write|delete):[a-z][a-z0-9_]*$`)

const narrowed = { read: 'See', write: 'Create and change', delete: 'Delete and restore' } as const

/** What a scope opens, for the person who is asked for it; undefined for what is no scope. */
export function describeScope(scope: string): string | undefined {
  if (!scopePattern.test(scope)) return Object.hasOwn(signInScopes, scope) ? signInScopes[scope as keyof typeof signInScopes] : undefined
  const [, verb, object] = scope.split(':') as [string, keyof typeof narrowed, string?]
  return object === undefined ? texts[scope as Scope] : `${narrowed[verb]} records of the kind “${object}”`
}
