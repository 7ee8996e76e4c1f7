import { z } from 'zod'
import { change } from './mutations.ts'
import type { Scope } from './scopes.ts'
import { settingKey, settingValue } from './setting.ts'
import { accessLevels, bounceKinds, id, role, suppressionReasons, timestamp, webhookDisabledReasons } from './shared.ts'
import { workflowStops } from './workflow.ts'

type EventDefinition = {
  readonly description: string
  /** The subject of the event, its `object`; for a `record`, that is the name of its object. */
  readonly about: readonly (
    | 'record'
    | 'list'
    | 'schema'
    | 'user'
    | 'invitation'
    | 'api-key'
    | 'app'
    | 'workspace'
    | 'webhook'
    | 'workflow'
    | 'suppression'
  )[]
  /** The scope that a credential requires to receive it, beside `events:read` and, for records, `records:read`. */
  readonly scope: Scope | null
  /** The payload, beside subject, actor and time. Never a secret. */
  readonly payload: z.ZodObject
}

const event = <const E extends EventDefinition>(definition: E): E => definition

const nothing = z.strictObject({})
const diff = z.array(change).meta({ description: 'The changes, with the field names at the time of the event.' })

const ofRecord = { about: ['record'], scope: 'records:read' } as const
const ofComment = { about: ['record'], scope: 'comments:read' } as const
const ofAttachment = { about: ['record'], scope: 'files:read' } as const
const ofGrant = { about: ['record', 'list', 'schema'], scope: 'access:read' } as const
const ofSchema = { about: ['schema'], scope: 'schemas:read' } as const
const ofList = { about: ['list'], scope: 'lists:read' } as const
const ofMember = { about: ['user'], scope: 'members:read' } as const
const ofInvitation = { about: ['invitation'], scope: 'members:read' } as const
const ofWebhook = { about: ['webhook'], scope: 'webhooks:read' } as const
const ofApp = { about: ['app'], scope: 'members:read' } as const
const ofKey = { about: ['api-key'], scope: null } as const
const ofEmail = { about: ['record'], scope: 'emails:read' } as const
const ofSuppression = { about: ['suppression'], scope: 'emails:read' } as const
const ofWorkflow = { about: ['workflow'], scope: 'workflows:read' } as const

const links = z.strictObject({
  relationship: z.string().meta({ description: 'The field of the relationship.', example: 'deals' }),
  ids: z.array(id).meta({ description: 'The records at the other end.' }),
})

const entry = z.strictObject({ list_id: id, diff })
const comment = z.strictObject({ comment_id: id, diff })

const attachment = z.strictObject({ attachment_id: id, diff })
const ofLetter = {
  email_id: id,
  workflow_id: id.nullable().meta({ description: 'The workflow or campaign that wrote the e-mail.' }),
  run_id: id.nullable().meta({ description: 'The run that wrote the e-mail.' }),
}
const letter = z.strictObject(ofLetter)
const suppression = z.strictObject({ reason: z.enum(suppressionReasons) })

const grant = z.strictObject({
  grant_id: id,
  grantee_type: z.enum(['user', 'workspace']),
  grantee_id: id.nullable().meta({ description: 'null if the grantee is the workspace.' }),
  access_level: z.enum(accessLevels).nullable().meta({ description: 'null if the grant was revoked.' }),
  diff,
  notify: z.boolean().optional().meta({ description: 'True if the grantee is notified.' }),
})

const schemaChange = z.strictObject({ entity: z.string().meta({ description: 'Slug of the object.' }), diff })
const app = z.strictObject({ name: z.string() })
const email = z.string().meta({ example: 'grace@example.com' })

const key = {
  name: z.string(),
  actor_type: z.enum(['user', 'workspace']),
  user_id: id.nullable().meta({ description: 'The owner of the key; null for a workspace key.' }),
}

/**
 * Every event that Kontor publishes; closed: no module can emit another. The order is that of the reference. An event
 * says what changed, not what the record is now: who wants that reads the record.
 */
