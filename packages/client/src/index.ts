// The types of the contract, so that a program imports from one package.
export type * from '@kontor/contract'
export * from './connection.ts'
export * from './errors.ts'
export * from './follow-events.ts'
export * from './objects.ts'
export type { InputOf, Operation, OutputOf } from './operation.ts'
// By name: they stand for what the contract calls so.
export {
  access,
  activities,
  agents,
  api,
  apiKeys,
  apps,
  asyncTasks,
  attachments,
  campaigns,
  comments,
  emails,
  events,
  exports,
  imports,
  inboundWebhooks,
  invitations,
  layouts,
  limits,
  lists,
  meetings,
  notifications,
  records,
  relationships,
  requests,
  resources,
  schemas,
  search,
  settings,
  sql,
  suppressions,
  users,
  webhooks,
  workflows,
  workspaces,
} from './operations.ts'
export * from './rest.ts'
export type { ServerSentEvent } from './server-sent-events.ts'
export type * from './trpc-types.ts'
export * from './trpc.ts'
export * from './upload.ts'
