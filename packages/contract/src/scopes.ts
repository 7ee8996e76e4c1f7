/** What a key or token may be narrowed to; `<area>:<verb>`, for records also `records:read:<object>`. */
export const scopes = [
  'records:read', 'records:write', 'records:delete',
  'schemas:read', 'schemas:write',
  'lists:read', 'lists:write',
  'comments:read', 'comments:write',
  'access:read', 'access:write',
  'workflows:read', 'workflows:write', 'workflows:run',
  'campaigns:read', 'campaigns:write',
  'meetings:read', 'meetings:write',
  'files:read', 'files:write',
  'webhooks:read', 'webhooks:write',
  'events:read',
  'members:read', 'members:write',
] as const

export type Scope = (typeof scopes)[number]

/** `records:read`, or the same narrowed to one object: `records:read:person`. */
export const scopePattern = new RegExp(`^(${scopes.join('|')})$|^records:(read|write|delete):[a-z][a-z0-9_]*$`)