export const eventDefinitions = {
  'record.created': event({
    ...ofRecord,
    description: 'A record was created. `diff` contains all of its values.',
    payload: z.strictObject({ diff }),
  }),
  'record.updated': event({
    ...ofRecord,
    description: 'Values of a record changed, including its references.',
    payload: z.strictObject({ diff }),
  }),
  'record.deleted': event({ ...ofRecord, description: 'A record was deleted.', payload: nothing }),
  'record.restored': event({ ...ofRecord, description: 'A deleted record was restored.', payload: nothing }),
  'record.merged': event({
    ...ofRecord,
    description: 'Other records were merged into a record. The ids in `sources` now lead to that record.',
    payload: z.strictObject({ sources: z.array(id), diff }),
  }),
  'relationship.set': event({
    ...ofRecord,
    description: 'Records were linked along a many-to-many relationship. Each end has its own event.',
    payload: links,
  }),
  'relationship.unset': event({
    ...ofRecord,
    description: 'Records were unlinked along a many-to-many relationship. Each end has its own event.',
    payload: links,
  }),
  'meeting.transcribed': event({
    ...ofRecord,
    description: 'The transcript of a meeting was added or replaced.',
    payload: z.strictObject({ recording_id: id }),
  }),
  'meeting.recorded': event({
    ...ofRecord,
    description: 'Audio or video was added to a meeting.',
    payload: z.strictObject({ recording_id: id }),
  }),
  'list.entry_added': event({
    about: ['record'],
    scope: 'lists:read',
    description: 'A record joined a list: it was added, or it now matches the query.',
    payload: entry,
  }),
  'list.entry_removed': event({
    about: ['record'],
    scope: 'lists:read',
    description: 'A record left a list: it was removed, or it no longer matches the query.',
    payload: entry,
  }),
  'comment.created': event({ ...ofComment, description: 'A comment was added to a record.', payload: comment }),
  'comment.updated': event({ ...ofComment, description: 'A comment was edited.', payload: comment }),
  'comment.deleted': event({ ...ofComment, description: 'A comment was deleted.', payload: comment }),
  'attachment.created': event({
    ...ofAttachment,
    description: 'A file was attached to a record.',
    payload: attachment,
  }),
  'attachment.deleted': event({ ...ofAttachment, description: 'An attachment was deleted.', payload: attachment }),
  'access.granted': event({
    ...ofGrant,
    description: 'A record, a list or all records of an object were shared with a member or with the workspace.',
    payload: grant,
  }),
  'access.updated': event({ ...ofGrant, description: 'The access level of a grant changed.', payload: grant }),
  'access.revoked': event({ ...ofGrant, description: 'A grant was revoked.', payload: grant }),
  'list.created': event({ ...ofList, description: 'A list was created.', payload: nothing }),
  'list.updated': event({
    ...ofList,
    description: 'A list was changed. `GET` the list to see its new state.',
    payload: nothing,
  }),
  'list.published': event({ ...ofList, description: 'A draft list was published.', payload: nothing }),
  'list.unpublished': event({
    ...ofList,
    description: 'A list was unpublished and is a draft again.',
    payload: nothing,
  }),
  'list.deleted': event({ ...ofList, description: 'A list was deleted.', payload: nothing }),
  'schema.created': event({ ...ofSchema, description: 'An object was created.', payload: schemaChange }),
  'schema.updated': event({
    ...ofSchema,
    description: 'The schema of an object changed. The new version applies.',
    payload: schemaChange,
  }),
  'schema.deleted': event({ ...ofSchema, description: 'An object was deleted.', payload: schemaChange }),
  'member.invited': event({
    ...ofInvitation,
    description: 'A person was invited.',
    payload: z.strictObject({ email, role }),
  }),
  'member.invitation_resent': event({
    ...ofInvitation,
    description: 'An invitation was sent again, with a new link.',
    payload: z.strictObject({ email }),
  }),
  'member.invitation_revoked': event({
    ...ofInvitation,
    description: 'An invitation was revoked.',
    payload: z.strictObject({ email }),
  }),
  'member.joined': event({
    ...ofMember,
    description: 'A person became a member.',
    payload: z.strictObject({
      role,
      invitation_id: id.nullable().meta({ description: 'null if the operator added the person.' }),
    }),
  }),
  'member.updated': event({
    ...ofMember,
    description: 'The role or the name of a member changed.',
    payload: z.strictObject({
      role: role.optional(),
      previous_role: role.optional(),
      name: z.string().optional(),
      previous_name: z.string().nullable().optional(),
    }),
  }),
  'member.removed': event({
    ...ofMember,
    description: 'A member was removed. Their personal keys of this workspace stopped working.',
    payload: z.strictObject({ role }),
  }),
  'workflow.created': event({ ...ofWorkflow, description: 'A workflow was created.', payload: nothing }),
  'workflow.updated': event({
    ...ofWorkflow,
    description: 'A workflow was changed, enabled or disabled. `GET` the workflow to see its new state.',
    payload: nothing,
  }),
  'workflow.stopped': event({
    ...ofWorkflow,
    description:
      'The server disabled a workflow: its `acting_id` may no longer run it, or it uses a field or an object that ' +
      'was removed (`schema_changed`).',
    payload: z.strictObject({ reason: z.enum(workflowStops) }),
  }),
  'workflow.run_failed': event({
    ...ofWorkflow,
    description: 'A run of a workflow failed permanently.',
    payload: z.strictObject({
      run_id: id,
      block_id: z.string().nullable().meta({ description: 'The block that failed.' }),
      code: z.string(),
    }),
  }),
  'workflow.run_cancelled': event({
    ...ofWorkflow,
    description: 'A run of a workflow was cancelled.',
    payload: z.strictObject({ run_id: id }),
  }),
  'workflow.run_retried': event({
    ...ofWorkflow,
    description: 'A run of a workflow was retried, from the step that failed or as a new run from the start.',
    payload: z.strictObject({ run_id: id, new_run_id: id.nullable() }),
  }),
  'workflow.run_resumed': event({
    ...ofWorkflow,
    description: 'A waiting run of a workflow was resumed.',
    payload: z.strictObject({ run_id: id }),
  }),
  'workflow.secret_rotated': event({
    ...ofWorkflow,
    description: 'A workflow got a new secret. Its requests are signed with that secret.',
    payload: nothing,
  }),
  'workflow.deleted': event({ ...ofWorkflow, description: 'A workflow was deleted.', payload: nothing }),
  'email.sent': event({ ...ofEmail, description: 'An e-mail to a person was sent or stored.', payload: letter }),
  'email.opened': event({
    ...ofEmail,
    description: 'An e-mail to a person was opened for the first time.',
    payload: letter,
  }),
  'email.clicked': event({
    ...ofEmail,
    description: 'A link in an e-mail to a person was clicked for the first time.',
    payload: z.strictObject({ ...ofLetter, url: z.string() }),
  }),
  'email.replied': event({
    ...ofEmail,
    description: 'A person replied to an e-mail for the first time.',
    payload: letter,
  }),
  'email.bounced': event({
    ...ofEmail,
    description: 'An e-mail to a person bounced.',
    payload: z.strictObject({ ...ofLetter, bounce: z.enum(bounceKinds) }),
  }),
  'email.unsubscribed': event({
    ...ofEmail,
    description: 'A person unsubscribed by a link in an e-mail.',
    payload: letter,
  }),
  'suppression.created': event({
    ...ofSuppression,
    description:
      'An address was suppressed: it receives no more e-mails. Callers who may see the suppression receive it.',
    payload: suppression,
  }),
  'suppression.deleted': event({
    ...ofSuppression,
    description: 'The suppression of an address was removed: it can receive e-mails again. Only admins receive it.',
    payload: suppression,
  }),
  'workspace.updated': event({
    about: ['workspace'],
    scope: null,
    description: 'The workspace was renamed.',
    payload: z.strictObject({ name: z.string(), previous_name: z.string() }),
  }),
  'setting.changed': event({
    about: ['workspace'],
    scope: 'settings:read',
    description: 'A setting of the workspace was changed, or reset to its default.',
    payload: z.strictObject({ key: settingKey, value: settingValue, previous_value: settingValue }),
  }),
  'layout.updated': event({
    about: ['workspace'],
    scope: 'layouts:read',
    description: 'A layout was changed or reset. `GET` the layout to see its new state.',
    payload: z.strictObject({ layout_id: z.string().meta({ example: 'record__deal' }) }),
  }),
  'api_key.created': event({
    ...ofKey,
    description: 'An API key was created.',
    payload: z.strictObject({ ...key, scopes: z.array(z.string()) }),
  }),
  'api_key.updated': event({
    ...ofKey,
    description: 'An API key was renamed.',
    payload: z.strictObject({ ...key, previous_name: z.string() }),
  }),
  'api_key.rotated': event({
    ...ofKey,
    description: 'An API key got a new secret.',
    payload: z.strictObject(key),
  }),
  'api_key.revoked': event({ ...ofKey, description: 'An API key was revoked.', payload: z.strictObject(key) }),
  'app.created': event({ ...ofApp, description: 'An OAuth app was registered.', payload: app }),
  'app.updated': event({
    ...ofApp,
    description: 'The redirect URIs or scopes of an OAuth app were changed.',
    payload: app,
  }),
  'app.secret_rotated': event({ ...ofApp, description: 'An OAuth app got a new secret.', payload: app }),
  'app.deleted': event({ ...ofApp, description: 'An OAuth app was removed.', payload: app }),
  'webhook.created': event({ ...ofWebhook, description: 'A webhook was created.', payload: nothing }),
  'webhook.updated': event({
    ...ofWebhook,
    description: 'A webhook was changed, enabled or disabled by a user.',
    payload: nothing,
  }),
  'webhook.failing': event({
    ...ofWebhook,
    description:
      'Every delivery of a webhook has failed for some time. Sent after 50, 70 and 90 % of the time after which the ' +
      'webhook is disabled.',
    payload: z.strictObject({
      percent: z.int().meta({ description: '50, 70 or 90.', example: 50 }),
      failing_since: timestamp,
      disabled_from: timestamp.meta({ description: 'The first failure after this time disables the webhook.' }),
    }),
  }),
  'webhook.recovered': event({
    ...ofWebhook,
    description: 'A webhook that was reported as failing works again.',
    payload: z.strictObject({ failing_since: timestamp }),
  }),
  'webhook.disabled': event({
    ...ofWebhook,
    description: 'A webhook was disabled automatically.',
    payload: z.strictObject({ reason: z.enum(webhookDisabledReasons) }),
  }),
  'webhook.secret_rotated': event({ ...ofWebhook, description: 'A webhook got a new secret.', payload: nothing }),
  'webhook.deleted': event({ ...ofWebhook, description: 'A webhook was deleted.', payload: nothing }),
} as const satisfies Readonly<Record<`${string}.${string}`, EventDefinition>>

export type EventType = keyof typeof eventDefinitions

export const eventTypes = Object.keys(eventDefinitions) as [EventType, ...EventType[]]

type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T

/** The payload of an event of a type. */
export type EventPayload<T extends EventType> = Frozen<z.input<(typeof eventDefinitions)[T]['payload']>>
