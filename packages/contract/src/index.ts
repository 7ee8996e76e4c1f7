import { activities } from './activities.ts'
import { apiKeys } from './api-keys.ts'
import { comments } from './comments.ts'
import { records } from './records.ts'
import { resources } from './resources.ts'
import { schemas } from './schemas.ts'
import { users } from './users.ts'
import { workspaces } from './workspaces.ts'

/** The whole API. Everything that a user meets is derived from this value. */
export const contract = { workspaces, users, apiKeys, schemas, records, resources, comments, activities } as const

export type AppContract = typeof contract

export * from './activities.ts'
export * from './api-keys.ts'
export * from './comments.ts'
export * from './endpoint.ts'
export * from './errors.ts'
export * from './explain.ts'
export * from './filters.ts'
export * from './nearest.ts'
export * from './paging.ts'
export * from './records.ts'
export * from './resources.ts'
export * from './schemas.ts'
export * from './scopes.ts'
export * from './shared.ts'
export * from './users.ts'
export * from './workspaces.ts'
export * from './query-fields.ts'
