import { access } from './access.ts'
import { activities } from './activities.ts'
import { api } from './api.ts'
import { apiKeys } from './api-keys.ts'
import { asyncTasks } from './async-tasks.ts'
import { comments } from './comments.ts'
import { invitations } from './invitations.ts'
import { limits } from './limits.ts'
import { lists } from './lists.ts'
import { records } from './records.ts'
import { relationships } from './relationships.ts'
import { requests } from './requests.ts'
import { resources } from './resources.ts'
import { schemas } from './schemas.ts'
import { search } from './search.ts'
import { users } from './users.ts'
import { workspaces } from './workspaces.ts'

/** The whole API. Everything that a user meets is derived from this value. */
export const contract = {
  api,
  workspaces,
  users,
  invitations,
  apiKeys,
  asyncTasks,
  schemas,
  records,
  relationships,
  resources,
  lists,
  search,
  comments,
  access,
  activities,
  requests,
  limits,
} as const

export type AppContract = typeof contract

export * from './access.ts'
export * from './activities.ts'
export * from './api.ts'
export * from './api-keys.ts'
export * from './async-tasks.ts'
export * from './comments.ts'
export * from './endpoint.ts'
export * from './errors.ts'
export * from './example-ids.ts'
export * from './explain.ts'
export * from './field-schema.ts'
export * from './filters.ts'
export * from './includes.ts'
export * from './invitations.ts'
export * from './limits.ts'
export * from './list.ts'
export * from './lists.ts'
export * from './mutations.ts'
export * from './nearest.ts'
export * from './object-description.ts'
export * from './paging.ts'
export * from './record.ts'
export * from './records.ts'
export * from './relationships.ts'
export * from './requests.ts'
export * from './resources.ts'
export * from './schema-document.ts'
export * from './schemas.ts'
export * from './scopes.ts'
export * from './search.ts'
export * from './shared.ts'
export * from './users.ts'
export * from './version.ts'
export * from './workspaces.ts'
export * from './query-fields.ts'
