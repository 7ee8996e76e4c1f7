import { access } from './access.ts'
import { activities } from './activities.ts'
import { api } from './api.ts'
import { apiKeys } from './api-keys.ts'
import { asyncTasks } from './async-tasks.ts'
import { agents } from './agents.ts'
import { apps } from './apps.ts'
import { campaigns } from './campaigns.ts'
import { attachments } from './attachments.ts'
import { comments } from './comments.ts'
import { emails, suppressedAddresses } from './emails.ts'
import { events } from './events.ts'
import { exports } from './exports.ts'
import { imports } from './imports.ts'
import { inboundWebhooks } from './inbound-webhooks.ts'
import { invitations } from './invitations.ts'
import { layouts } from './layouts.ts'
import { limits } from './limits.ts'
import { lists } from './lists.ts'
import { meetings } from './meetings.ts'
import { records } from './records.ts'
import { notifications } from './notifications.ts'
import { relationships } from './relationships.ts'
import { requests } from './requests.ts'
import { resources } from './resources.ts'
import { schemas } from './schemas.ts'
import { search } from './search.ts'
import { settings } from './settings.ts'
import { sql } from './sql.ts'
import { users } from './users.ts'
import { webhooks } from './webhooks.ts'
import { workflows } from './workflows.ts'
import { workspaces } from './workspaces.ts'

/** The whole API. Everything that a user meets is derived from this value. */
export const contract = {
  api,
  workspaces,
  users,
  invitations,
  apiKeys,
  apps,
  asyncTasks,
  schemas,
  records,
  imports,
  exports,
  relationships,
  resources,
  lists,
  search,
  sql,
  comments,
  attachments,
  access,
  activities,
  meetings,
  webhooks,
  workflows,
  campaigns,
  agents,
  inboundWebhooks,
  emails,
  suppressions: suppressedAddresses,
  events,
  requests,
  limits,
  settings,
  layouts,
  notifications,
} as const

export type AppContract = typeof contract

export * from './access.ts'
export * from './activities.ts'
export * from './api.ts'
export * from './api-keys.ts'
export * from './async-tasks.ts'
export * from './aggregates.ts'
export * from './agent.ts'
export * from './agent-undo.ts'
export * from './agents.ts'
export * from './campaign.ts'
export * from './campaign-preview.ts'
export * from './campaign-progress.ts'
export * from './campaign-recipient.ts'
export * from './campaign-totals.ts'
export * from './campaigns.ts'
export * from './apps.ts'
export * from './attachments.ts'
export * from './comments.ts'
export * from './emails.ts'
export * from './endpoint.ts'
export * from './errors.ts'
export * from './event-patterns.ts'
export * from './event-types.ts'
export * from './events.ts'
export * from './example-ids.ts'
export * from './example-schemas.ts'
export * from './explain.ts'
export * from './field-schema.ts'
export * from './filters.ts'
export * from './export.ts'
export * from './exports.ts'
export * from './import.ts'
export * from './import-revert.ts'
export * from './imports.ts'
export * from './includes.ts'
export * from './inbound-webhooks.ts'
export * from './invitations.ts'
export * from './layouts.ts'
export * from './limits.ts'
export * from './position.ts'
export * from './list.ts'
export * from './lists.ts'
export * from './meetings.ts'
export * from './mutations.ts'
export * from './nearest.ts'
export * from './notifications.ts'
export * from './object-description.ts'
export * from './paging.ts'
export * from './record.ts'
export * from './record-reference.ts'
export * from './records.ts'
export * from './redirect-uri.ts'
export * from './relationships.ts'
export * from './requests.ts'
export * from './resources.ts'
export * from './schema-document.ts'
export * from './schemas.ts'
export * from './scopes.ts'
export * from './search.ts'
export * from './sql.ts'
export * from './setting.ts'
export * from './settings.ts'
export * from './shared.ts'
export * from './users.ts'
export * from './values.ts'
export * from './version.ts'
export * from './webhook-messages.ts'
export * from './webhook-stats.ts'
export * from './webhooks.ts'
export * from './workflow.ts'
export * from './workflow-run.ts'
export * from './workflows.ts'
export * from './workspace-files.ts'
export * from './workspaces.ts'
export * from './query-fields.ts'
